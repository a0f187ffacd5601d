"""What an address says of its page: a writing, a thread, an offer, the day in its path.

Decides nothing about dates that pages declare or show; ``dates`` and ``bylines`` ask here.
"""

import re
from datetime import date
from typing import Final
from urllib.parse import unquote, urlsplit

from pellucid_language.calendar import written_months

_WRITING_PATH: Final = re.compile(
    r"/(?:blogs?|news|articles?|story|stories|posts?|press|threads?|questions?|t|r)/"
    r"|/topics?/[^/]*(?:\d|\w-\w)|viewtopic|showthread"
)
_THREAD: Final = re.compile(r"(?:thread|topic)-\d|[?&](?:topic|threadid|tid)=\d")
_THREAD_PATH: Final = re.compile(
    r"/(?:threads?|questions?|t|r)/|/topics?/[^/]*(?:\d|\w-\w)|viewtopic|showthread|showtopic"
)
_OFFER_PATH: Final = re.compile(
    r"/(?:shops?|stores?|products?|services?|collections?|catalog(?:ue)?|categor(?:y|ies)|genres?"
    r"|coupons?(?:-[\w-]+)?)(?:/|$)"
)
_SLUG_WORDS: Final = 4  # a last part of so many words is the title of a writing
_DAY: Final = re.compile(
    r"/((?:19|20)\d\d)[/-]?(0[1-9]|1[0-2])[/-]?(0[1-9]|[12]\d|3[01])(?=[/_.-]|$)"
    r"|/((?:19|20)\d\d)/([a-z]{3,9})/(\d\d?)(?=/|$)"
)
_MONTH: Final = re.compile(r"/((?:19|20)\d\d)/(0[1-9]|1[0-2])(?=/)")


def is_writing(url: str) -> bool:
    """Tell by its address whether a page is one article, post or thread.

    >>> is_writing("https://a.example/blog/hi"), is_writing("https://a.example/shop/hats")
    (True, False)
    """
    last = urlsplit(url).path.rstrip("/").rsplit("/", 1)[-1]
    slug = last.count("-") + last.count("_") >= _SLUG_WORDS - 1
    return is_posted(url) or (slug and not is_offer(url))


def is_posted(url: str) -> bool:
    """Tell whether an address leads below a blog, the news, a forum or the like.

    >>> is_posted("https://a.example/blog/hi"), is_posted("https://a.example/how-to-tie-a-knot")
    (True, False)
    """
    address = urlsplit(unquote(url).lower())
    below = address.path.rstrip("/").rsplit("/", 1)[-1] and _WRITING_PATH.search(address.path)
    return bool(below) or _THREAD.search(f"{address.path}?{address.query}") is not None


def is_thread(url: str) -> bool:
    """Tell whether an address leads to a thread of posts; the first one gives it its day.

    >>> is_thread("https://a.example/viewtopic.php?t=7"), is_thread("https://a.example/news/7")
    (True, False)
    """
    address = urlsplit(unquote(url).lower())
    return bool(
        _THREAD_PATH.search(address.path) or _THREAD.search(f"{address.path}?{address.query}")
    )


def is_offer(url: str) -> bool:
    """Tell whether an address leads into a shop or to what a company does for others.

    What such a page declares as its publication is the day on which its record was made.

    >>> is_offer("https://a.example/product/long-red-summer-dress"), is_offer("https://a.example/a")
    (True, False)
    """
    return _OFFER_PATH.search(urlsplit(url.lower()).path) is not None


def day_in(url: str) -> date | None:
    """Return the day that stands in the path.

    >>> day_in("https://a.example/world/2024/oct/03/tide").isoformat()
    '2024-10-03'
    """
    found = _DAY.search(url.partition("?")[0].lower())
    if found is None:
        return None
    year, month, day = found.groups()[:3] if found[1] else found.groups()[3:]
    number = int(month) if month.isdigit() else written_months("").get(month, 0)
    try:
        return date(int(year), number, int(day))
    except ValueError:
        return None


def month_in(url: str) -> tuple[int, int] | None:
    """Return the year and the month that stand in the path.

    >>> month_in("https://a.example/2025/12/tide"), month_in("https://a.example/tide")
    ((2025, 12), None)
    """
    found = _MONTH.search(urlsplit(url).path)
    return (int(found[1]), int(found[2])) if found else None
