"""What the first judgement says about the surroundings of each block.

A second judge sees these columns next to the features: a block is seldom content alone, and a part
of a page is seldom content in spots.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pellucid_fetcher.extraction.structure.blocks import Block, Place

_SHIFTS: Final = (-2, -1, 1, 2)
_REACHES: Final = (4, 12)
_LEVELS_UP: Final = (0, 1, 2, 3, 5)
_OUTSIDE: Final = -4.0  # log odds before the first block and after the last one
_LEAST: Final = 1e-4
_NO_TAGS: Final = ("", "body", "html")

Floats = NDArray[np.float64]
Matrix = NDArray[np.float32]


def context_columns(blocks: Sequence[Block], chances: Floats, signatures: Sequence[str]) -> Matrix:
    """Describe the surroundings of each block by the first judgement.

    Args:
        blocks: In page order; not empty.
        chances: float64[blocks], 0 to 1, of the first judge.
        signatures: Of each block, as ``features.signature`` makes them.

    Returns:
        float32[blocks, columns].
    """
    words = np.asarray([block.words for block in blocks], dtype=np.float64) + 1
    wanted = words * chances
    columns: list[NDArray[Any]] = [
        chances,
        *_shifted(chances),
        *_nearby(words, wanted),
        *_containers(blocks, words, wanted),
        _alike(signatures, words, wanted),
        _heading_above(blocks, chances),
    ]
    total = words.sum()
    columns.append(np.full(len(blocks), wanted.sum() / total))
    columns.append((np.cumsum(wanted) - wanted) / max(1e-9, wanted.sum()))
    columns.append(np.full(len(blocks), (words * (chances > 0.5)).sum() / total))  # noqa: PLR2004
    return np.asarray(columns, dtype=np.float32).T


def _shifted(chances: Floats) -> list[Floats]:
    bounded = np.clip(chances, _LEAST, 1 - _LEAST)
    odds = np.log(bounded / (1 - bounded))
    columns = []
    for shift in _SHIFTS:
        column = np.full(len(odds), _OUTSIDE)
        if shift < 0:
            column[-shift:] = odds[:shift]
        else:
            column[:-shift] = odds[shift:]
        columns.append(column)
    return columns


def _nearby(words: Floats, wanted: Floats) -> list[Floats]:
    """Average over the blocks before and after."""
    count = len(words)
    sums = [np.concatenate([[0.0], np.cumsum(values)]) for values in (words, wanted)]
    at = np.arange(count)
    columns = []
    for reach in _REACHES:
        first, last = np.maximum(0, at - reach), np.minimum(count, at + reach + 1)
        columns.append((sums[1][last] - sums[1][first]) / (sums[0][last] - sums[0][first]))
    return columns


def _containers(blocks: Sequence[Block], words: Floats, wanted: Floats) -> list[Floats]:
    """Average over the elements around."""
    chains: dict[int, tuple[int, ...]] = {}
    numbers: dict[int, int] = {}
    inside = [_chain(block.place, chains) for block in blocks]
    at = np.asarray([numbers.setdefault(n, len(numbers)) for chain in inside for n in chain], int)
    lengths = [len(chain) for chain in inside]
    said = np.bincount(at, np.repeat(words, lengths), len(numbers))
    hoped = np.bincount(at, np.repeat(wanted, lengths), len(numbers))
    means = dict(zip(numbers, (hoped / said).tolist(), strict=True))
    page = wanted.sum() / words.sum()
    rows = [[means[n] for n in _levels(chain)] or [page] * len(_LEVELS_UP) for chain in inside]
    return list(np.asarray(rows).T)


def _levels(chain: Sequence[int]) -> list[int]:
    return [chain[min(level, len(chain) - 1)] for level in _LEVELS_UP] if chain else []


def _chain(place: Place, chains: dict[int, tuple[int, ...]]) -> tuple[int, ...]:
    """List the elements from the innermost one to the outermost one."""
    known = chains.get(id(place))
    if known is None:
        above = _chain(place.parent, chains) if place.parent is not None else ()
        known = above if place.tag in _NO_TAGS else (id(place), *above)
        chains[id(place)] = known
    return known


def _alike(signatures: Sequence[str], words: Floats, wanted: Floats) -> Floats:
    """Average over blocks of the same look."""
    numbers: dict[str, int] = {}
    at = np.asarray([numbers.setdefault(name, len(numbers)) for name in signatures])
    mean = np.bincount(at, wanted) / np.bincount(at, words)
    spread: Floats = mean[at]
    return spread


def _heading_above(blocks: Sequence[Block], chances: Floats) -> Floats:
    last = 0.5
    column = np.empty(len(blocks))
    for i, (block, chance) in enumerate(zip(blocks, chances.tolist(), strict=True)):
        last = chance if block.kind == "h" else last
        column[i] = last
    return column
