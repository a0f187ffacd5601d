"""Reddit: a post with its remarks, by the JSON that stands beside every page.

Source: https://www.reddit.com/dev/api (listings). Not run against the live service.
"""

import re
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import SplitResult

from pellucid_fetcher.sites.port import SitePage, at, instant, list_at, required, text_at

NAME: Final = "reddit"
_HOSTS: Final = frozenset({"reddit.com", "www.reddit.com", "old.reddit.com", "new.reddit.com"})
_PATH: Final = re.compile(r"/r/\w+/comments/\w+")
_MOST_POSTS: Final = 500


def questions(url: SplitResult) -> Sequence[str]:
    """Return the address of a post's data."""
    found = _PATH.match(url.path) if url.hostname in _HOSTS else None
    return (f"https://www.reddit.com{found[0]}.json?limit=200&raw_json=1",) if found else ()


def read(url: SplitResult, answers: Sequence[Any]) -> SitePage:  # noqa: ARG001 - of the port
    """Read a post and what was said below it, in order; both are Markdown.

    Raises:
        FetchFault: NO_TEXT when there is no post.
    """
    told = at(answers[0], 0, "data", "children", 0, "data")
    title = required(text_at(told, "title"))
    parts = [text_at(told, "selftext") or text_at(told, "url")]
    waiting = list(reversed(list_at(answers[0], 1, "data", "children")))
    while waiting and len(parts) < _MOST_POSTS:
        remark = at(waiting.pop(), "data")
        if body := text_at(remark, "body"):
            parts.append(f"### {text_at(remark, 'author')}, {at(remark, 'score')} points\n\n{body}")
        waiting += reversed(list_at(remark, "replies", "data", "children"))
    return SitePage(
        title,
        "\n\n".join(part for part in parts if part),
        is_markdown=True,
        author=text_at(told, "author"),
        published=instant(at(told, "created_utc")),
    )
