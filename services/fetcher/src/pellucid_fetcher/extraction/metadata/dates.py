"""When a page says that it was published, and where it says so.

Order: schema.org, meta tags, the address; what people see is read by ``bylines``. A date in the
future beyond one day, or before the web, is not believed. Nothing is ever guessed: most pages
without a date simply have none.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser

from pellucid_fetcher.extraction.metadata import jsonld
from pellucid_fetcher.extraction.metadata.addresses import day_in, is_offer, is_writing
from pellucid_fetcher.extraction.metadata.written import PLAIN, Style, written_days
from pellucid_fetcher.outcome import DateOrigin, PublishedDate

_EARLIEST: Final = datetime(1990, 1, 1, tzinfo=UTC)
_AHEAD: Final = timedelta(days=1)
# Metas in order of how well their meaning is kept in practice.
_METAS: Final = (
    "article:published_time", "og:article:published_time", "datepublished", "parsely-pub-date",
    "article.published", "published", "sailthru.date", "dc.date.issued", "dcterms.issued",
    "dc.date", "dcterms.date", "citation_publication_date", "citation_date", "publishdate",
    "pubdate", "publish-date", "publication_date", "date", "article.created", "created",
    "dc.date.created", "dcterms.created", "cxenseparse:recs:publishtime", "og:published_time",
)  # fmt: skip
_LIKE_META: Final = re.compile(
    r"publi\w*[-_.:]?(?:date|time|on|at)|(?:date|time)[-_.:]?publi|post[-_]?date|[.:]date$"
)
_SAME: Final = timedelta(minutes=1)  # apart are two records of one instant
_MAX_ELEMENTS: Final = 50
ARTICLE_TYPES: Final = re.compile(r"Article|BlogPosting|Report")
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
_ISO: Final = re.compile(
    r"^\s*((?:19|20)\d\d)[-/.]?(\d\d?)[-/.]?(\d\d?)"
    r"(?:[T ]+(\d\d):?(\d\d)(?::?(\d\d))?(?:[.,]\d+)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?)?"
)

_DECLARED_CHARS: Final = 60  # longer is no date


def published_date(
    metas: Mapping[str, str], nodes: Sequence[Mapping[str, Any]], url: str, style: Style = PLAIN
) -> PublishedDate | None:
    """Return the publication date that the page states, with its provenance.

    Args:
        metas: Content of its meta tags by lower-case name.
        nodes: Its schema.org objects.
        url: Its address; empty when unknown.
        style: How it writes days out.
    """
    if url and not urlsplit(url).path.strip("/"):
        return None  # a front page states when its record was made, or its newest teaser
    stated = _from_nodes(nodes, url)
    if stated is None and not is_offer(url):
        stated = _from_metas(metas, style)
    day = day_in(url)
    if day is None:
        return stated
    return _on_day(stated, day) if stated is not None else _from_url(day)


def _on_day(stated: PublishedDate, day: date) -> PublishedDate:
    """Let the day in the path count where an instant in UTC is on the day before or after."""
    if abs((stated.time.date() - day).days) != 1:
        return stated
    return replace(stated, time=_clamped(stated.time, day))


def declared_dates(
    metas: Mapping[str, str], nodes: Sequence[Mapping[str, Any]], url: str, style: Style = PLAIN
) -> tuple[PublishedDate, ...]:
    """Return every publication date of the meta tags and the schema.org objects.

    They differ where a page was put out anew.
    """
    if is_offer(url):
        return ()
    told = [_from_metas({name: metas[name]}, style) for name in _METAS if name in metas]
    told += [_from_nodes([node], url) for node in nodes]
    return tuple(filter(None, told))


def _from_nodes(nodes: Sequence[Mapping[str, Any]], url: str) -> PublishedDate | None:
    for node in nodes:
        types = jsonld.types_of(node)
        # Of a shop or a service a bare page's date says when its record was made.
        if types & _NOT_WRITINGS or ("WebPage" in types and not is_writing(url)):
            continue
        for key in ("datePublished", "uploadDate", "dateCreated"):
            # A day that is spelt out here is when a site's builder last put it out.
            moment = read_moment(jsonld.text_of(node.get(key)))
            if moment is not None:
                return PublishedDate(moment, DateOrigin.JSON_LD, 0.95)
    return None


def _from_metas(metas: Mapping[str, str], style: Style) -> PublishedDate | None:
    for name in _METAS:
        moment = read_moment(metas[name], style) if name in metas else None
        if moment is not None:
            return PublishedDate(moment, DateOrigin.META, 0.9)
    like = (read_moment(value, style) for name, value in metas.items() if _LIKE_META.search(name))
    first = min(filter(None, like), default=None)  # a later one tells when it was put out again
    return PublishedDate(first, DateOrigin.META, 0.8) if first is not None else None


def _from_url(day: date) -> PublishedDate | None:
    moment = datetime.combine(day, time(), UTC)
    return PublishedDate(moment, DateOrigin.URL, 0.85) if is_believable(moment) else None


def read_moment(text: str, style: Style | None = None) -> datetime | None:
    """Read an ISO-like date, one as in mail headers, or with a style a day that is written out.

    Returns:
        Aware UTC instant on the day that the text names, midnight for a bare day; nothing when
        unreadable or not believable.

    >>> read_moment("2024-03-05T10:00:00+02:00").isoformat()
    '2024-03-05T08:00:00+00:00'
    >>> read_moment("Tue, 03/25/2025 - 11:38", PLAIN).isoformat()
    '2025-03-25T00:00:00+00:00'
    """
    found = _ISO.match(text)
    moment = _iso_moment(found) if found else _mail_moment(text) or _written_moment(text, style)
    return moment if moment is not None and is_believable(moment) else None


def _written_moment(text: str, style: Style | None) -> datetime | None:
    if style is None or len(text) > _DECLARED_CHARS:
        return None
    days = [found.day for found in written_days(text, style)]
    return datetime.combine(days[0], time(), UTC) if len(days) == 1 else None


def own_day(parser: LexborHTMLParser, declared: PublishedDate) -> PublishedDate:
    """Move a declared instant to the day on which the page shows that same instant.

    Records are often kept in UTC and shown in the time of the site.
    """
    for node in parser.css("time[datetime]")[:_MAX_ELEMENTS]:
        found = _ISO.match(node.attributes.get("datetime") or "")
        shown = _iso_moment(found) if found is not None and found[7] else None
        if found is None or shown is None:
            continue
        if abs(datetime.fromisoformat(found[0].strip()) - declared.time) < _SAME:
            return replace(declared, time=shown)
    return declared


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
    return _clamped(moment.astimezone(UTC), moment.date())


def _clamped(instant: datetime, day: date) -> datetime:
    first = datetime.combine(day, time(), UTC)
    return min(max(instant, first), datetime.combine(day, time(23, 59, 59), UTC))


def _mail_moment(text: str) -> datetime | None:
    from email.utils import parsedate_to_datetime

    if len(text) > _DECLARED_CHARS or not re.search(r"\d{4}", text):
        return None
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    return _on_own_day(moment.replace(tzinfo=moment.tzinfo or UTC))
