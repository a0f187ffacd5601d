"""The tables that are open while a page is walked, their rows and the cell that is read."""

from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from pellucid_fetcher.extraction.structure import links, tables
from pellucid_fetcher.extraction.structure.blocks import Block, Place, clean, count_words
from pellucid_fetcher.extraction.structure.lines import Line

# What follows a part of a cell.
_ENDS = {
    "td": tables.INNER_CELL, "th": tables.INNER_CELL, "dt": tables.TERM_END, "li": tables.ITEM,
    "tr": tables.ITEM, "dd": tables.ITEM,
}  # fmt: skip


class OpenTables:
    """The tables around the place that the walk has reached."""

    def __init__(self) -> None:
        self._tables: list[tables.Table] = []
        self._cells = 0

    @property
    def is_open(self) -> bool:
        """Whether there is one."""
        return bool(self._tables)

    @property
    def in_cell(self) -> bool:
        """Whether the place is in a cell of a table of values."""
        return self._cells > 0

    def open(self, tag: str, node: LexborNode, place: Place, *, noscript: bool) -> None:
        """Enter a table or a part of one; tables inside a cell are parts of its text."""
        if self._cells:
            self._cells += tag in ("td", "th")
        elif tag == "table":
            self._tables.append(tables.Table(tables.is_data_table(node)))
        elif self._tables and self._tables[-1].is_data:
            self._open_part(tag, place, noscript=noscript)

    def _open_part(self, tag: str, place: Place, *, noscript: bool) -> None:
        table = self._tables[-1]
        if tag == "tfoot":
            table.is_foot = True
        elif tag == "tr":
            table.row = tables.Row(place, is_foot=table.is_foot, noscript=noscript)
        elif table.row is not None:
            self._cells = 1

    def leave_part(self, tag: str, node: LexborNode, line: Line) -> bool:
        """Leave an element inside a cell; True when it was the cell itself."""
        if tag in ("td", "th"):
            self._cells -= 1
            if not self._cells:
                self._close_cell(node, line)
                return True
        line.pieces.append(_ENDS.get(tag, " "))
        return False

    def _close_cell(self, node: LexborNode, line: Line) -> None:
        row = self._tables[-1].row
        assert row is not None  # noqa: S101 - a cell is opened in a row only
        text = tables.cell_text("".join(line.pieces)) or clean(" ".join(line.labels))
        row.cells.append(tables.cell_of(node, text.replace("|", "\\|")))
        row.link_words += line.link_words
        row.links += line.links

    def leave(self, tag: str) -> Iterator[Block]:
        """Leave a table or a part of one; the rows of a table that ends are returned."""
        if not self._tables:
            return
        table = self._tables[-1]
        if tag == "tfoot":
            table.is_foot = False
        elif tag == "tr":
            if table.row is not None and any(cell.text for cell in table.row.cells):
                table.rows.append(table.row)
            table.row = None
        else:
            self._tables.pop()
            yield from (_row_block(row, cells) for row, cells in tables.laid_out(table.rows))


def _row_block(row: tables.Row, cells: list[tables.Cell]) -> Block:
    marked = " | ".join(cell.text for cell in cells)
    text = links.without_marks(marked)
    words = count_words(text) - text.split().count("|")
    return Block(
        "row" if len(cells) > 1 else "p",
        text,
        row.place,
        words=words,
        link_words=min(row.link_words, words),
        links=row.links,
        header=len(cells) > 1 and all(cell.is_heading for cell in cells),
        noscript=row.noscript,
        marked=marked if len(marked) > len(text) else "",
    )
