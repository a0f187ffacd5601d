"""Dates that stand beside the heading of a writing, for people to read.

Decides only for pages that look like one writing by their address: front pages, catalogues and
shops are full of dates that say nothing about the page. A date of the last change is not reported.
"""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pellucid_fetcher.extraction.blocks import Block
from pellucid_fetcher.extraction.dates import is_writing, read_moment
from pellucid_fetcher.outcome import DateOrigin, PublishedDate

_MARKED_TRUST: Final = 0.7
_WRITTEN_TRUST: Final = 0.6
_NO_WRITING: Final = frozenset(
    {
        "Product", "ProductGroup", "Offer", "AggregateOffer", "ItemList", "CollectionPage",
        "SearchResultsPage", "Event", "LocalBusiness", "Service", "JobPosting",
    }
)  # fmt: skip
_CHANGED: Final = re.compile(
    r"updat|modif|edit(?:ed|iert)|revis|review|chang|aktualisiert|geändert|mis à jour|actualiz"
    r"|수정|更新|join|since|expire|deadline",
    re.IGNORECASE,
)
_ASIDE: Final = frozenset({"nav", "aside", "footer"})
_UP: Final = 12
_AROUND_CHARS: Final = 120  # longer text around a time is no byline
_BEFORE: Final = 3
_AFTER: Final = 6
_BYLINE_WORDS: Final = 25
_MAX_TIMES: Final = 200

# Beginnings of the names of months in English, German, French, Spanish, Italian, Portuguese.
_MONTHS: Final = (
    "jan|gen|ene", "feb|fév|fev", "mar|mär|mrz", "apr|avr|abr", "may|mai|mag", "jun|juin|giu",
    "jul|juil|lug", "aug|août|aou|ago", "sep|set", "oct|okt|ott|out", "nov", "dec|dez|déc|dic",
)  # fmt: skip
_MONTH: Final = f"(?P<month>(?:{'|'.join(_MONTHS)})[a-zéûçä]{{0,7}})\\.?"
_YEAR: Final = r"(?P<year>(?:19|20)\d\d)"
_DAY: Final = r"(?P<day>\d{1,2})"
_WRITTEN: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b{_MONTH}\s+{_DAY}(?:st|nd|rd|th)?,?\s+{_YEAR}\b",
        rf"\b{_DAY}(?:st|nd|rd|th|er|\.|º)?\s+(?:de\s+)?{_MONTH},?\s+(?:de\s+|del\s+)?{_YEAR}\b",
        rf"\b{_YEAR}(?P<mark>[-./])\s?(?P<month>\d{{1,2}})(?P=mark)\s?{_DAY}\b",
        rf"{_YEAR}\s*[年년]\s*(?P<month>\d{{1,2}})\s*[月월]\s*{_DAY}\s*[日일]",
    )
)


def visible_date(
    parser: LexborHTMLParser, blocks: Sequence[Block], types: AbstractSet[str], url: str
) -> PublishedDate | None:
    """Return the date beside the heading of a page that is one writing.

    Args:
        parser: The parsed page.
        blocks: What it shows.
        types: Its schema.org types.
        url: Its address.
    """
    if types & _NO_WRITING or not is_writing(url):
        return None
    return _marked(parser) or _written(blocks)


def _marked(parser: LexborHTMLParser) -> PublishedDate | None:
    """Read the first time element after the heading."""
    is_below = False
    for node in parser.css("h1, time[datetime]")[:_MAX_TIMES]:
        if node.tag == "h1":
            is_below = True
        elif is_below and _is_beside_writing(node):
            moment = read_moment(node.attributes.get("datetime") or "")
            return PublishedDate(moment, DateOrigin.TEXT, _MARKED_TRUST) if moment else None
    return None


def _is_beside_writing(node: LexborNode) -> bool:
    around = node.parent
    text = (around.text(deep=True) or "") if around is not None else ""
    if len(text) <= _AROUND_CHARS and _CHANGED.search(text):
        return False
    if _CHANGED.search(node.attributes.get("class") or ""):
        return False
    return not any(tag in _ASIDE for tag in _tags_above(node))


def _tags_above(node: LexborNode) -> Iterator[str]:
    above = node.parent
    for _ in range(_UP):
        if above is None:
            return
        yield above.tag or ""
        above = above.parent


def _written(blocks: Sequence[Block]) -> PublishedDate | None:
    """Read a date in a short text around the first heading of the first level."""
    top = next((i for i, b in enumerate(blocks) if b.kind == "h" and b.level == 1), None)
    if top is None:
        return None
    after, before = blocks[top + 1 : top + 1 + _AFTER], blocks[max(0, top - _BEFORE) : top]
    for block in (*after, *before):
        if block.words > _BYLINE_WORDS or block.kind == "h":
            continue
        moment = written_moment(block.text)
        if moment is not None:
            return PublishedDate(moment, DateOrigin.TEXT, _WRITTEN_TRUST)
    return None


def written_moment(text: str) -> datetime | None:
    """Read the first full date in a line of text, unless the line is about a change.

    Days and months in figures alone are ambiguous and not read, except after the year.

    >>> written_moment("Von Anna Muster, 5. März 2024").date().isoformat()
    '2024-03-05'
    """
    if _CHANGED.search(text):
        return None
    for pattern in _WRITTEN:
        found = pattern.search(text)
        if found:
            day = f"{found['year']}-{_month(found['month'])}-{found['day']}"
            return read_moment(day)
    return None


def _month(name: str) -> int:
    if name.isdigit():
        return int(name)
    beginnings = (re.match(names, name, re.IGNORECASE) for names in _MONTHS)
    return next(number for number, found in enumerate(beginnings, 1) if found)
