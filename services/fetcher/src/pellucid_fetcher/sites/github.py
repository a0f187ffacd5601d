"""GitHub: the introduction of a repository, a file, and the thread of an issue or pull request.

Source: https://docs.github.com/rest/issues and raw.githubusercontent.com. Not run against the live
service.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import SplitResult

from pellucid_fetcher.sites.port import SitePage, answered, at, instant, list_at, required, text_at

NAME: Final = "github"
_API: Final = "https://api.github.com/repos"
_RAW: Final = "https://raw.githubusercontent.com"
_REPOSITORY: Final = re.compile(r"/([\w.-]+/[\w.-]+)/?$")
_THREAD: Final = re.compile(r"/([\w.-]+/[\w.-]+)/(?:issues|pull)/(\d+)/?$")
_FILE: Final = re.compile(r"/([\w.-]+/[\w.-]+)/blob/(.+)$")
# First parts of paths that are no owner of repositories.
_NO_OWNERS: Final = frozenset(
    {
        "about", "apps", "blog", "collections", "contact", "customer-stories", "enterprise",
        "explore", "features", "login", "marketplace", "notifications", "orgs", "pricing", "search",
        "security", "settings", "sponsors", "stars", "team", "topics", "trending", "users",
    }
)  # fmt: skip
_TEXTS: Final = (".md", ".markdown")


def questions(url: SplitResult) -> Sequence[str]:
    """Return the addresses of a thread, a file or an introduction."""
    owner = url.path.strip("/").partition("/")[0].lower()
    if url.hostname not in ("github.com", "www.github.com") or owner in _NO_OWNERS:
        return ()
    if found := _THREAD.match(url.path):
        asked = f"{_API}/{found[1]}/issues/{found[2]}"
        return asked, f"{asked}/comments?per_page=100"
    if found := _FILE.match(url.path):
        return (f"{_RAW}/{found[1]}/{found[2]}",)
    found = _REPOSITORY.match(url.path)
    return (f"{_RAW}/{found[1]}/HEAD/README.md",) if found else ()


def read(url: SplitResult, answers: Sequence[Any]) -> SitePage:
    """Read a thread, a file or an introduction; all are Markdown, code stands in a fence.

    Raises:
        FetchFault: NO_TEXT when there is nothing in it.
    """
    if _THREAD.match(url.path):
        return _thread(*answers)
    told = answers[0]
    text = required(told if isinstance(told, str) else json.dumps(told, indent=2))
    path = url.path.strip("/")
    if _FILE.match(url.path) and not path.lower().endswith(_TEXTS):
        fence = "`" * (max(map(len, re.findall(r"`{3,}", text)), default=2) + 1)
        text = f"{fence}\n{text}\n{fence}"
    return SitePage(path.replace("/blob/", "/"), text, is_markdown=True)


def _thread(first: Any, remarks: Any) -> SitePage:
    parts = [text_at(first, "body")]
    for remark in list_at(answered(remarks)):
        told = f"{text_at(remark, 'user', 'login')}, {text_at(remark, 'created_at')[:10]}"
        parts.append(f"### {told}\n\n{text_at(remark, 'body')}")
    return SitePage(
        required(text_at(first, "title")),
        "\n\n".join(part for part in parts if part),
        is_markdown=True,
        author=text_at(first, "user", "login"),
        published=instant(at(first, "created_at")),
    )
