"""Tables of values: which tables are one, and how their cells stand in rows and columns.

Decides nothing about how they are written down.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from selectolax.lexbor import LexborNode

from pellucid_fetcher.extraction.structure.blocks import Place, clean

_DATA_CELL_CHARS: Final = 240  # longer cells on average are a layout table's
_NESTED_CELL_CHARS: Final = 120  # … and of tables with tables inside
# What stands in cells of a page's layout and not among values.
_LAYOUT: Final = (
    "form, h1, h2, article, section, pre, textarea, select, "
    'input:not([type="checkbox"]):not([type="hidden"])'
)
_ROWS: Final = 'tr, [role="row"]'
_CELLS: Final = (
    'td, th, [role="cell"], [role="gridcell"], [role="columnheader"], [role="rowheader"]'
)
_MAX_INNER: Final = 40
_MAX_SPAN: Final = 100
_MAX_COLUMNS: Final = 200
_REPEATED_CHARS: Final = 80  # a longer text of several columns is said once
_NUMBER: Final = re.compile(r"\d{1,5}")
# Between the items of a list in a cell, and between the cells of a table in a cell.
ITEM: Final = "\x1e"
INNER_CELL: Final = "\x1f"
TERM_END: Final = "\x1d"


def is_data_table(table: LexborNode) -> bool:
    """Tell a table of values from one that only arranges a page."""
    if table.attributes.get("role") in ("presentation", "none"):
        return False
    if table.css_first(_LAYOUT) is not None:
        return False
    # A node's own selectors reach the node itself; only a second table is one inside.
    inner = table.css("table")[1 if table.tag == "table" else 0 :]
    if len(inner) > _MAX_INNER:
        return False
    rows, cells = (_own(table, inner, kind) for kind in (_ROWS, _CELLS))
    if rows < 2 or cells < 2 * rows - rows // 2:  # noqa: PLR2004 - two columns, with some gaps
        return False
    if inner and table.css_first("th") is None:
        return False
    most = _NESTED_CELL_CHARS if inner else _DATA_CELL_CHARS
    return len(table.text(deep=True)) / cells < most


def _own(table: LexborNode, inner: Sequence[LexborNode], kind: str) -> int:
    """Count rows or cells without those of the tables inside."""
    return len(table.css(kind)) - sum(len(each.css(kind)) for each in inner)


@dataclass(slots=True)
class Cell:
    """A cell as the mark-up has it.

    Attributes:
        columns, rows: How many it spans; 0 rows are all that follow in its part of the table.
    """

    text: str
    is_heading: bool
    columns: int = 1
    rows: int = 1


@dataclass(slots=True)
class Row:
    """A row while it is read."""

    place: Place
    cells: list[Cell] = field(default_factory=list)
    link_words: int = 0
    links: int = 0
    is_foot: bool = False
    noscript: bool = False


@dataclass(slots=True)
class Table:
    """A table that is open; its rows are written when it ends."""

    is_data: bool
    rows: list[Row] = field(default_factory=list)
    row: Row | None = None
    is_foot: bool = False


def cell_of(node: LexborNode, text: str) -> Cell:
    """Read a cell's spans; a span beyond reason counts as one."""
    attributes = node.attributes
    role = attributes.get("role") or ""
    spans = [attributes.get(name) for name in ("colspan", "rowspan")]
    told = [attributes.get(name) for name in ("aria-colspan", "aria-rowspan")]
    columns, rows = (_span(own or aria or "1") for own, aria in zip(spans, told, strict=True))
    is_heading = node.tag == "th" or role in ("columnheader", "rowheader")
    return Cell(text, is_heading, max(1, columns), rows)


def _span(value: str) -> int:
    return min(int(value), _MAX_SPAN) if _NUMBER.fullmatch(value.strip()) else 1


def cell_text(raw: str) -> str:
    r"""Write the lines, items and inner cells of a cell on one line.

    >>> cell_text("a\x1e\x1eb \n c\x1fd")
    'a; b c, d'
    """
    items = (
        ", ".join(filter(None, map(clean, item.split(INNER_CELL)))) for item in raw.split(ITEM)
    )
    joined = "; ".join(item for item in items if item)
    return joined.replace(f"{TERM_END}; ", ": ").replace(TERM_END, "")


def laid_out(rows: Sequence[Row]) -> Iterator[tuple[Row, list[Cell]]]:
    """Return each row with a cell for each column, those that span several repeated.

    The foot stands last, wherever the mark-up has it.
    """
    ordered = sorted(rows, key=lambda row: row.is_foot)
    hanging: dict[int, tuple[int, Cell]] = {}
    width = 0
    for at, row in enumerate(ordered):
        if at and row.is_foot and not ordered[at - 1].is_foot:
            hanging.clear()
        cells = _with_hanging(row, hanging, len(ordered))
        cells = _spread_once(row, cells)
        width = max(width, len(cells))
        yield row, cells


def _with_hanging(row: Row, hanging: dict[int, tuple[int, Cell]], most: int) -> list[Cell]:
    """Put the cells of a row beside those that reach down into it from above."""
    cells: list[Cell] = []
    own = iter(row.cells)
    waiting = next(own, None)
    while len(cells) < _MAX_COLUMNS and (
        waiting is not None or max(hanging, default=-1) >= len(cells)
    ):
        left, above = hanging.get(len(cells), (0, None))
        if above is not None:
            _lower(hanging, len(cells), left)
            cells.append(above)
        elif waiting is None:
            cells.append(Cell("", is_heading=False))
        else:
            for _ in range(min(waiting.columns, _MAX_COLUMNS - len(cells))):
                if waiting.rows != 1:
                    hanging[len(cells)] = (waiting.rows - 1 if waiting.rows else most, waiting)
                cells.append(waiting)
            waiting = next(own, None)
    return cells


def _lower(hanging: dict[int, tuple[int, Cell]], column: int, left: int) -> None:
    if left > 1:
        hanging[column] = (left - 1, hanging[column][1])
    else:
        del hanging[column]


def _spread_once(row: Row, cells: list[Cell]) -> list[Cell]:
    """Say once what spans the whole width, or is too long to be said again and again."""
    is_whole = len(row.cells) == 1 and row.cells[0].columns > 1
    said: set[int] = set()
    result: list[Cell] = []
    for cell in cells:
        again = id(cell) in said
        said.add(id(cell))
        once = is_whole or len(cell.text) > _REPEATED_CHARS
        result.append(Cell("", cell.is_heading) if again and once else cell)
    return result
