"""Reading a page from what its site offers programs, before the page itself is asked.

Decides when that is done; whatever goes wrong, the page itself is read instead.
"""

import html
import json
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from pellucid_fetcher.document import Document
from pellucid_fetcher.errors import FetchFault
from pellucid_fetcher.extraction.reading import sniffing
from pellucid_fetcher.outcome import FetchStatus, PageRequest, Purpose
from pellucid_fetcher.sites.port import Asked, Post, SitePage, SiteReader
from pellucid_fetcher.strategies.http_path import NO_HEADERS, HttpPath, Trail, now

_SHARE: Final = 0.4  # of the time; the rest is kept for the page itself
_JSON: Final[tuple[tuple[str, str], ...]] = (("content-type", "application/json"),)


def knower(readers: Sequence[SiteReader], href: str) -> tuple[SiteReader, Sequence[str]] | None:
    """Return the reader that knows a page, with what it asks; nothing when none does."""
    url = urlsplit(href)
    asked = ((reader, reader.questions(url)) for reader in readers)
    return next(((reader, questions) for reader, questions in asked if questions), None)


async def site_page(
    reader: SiteReader, questions: Sequence[str], href: str, http: HttpPath, *, timeout_s: float
) -> SitePage:
    """Ask a site and read its answers.

    Raises:
        FetchFault: It does not give the page.
    """
    ends = now() + timeout_s * _SHARE
    answers: list[Any] = []
    told: SitePage | Sequence[Asked] = questions
    while not isinstance(told, SitePage):
        for question in told:
            answers.append(await _answer_if_any(question, http, ends - now(), first=not answers))
        told = reader.read(urlsplit(href), answers)
    return told


async def _answer_if_any(question: Asked, http: HttpPath, timeout_s: float, *, first: bool) -> Any:
    try:
        return await _answer(question, http, timeout_s)
    except FetchFault:
        if first:
            raise
        return None


async def _answer(question: Asked, http: HttpPath, timeout_s: float) -> Any:
    trail = Trail()
    if isinstance(question, Post):
        url, headers = question.url, _JSON
        trail.content = json.dumps(question.body).encode()
    else:
        url, headers = question, NO_HEADERS
    request = PageRequest(url, Purpose.SEARCH_RESULT, 1, timeout_s)
    intake = await http.read(request, trail, timeout_s=timeout_s, headers=headers)
    text = intake.body.decode("utf-8", "replace")
    if intake.truncated:
        raise FetchFault(FetchStatus.TOO_LARGE)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def document_of(page: SitePage, href: str, *, links: bool) -> Document:
    """Return a page as a document of which everything is read."""
    if page.is_markdown:
        return Document(page.body.encode(), href, sniffing.MARKDOWN, "utf-8")
    whole = f"<title>{html.escape(page.title)}</title><body>{page.body}"
    return Document(whole.encode(), href, sniffing.WHOLE, "utf-8", links=links)
