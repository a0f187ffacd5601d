"""Dates that a page shows to people: beside its heading, under its text, in marked elements.

Decides which of the days that a page names is its own, and how sure that is; ``shown`` finds and
scores them. Front pages, catalogues and shops are full of dates that say nothing about the page:
there only a day with every mark of a publication counts. A day of the last change is told for want
of another one, as unsure.
"""

import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Final
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser

from pellucid_fetcher.extraction.metadata.addresses import is_offer, is_posted, is_writing
from pellucid_fetcher.extraction.metadata.dates import ARTICLE_TYPES, own_day
from pellucid_fetcher.extraction.metadata.shown import CHANGED_COST, Candidate, Page, candidates_of
from pellucid_fetcher.extraction.structure.blocks import Block
from pellucid_fetcher.outcome import DateOrigin, PublishedDate

_WRITING: Final = re.compile(r"Article|Posting|Report|Recipe|HowTo|QAPage|Question")
_NO_WRITING: Final = frozenset(
    {
        "Product", "ProductGroup", "Offer", "AggregateOffer", "CollectionPage",
        "SearchResultsPage", "Event", "JobPosting",
    }
)  # fmt: skip
# What stands on posts too, in a box or as the publisher.
_BESIDE_WRITING: Final = frozenset({"ItemList", "LocalBusiness", "Service"})
# Least sums of points; swept on half of the sites of the README's labelled pages.
_LEAST: Final = 1.5
_LEAST_ELSEWHERE: Final = 3.5
_LEAST_LONE: Final = 0.0  # of a day without a rival in a writing; -1 to 0.5 are alike, 1 loses 1
_LEAST_LONE_CHANGE: Final = 1.5  # of the only change; 0 tells 1 more right and 5 invented days
_AHEAD_OF_RIVALS: Final = 2.0  # 0 to 2.5 are alike, 3 loses 1
_LEAST_EARLIER: Final = 4.0  # swept 3 to 5.5 on half of the sites: 4 right, none wrong
_LEAST_EARLIER_IN_THREAD: Final = 3.5  # swept 2 to 5: 1 right up to 3.5, none wrong
_ALL_CERTAIN: Final = 5.0
_WESTMOST: Final = timedelta(hours=12)  # so far behind UTC the day ends last


def visible_date(
    parser: LexborHTMLParser, blocks: Sequence[Block], page: Page
) -> PublishedDate | None:
    """Return the date that a page shows as its own.

    Args:
        parser: The parsed page.
        blocks: What it shows.
        page: What else is known of it.
    """
    types = page.types
    if types & _NO_WRITING or (page.url and not urlsplit(page.url).path.strip("/")):
        return None
    is_article = any(map(ARTICLE_TYPES.search, types))
    if (types & _BESIDE_WRITING or is_offer(page.url)) and not (is_article or is_posted(page.url)):
        return None
    is_written = is_writing(page.url) or any(map(_WRITING.search, types))
    least = _LEAST if is_written else _LEAST_ELSEWHERE
    candidates = candidates_of(parser, blocks, page)
    for changed, least_here in ((False, least), (True, least - CHANGED_COST)):
        best = _best(candidates, is_changed=changed)
        if best is not None and best.score >= least_here:
            return _published(best)
    plain = _lone(candidates, _LEAST_LONE, is_changed=False) if is_written else None
    lone = plain or _lone(candidates, _LEAST_LONE_CHANGE, is_changed=True)
    return _published(lone) if lone is not None else None


def earlier_date(
    parser: LexborHTMLParser,
    blocks: Sequence[Block],
    page: Page,
    declared: PublishedDate,
    others: Sequence[PublishedDate] = (),
) -> PublishedDate:
    """Prefer a day shown as the publication where the page declares a later one and hides it.

    Pages that were moved or put out anew declare the day of that. Of several declared days the one
    that is shown counts, and in a thread the day that is shown beside the declared one.

    Args:
        parser: The parsed page.
        blocks: What it shows.
        page: What else is known of it.
        declared: The publication that it declares.
        others: All publications that it declares.
    """
    if page.is_thread:
        declared = own_day(parser, declared)
    candidates = candidates_of(parser, blocks, page)
    shown = {found.day for found in candidates}
    if declared.time.date() not in shown:
        declared = next((each for each in others if each.time.date() in shown), declared)
    best = _best(candidates, is_changed=False)
    stated = declared.time.date()
    least = _LEAST_EARLIER_IN_THREAD if page.is_thread else _LEAST_EARLIER
    if best is None or best.score < least or best.day == stated:
        return declared
    is_beside = page.is_thread and abs(stated - best.day) == timedelta(days=1)
    is_moved = stated not in shown and _is_earlier(best, declared)
    return _published(best) if is_beside or is_moved else declared


def _is_earlier(found: Candidate, declared: PublishedDate) -> bool:
    """Tell whether a day was over everywhere on earth at a declared instant."""
    return (declared.time - _WESTMOST).date() > found.day


def _lone(candidates: Sequence[Candidate], least: float, *, is_changed: bool) -> Candidate | None:
    """Find the best day where it stands for itself and every other day is far behind it."""
    best = _best(candidates, is_changed=is_changed)
    if best is None or best.score < least or not best.is_bare:
        return None
    rivals = (found.score for found in candidates if found.day != best.day)
    return best if max(rivals, default=-math.inf) <= best.score - _AHEAD_OF_RIVALS else None


def _best(candidates: Sequence[Candidate], *, is_changed: bool) -> Candidate | None:
    alike = (found for found in candidates if found.is_changed is is_changed)
    return max(alike, key=lambda found: found.rank, default=None)


def _published(best: Candidate) -> PublishedDate:
    moment = datetime.combine(best.day, time(), UTC)
    trust = 0.4 + 0.3 * min(1.0, max(0.0, best.score) / _ALL_CERTAIN)
    return PublishedDate(moment, DateOrigin.TEXT, round(0.4 if best.is_changed else trust, 2))
