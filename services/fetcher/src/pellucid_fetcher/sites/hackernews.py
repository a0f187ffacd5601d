"""Hacker News: a story with its remarks, by the public search interface.

The interface is run by another company, so this reader is used only where the operator names it.
Source: https://hn.algolia.com/api (items). Not run against the live service.
"""

import html
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import SplitResult, parse_qs

from pellucid_fetcher.sites.port import SitePage, at, instant, list_at, post, required, text_at

NAME: Final = "hackernews"
_MOST_POSTS: Final = 500


def questions(url: SplitResult) -> Sequence[str]:
    """Return the address of an item."""
    told = parse_qs(url.query).get("id", [""])[0]
    known = url.hostname == "news.ycombinator.com" and url.path == "/item" and told.isdecimal()
    return (f"https://hn.algolia.com/api/v1/items/{told}",) if known else ()


def read(url: SplitResult, answers: Sequence[Any]) -> SitePage:
    """Read an item and what was said below it, in order.

    Raises:
        FetchFault: NO_TEXT when there is no item.
    """
    item = answers[0]
    title = text_at(item, "title") or f"Remark {url.query}"
    address = html.escape(text_at(item, "url"))
    parts = [f"<p>{address}</p>", text_at(item, "text")]
    waiting = list(reversed(list_at(item, "children")))
    while waiting and len(parts) < _MOST_POSTS:
        remark = waiting.pop()
        if body := text_at(remark, "text"):
            parts.append(post(text_at(remark, "author"), body))
        waiting += reversed(list_at(remark, "children"))
    body = required("".join(parts).replace("<p></p>", ""))
    published = instant(at(item, "created_at_i"))
    return SitePage(title, body, author=text_at(item, "author"), published=published)
