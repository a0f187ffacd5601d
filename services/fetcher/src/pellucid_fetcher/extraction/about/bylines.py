"""Dates that a page shows to people: beside its heading, under its text, in marked elements.

Decides which of the days that a page names is its own, and how sure that is. Front pages,
catalogues and shops are full of dates that say nothing about the page: there only a day with every
mark of a publication counts. A day of the last change is told for want of another one, as unsure.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Final
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pellucid_fetcher.extraction.about.dates import (
    is_believable,
    is_posted,
    is_writing,
    read_moment,
)
from pellucid_fetcher.extraction.about.written import WrittenDay, is_changed, written_days
from pellucid_fetcher.extraction.structure.blocks import Block, Place
from pellucid_fetcher.outcome import DateOrigin, PublishedDate
from pellucid_language.calendar import written_months

_WRITING: Final = re.compile(r"Article|Posting|Report|Recipe|HowTo|QAPage|Question")
_ARTICLE: Final = re.compile(r"Article|BlogPosting|Report")
_NO_WRITING: Final = frozenset(
    {
        "Product", "ProductGroup", "Offer", "AggregateOffer", "CollectionPage",
        "SearchResultsPage", "Event", "JobPosting",
    }
)  # fmt: skip
# What stands on posts too, in a box or as the publisher.
_BESIDE_WRITING: Final = frozenset({"ItemList", "LocalBusiness", "Service"})
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
_MAX_TIMES: Final = 200
_MAX_DATED: Final = 400
# English is written in many countries; only in some of them the month comes first.
_DAY_FIRST_HOSTS: Final = re.compile(r"\.(?:uk|au|nz|ie|in|za|eu|scot|london)$")

# Points for what speaks for a day, and the least sums; swept on the labelled pages of the README:
# with these 4 of 10 dates that metadata lacked are found and 3 of 100 dateless pages get one.
_LEAST: Final = 1.5
_LEAST_ELSEWHERE: Final = 5.5
_LEAST_SAID: Final = 4.0
_ALL_CERTAIN: Final = 5.0
_BELOW: Final = ((3, 2.5), (6, 2.0), (12, 1.0))
_ABOVE: Final = ((3, 1.5), (6, 0.5))
_FIRST_BLOCKS: Final = 12
_LABELLED: Final = 3.0
_CHANGED_COST: Final = 1.0


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A day with what speaks for it; ``order`` is smaller higher up on the page."""

    score: float
    order: tuple[int, int]
    day: date
    is_changed: bool

    @property
    def rank(self) -> tuple[float, int, int]:
        return self.score, -self.order[0], -self.order[1]


def visible_date(
    parser: LexborHTMLParser,
    blocks: Sequence[Block],
    types: AbstractSet[str],
    url: str,
    *,
    says_article: bool = False,
) -> PublishedDate | None:
    """Return the date that a page shows as its own.

    Args:
        parser: The parsed page.
        blocks: What it shows.
        types: Its schema.org types.
        url: Its address.
        says_article: It calls itself an article where it is shared; many pages do that are none.
    """
    if types & _NO_WRITING or not urlsplit(url).path.strip("/"):
        return None
    if types & _BESIDE_WRITING and not (any(map(_ARTICLE.search, types)) or is_posted(url)):
        return None
    elsewhere = _LEAST_SAID if says_article else _LEAST_ELSEWHERE
    least = _LEAST if _is_writing(types, url) else elsewhere
    candidates = [*_written(parser, blocks, url), *_marked(parser)]
    for changed, least_here in ((False, least), (True, least - _CHANGED_COST)):
        best = max(
            (found for found in candidates if found.is_changed is changed),
            key=lambda found: found.rank,
            default=None,
        )
        if best is not None and best.score >= least_here:
            return _published(best)
    return None


def _published(best: _Candidate) -> PublishedDate:
    moment = datetime.combine(best.day, time(), UTC)
    trust = 0.4 + 0.3 * min(1.0, max(0.0, best.score) / _ALL_CERTAIN)
    return PublishedDate(moment, DateOrigin.TEXT, round(0.4 if best.is_changed else trust, 2))


def _is_writing(types: AbstractSet[str], url: str) -> bool:
    return is_writing(url) or any(map(_WRITING.search, types))


def _marked(parser: LexborHTMLParser) -> Iterator[_Candidate]:
    """Judge the elements that carry a date for machines."""
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
        yield _Candidate(score - 2.5 * _stands_aside(node), (count, 0), moment.date(), changed)


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


def _written(parser: LexborHTMLParser, blocks: Sequence[Block], url: str) -> Iterator[_Candidate]:
    """Judge the days that stand in the text."""
    language = _language(parser)
    months = written_months(language[:2])
    month_first = _is_month_first(language, url)
    top = next((i for i, b in enumerate(blocks) if b.kind == "h" and b.level == 1), None)
    dated = [at for at, block in enumerate(blocks) if _MAYBE.search(block.text[:_TEXT_CHARS])]
    for at in dated[:_MAX_DATED]:
        block = blocks[at]
        near = _nearness(at, top)
        place = _standing(block, is_near=near > 1.0)
        for found in written_days(block.text[:_TEXT_CHARS], months, month_first=month_first):
            score = near + place + _wording(found, block)
            if is_believable(datetime.combine(found.day, time(), UTC)):
                yield _Candidate(score, (at, found.start), found.day, found.is_changed)


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
    score -= 0.5 * (not found.is_certain)
    return score - 1.5 * (block.words > 30 and found.start > 40)  # noqa: PLR2004 - amid a paragraph


def _language(parser: LexborHTMLParser) -> str:
    root = parser.css_first("html")
    return ((root.attributes.get("lang") or "") if root is not None else "").strip().lower()


def _is_month_first(language: str, url: str) -> bool:
    """Tell whether "3/5/2024" is the fifth of March here."""
    if language[:2] not in ("", "en") or language.startswith(("en-gb", "en-au", "en-nz", "en-ie")):
        return False
    return not _DAY_FIRST_HOSTS.search(urlsplit(url).hostname or "")
