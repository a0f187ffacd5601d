"""Short parts between two paragraphs of the main content that belong to it all the same.

The model has seen few lists of facts, captions and answers that stand between sentences; what
stands in the very element whose sentences before and after are content is content too, unless it
links elsewhere or is named as frame.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pellucid_fetcher.extraction.structure.blocks import Block, PageBlocks, Place
from pellucid_fetcher.extraction.structure.pictures import is_announced

Mask = NDArray[np.bool_]

MOST_WORDS: Final = 120
SMALL_BLOCKS: Final = 60  # the model knows larger pages well
_SENTENCE_WORDS: Final = 8
_MOST_LINKED: Final = 0.2
_NEAR: Final = 2  # elements between a sentence and the one that holds both
_NO_COLUMN: Final = frozenset({"", "body", "html"})


def bridged(blocks: Sequence[Block], kept: Mask, framed: Mask) -> Mask:
    """Keep what stands between two sentences of a small page that are kept.

    Args:
        blocks: In page order.
        kept: bool[blocks], chosen so far.
        framed: bool[blocks], named, told or shaped as frame.
    """
    result = kept.copy()
    said = {block.text.lower() for block, keep in zip(blocks, kept, strict=True) if keep}
    ends = [at for at in np.flatnonzero(kept).tolist() if _ends_gap(blocks[at])]
    for before, after in pairwise(ends):
        gap = [at for at in range(before + 1, after) if not kept[at]]
        if not gap or framed[gap].any():
            continue
        if _is_part([blocks[at] for at in gap], blocks[before], blocks[after], said):
            result[gap] = True
    return result


def _ends_gap(block: Block) -> bool:
    return block.kind == "h" or _is_sentence(block)


def with_pictures(page: PageBlocks, kept: Mask) -> list[Block]:
    """Return the blocks that are kept, with the pictures that stand between two of them."""
    chosen: list[Block] = []
    shown = {at: picture for at, picture in page.pictures if 0 < at < len(kept)}
    for at in np.flatnonzero(kept).tolist():
        picture = shown.get(at)
        block = page.blocks[at]
        if picture is not None and kept[at - 1] and _is_shown(picture, page, at):
            chosen.append(picture)
        chosen.append(block)
    return chosen


def _is_shown(picture: Block, page: PageBlocks, at: int) -> bool:
    """Tell whether a picture between two blocks is content that the text around it counts on."""
    before, after = page.blocks[at - 1], page.blocks[at]
    is_named = is_announced((before,)) or len(page.blocks) <= SMALL_BLOCKS
    is_amid = _is_sentence(after) and _share_column(before.place, after.place)
    return is_named and is_amid and _share_column(picture.place, after.place)


def _is_part(gap: Sequence[Block], before: Block, after: Block, said: set[str]) -> bool:
    words = sum(block.words for block in gap)
    linked = sum(block.link_words for block in gap)
    if words > MOST_WORDS or linked > _MOST_LINKED * words:
        return False
    if not (_is_sentence(after) and (_is_sentence(before) or before.kind == "h")):
        return False
    if any(block.noscript or block.text.lower() in said for block in gap):
        return False
    return _share_column(before.place, after.place)


def _is_sentence(block: Block) -> bool:
    return block.words >= _SENTENCE_WORDS and block.link_words <= _MOST_LINKED * block.words


def _share_column(one: Place, other: Place) -> bool:
    """Tell whether two blocks stand, next to directly, in one element."""
    above = {id(place): place for place in _upwards(one)}
    common = next((above[id(place)] for place in _upwards(other) if id(place) in above), None)
    return common is not None and common.tag not in _NO_COLUMN


def _upwards(place: Place) -> list[Place]:
    found = [place]
    for _ in range(_NEAR):
        parent = found[-1].parent
        if parent is None:
            break
        found.append(parent)
    return found
