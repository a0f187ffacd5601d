"""The words of a PDF page in the order in which they are read: lines, columns, rows of tables.

A PDF says where each word is painted and no more. Words on one baseline make a line; what a gutter
keeps apart is read column by column; gaps on which neighbouring rows agree make cells. All lengths
are points, y grows upwards.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final

_SAME_LINE: Final = 0.5  # of the lower run's height that two runs on one baseline share
_COLUMN_GAP: Final = 1.5  # of the size: what follows stands in another column …
_CELL_GAP: Final = 0.7  # … or, where rows agree on it, in another cell
_WIDER: Final = 1.8  # times the usual gap of its row
_LONE_GAP: Final = 1.2  # of the size: where all gaps are as wide, each word is a cell
_ALIGNED: Final = 2.0  # points
_LEAST_CELLS: Final = 3  # of a row across a page that has columns
_MOST_CELL_CHARS: Final = 32
_COLUMN_LINES: Final = 5  # on each side of a gutter
_COLUMN_CHARS: Final = 18  # on average; cells of a table are shorter
_CROSSING: Final = 0.25  # of the lines: titles and figures' captions run across columns
_GUTTERS: Final = (0.2, 0.8)  # of the width, between which a gutter may be
_GUTTER_STEPS: Final = 60
ITEM: Final = re.compile(r"^(?:[•◦▪●‣–-]|\(?\d{1,2}[.)]|[a-z]\))\s+\S")
"""An item of a list."""


@dataclass(frozen=True, slots=True)
class Run:
    """A word.

    Attributes:
        base: Height of the line that it stands on.
        size: Height of the font.
        bold: Its strokes are heavy.
    """

    text: str
    left: float
    bottom: float
    right: float
    top: float
    base: float
    size: float
    bold: bool = False


@dataclass(slots=True)
class Line:
    """Words on one baseline; `cells` are the texts of a row of a table."""

    words: list[Run]
    cells: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All of it."""
        return " | ".join(self.cells) if self.cells else " ".join(word.text for word in self.words)

    @property
    def left(self) -> float:
        """Where it begins."""
        return self.words[0].left

    @property
    def right(self) -> float:
        """Where it ends."""
        return max(word.right for word in self.words)

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return min(word.bottom for word in self.words)

    @property
    def top(self) -> float:
        """Its upper edge."""
        return max(word.top for word in self.words)

    @property
    def base(self) -> float:
        """Height of what most of its words stand on."""
        return median(word.base for word in self.words)

    @property
    def size(self) -> float:
        """Height of the font of most of its words; single letters may come from another."""
        return median(word.size for word in self.words)

    @property
    def bold(self) -> bool:
        """All of it has heavy strokes."""
        return all(word.bold for word in self.words)


@dataclass(frozen=True, slots=True)
class Page:
    """The lines of a page in reading order, and how high it is."""

    lines: Sequence[Line]
    height: float


def page_of(runs: Iterable[Run], *, height: float) -> Page:
    """Order the words of a page, given as they are painted.

    Args:
        runs: The words.
        height: Of the page, in points.
    """
    return Page(_in_order(_lines(runs)), height)


def _lines(words: Iterable[Run]) -> list[Line]:
    lines: list[Line] = []
    for word in words:
        if lines and _continues(lines[-1].words[-1], word, _COLUMN_GAP):
            lines[-1].words.append(word)
        else:
            lines.append(Line([word]))
    return lines


def _continues(last: Run, word: Run, widest: float) -> bool:
    gap = word.left - last.right
    return _share_baseline(last, word) and -word.size < gap < widest * word.size


def _share_baseline(first: Line | Run, second: Line | Run) -> bool:
    common = min(first.top, second.top) - max(first.bottom, second.bottom)
    lower = min(first.top - first.bottom, second.top - second.bottom)
    return common >= _SAME_LINE * max(lower, 0.1)


def _in_order(lines: Sequence[Line]) -> list[Line]:
    """Order lines as they are read: column by column between what runs across the columns."""
    rows = _rows(lines)
    tabular = {id(line) for row in rows if _is_tabular(row) for line in row}
    gutter = _gutter([line for line in lines if id(line) not in tabular])
    if gutter is None:
        return list(_written_rows(rows))
    ordered: list[Line] = []
    across: list[Line] = []
    sides: tuple[list[Line], list[Line]] = ([], [])
    for line in sorted(lines, key=lambda line: -line.top):
        if id(line) in tabular or line.left < gutter < line.right:
            ordered += [*_in_order(sides[0]), *_in_order(sides[1])]
            sides = ([], [])
            across.append(line)
        else:
            ordered += _written_rows(_rows(across))
            across = []
            sides[line.left >= gutter].append(line)
    ordered += _written_rows(_rows(across))
    return [*ordered, *_in_order(sides[0]), *_in_order(sides[1])]


def _is_tabular(row: Sequence[Line]) -> bool:
    """Tell a row of a table across the page from lines of columns that stand side by side."""
    return len(row) >= _LEAST_CELLS and all(len(line.text) < _MOST_CELL_CHARS for line in row)


def _gutter(lines: Sequence[Line]) -> float | None:
    """Return where a column ends and the next begins; None where the lines are one column."""
    if len(lines) < 2 * _COLUMN_LINES:
        return None
    spans = [(line.left, line.right) for line in lines]
    left, right = min(span[0] for span in spans), max(span[1] for span in spans)
    first, last = (left + share * (right - left) for share in _GUTTERS)
    step = (last - first) / _GUTTER_STEPS
    places = [first + number * step for number in range(_GUTTER_STEPS + 1)]
    crossed = [sum(begin < place < end for begin, end in spans) for place in places]
    least = min(crossed)
    if least > _CROSSING * len(lines):
        return None
    free = [place for place, count in zip(places, crossed, strict=True) if count == least]
    place = free[len(free) // 2]
    sides = (
        [line for line in lines if line.right <= place],
        [line for line in lines if line.left >= place],
    )
    return place if all(map(_is_column, sides)) else None


def _is_column(lines: Sequence[Line]) -> bool:
    if len(lines) < _COLUMN_LINES:
        return False
    return sum(len(line.text) for line in lines) >= _COLUMN_CHARS * len(lines)


def _rows(lines: Sequence[Line]) -> list[list[Line]]:
    """Group lines from top to bottom by what stands side by side, from left to right."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: (-line.top, line.left)):
        row = next((row for row in rows[-3:] if _share_baseline(row[0], line)), None)
        if row is None:
            rows.append([line])
        else:
            row.append(line)
    return [sorted(row, key=lambda line: line.left) for row in rows]


def _written_rows(rows: Sequence[Sequence[Line]]) -> Iterator[Line]:
    """Return a line for each row, with cells where it is one of a table."""
    split = [_cells(row) for row in rows]
    for place, (row, cells) in enumerate(zip(rows, split, strict=True)):
        words = [word for line in row for word in line.words]
        near = [split[other] for other in (place - 1, place + 1) if 0 <= other < len(split)]
        if len(cells) > 1 and any(_are_aligned(cells, others) for others in near):
            texts = (" ".join(word.text for word in cell) for cell in cells)
            yield Line(words, tuple(text.replace("|", "\\|") for text in texts))
        else:
            yield Line(words)


def _cells(row: Sequence[Line]) -> list[list[Run]]:
    """Split a row where a gap is wider than between words; justified lines have wide ones too."""
    words = [word for line in row for word in line.words]
    gaps = [second.left - first.right for first, second in pairwise(words)]
    if not gaps or ITEM.match(f"{words[0].text} x"):
        return [words]
    usual = sorted(gaps)[(len(gaps) - 1) // 3] if len(gaps) > 1 else 0.0
    widest = max(_CELL_GAP * words[0].size, _WIDER * usual)
    if min(gaps) > _LONE_GAP * words[0].size:
        widest = 0.0
    cells = [[words[0]]]
    for gap, word in zip(gaps, words[1:], strict=True):
        if gap > widest:
            cells.append([word])
        else:
            cells[-1].append(word)
    return cells


def _are_aligned(cells: Sequence[Sequence[Run]], others: Sequence[Sequence[Run]]) -> bool:
    """Tell whether two rows are of one table: as many cells, or some that begin or end alike."""
    if len(cells) < 2 or len(others) < 2:  # noqa: PLR2004 - one cell is no row
        return False
    if len(cells) == len(others) >= _LEAST_CELLS:
        return True
    return any(
        abs(cell[0].left - other[0].left) < _ALIGNED
        or abs(cell[-1].right - other[-1].right) < _ALIGNED
        for cell in cells[1:]
        for other in others[1:]
    )
