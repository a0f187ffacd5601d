"""Parts of a page that one line in them gives away, whatever the mark-up calls them.

A heading such as "You may also like" tells what stands with it, and so does a question about
cookies or an offer of letters. Decides how far around such a line its part reaches.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pellucid_fetcher.extraction.choosing.surroundings import Surroundings
from pellucid_fetcher.extraction.structure.blocks import Block, Place

# A part of more than this share of a page's words is not told by one line.
_MOST_SHARE: Final = 0.35
_LINE_WORDS: Final = 60  # a longer text about cookies or letters is somebody's subject
_LINE_PART_WORDS: Final = 150
HEADING_WORDS: Final = 8
_REACH: Final = 4  # elements around a line
_WIDE: Final = ("", "body", "html", "main")


def told_parts(blocks: Sequence[Block], surroundings: Surroundings) -> NDArray[np.bool_]:
    """Mark the blocks of parts that a line in them gives away.

    Args:
        blocks: In page order.
        surroundings: Table with such lines.

    Returns:
        bool[blocks].
    """
    most = _MOST_SHARE * sum(block.words for block in blocks)
    told = np.zeros(len(blocks), dtype=np.bool_)
    parts: set[int] = set()
    for at, block in enumerate(blocks):
        if not _is_telling(block, surroundings):
            continue
        is_heading = block.kind == "h"
        told[at] = not is_heading
        part = part_of(block, most if is_heading else min(most, _LINE_PART_WORDS))
        if part is not None and (not is_heading or begins(part, blocks, at)):
            parts.add(id(part))
    if parts:
        told |= np.asarray([is_inside(block.place, parts) for block in blocks])
    return told


def part_of(block: Block, most: float) -> Place | None:
    """Find the part that a line gives away: the first element with more than the line in it.

    Args:
        block: The line.
        most: Words that a part has at most.
    """
    part: Place | None = block.place
    for _ in range(_REACH):
        if part is None or part.tag in _WIDE or part.words > most:
            return None
        if part.words > 2 * block.words:
            return part
        part = part.parent
    return None


def begins(part: Place, blocks: Sequence[Block], at: int) -> bool:
    """Tell whether a part begins with a block; a heading in its midst tells only of the rest."""
    return at == 0 or not is_inside(blocks[at - 1].place, {id(part)})


def _is_telling(block: Block, surroundings: Surroundings) -> bool:
    if block.kind == "h":
        short = block.words <= HEADING_WORDS
        return short and bool(surroundings.telling_heading.match(block.text.lower()))
    return block.words <= _LINE_WORDS and bool(surroundings.telling_line.search(block.text.lower()))


def is_inside(place: Place | None, parts: set[int]) -> bool:
    """Tell whether an element is in one of the parts, given by id."""
    while place is not None:
        if id(place) in parts:
            return True
        place = place.parent
    return False
