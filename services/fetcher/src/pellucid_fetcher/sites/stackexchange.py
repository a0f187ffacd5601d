"""Stack Exchange: a question with its answers, the best first, by the public interface.

Source: https://api.stackexchange.com/docs (2.3, filter withbody). Not run against the live service.
"""

import html
import re
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import SplitResult

from pellucid_fetcher.sites.port import (
    SitePage,
    answered,
    at,
    instant,
    list_at,
    post,
    required,
    text_at,
)

NAME: Final = "stackexchange"
_SITES: Final = {
    "stackoverflow.com": "stackoverflow", "superuser.com": "superuser",
    "serverfault.com": "serverfault", "askubuntu.com": "askubuntu",
    "mathoverflow.net": "mathoverflow.net",
}  # fmt: skip
_FAMILY: Final = ".stackexchange.com"
_PATH: Final = re.compile(r"/(?:questions|q)/(\d+)(?:/|$)")
_BASE: Final = "https://api.stackexchange.com/2.3/questions"


def questions(url: SplitResult) -> Sequence[str]:
    """Return the addresses of a question and of its answers."""
    host = (url.hostname or "").removeprefix("www.")
    site = host.removesuffix(_FAMILY) if host.endswith(_FAMILY) else _SITES.get(host)
    found = _PATH.match(url.path)
    if site is None or found is None:
        return ()
    asked = f"{_BASE}/{found[1]}"
    told = f"site={site}&filter=withbody"
    return f"{asked}?{told}", f"{asked}/answers?order=desc&sort=votes&pagesize=50&{told}"


def read(url: SplitResult, answers: Sequence[Any]) -> SitePage:  # noqa: ARG001 - of the port
    """Read a question and its answers.

    Raises:
        FetchFault: NO_TEXT when there is no question.
    """
    asked = at(answers[0], "items", 0)
    parts = [required(text_at(asked, "body"))]
    for answer in list_at(answered(answers[1]), "items"):
        told = f"{at(answer, 'score')} votes" + ", accepted" * bool(at(answer, "is_accepted"))
        author = html.unescape(text_at(answer, "owner", "display_name"))
        parts.append(post(author, text_at(answer, "body"), told))
    return SitePage(
        html.unescape(text_at(asked, "title")),
        "".join(parts),
        author=html.unescape(text_at(asked, "owner", "display_name")),
        published=instant(at(asked, "creation_date")),
    )
