"""From a parsed page to its blocks, without recursion and with a bound on everything.

Decides how much of a page that is hidden at first is read. The walk itself is the ``walker``.
"""

from typing import Final

from selectolax.lexbor import LexborHTMLParser

from pellucid_fetcher.extraction.structure.blocks import PageBlocks
from pellucid_fetcher.extraction.structure.openable import opened_ids
from pellucid_fetcher.extraction.structure.tabs import panel_labels
from pellucid_fetcher.extraction.structure.visibility import Visibility
from pellucid_fetcher.extraction.structure.walker import Walker

_CLOAKED_WORDS: Final = 20
# Outer elements that may fade in, and how many times as much a page shows with them as without.
_FADED: Final = 'body > [style*="opacity"] h1, body > * > [style*="opacity"] h1'
_MOSTLY: Final = 2


def walk_page(parser: LexborHTMLParser, base: str = "") -> PageBlocks:
    """Collect the blocks of a parsed page.

    Args:
        parser: The parsed page.
        base: Address that its links start from; without one they are not noted.
    """
    styles = [node.text(deep=True) for node in parser.css("style")[:20]]
    root = parser.body or parser.root
    if root is None:
        return PageBlocks()
    visibility = Visibility(styles)
    opened = opened_ids(parser, visibility)
    visibility.show(opened)
    labels = panel_labels(parser)
    page = Walker(visibility, base, labels).walk(root)
    shown = page.words
    if not page.limited and parser.css_first(_FADED) is not None:
        visibility.show(opened, faded=True)
        whole = Walker(visibility, base, labels).walk(root)
        if whole.words > _MOSTLY * shown:
            return whole
    if page.limited or shown >= _CLOAKED_WORDS:
        return page
    # Next to nothing is shown: perhaps the whole page waits behind a cloak.
    visibility.show(opened, wrappers=True)
    return Walker(visibility, base, labels).walk(root)
