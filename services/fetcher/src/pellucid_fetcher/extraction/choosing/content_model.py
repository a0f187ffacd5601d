"""The trained judges of blocks: how likely each belongs to the main content, and which to keep.

In a judge two small models are mixed in log odds, boosted trees and a logistic one; the trees know
the pages they were trained on better, the linear one is steadier elsewhere. A second judge sees
what the first one said about the surroundings. Trained by ``eval/extraction_train.py``; the file
holds plain numbers only.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

MODEL_FILE: Final = Path(__file__).parent / "content_model.npz"
CLIP: Final = 4.0  # standard deviations; bounds what one odd value can do to the linear vote
# Share of the trees in the log odds; on held-out sites 0.6, 0.8 and 1 are within 0.003 of
# each other. The linear part stays for pages unlike those learnt from.
TREES_SHARE: Final = 0.8
_ROWS_AT_ONCE: Final = 128  # keeps the working set in the cache

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Judge:
    """Arrays of one judge; trees as tables of ``[trees, nodes]``, leaves point at themselves."""

    feature: NDArray[np.intp]
    threshold: NDArray[np.float32]
    children: NDArray[np.intp]
    value: NDArray[np.float32]
    depth: int
    offset: float
    mean: NDArray[np.float32]
    scale: NDArray[np.float32]
    weights: NDArray[np.float32]
    bias: float

    def chances(self, columns: NDArray[np.float32]) -> Floats:
        """Judge blocks.

        Args:
            columns: float32[blocks, features].

        Returns:
            float64[blocks], 0 to 1, higher is more likely main content.
        """
        scaled = np.clip((columns - self.mean) / self.scale, -CLIP, CLIP)
        linear = scaled @ self.weights + self.bias
        starts = range(0, len(columns), _ROWS_AT_ONCE)
        voted = [self._trees(columns[start : start + _ROWS_AT_ONCE]) for start in starts]
        return _logistic(TREES_SHARE * np.concatenate(voted) + (1 - TREES_SHARE) * linear)

    def _trees(self, columns: NDArray[np.float32]) -> Floats:
        """Walk all trees for all rows at once, one level at a time; returns log odds."""
        trees, nodes = self.threshold.shape
        rows = (np.arange(len(columns)) * columns.shape[1])[:, None]
        flat = columns.ravel()
        at = np.broadcast_to(np.arange(trees) * nodes, (len(columns), trees))
        for _ in range(self.depth):
            right = flat.take(rows + self.feature.take(at)) > self.threshold.take(at)
            at = self.children.take(2 * at + right)
        odds: Floats = self.value.take(at).sum(axis=1).astype(np.float64) + self.offset
        return odds


@dataclass(frozen=True, slots=True)
class ContentModel:
    """Two judges.

    Attributes:
        first: Knows ``features.Featurizer.matrix``.
        second: Knows the same columns, then those of ``context.context_columns``.
    """

    first: Judge
    second: Judge


def load_model(path: Path = MODEL_FILE) -> ContentModel:
    """Read the shipped model.

    Raises:
        OSError, KeyError, ValueError: The file is missing or damaged.
    """
    with np.load(path, allow_pickle=False) as file:
        return ContentModel(_judge(file, "first"), _judge(file, "second"))


def _judge(file: Mapping[str, NDArray[Any]], name: str) -> Judge:
    def array(field: str) -> NDArray[Any]:
        return file[f"{name}_{field}"]

    trees, nodes = array("threshold").shape
    first = (np.arange(trees) * nodes)[:, None]
    children = np.stack([first + array("left"), first + array("right")], axis=2)
    return Judge(
        feature=array("feature").ravel().astype(np.intp),
        threshold=array("threshold"),
        children=children.ravel().astype(np.intp),
        value=array("value").ravel(),
        depth=int(array("depth")),
        offset=float(array("offset")),
        mean=array("mean"),
        scale=array("scale"),
        weights=array("weights"),
        bias=float(array("bias")),
    )


def best_choice(chances: Floats, words: Floats) -> NDArray[np.bool_]:
    """Choose the blocks whose union has the best expected F1 by words.

    Taken by falling chance, each further block adds what it probably holds and costs its length;
    the best cut is where the expected F1 peaks.

    Args:
        chances: Likelihood of each block, 0 to 1.
        words: Number of words of each block.

    >>> best_choice(np.array([0.9, 0.1, 0.8]), np.array([10.0, 10.0, 10.0])).tolist()
    [True, False, True]
    """
    order = np.argsort(-chances, kind="stable")
    taken = np.cumsum(words[order])
    right = np.cumsum((chances * words)[order])
    expected = 2 * right / (taken + right[-1] + 1e-9)
    kept = np.zeros(len(chances), dtype=np.bool_)
    kept[order[: int(np.argmax(expected)) + 1]] = True
    return kept


def _logistic(values: NDArray[Any]) -> Floats:
    clipped = np.clip(values.astype(np.float64), -30, 30)
    result: Floats = 1.0 / (1.0 + np.exp(-clipped))
    return result
