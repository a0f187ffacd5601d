"""Dates that a page shows to people: beside its heading, under its text, in marked elements.

Decides which of the days that a page names is its own, and how sure that is. Front pages,
catalogues and shops are full of dates that say nothing about the page: there only a day with every
mark of a publication counts. A day of the last change is told for want of another one, as unsure.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pellucid_fetcher.extraction.about.addresses import (
    is_offer,
    is_posted,
    is_thread,
    is_writing,
    month_in,
)
from pellucid_fetcher.extraction.about.dates import (
    ARTICLE_TYPES,
    is_believable,
    own_day,
    read_moment,
)
from pellucid_fetcher.extraction.about.written import (
    Style,
    WrittenDay,
    is_changed,
    style_of,
    written_days,
)
from pellucid_fetcher.extraction.structure.blocks import Block, Place
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
_THREADS: Final = frozenset({"DiscussionForumPosting", "QAPage"})
_NAMED_DATE: Final = re.compile(
    r"date|time|publi|posted|byline|created|entry-meta|post-meta|(?:\b|_)meta\b|article-info|author|credit"
)
_NAMED_ASIDE: Final = re.compile(
    r"comment|related|recommend|sidebar|footer|widget|teaser|more-|popular|latest|recent|trending"
    r"|upcoming|event|card|promo|carousel|signature|reply|review"
)
_MARKED_CLASS: Final = re.compile(r"publish|entry-date|post-date")
_ASIDE_TAGS: Final = frozenset({"nav", "aside", "footer"})
_MAYBE: Final = re.compile(r"(?:19|20)\d\d|\d[./]\d")
_TEXT_CHARS: Final = 400
_UP: Final = 8
_AROUND_CHARS: Final = 120  # longer text around a time is no byline
_BARE_WORDS: Final = 6  # a line of so many words is a day and little else
_LABEL_WORDS: Final = 3
_NO_LABEL: Final = re.compile(r"\d|release", re.IGNORECASE)  # games and films are released
_READING_TIME: Final = re.compile(
    r"\bmin(?:ute)?s?\.?,?[ -](?:read|lesen|de lec)|read(?:ing)? time|lesezeit|temps de lecture"
    r"|tiempo de lectura|tempo di lettura|tempo de leitura|leestijd|分で読|读完",
    re.IGNORECASE,
)
_MAX_TIMES: Final = 200
_MAX_DATED: Final = 400
# Points for what speaks for a day, and the least sums; swept on half of the sites of the README's
# labelled pages.
_LEAST: Final = 1.5
_LEAST_ELSEWHERE: Final = 3.5
_LEAST_LONE: Final = 0.0  # of a day without a rival in a writing; swept -1 to 1
_LEAST_LONE_CHANGE: Final = 1.5  # of the only change; 0 invents 6 days more for 1 right
_AHEAD_OF_RIVALS: Final = 2.0
_LEAST_EARLIER: Final = 4.0  # swept 3 to 5.5 on half of the sites: 4 right, none wrong
_LEAST_EARLIER_IN_THREAD: Final = 3.5  # swept 2.5 to 4.5: 1 right, none wrong up to 3.5
_ALL_CERTAIN: Final = 5.0
_BELOW: Final = ((3, 2.5), (6, 2.0), (12, 1.0))
_ABOVE: Final = ((3, 1.5), (6, 0.5))
_FIRST_BLOCKS: Final = 12
_LABELLED: Final = 3.0
_FIRST_POST: Final = 2.5
_IN_ADDRESS: Final = 2.0  # the address names the month: "/2025/12/"
_FIRST_PUBLISHED: Final = 1.5  # "originally published", before the day of a later edition
_CHANGED_COST: Final = 1.0
_WESTMOST: Final = timedelta(hours=12)  # so far behind UTC the day ends last


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A day with what speaks for it.

    Attributes:
        order: Smaller higher up on the page.
        other: The day with its two numbers the other way round, where either could be the month.
        is_bare: Its line says little else.
    """

    score: float
    order: tuple[int, int]
    day: date
    is_changed: bool
    other: date | None = None
    is_bare: bool = True

    @property
    def rank(self) -> tuple[float, int, int]:
        return self.score, -self.order[0], -self.order[1]


@dataclass(frozen=True, slots=True)
class Page:
    """What is known of a page beside its text.

    Attributes:
        url: Its address; empty when unknown.
        title: Its title; tells which heading of the first level is its own, or marks the beginning
            where there is none.
        types: Its schema.org types.
    """

    url: str
    title: str = ""
    types: AbstractSet[str] = frozenset()

    @property
    def is_thread(self) -> bool:
        """Tell whether the page is a thread of posts."""
        return is_thread(self.url) or not self.types.isdisjoint(_THREADS)


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
    candidates = _candidates(parser, blocks, page)
    for changed, least_here in ((False, least), (True, least - _CHANGED_COST)):
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
    candidates = _candidates(parser, blocks, page)
    shown = {found.day for found in candidates}
    if declared.time.date() not in shown:
        declared = next((each for each in others if each.time.date() in shown), declared)
    best = _best(candidates, is_changed=False)
    if best is None or declared.time.date() == best.day:
        return declared
    if page.is_thread:
        is_beside = abs(declared.time.date() - best.day) == timedelta(days=1)
        is_earlier = _is_earlier(best, declared) and declared.time.date() not in shown
        fits = best.score >= _LEAST_EARLIER_IN_THREAD and (is_beside or is_earlier)
    else:
        is_hidden = declared.time.date() not in shown
        fits = best.score >= _LEAST_EARLIER and is_hidden and _is_earlier(best, declared)
    return _published(best) if fits else declared


def _is_earlier(found: _Candidate, declared: PublishedDate) -> bool:
    """Tell whether a day was over everywhere on earth at a declared instant."""
    return (declared.time - _WESTMOST).date() > found.day


def _lone(candidates: Sequence[_Candidate], least: float, *, is_changed: bool) -> _Candidate | None:
    """Find the best day where it stands for itself and every other day is far behind it."""
    best = _best(candidates, is_changed=is_changed)
    if best is None or best.score < least or not best.is_bare:
        return None
    rivals = (found.score for found in candidates if found.day != best.day)
    return best if max(rivals, default=-math.inf) <= best.score - _AHEAD_OF_RIVALS else None


def _candidates(parser: LexborHTMLParser, blocks: Sequence[Block], page: Page) -> list[_Candidate]:
    marked = _marked(parser, is_thread=page.is_thread)
    return _settled([*_written(blocks, page, style_of(parser, page.url)), *marked])


def _best(candidates: Sequence[_Candidate], *, is_changed: bool) -> _Candidate | None:
    alike = (found for found in candidates if found.is_changed is is_changed)
    return max(alike, key=lambda found: found.rank, default=None)


def _settled(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """Turn the figures of which either could be the month the way that another day confirms."""
    certain = {found.day for found in candidates if found.other is None}
    return [
        replace(found, day=found.other)
        if found.other in certain and found.day not in certain and found.other is not None
        else found
        for found in candidates
    ]


def _published(best: _Candidate) -> PublishedDate:
    moment = datetime.combine(best.day, time(), UTC)
    trust = 0.4 + 0.3 * min(1.0, max(0.0, best.score) / _ALL_CERTAIN)
    return PublishedDate(moment, DateOrigin.TEXT, round(0.4 if best.is_changed else trust, 2))


def _marked(parser: LexborHTMLParser, *, is_thread: bool) -> Iterator[_Candidate]:
    """Judge the elements that carry a date for machines.

    In a thread the posts are called replies and comments, the first one too.
    """
    nodes = parser.css("h1, time[datetime], [itemprop=datePublished]")[:_MAX_TIMES]
    is_below = all(node.tag != "h1" for node in nodes)
    count = 0
    for node in nodes:
        is_below |= node.tag == "h1"
        attributes = node.attributes
        moment = read_moment(attributes.get("datetime") or attributes.get("content") or "")
        if moment is None or not is_believable(moment):
            continue
        count += 1
        marked = _is_marked(attributes)
        changed = not marked and _tells_change(node)
        score = 1.5 + 1.5 * is_below - 0.3 * min(count, 8) + 2.5 * marked - _CHANGED_COST * changed
        aside = not (is_thread and is_below and count == 1) and _stands_aside(node)
        yield _Candidate(score - 2.5 * aside, (count, 0), moment.date(), changed)


def _is_marked(attributes: Mapping[str, str | None]) -> bool:
    names = (attributes.get("class") or "").lower()
    is_published = (attributes.get("itemprop") or "").lower() == "datepublished"
    return is_published or "pubdate" in attributes or bool(_MARKED_CLASS.search(names))


def _tells_change(node: LexborNode) -> bool:
    if (node.attributes.get("itemprop") or "") == "dateModified":
        return True
    around = node.parent
    text = (around.text(deep=True) or "") if around is not None else ""
    named = is_changed(node.attributes.get("class") or "")
    return named or (len(text) <= _AROUND_CHARS and is_changed(text))


def _stands_aside(node: LexborNode) -> bool:
    above = node.parent
    for _ in range(_UP):
        if above is None:
            return False
        names = f"{above.attributes.get('class') or ''} {above.attributes.get('id') or ''}"
        if above.tag in _ASIDE_TAGS or _NAMED_ASIDE.search(names.lower()):
            return True
        above = above.parent
    return False


def _written(blocks: Sequence[Block], page: Page, style: Style) -> Iterator[_Candidate]:
    """Judge the days that stand in the text."""
    top = _top(blocks, page)
    is_first = page.is_thread
    month = month_in(page.url)
    dated = [at for at, block in enumerate(blocks) if _MAYBE.search(block.text[:_TEXT_CHARS])]
    for at in dated[:_MAX_DATED]:
        block = blocks[at]
        near = _nearness(at, top)
        place = _standing(block, is_near=near > 1.0)
        label = _label_above(blocks, at)
        for found in written_days(f"{label}{block.text[:_TEXT_CHARS]}", style):
            score = near + place + _wording(found, block) + bool(label and found.is_published)
            if is_believable(datetime.combine(found.day, time(), UTC)) and not found.is_beside:
                if is_first and at >= (top or 0) and not found.is_changed:
                    score += _FIRST_POST
                    is_first = False
                score += _IN_ADDRESS * ((found.day.year, found.day.month) == month)
                order, is_bare = (at, found.start), block.words <= _BARE_WORDS
                yield _Candidate(score, order, found.day, found.is_changed, found.other, is_bare)


def _top(blocks: Sequence[Block], page: Page) -> int | None:
    """Find the heading of the first level that is the title, else the first one.

    Where there is none, the heading or the line that is the title.
    """
    title = page.title.casefold()
    firsts = [at for at, block in enumerate(blocks) if block.kind == "h" and block.level == 1]
    if firsts:
        return next((at for at in firsts if blocks[at].text.casefold() == title), firsts[0])
    titled = [at for at, block in enumerate(blocks) if title and block.text.casefold() == title]
    return next((at for at in titled if blocks[at].kind == "h"), next(iter(titled), None))


def _label_above(blocks: Sequence[Block], at: int) -> str:
    """Return the line above a bare day where it is a label: "Published" over "July 8, 2025"."""
    above = blocks[at - 1] if at else None
    if above is None or above.link_words or blocks[at].words > _BARE_WORDS:
        return ""
    return (
        f"{above.text}: " if above.words <= _LABEL_WORDS and not _MAYBE.search(above.text) else ""
    )


def _nearness(at: int, top: int | None) -> float:
    """Score the distance from the first heading of the first level."""
    if top is None:
        return 1.5 if at < _FIRST_BLOCKS else 0.0
    bands = _BELOW if at >= top else _ABOVE
    return next((points for reach, points in bands if abs(at - top) <= reach), 0.0)


def _standing(block: Block, *, is_near: bool) -> float:
    """Score what the elements around are called, how long a block is and how much of it links."""
    near, far, tags = _names(block.place)
    score = 1.5 if _NAMED_DATE.search(near) else 0.0
    if tags & _ASIDE_TAGS or _NAMED_ASIDE.search(far):
        score -= 1.0 if is_near else 3.0
    if block.link_words > 0.8 * block.words and not is_near:
        score -= 1.5
    return score + (1.0 if block.words <= 6 else 0.5 if block.words <= 15 else 0.0)  # noqa: PLR2004


def _names(place: Place) -> tuple[str, str, frozenset[str]]:
    """Return the names of the nearest four elements, of eight, and the tags of those."""
    names: list[str] = []
    tags: set[str] = set()
    here: Place | None = place
    while here is not None and len(names) < _UP:
        names.append(here.names)
        tags.add(here.tag)
        here = here.parent
    return " ".join(names[:4]), " ".join(names), frozenset(tags)


def _wording(found: WrittenDay, block: Block) -> float:
    """Score the label of a day and where in its line it stands."""
    score = _LABELLED * found.is_published - _CHANGED_COST * found.is_changed
    score += _FIRST_PUBLISHED * found.is_original
    score -= 0.5 * (not found.is_certain)
    score += 1.0 * bool(_READING_TIME.search(block.text[:_TEXT_CHARS]))
    return score - 1.5 * (block.words > 30 and found.start > 40)  # noqa: PLR2004 - amid a paragraph
