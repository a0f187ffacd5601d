"""When a page says that it was published, and where it says so.

Order: schema.org, meta tags, the address, elements marked as the publication; what people see is
read by ``bylines``. A date in the future beyond one day, or before the web, is not believed.
Nothing is ever guessed: most pages without a date simply have none.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser

from pellucid_fetcher.extraction.about import jsonld
from pellucid_fetcher.outcome import DateOrigin, PublishedDate

_EARLIEST: Final = datetime(1990, 1, 1, tzinfo=UTC)
_AHEAD: Final = timedelta(days=1)
# Metas in order of how well their meaning is kept in practice.
_METAS: Final = (
    "article:published_time", "og:article:published_time", "datepublished", "parsely-pub-date",
    "article.published", "sailthru.date", "dc.date.issued", "dcterms.issued", "dc.date",
    "dcterms.date", "citation_publication_date", "citation_date", "publishdate", "pubdate",
    "publish-date", "publication_date", "date", "article.created", "created", "dc.date.created",
    "dcterms.created", "cxenseparse:recs:publishtime", "og:published_time",
)  # fmt: skip
_PUBLICATION_ELEMENTS: Final = (
    'time[itemprop="datePublished"]', "time[pubdate]", '[itemprop="datePublished"]',
    "time.entry-date", "time.published", "article header time[datetime]",
)  # fmt: skip
_LIKE_META: Final = re.compile(
    r"publi\w*[-_.:]?(?:date|time|on|at)|(?:date|time)[-_.:]?publi|post[-_]?date"
)
_CHANGE_METAS: Final = ("article:modified_time", "og:updated_time", "datemodified", "last-modified")
_CHANGED_TRUST: Final = 0.35
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
_THREAD: Final = re.compile(r"(?:thread|topic)-\d|[?&](?:topic|threadid|tid)=\d")
_SLUG_WORDS: Final = 4  # a last part of so many words is the title of a writing


def is_writing(url: str) -> bool:
    """Tell by its address whether a page is one article, post or thread.

    >>> is_writing("https://a.example/blog/hi"), is_writing("https://a.example/shop/hats")
    (True, False)
    """
    last = urlsplit(url).path.rstrip("/").rsplit("/", 1)[-1]
    return is_posted(url) or last.count("-") + last.count("_") >= _SLUG_WORDS - 1


def is_posted(url: str) -> bool:
    """Tell whether an address leads below a blog, the news, a forum or the like.

    >>> is_posted("https://a.example/blog/hi"), is_posted("https://a.example/how-to-tie-a-knot")
    (True, False)
    """
    address = urlsplit(url.lower())
    below = address.path.rstrip("/").rsplit("/", 1)[-1] and _WRITING_PATH.search(address.path)
    return bool(below) or _THREAD.search(f"{address.path}?{address.query}") is not None


def published_date(
    parser: LexborHTMLParser,
    metas: Mapping[str, str],
    nodes: Sequence[Mapping[str, Any]],
    url: str,
) -> PublishedDate | None:
    """Return the publication date that the page states, with its provenance."""
    if not urlsplit(url).path.strip("/"):
        return None  # a front page states when its record was made, or its newest teaser
    return _from_nodes(nodes, url) or _from_metas(metas) or _from_url(url) or _from_elements(parser)


def changed_date(
    metas: Mapping[str, str], nodes: Sequence[Mapping[str, Any]], url: str
) -> PublishedDate | None:
    """Return the day of the last change of a writing, for want of any other and unsure as such."""
    if not is_writing(url):
        return None
    told = [jsonld.text_of(node.get("dateModified")) for node in nodes]
    told += [metas[name] for name in _CHANGE_METAS if name in metas]
    moment = next(filter(None, map(read_moment, told)), None)
    return PublishedDate(moment, DateOrigin.META, _CHANGED_TRUST) if moment is not None else None


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
    for name, value in metas.items():
        moment = read_moment(value) if _LIKE_META.search(name) else None
        if moment is not None:
            return PublishedDate(moment, DateOrigin.META, 0.8)
    return None


def _from_url(url: str) -> PublishedDate | None:
    found = _URL_DAY.search(url.partition("?")[0])
    moment = read_moment("-".join(found.groups())) if found else None
    return PublishedDate(moment, DateOrigin.URL, 0.85) if moment is not None else None


def _from_elements(parser: LexborHTMLParser) -> PublishedDate | None:
    """Read a time element that the page itself marks as its publication."""
    for selector in _PUBLICATION_ELEMENTS:
        node = parser.css_first(selector)
        attributes = node.attributes if node is not None else {}
        value = attributes.get("datetime") or attributes.get("content") or ""
        moment = read_moment(value)
        if moment is not None:
            return PublishedDate(moment, DateOrigin.META, 0.8)
    return None


def read_moment(text: str) -> datetime | None:
    """Read an ISO-like date, or one as in mail headers.

    Returns:
        Aware UTC instant on the day that the text names, midnight for a bare day; nothing when
        unreadable or not believable.

    >>> read_moment("2024-03-05T10:00:00+02:00").isoformat()
    '2024-03-05T08:00:00+00:00'
    """
    found = _ISO.match(text)
    moment = _iso_moment(found) if found else _mail_moment(text)
    return moment if moment is not None and is_believable(moment) else None


def is_believable(moment: datetime) -> bool:
    """Tell whether the web was there already and the day has come, wherever on earth."""
    return _EARLIEST <= moment <= datetime.now(UTC) + _AHEAD


def _iso_moment(found: re.Match[str]) -> datetime | None:
    year, month, day, hour, minute, second, zone = found.groups()
    clock = f"T{hour}:{minute}:{second or '00'}" if hour else "T00:00:00"
    offset = "+00:00" if zone in (None, "Z", "UTC", "GMT") else zone
    try:
        moment = datetime.fromisoformat(f"{year}-{int(month):02}-{int(day):02}{clock}{offset}")
        return _on_own_day(moment)
    except (ValueError, OverflowError):
        return None


def _on_own_day(moment: datetime) -> datetime:
    """Return the instant in UTC, moved to the nearest end of the page's own day where it left it.

    People ask for the day that the page shows; late in an American evening it is over in UTC.
    """
    day, instant = moment.date(), moment.astimezone(UTC)
    first = datetime.combine(day, time(), UTC)
    return min(max(instant, first), datetime.combine(day, time(23, 59, 59), UTC))


def _mail_moment(text: str) -> datetime | None:
    from email.utils import parsedate_to_datetime

    if len(text) > 60 or not re.search(r"\d{4}", text):  # noqa: PLR2004 - longer is no date
        return None
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    return _on_own_day(moment.replace(tzinfo=moment.tzinfo or UTC))
