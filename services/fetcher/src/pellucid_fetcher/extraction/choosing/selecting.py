"""Which blocks of a page are its main content."""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pellucid_fetcher.extraction.choosing.bridging import SMALL_BLOCKS, bridged, with_pictures
from pellucid_fetcher.extraction.choosing.content_model import (
    MODEL_FILE,
    ContentModel,
    Floats,
    best_choice,
    load_model,
)
from pellucid_fetcher.extraction.choosing.context import context_columns
from pellucid_fetcher.extraction.choosing.features import Featurizer, Matrix, signature
from pellucid_fetcher.extraction.choosing.priors import Priors
from pellucid_fetcher.extraction.choosing.surroundings import load_surroundings
from pellucid_fetcher.extraction.metadata.metadata import Metadata
from pellucid_fetcher.extraction.structure.blocks import Block, PageBlocks, Place

# Swept 1 to 10 on held-out pages: 3 gains 0.011 of word F1 over keeping copies.
_COPY_WORDS: Final = 3
_QUOTED_SHARE: Final = 0.6
_WORD: Final = re.compile(r"\w+")
_TABLE_DEPTH: Final = 6
_ARTICLE_TYPE: Final = re.compile(r"Article|Posting|Report")
_ARTICLE_PATH: Final = re.compile(r"/blog|/news|/article|/story|/stories/|/(?:19|20)\d\d/")
_OTHER_TYPES: Final = frozenset(
    {
        "DiscussionForumPosting", "QAPage", "Question", "Product", "ItemList", "CollectionPage",
    }
)  # fmt: skip
_GOODS_TYPES: Final = frozenset({"Product", "ProductGroup", "Offer", "AggregateOffer"})

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Choice:
    """The main content.

    Attributes:
        blocks: In page order.
        confidence: Mean likelihood of the chosen words, 0 to 1.
    """

    blocks: Sequence[Block]
    confidence: float


@dataclass(frozen=True, slots=True)
class Selector:
    """Chooses with the trained model."""

    featurizer: Featurizer
    model: ContentModel
    priors: Priors

    def select(self, page: PageBlocks, metadata: Metadata, url: str) -> Choice:
        """Choose the main content of a page."""
        if not page.blocks:
            return Choice((), 0.0)
        columns = self.featurizer.matrix(page, metadata, url)
        chances = self._chances(page.blocks, columns, metadata, url)
        words = np.asarray([block.words for block in page.blocks], dtype=np.float64)
        if not _is_in_noscript(page):
            shown = np.asarray([not block.noscript for block in page.blocks])
            chances, words = chances * shown, words * shown
        kept = choose(page.blocks, chances, words)
        if len(page.blocks) <= SMALL_BLOCKS:
            kept = bridged(page.blocks, kept, self.priors.framed(columns, page.blocks))
        chosen = with_pictures(page, kept)
        total = max(1.0, float(words[kept].sum()))
        return Choice(chosen, float((chances * words)[kept].sum()) / total)

    def _chances(
        self, blocks: Sequence[Block], columns: Matrix, metadata: Metadata, url: str
    ) -> Floats:
        first = self.model.first.chances(columns)
        looks = [signature(block) for block in blocks]
        second = np.hstack([columns, context_columns(blocks, first, looks)])
        judged = self.model.second.chances(second)
        article, goods = is_article(metadata, url), is_goods(metadata)
        return self.priors.weigh(judged, columns, blocks, is_article=article, is_goods=goods)


def is_article(metadata: Metadata, url: str) -> bool:
    """Tell whether a page says, by its data or its address, that it is an article and no thread.

    >>> is_article(Metadata(), "https://a.example/news/flood"), is_article(Metadata(), "/shop")
    (True, False)
    """
    if metadata.types & _OTHER_TYPES:
        return False
    return _says_article(metadata) or bool(_ARTICLE_PATH.search(url.lower()))


def is_goods(metadata: Metadata) -> bool:
    """Tell whether a page says by its data that it sells something, and not that it writes of it.

    >>> is_goods(Metadata(og_type="product")), is_goods(Metadata(og_type="article"))
    (True, False)
    """
    sells = "product" in metadata.og_type or bool(metadata.types & _GOODS_TYPES)
    return sells and not _says_article(metadata)


def _says_article(metadata: Metadata) -> bool:
    return metadata.og_type == "article" or any(map(_ARTICLE_TYPE.search, metadata.types))


def choose(blocks: Sequence[Block], chances: Floats, words: Floats) -> Mask:
    """Choose blocks by their chances, each text once.

    Pages hold the same text for narrow and for wide screens, in teasers and in the story; the copy
    with the best chance counts. A quotation of what was read above is left out too.

    Args:
        blocks: In page order.
        chances: float64[blocks], 0 to 1.
        words: float64[blocks], size of each.

    Returns:
        bool[blocks], True for those to keep.
    """
    kept = best_choice(_once(blocks, _with_whole_tables(blocks, chances)), words)
    return kept if all(block.kind != "quote" for block in blocks) else _unquoted(blocks, kept)


def _with_whole_tables(blocks: Sequence[Block], chances: Floats) -> Floats:
    """Give all rows of a table the chance of its best: rows without their heads say little."""
    tables: dict[int, list[int]] = {}
    for i, block in enumerate(blocks):
        if block.kind == "row":
            tables.setdefault(_table_around(block.place), []).append(i)
    result = chances.copy()
    for rows in tables.values():
        result[rows] = chances[rows].max()
    return result


def _table_around(place: Place) -> int:
    """Return what tells one table from another; rows stand at most a few elements below theirs."""
    here: Place | None = place
    for _ in range(_TABLE_DEPTH):
        if here is None:
            break
        if here.tag == "table":
            return id(here)
        here = here.parent
    return id(place)


def _once(blocks: Sequence[Block], chances: Floats) -> Floats:
    """Take the chances from all copies of a text but one; short texts, rows and code may recur."""
    result = chances.copy()
    best: dict[str, int] = {}
    for i, block in enumerate(blocks):
        if block.words < _COPY_WORDS or block.kind in ("row", "pre"):
            continue
        other = best.setdefault(block.text.lower(), i)
        if other == i:
            continue
        worse = other if result[i] > result[other] else i
        result[worse] = 0.0
        best[block.text.lower()] = other if worse == i else i
    return result


def _unquoted(blocks: Sequence[Block], kept: Mask) -> Mask:
    seen: set[tuple[str, ...]] = set()
    result = kept.copy()
    for i in np.flatnonzero(kept).tolist():
        grams = _grams(blocks[i].text)
        if blocks[i].kind == "quote" and _share_of(grams, seen) >= _QUOTED_SHARE:
            result[i] = False
        else:
            seen.update(grams)
    return result


def _grams(text: str) -> list[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    return list(zip(words, words[1:], words[2:], strict=False))


def _share_of(grams: Sequence[tuple[str, ...]], seen: AbstractSet[tuple[str, ...]]) -> float:
    if len(grams) < _COPY_WORDS:
        return 0.0
    return sum(gram in seen for gram in grams) / len(grams)


def open_selector(model: Path = MODEL_FILE) -> Selector:
    """Build a selector with the shipped tables and a model, the shipped one unless told."""
    surroundings = load_surroundings()
    featurizer = Featurizer(surroundings)
    return Selector(featurizer, load_model(model), Priors(featurizer, surroundings))


def _is_in_noscript(page: PageBlocks) -> bool:
    """Tell whether the main text stands inside noscript, as on some forum engines."""
    inside = sum(block.words for block in page.blocks if block.noscript)
    return inside > sum(block.words for block in page.blocks if not block.noscript)
