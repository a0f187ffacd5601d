"""The labelled pages that the fetcher's content model learns from: blocks, features, labels.

Decides which copies of a page are learnt from beside it, and which blocks are main content by the
labelled text.
"""

import gzip
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborHTMLParser

from pellucid_fetcher.extraction.choosing.features import Featurizer
from pellucid_fetcher.extraction.choosing.selecting import is_article, is_goods
from pellucid_fetcher.extraction.choosing.surroundings import load_surroundings
from pellucid_fetcher.extraction.metadata.metadata import read_metadata
from pellucid_fetcher.extraction.reading import charset
from pellucid_fetcher.extraction.structure.blocks import Block, Place, add_to_places
from pellucid_fetcher.extraction.structure.walking import walk_page

WORD = re.compile(r"\w+")
GRAM = 3
HALF = 0.5
SHORT_SHARE = 0.4
# Weight of the copies without names; swept 0, 0.4 and 1 on held-out pages: 0.846, 0.849, 0.851.
NAMELESS_SHARE = 1.0
CAP_BYTES = 8 * 1024 * 1024
# Blocks learnt from a page at most, drawn at random; more of one page teach little and take long.
ROWS = 300
FOLDS = 3


@dataclass(frozen=True, slots=True)
class Sample:
    """One labelled page: blocks, their features, and which belong to the main content.

    ``share`` is the weight of the page; shortened copies have less than a whole one, and copies are
    not measured.
    """

    kind: str
    site: str
    gold: "Counter[str]"
    blocks: list[Block]
    columns: NDArray[Any]
    wanted: NDArray[Any]
    share: float = 1.0
    is_copy: bool = False
    is_article: bool = False
    is_goods: bool = False
    fold: int = 0
    number: int = 0

    @property
    def words(self) -> NDArray[Any]:
        """Number of words of each block."""
        return np.asarray([block.words for block in self.blocks], dtype=float)

    @property
    def weights(self) -> NDArray[Any]:
        """Weight of each block: every page counts alike, long blocks more than short ones."""
        raw = np.power(self.words + 1, 0.8)
        return raw / raw.sum() * (1.0 if self.gold else 0.2) * self.share

    def drawn(self) -> NDArray[Any]:
        """Numbers of the blocks to learn from."""
        count = len(self.blocks)
        if count <= ROWS:
            return np.arange(count)
        return np.sort(np.random.default_rng(count).choice(count, ROWS, replace=False))


def fold_of(url: str) -> int:
    """Return in which third of the sites a page is; pages of one registered name stay together."""
    labels = urlsplit(url).netloc.lower().removeprefix("www.").split(".")
    is_second_level = len(labels) > 2 and len(labels[-2]) <= 3  # noqa: PLR2004 - as in "co.uk"
    return zlib.crc32(".".join(labels[-3 if is_second_level else -2 :]).encode()) % FOLDS


def read_index(folder: Path) -> Iterator[Mapping[str, Any]]:
    """Read the labelled pages' rows; texts hold line separators that are no ends of rows."""
    with (folder / "index.jsonl").open(encoding="utf-8", newline="\n") as lines:
        yield from map(json.loads, lines)


def read_samples(folder: Path) -> Iterator[Sample]:
    """Read the labelled pages that have any text, each whole and every fourth also shortened."""
    featurizer = Featurizer(load_surroundings())
    for row in read_index(folder):
        body = gzip.decompress((folder / "html" / f"{row['id']}.html.gz").read_bytes())
        parser = LexborHTMLParser(charset.decode(body[:CAP_BYTES], "").text)
        page = walk_page(parser)
        if not page.blocks:
            continue
        metadata = read_metadata(parser, row["url"])
        wanted = labels(page.blocks, row["text"]) >= HALF
        gold = Counter(WORD.findall(row["text"].lower()))
        site = urlsplit(row["url"]).netloc or row["id"]
        columns = featurizer.matrix(page, metadata, row["url"])
        whole = Sample(
            kind=row["page_type"],
            site=site,
            gold=gold,
            blocks=page.blocks,
            columns=columns,
            wanted=wanted,
            is_article=is_article(metadata, row["url"]),
            is_goods=is_goods(metadata),
            fold=fold_of(row["url"]),
            number=int(row["id"]),
        )
        yield whole
        if wanted.any() and whole.number % 4 == 0:
            kept = shortened(wanted, np.random.default_rng(int(row["id"])))
            page.blocks = [page.blocks[i] for i in kept]
            recount(page.blocks)
            columns = featurizer.matrix(page, metadata, row["url"])
            yield replace(
                whole,
                blocks=page.blocks,
                columns=columns,
                wanted=wanted[kept],
                share=SHORT_SHARE,
            )
            recount(whole.blocks)  # the elements are the same ones


def with_nameless(samples: list[Sample], featurizer: Featurizer) -> list[Sample]:
    """Add a copy of every second whole page on which no class or id says anything.

    Many sites name their parts by hashes or by looks; there text and structure have to do.
    """
    kinds = len(load_surroundings().names)
    starts = (featurizer.own_columns, featurizer.own_columns + featurizer.bit_count)
    named = [start + kind for start in starts for kind in range(kinds)]
    copies = []
    for sample in samples:
        if sample.share == 1.0 and sample.wanted.any() and sample.number % 2:
            columns = sample.columns.copy()
            columns[:, named] = 0.0
            copies.append(replace(sample, columns=columns, share=NAMELESS_SHARE, is_copy=True))
    return samples + copies


def shortened(wanted: NDArray[Any], chance: np.random.Generator) -> list[int]:
    """Choose the blocks of a small page: the beginning of the content, a little of each frame.

    Small pages are rare among the labelled ones and frequent elsewhere.
    """
    last = int(np.flatnonzero(wanted)[: int(chance.integers(2, 20))][-1])
    kept: list[int] = []
    run, limit = 0, 3
    for i, is_content in enumerate(wanted):
        run = 0 if is_content else run + 1
        limit = int(chance.integers(1, 7)) if run == 1 else limit
        if (is_content and i <= last) or (not is_content and run <= limit):
            kept.append(i)
    return kept


def recount(blocks: list[Block]) -> None:
    """Sum the blocks up into the elements around them anew."""
    places = {id(place): place for block in blocks for place in above(block.place)}
    for place in places.values():
        place.words = place.link_words = place.blocks = place.paragraphs = 0
    for block in blocks:
        add_to_places(block)


def above(place: Place | None) -> Iterator[Place]:
    """List an element and those around it."""
    while place is not None:
        yield place
        place = place.parent


def labels(blocks: list[Block], gold: str) -> NDArray[Any]:
    """Tell how much of each block stands in the labelled text, 0 to 1."""
    tokens = WORD.findall(gold.lower())
    grams = set(zip(*(tokens[start:] for start in range(GRAM)), strict=False))
    joined = f" {' '.join(tokens)} "
    own = [WORD.findall(block.text.lower()) for block in blocks]
    found = np.asarray([_share(words, grams) for words in own])
    return np.asarray(
        [_short(i, own, found, joined) if found[i] < 0 else found[i] for i in range(len(own))]
    )


def _share(words: list[str], grams: set[tuple[str, ...]]) -> float:
    if not words:
        return 0.0
    own = list(zip(*(words[start:] for start in range(GRAM)), strict=False))
    return sum(gram in grams for gram in own) / len(own) if own else -1.0


def _short(i: int, own: list[list[str]], found: NDArray[Any], joined: str) -> float:
    """Judge a block of one or two words by where it stands."""
    words = own[i]
    if f" {' '.join(words)} " not in joined:
        return 0.0
    before = own[i - 1][-2:] if i else []
    after = own[i + 1][:2] if i + 1 < len(own) else []
    if (before and f" {' '.join(before + words)} " in joined) or (
        after and f" {' '.join(words + after)} " in joined
    ):
        return 1.0
    near = [value for value in found[max(0, i - 4) : i + 5] if value >= 0]
    mean = float(np.mean(near)) if near else 0.5
    return mean if mean > HALF else 0.0
