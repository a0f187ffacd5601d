"""What is known of each block, as numbers: its text, its place, its neighbours, its page.

The columns and their order belong to the trained model; they change only together with it.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pellucid_fetcher.extraction.choosing.surroundings import Surroundings
from pellucid_fetcher.extraction.metadata.metadata import Metadata
from pellucid_fetcher.extraction.structure.blocks import (
    Block,
    PageBlocks,
    Place,
    count_marks,
    words_of,
)

Matrix = NDArray[np.float32]

_KINDS: Final = ("p", "h", "li", "row", "pre", "quote")
_LEVELS_UP: Final = (1, 2, 4, 7)
PHRASE_COLUMN: Final = len(_KINDS) + 15  # where a block's own columns tell of a frame phrase
_OF_KIND: Final = {kind: [float(kind == other) for other in _KINDS] for kind in _KINDS}
# All ways begin with a sign of their own, so that a search skips what is none.
_PRICE: Final = re.compile(r"\$|€|£|¥|₩|₹|U(?<!\wU)SD\b|E(?<!\wE)UR\b")
_NEAR: Final = 3
_NAME_CHARS: Final = 80
_MAX_NAMES: Final = 50_000  # a bound on memory
_WRITING_TYPES: Final = re.compile(r"Article|Posting|Report|Recipe|HowTo")
_PRODUCT_TYPES: Final = frozenset({"Product", "Offer", "AggregateOffer", "ProductGroup"})
_THREAD_TYPES: Final = frozenset({"DiscussionForumPosting", "QAPage", "Question", "Comment"})
_LIST_TYPES: Final = frozenset({"ItemList", "CollectionPage", "SearchResultsPage"})
_FORUM_URL: Final = re.compile(
    r"forum|thread|topic|/t/|viewtopic|discuss|community|questions?/|/r/"
)
_DOCS_URL: Final = re.compile(r"docs?[./]|/docs|documentation|reference|manual|guide|api|wiki")
_ARTICLE_URL: Final = re.compile(r"blog|news|article|story|/(?:19|20)\d\d/|post")
_SHOP_URL: Final = re.compile(r"product|/p/|/dp/|item|shop|store|/c/|collection|categor|search")


class Featurizer:
    """Computes the matrix of one page at a time.

    Args:
        surroundings: The table of words.
    """

    def __init__(self, surroundings: Surroundings) -> None:
        self._surroundings = surroundings
        self._tag_bit = {tag: 1 << i for i, tag in enumerate(surroundings.tags)}
        self._names: dict[str, int] = {}
        self._any_name = re.compile("|".join(pattern.pattern for pattern in surroundings.names))

    def matrix(self, page: PageBlocks, metadata: Metadata, url: str) -> Matrix:
        """Compute the features.

        Returns:
            float32[number of blocks, number of columns].
        """
        blocks = page.blocks
        places = _Places(self, blocks)
        wide = np.asarray(_page_row(page, metadata, url), dtype=np.float32)
        return np.hstack(
            [
                np.asarray([self._own(block) for block in blocks], dtype=np.float32),
                self._unpacked([places.masks(block.place) for block in blocks]),
                np.asarray([places.row(block) for block in blocks], dtype=np.float32),
                np.broadcast_to(wide, (len(blocks), len(wide))),
                self._sequence(blocks, metadata),
                _neighbours(blocks),
            ]
        )

    def _unpacked(self, masks: Sequence[tuple[int, int]]) -> Matrix:
        """Turn pairs of bit sets into columns, one for each bit."""
        bits = np.arange(self.bit_count, dtype=np.int64)
        pairs = np.asarray(masks, dtype=np.int64)
        spread = (pairs[:, :, None] >> bits) & 1
        return spread.reshape(len(masks), -1).astype(np.float32)

    def _own(self, block: Block) -> list[float]:
        text = block.text
        words = max(1, block.words)
        chars = max(1, len(text))
        letters, digits, capitals = count_marks(text[:400])
        return [
            *_OF_KIND[block.kind],
            float(block.level),
            float(bool(block.marker)),
            math.log1p(block.words),
            chars / words,
            block.link_words / words,
            math.log1p(block.links),
            float(text[-1:] in '.!?。…"”’)'),
            text.count(",") / words,
            sum(map(text.count, ".!?。")) / words,
            digits / min(chars, 400),
            capitals / max(1, letters),
            float(bool(_PRICE.search(text[:200]))),
            float("|" in text or "•" in text or "›" in text or "»" in text),
            float(text[:1].islower()),
            float(bool(self._surroundings.frame_text.match(text[:60].strip().lower()))),
            float(bool(self._surroundings.frame_phrase.search(text[:300].lower()))),
            float("?" in text[-3:]),
            float(":" in text[-2:]),
        ]

    def bits_of(self, place: Place) -> int:
        """Return which kinds of name and tag an element has."""
        shift = len(self._surroundings.names)
        return self._name_bits(place.names) | self._tag_bit.get(place.tag, 0) << shift

    @property
    def own_columns(self) -> int:
        """Number of columns before those of the kinds."""
        return len(self._own(Block("p", "", Place("", "", None, 0))))

    @property
    def bit_count(self) -> int:
        """Number of kinds: those told by names, then those of elements."""
        return len(self._surroundings.names) + len(self._surroundings.tags)

    def _name_bits(self, names: str) -> int:
        """Judge names once; pages of a site, and sites of a framework, use the same ones."""
        known = self._names.get(names)
        if known is None:
            parts = names.split()
            known = reduce(or_, map(self._name_bits, parts)) if parts[1:] else self._learn(names)
            if len(self._names) > _MAX_NAMES:
                self._names.clear()
            self._names[names] = known
        return known

    def _learn(self, name: str) -> int:
        name = name.strip()[:_NAME_CHARS]
        if not self._any_name.search(name):
            return 0
        return sum(1 << i for i, kind in enumerate(self._surroundings.names) if kind.search(name))

    def _sequence(self, blocks: Sequence[Block], metadata: Metadata) -> Matrix:
        """Describe where in the page a block stands."""
        title = words_of(metadata.title)
        described = words_of(metadata.description)
        total = max(1, sum(block.words for block in blocks))
        repeats = Counter(block.text for block in blocks)
        first_h1 = next((i for i, b in enumerate(blocks) if b.kind == "h" and b.level == 1), -1)
        seen = since_heading = 0
        framed = heading_level = 0.0
        rows: list[list[float]] = []
        for i, block in enumerate(blocks):
            if block.kind == "h":
                since_heading = 0
                heading_level = float(block.level)
                framed = float(bool(self._surroundings.frame_heading.search(block.text[:120])))
            words = words_of(block.text[:200])
            rows.append(
                [
                    seen / total,
                    i / len(blocks),
                    (len(blocks) - i) / len(blocks),
                    float(first_h1 < 0),
                    math.copysign(math.log1p(abs(i - first_h1)), i - first_h1),
                    math.log1p(since_heading),
                    heading_level,
                    framed,
                    math.log1p(repeats[block.text] - 1),
                    len(words & title) / max(1, len(words)),
                    len(words & title) / max(1, len(title)),
                    len(words & described) / max(1, len(words)),
                    float(block.noscript),
                ]
            )
            seen += block.words
            since_heading += block.words
        return np.asarray(rows, dtype=np.float32)


class _Places:
    """Features of the elements around blocks, computed once for each element."""

    def __init__(self, featurizer: Featurizer, blocks: Sequence[Block]) -> None:
        self._featurizer = featurizer
        self._bits: dict[int, tuple[int, int, int, int]] = {}
        looks = list(map(signature, blocks))
        self._signatures = Counter(looks)
        words: Counter[str] = Counter()
        for block, look in zip(blocks, looks, strict=True):
            words[look] += block.words
        self._signature_words = words
        self._total = max(1, sum(block.words for block in blocks))
        self._prose = _prose_scores(blocks)
        self._best: dict[int, float] = {}
        self._sizes: dict[int, tuple[float, ...]] = {}
        self._best_prose = max(self._prose.values(), default=0.0) or 1.0

    def row(self, block: Block) -> list[float]:
        look = signature(block)
        alike = self._signatures[look]
        return [
            float(block.place.depth),
            math.log1p(alike),
            self._signature_words[look] / alike,
            self._signature_words[look] / self._total,
            *self._containers(block.place),
            *self._prose_around(block.place),
        ]

    def _prose_around(self, place: Place) -> tuple[float, float]:
        """Compare with the element that holds most of the page's prose."""
        near = self._prose.get(id(place), 0.0)
        here = place
        for _ in range(_NEAR):
            if here.parent is None:
                break
            here = here.parent
            near = max(near, self._prose.get(id(here), 0.0))
        return near / self._best_prose, self._best_above(place) / self._best_prose

    def _best_above(self, place: Place) -> float:
        best = self._best.get(id(place))
        if best is None:
            best = self._prose.get(id(place), 0.0)
            if place.parent is not None:
                best = max(best, self._best_above(place.parent))
            self._best[id(place)] = best
        return best

    def masks(self, place: Place) -> tuple[int, int]:
        """Return what the elements above are, all of them and the nearest three."""
        return self._kinds(place)[:2]

    def _kinds(self, place: Place | None) -> tuple[int, int, int, int]:
        """Return the kinds of all elements above, of the nearest three, two, and the first."""
        if place is None:
            return 0, 0, 0, 0
        known = self._bits.get(id(place))
        if known is None:
            far, _, two, one = self._kinds(place.parent)
            own = self._featurizer.bits_of(place)
            # The whole page is often named like one of its parts.
            far = far | own if place.tag not in ("", "body", "html") else 0
            known = self._bits[id(place)] = (far, own | two, own | one, own)
        return known

    def _containers(self, place: Place) -> list[float]:
        values: list[float] = []
        here: Place = place
        level = 0
        for wanted in _LEVELS_UP:
            while level < wanted and here.parent is not None and here.parent.tag != "":
                here = here.parent
                level += 1
            values += self._sizes_of(here)
        return values

    def _sizes_of(self, place: Place) -> tuple[float, ...]:
        known = self._sizes.get(id(place))
        if known is None:
            words, blocks = max(1, place.words), max(1, place.blocks)
            known = self._sizes[id(place)] = (
                math.log1p(place.words),
                place.link_words / words,
                math.log1p(place.blocks),
                place.words / blocks,
                place.paragraphs / blocks,
                place.words / self._total,
            )
        return known


def _prose_scores(blocks: Sequence[Block]) -> dict[int, float]:
    """Score elements by the prose right inside them, half of it also for the element around."""
    scores: dict[int, float] = {}
    for block in blocks:
        if block.words < 8 or block.kind == "h":  # noqa: PLR2004 - too short for a sentence
            continue
        plain = 1.0 - block.link_words / block.words
        score = (1.0 + block.text.count(",") + min(block.words / 25.0, 4.0)) * plain * plain
        here: Place | None = block.place
        for share in (0.5, 1.0, 0.5, 0.25):
            if here is None or here.tag in ("", "body", "html"):
                break
            scores[id(here)] = scores.get(id(here), 0.0) + score * share
            here = here.parent
    return scores


def signature(block: Block) -> str:
    """Return what blocks of one look have in common."""
    place = block.place
    above = place.parent
    return f"{block.kind}.{place.tag}.{place.names[:40]}>{above.tag if above else ''}"


def _page_row(page: PageBlocks, metadata: Metadata, url: str) -> list[float]:
    blocks = page.blocks
    words = max(1, sum(block.words for block in blocks))
    linked = sum(block.link_words for block in blocks) / words
    long_words = sum(b.words for b in blocks if b.kind == "p" and b.words > 20) / words  # noqa: PLR2004
    types = metadata.types
    path = url.lower()
    return [
        math.log1p(words),
        math.log1p(len(blocks)),
        linked,
        long_words,
        words / max(1, len(blocks)),
        float(any(map(_WRITING_TYPES.search, types))),
        float(bool(types & _PRODUCT_TYPES)),
        float(bool(types & _THREAD_TYPES)),
        float(bool(types & _LIST_TYPES)),
        float(metadata.og_type == "article"),
        float("product" in metadata.og_type),
        math.log1p(len(metadata.description)),
        float(metadata.published is not None),
        float(bool(_FORUM_URL.search(path))),
        float(bool(_DOCS_URL.search(path))),
        float(bool(_ARTICLE_URL.search(path))),
        float(bool(_SHOP_URL.search(path))),
        float(path.partition("?")[0].rstrip("/").count("/")),
        math.log1p(sum(b.kind == "pre" for b in blocks)),
    ]


def _neighbours(blocks: Sequence[Block]) -> Matrix:
    """Describe up to three blocks before and after."""
    count = len(blocks)
    size = np.log1p([block.words for block in blocks])
    linked = np.asarray([block.link_words / max(1, block.words) for block in blocks])
    heading = np.asarray([float(block.kind == "h") for block in blocks])
    stops = np.asarray([float(block.text[-1:] in ".!?。") for block in blocks])
    columns = []
    for offset in (-3, -2, -1, 1, 2, 3):
        for values, missing in ((size, 0.0), (linked, 1.0), (heading, 0.0), (stops, 0.0)):
            shifted = np.full(count, missing)
            if offset < 0:
                shifted[-offset:] = values[:offset]
            else:
                shifted[:-offset] = values[offset:]
            columns.append(shifted)
    return np.asarray(columns, dtype=np.float32).T
