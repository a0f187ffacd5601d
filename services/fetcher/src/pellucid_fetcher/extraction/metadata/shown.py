"""The days that a page shows, each with what speaks for it.

Scores every day in the text and in marked elements by its distance from the heading, its label,
the length of its line and the names of the elements around it; whether the best one is told is
decided by ``bylines``.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pellucid_fetcher.extraction.metadata.addresses import is_thread, month_in
from pellucid_fetcher.extraction.metadata.dates import is_believable, read_moment
from pellucid_fetcher.extraction.metadata.written import (
    Style,
    WrittenDay,
    is_changed,
    style_of,
    written_days,
)
from pellucid_fetcher.extraction.structure.blocks import Block, Place
from pellucid_language.dates import in_common_calendar

_THREADS: Final = frozenset({"DiscussionForumPosting", "QAPage"})
_NAMED_DATE: Final = re.compile(
    r"date|time|publi|posted|byline|created|entry-meta|post-meta|(?:\b|_)meta\b|article-info|author|credit"
)
_NAMED_ASIDE: Final = re.compile(
    r"comment|related|recommend|sidebar|footer|widget|teaser|more-|popular|latest|recent|trending"
    r"|upcoming|event|card|promo(?!ted)|carousel|signature|reply|review"
)
_MARKED_CLASS: Final = re.compile(r"publish|entry-date|post-date")
_ASIDE_TAGS: Final = frozenset({"nav", "aside", "footer"})
_MAYBE: Final = re.compile(r"(?:19|20)\d\d|\d[./]\d|(?![0-9])\d{4}|2[45]\d\d|和|平成|民[國国]")
_CLUE: Final = re.compile(r"[\d和平民]")  # stands in all of them, and is soon looked for
_TEXT_CHARS: Final = 400
_UP: Final = 8
_AROUND_CHARS: Final = 120  # longer text around a time is no byline
_BARE_WORDS: Final = 6  # a line of so many words is a day and little else
_READING_TIME: Final = re.compile(
    r"\bmin(?:ute)?s?\.?,?[ -](?:read|lesen|de lec)|read(?:ing)? time|lesezeit|temps de lecture"
    r"|tiempo de lectura|tempo di lettura|tempo de leitura|leestijd|分で読|读完",
    re.IGNORECASE,
)
_MAX_TIMES: Final = 200
_MAX_DATED: Final = 400
# Points for what speaks for a day; swept on half of the sites of the README's labelled pages.
_BELOW: Final = ((3, 2.5), (6, 2.0), (12, 1.0))
_ABOVE: Final = ((3, 1.5), (6, 0.5))
_FIRST_BLOCKS: Final = 12
_LABELLED: Final = 3.0
_FIRST_POST: Final = 2.5
_IN_ADDRESS: Final = 2.0  # the address names the month: "/2025/12/"; 1 to 3 are alike
_FIRST_PUBLISHED: Final = 1.5  # "originally published"; 1 to 2 are alike, 0 and 3 lose 1
_INSTANT: Final = 0.5  # an element tells machines the same day
CHANGED_COST: Final = 1.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A day with what speaks for it.

    Attributes:
        order: Smaller higher up on the page.
        other: The day with its two numbers the other way round, where either could be the month.
        is_bare: Its line says little else, and its element stands in the page's own part.
    """

    score: float
    order: tuple[int, int]
    day: date
    is_changed: bool
    other: date | None = None
    is_bare: bool = True

    @property
    def rank(self) -> tuple[float, int, int]:
        """What speaks for it; of two alike the one higher up is greater."""
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


def candidates_of(parser: LexborHTMLParser, blocks: Sequence[Block], page: Page) -> list[Candidate]:
    """Find the days of the text and of the marked elements, without those of something else.

    Args:
        parser: The parsed page.
        blocks: What it shows.
        page: What else is known of it.
    """
    marked = _marked(parser, is_thread=page.is_thread)
    return _settled([*_written(blocks, page, style_of(parser, page.url)), *marked])


def _settled(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Turn the figures of which either could be the month the way that another day confirms."""
    certain = {found.day for found in candidates if found.other is None}
    return [
        replace(found, day=found.other)
        if found.other in certain and found.day not in certain and found.other is not None
        else found
        for found in candidates
    ]


def _marked(parser: LexborHTMLParser, *, is_thread: bool) -> Iterator[Candidate]:
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
        score = 1.5 + 1.5 * is_below - 0.3 * min(count, 8) + 2.5 * marked - CHANGED_COST * changed
        aside = not (is_thread and is_below and count == 1) and _stands_aside(node)
        yield Candidate(score - 2.5 * aside, (count, 0), moment.date(), changed, is_bare=not aside)


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


def _written(blocks: Sequence[Block], page: Page, style: Style) -> Iterator[Candidate]:
    """Judge the days that stand in the text."""
    top = _top(blocks, page)
    is_first = page.is_thread
    month = month_in(page.url)
    # The posts of a thread tell machines each their own instant.
    instants = not page.is_thread
    dated = [at for at, block in enumerate(blocks) if _may_be_dated(block)]
    for at in dated[:_MAX_DATED]:
        block = blocks[at]
        near = _nearness(at, top)
        place = _standing(block, is_near=near > 1.0)
        told = _INSTANT * bool(block.instants)
        for found in _days_of(block, style, instants=instants):
            score = near + place + told + _wording(found, block)
            if is_believable(datetime.combine(found.day, time(), UTC)) and not found.is_beside:
                if is_first and at >= (top or 0) and not found.is_changed:
                    score += _FIRST_POST
                    is_first = False
                score += _IN_ADDRESS * ((found.day.year, found.day.month) == month)
                order, is_bare = (at, found.start), block.words <= _BARE_WORDS
                yield Candidate(score, order, found.day, found.is_changed, found.other, is_bare)


def _may_be_dated(block: Block) -> bool:
    text = block.text[:_TEXT_CHARS]
    return bool(block.instants) or bool(_CLUE.search(text) and _MAYBE.search(text))


def _days_of(block: Block, style: Style, *, instants: bool) -> list[WrittenDay]:
    """Read the days of a block: those that it writes, else the ones it only tells machines.

    "3 days ago" and "22 Sept" name a day with what stands beside them in the mark-up.
    """
    line = in_common_calendar(block.text[:_TEXT_CHARS])
    days = list(written_days(line, style))
    near, far, tags = _names(block.place)
    is_aside = bool(tags & _ASIDE_TAGS) or bool(_NAMED_ASIDE.search(far))
    if (
        days
        or not instants
        or len(block.instants) != 1
        or (is_aside and not _NAMED_DATE.search(near))
    ):
        return days
    moment = read_moment(block.instants[0])
    return list(written_days(f"{line} {moment:%Y-%m-%d}", style)) if moment is not None else []


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
    score = _LABELLED * found.is_published - CHANGED_COST * found.is_changed
    score += _FIRST_PUBLISHED * found.is_original
    score -= 0.5 * (not found.is_certain)
    score += 1.0 * bool(_READING_TIME.search(block.text[:_TEXT_CHARS]))
    return score - 1.5 * (block.words > 30 and found.start > 40)  # noqa: PLR2004 - amid a paragraph
