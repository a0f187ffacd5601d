"""Parts of a page that their shape gives away, whatever they say and whatever they are called.

A short heading over nothing but other headings that are links stands over other pages; a few lines
beside a field to fill in or to tick ask for an address or for consent; a link that stands on the
page again and again is a button. Decides no more than that; what it costs a block is decided by
the priors.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pellucid_fetcher.extraction.choosing.telling import HEADING_WORDS, begins, is_inside, part_of
from pellucid_fetcher.extraction.structure.blocks import Block, Place

_MOST_SHARE: Final = 0.35  # of a page's words, in a part that leads to other pages
_LEAST_CARDS: Final = 2
# Of the plain words outside it, what stands before such a part: higher up it is a list of entries,
# and without this bound listings and collections held out lose 0.02.
_BEFORE: Final = 0.5
_ALL_LINK: Final = 0.8
_ASKING_WORDS: Final = 60  # of 25 to 100 the best on held-out pages
_ASKING_SHARE: Final = 0.2
_RECURS: Final = 3


def shaped_parts(blocks: Sequence[Block]) -> NDArray[np.bool_]:
    """Mark the blocks of parts that are frame by their shape.

    Args:
        blocks: In page order.

    Returns:
        bool[blocks].
    """
    total = sum(block.words for block in blocks)
    parts = {id(part) for part in _leading_on(blocks, _MOST_SHARE * total)}
    parts |= {id(part) for part in _asking(blocks, min(_ASKING_WORDS, _ASKING_SHARE * total))}
    again = Counter(block.text for block in blocks if _is_link(block))
    return np.asarray(
        [
            is_inside(block.place, parts) or (_is_link(block) and again[block.text] >= _RECURS)
            for block in blocks
        ],
        dtype=np.bool_,
    )


def _leading_on(blocks: Sequence[Block], most: float) -> Iterator[Place]:
    """Find parts after the text that begin with a heading and hold only headings that are links."""
    plain = sum(block.words - block.link_words for block in blocks)
    before = 0
    for at, block in enumerate(blocks):
        part = part_of(block, most) if _is_plain_heading(block) else None
        if (
            part is not None
            and before >= _BEFORE * (plain - part.words + part.link_words)
            and begins(part, blocks, at)
            and _is_of_cards(list(_rest(part, blocks, at)))
        ):
            yield part
        before += block.words - block.link_words


def _is_plain_heading(block: Block) -> bool:
    return (
        block.kind == "h" and block.level > 1 and block.words <= HEADING_WORDS and not block.links
    )


def _rest(part: Place, blocks: Sequence[Block], at: int) -> Iterator[Block]:
    for block in blocks[at + 1 :]:
        if not is_inside(block.place, {id(part)}):
            return
        yield block


def _is_of_cards(rest: Sequence[Block]) -> bool:
    headings = [block for block in rest if block.kind == "h"]
    return len(headings) >= _LEAST_CARDS and all(map(_is_link, headings))


def _asking(blocks: Sequence[Block], most: float) -> Iterator[Place]:
    """Find the largest small element around each field, but for forms that are a page's subject."""
    kept = {id(place) for block in blocks if _is_subject(block) for place in _above(block.place)}
    for block in blocks:
        asks, found = False, None
        for place in _above(block.place):
            if place.words > most:
                break
            asks |= place.fields > 0
            found = place if asks else None
        if found is not None and id(found) not in kept:
            yield found


def _is_subject(block: Block) -> bool:
    return block.kind in ("row", "pre") or (block.kind == "h" and block.level == 1)


def _above(place: Place | None) -> Iterator[Place]:
    while place is not None:
        yield place
        place = place.parent


def _is_link(block: Block) -> bool:
    return block.links > 0 and block.link_words >= _ALL_LINK * block.words
