"""What is known about parts of a page before any model is asked.

The model has seen large pages only in number; on small ones, and in languages it has not met, what
the mark-up calls a part is the better guide. Decides by how much the odds of a block fall.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pellucid_fetcher.extraction.choosing.features import PHRASE_COLUMN, Featurizer, Matrix
from pellucid_fetcher.extraction.choosing.shapes import shaped_parts
from pellucid_fetcher.extraction.choosing.surroundings import Surroundings
from pellucid_fetcher.extraction.choosing.telling import told_parts
from pellucid_fetcher.extraction.structure.blocks import Block

# Swept 1.5 and 3 for each on held-out pages; together they gain 0.005 of word F1.
_NEVER: Final = 3.0
_SELDOM: Final = 3.0
_TOLD: Final = 3.0
# On articles a block in doubt is a teaser more often than a paragraph; on held-out sites 0.4
# and 0.8 both gain 0.003 of word F1 on articles and cost other kinds less.
_ARTICLE: Final = 0.6
_SHAPED: Final = 3.0  # with the bounds in ``shapes`` it gains 0.0015 more
# On pages of goods reviews are other people's words; on two thirds of the sites, each held out, 3
# gains 0.028 of word F1 on products, 1.5 a little less.
_REVIEWS: Final = 3.0
# Pages of the labelled set are larger than this but for a few; there the model alone is better.
_SMALL_BLOCKS: Final = 120
_ALL_LINK: Final = 0.8
_PHRASE_WORDS: Final = 40

Floats = NDArray[np.float64]


class Priors:
    """Lowers the chances of blocks in parts that are named as frame.

    Args:
        featurizer: Whose columns are read.
        surroundings: Table with the names of such parts.
    """

    def __init__(self, featurizer: Featurizer, surroundings: Surroundings) -> None:
        far = featurizer.own_columns
        near = far + featurizer.bit_count
        self._surroundings = surroundings
        order = surroundings.order
        self._never = [far + order.index(name) for name in surroundings.never_inside]
        self._never += [near + order.index(name) for name in surroundings.never_near]
        self._review = far + order.index("review")
        self._outside = [near + order.index(name) for name in surroundings.outside_near]
        self._outside += [
            far + order.index(name) for name in surroundings.never_inside if name[:1] != "<"
        ]
        self._seldom = [near + order.index(name) for name in surroundings.seldom_near]

    def weigh(
        self,
        chances: Floats,
        columns: Matrix,
        blocks: Sequence[Block],
        *,
        is_article: bool = False,
        is_goods: bool = False,
    ) -> Floats:
        """Return the chances with what the names say.

        Args:
            chances: float64[blocks], 0 to 1.
            columns: float32[blocks, features], of the featurizer.
            blocks: In page order.
            is_article: The page says that it is an article.
            is_goods: It says that it sells something.

        Returns:
            float64[blocks], none higher than before.
        """
        smallness = max(0.0, 1.0 - len(columns) / _SMALL_BLOCKS)
        fall = _NEVER * _any(columns, self._never) + _ARTICLE * is_article
        fall += _TOLD * told_parts(blocks, self._surroundings)
        fall += _SHAPED * shaped_parts(blocks)
        if is_goods:
            fall += _REVIEWS * columns[:, self._review]
        if smallness > 0.0:
            seldom = np.maximum(_odd(columns, blocks), _any(columns, self._seldom))
            fall += _SELDOM * smallness * seldom
        lowered: Floats = chances / (chances + (1.0 - chances) * np.exp(fall) + 1e-12)
        return lowered

    def framed(self, columns: Matrix, blocks: Sequence[Block]) -> NDArray[np.bool_]:
        """Tell which blocks stand in parts that are named or told as frame, or lead elsewhere."""
        named = _any(columns, self._outside) > 0
        linked = np.asarray([_is_all_link(block) for block in blocks])
        told = told_parts(blocks, self._surroundings)
        framed: NDArray[np.bool_] = named | linked | told
        return framed


def _odd(columns: Matrix, blocks: Sequence[Block]) -> Floats:
    """Tell items that are all link, and lines about rights, cookies or letters."""
    short = np.asarray([block.words <= _PHRASE_WORDS for block in blocks])
    linked = np.asarray([_is_all_link(block) for block in blocks])
    told = columns[:, PHRASE_COLUMN] > 0
    return np.where(linked | (short & told), 1.0, 0.0)


def _is_all_link(block: Block) -> bool:
    place = block.place
    if place.tag != "li" or block.kind == "h":
        return False
    return place.link_words >= _ALL_LINK * max(1, place.words)


def _any(columns: Matrix, chosen: Sequence[int]) -> Floats:
    found: Floats = columns[:, chosen].max(axis=1).astype(np.float64)
    return found
