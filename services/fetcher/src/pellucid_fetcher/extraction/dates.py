"""When a page says that it was published, and where it says so.

Order: schema.org, meta tags, the address, a marked time element, text near the top of something
article-like. A date in the future beyond one day, or before the web, is not believed. Nothing is
ever guessed: most pages without a date simply have none.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser

from pellucid_fetcher.extraction import jsonld
from pellucid_fetcher.outcome import DateOrigin, PublishedDate

_EARLIEST: Final = datetime(1990, 1, 1, tzinfo=UTC)
# Metas in order of how well their meaning is kept in practice.
_METAS: Final = (
    "article:published_time", "og:article:published_time", "datepublished", "parsely-pub-date",
    "article.published", "sailthru.date", "dc.date.issued", "dcterms.issued", "dc.date",
    "dcterms.date", "citation_publication_date", "citation_date", "publishdate", "pubdate",
    "publish-date", "publication_date", "date", "article.created", "created", "dc.date.created",
    "dcterms.created", "cxenseparse:recs:publishtime", "og:published_time",
)  # fmt: skip
_NOT_WRITINGS: Final = frozenset(
    {
        "Person",
        "Organization",
        "Offer",
        "Event",
        "Review",
        "Comment",
        "Answer",
        "ImageObject",
        "CollectionPage",
        "SearchResultsPage",
        "ItemList",
        "Product",
        "ProductGroup",
        "WebSite",
        "Service",
        "LocalBusiness",
        "VideoObject",
        "ItemPage",
    }
)
_URL_DAY: Final = re.compile(
    r"/((?:19|20)\d\d)[/-]?(0[1-9]|1[0-2])[/-]?(0[1-9]|[12]\d|3[01])(?=[/_.-]|$)"
)
_ISO: Final = re.compile(
    r"^\s*((?:19|20)\d\d)[-/.]?(\d\d?)[-/.]?(\d\d?)"
    r"(?:[T ]+(\d\d):?(\d\d)(?::?(\d\d))?(?:[.,]\d+)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?)?"
)


_WRITING_PATH: Final = re.compile(
    r"/(?:blogs?|news|articles?|story|stories|posts?|press|threads?|topics?|questions?|t|r)/"
    r"|viewtopic|showthread"
)
_SLUG_WORDS: Final = 4  # a last part of so many words is the title of a writing


def is_writing(url: str) -> bool:
    """Tell by its address whether a page is one article, post or thread.

    >>> is_writing("https://a.example/blog/hi"), is_writing("https://a.example/shop/hats")
    (True, False)
    """
    path = urlsplit(url).path.lower()
    last = path.rstrip("/").rsplit("/", 1)[-1]
    is_below = bool(last) and _WRITING_PATH.search(path) is not None
    return is_below or last.count("-") + last.count("_") >= _SLUG_WORDS - 1


def published_date(
    parser: LexborHTMLParser,
    metas: Mapping[str, str],
    nodes: Sequence[Mapping[str, Any]],
    url: str,
) -> PublishedDate | None:
    """Return the publication date that the page states, with its provenance."""
    return _from_nodes(nodes, url) or _from_metas(metas) or _from_url(url) or _from_elements(parser)


def _from_nodes(nodes: Sequence[Mapping[str, Any]], url: str) -> PublishedDate | None:
    for node in nodes:
        types = jsonld.types_of(node)
        # Of a shop or a service a bare page's date says when its record was made.
        if types & _NOT_WRITINGS or ("WebPage" in types and not is_writing(url)):
            continue
        for key in ("datePublished", "uploadDate", "dateCreated"):
            moment = read_moment(jsonld.text_of(node.get(key)))
            if moment is not None:
                return PublishedDate(moment, DateOrigin.JSON_LD, 0.95)
    return None


def _from_metas(metas: Mapping[str, str]) -> PublishedDate | None:
    for name in _METAS:
        moment = read_moment(metas[name]) if name in metas else None
        if moment is not None:
            return PublishedDate(moment, DateOrigin.META, 0.9)
    return None


def _from_url(url: str) -> PublishedDate | None:
    found = _URL_DAY.search(url.partition("?")[0])
    moment = read_moment("-".join(found.groups())) if found else None
    return PublishedDate(moment, DateOrigin.URL, 0.85) if moment is not None else None


def _from_elements(parser: LexborHTMLParser) -> PublishedDate | None:
    """Read a time element that the page itself marks as its publication."""
    selector = (
        'time[itemprop="datePublished"], time[pubdate], [itemprop="datePublished"], '
        "time.entry-date, time.published, article header time[datetime]"
    )
    for node in parser.css(selector)[:3]:
        value = node.attributes.get("datetime") or node.attributes.get("content") or ""
        moment = read_moment(value)
        if moment is not None:
            return PublishedDate(moment, DateOrigin.META, 0.8)
    return None


def read_moment(text: str) -> datetime | None:
    """Read an ISO-like date, or one as in mail headers.

    Returns:
        Aware UTC instant, midnight for a bare day; nothing when unreadable or not believable.

    >>> read_moment("2024-03-05T10:00:00+02:00").isoformat()
    '2024-03-05T08:00:00+00:00'
    """
    found = _ISO.match(text)
    moment = _iso_moment(found) if found else _mail_moment(text)
    if moment is None or not moment >= _EARLIEST:
        return None
    return moment


def _iso_moment(found: re.Match[str]) -> datetime | None:
    year, month, day, hour, minute, second, zone = found.groups()
    clock = f"T{hour}:{minute}:{second or '00'}" if hour else "T00:00:00"
    offset = "+00:00" if zone in (None, "Z", "UTC", "GMT") else zone
    try:
        moment = datetime.fromisoformat(f"{year}-{int(month):02}-{int(day):02}{clock}{offset}")
        return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _mail_moment(text: str) -> datetime | None:
    from email.utils import parsedate_to_datetime

    if len(text) > 60 or not re.search(r"\d{4}", text):  # noqa: PLR2004 - longer is no date
        return None
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
