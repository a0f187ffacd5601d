"""What a reader of one site is: which addresses it asks, and what it makes of the answers.

Pure on both sides; who asks, in what time and through which gate is decided by the chain.
"""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol
from urllib.parse import SplitResult

from pellucid_fetcher.errors import FetchFault
from pellucid_fetcher.outcome import FetchStatus


@dataclass(frozen=True, slots=True)
class SitePage:
    """A page as its site gives it to programs.

    Attributes:
        body: HTML of the whole text, or Markdown.
        is_markdown: Which of the two.
        published: Aware UTC instant; nothing when it is not told.
    """

    title: str
    body: str
    is_markdown: bool = False
    author: str = ""
    published: datetime | None = None


@dataclass(frozen=True, slots=True)
class Post:
    """A question that is sent as a body of JSON."""

    url: str
    body: Mapping[str, Any]


Asked = str | Post


class SiteReader(Protocol):
    """A module that knows one site."""

    @property
    def NAME(self) -> str:  # noqa: N802 - a constant of the module
        """As the setting names it."""
        ...

    def questions(self, url: SplitResult) -> Sequence[str]:
        """Return the addresses to ask for a page, in order; none for an unknown page."""
        ...

    def read(self, url: SplitResult, answers: Sequence[Any]) -> SitePage | Sequence[Asked]:
        """Read the answers, each a value of JSON or else a text; nothing where none came.

        The first one came always. Returns what to ask next where the answers tell it.

        Raises:
            FetchFault: NO_TEXT when they hold no page.
        """
        ...


def at(value: Any, *path: str | int) -> Any:
    """Return what stands at a path of a JSON value; nothing where it ends."""
    for step in path:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and len(value) > step else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def text_at(value: Any, *path: str | int) -> str:
    """Return the text at a path; empty where there is none."""
    found = at(value, *path)
    return found if isinstance(found, str) else ""


def list_at(value: Any, *path: str | int) -> list[Any]:
    """Return the list at a path; empty where there is none."""
    found = at(value, *path)
    return found if isinstance(found, list) else []


def instant(value: Any) -> datetime | None:
    """Read seconds since 1970 or an ISO instant, in UTC."""
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value)
            return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
        return datetime.fromtimestamp(value, UTC) if isinstance(value, int | float) else None
    except (ValueError, OverflowError, OSError):
        return None


def answered(answer: Any) -> Any:
    """Return an answer without which there is no page.

    Raises:
        FetchFault: It did not come.
    """
    if answer is None:
        raise FetchFault(FetchStatus.NO_TEXT)
    return answer


def required(text: str) -> str:
    """Return a text that a page must have.

    Raises:
        FetchFault: It is empty.
    """
    if not text.strip():
        raise FetchFault(FetchStatus.NO_TEXT)
    return text


def post(author: str, body: str, told: str = "") -> str:
    """Return one post of a thread as HTML, under who wrote it; the body is HTML already."""
    by = ", ".join(part for part in (author, told) if part)
    return f"<h3>{html.escape(by)}</h3>{body}" if by else body
