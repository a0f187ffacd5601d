"""Which blocks of a page are its main content."""

import re
from collections.abc import Sequence
from typing import Final

from pellucid_fetcher.extraction.blocks import Block, PageBlocks, Place

_NEVER: Final = frozenset({"nav", "footer", "aside", "button", "form", "menu"})
_NAMES: Final = re.compile(
    r"nav|menu|footer|sidebar|breadcrumb|cookie|consent|share|social|comment|related|newsletter"
    r"|subscribe|promo|banner|advert|popup|modal|widget|copyright|pagination|skip-link|toolbar"
)


def select(page: PageBlocks) -> Sequence[Block]:
    """Choose the main content, in page order."""
    open_blocks = [block for block in page.blocks if not block.noscript]
    hidden_words = sum(block.words for block in page.blocks if block.noscript)
    if hidden_words > sum(block.words for block in open_blocks):
        open_blocks = page.blocks
    kept = [block for block in open_blocks if _keeps(block)]
    return kept or open_blocks


def _keeps(block: Block) -> bool:
    if block.link_words > 0.6 * block.words:
        return False
    place: Place | None = block.place
    while place is not None:
        if place.tag in _NEVER or (
            place.tag not in ("", "html", "body") and _NAMES.search(place.names)
        ):
            return False
        place = place.parent
    return True
