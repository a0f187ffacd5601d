"""Which tables hold values.

Decides nothing about how they are written down.
"""

from typing import Final

from selectolax.lexbor import LexborNode

_DATA_CELL_CHARS: Final = 240  # longer cells on average are a layout table's


def is_data_table(table: LexborNode) -> bool:
    """Tell a table of values from one that only arranges a page."""
    # A node's own selectors reach the node itself; only a second table is one inside.
    if table.css_first("form, h1, h2, h3, pre, td ul") is not None or len(table.css("table")) > 1:
        return False
    rows, cells = len(table.css("tr")), len(table.css("td, th"))
    if rows < 2 or cells < 2 * rows - rows // 2:  # noqa: PLR2004 - two columns, with some gaps
        return False
    return len(table.text(deep=True)) / cells < _DATA_CELL_CHARS
