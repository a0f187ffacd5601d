"""Paragraphs, headings and tables of a PDF; what recurs at the edge of its pages is left out."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final

from pellucid_fetcher.extraction.structure.pdf_hyphens import HYPHENS, unbroken, whole_words
from pellucid_fetcher.extraction.structure.pdf_lines import ITEM, Line, Page

_PARAGRAPH_GAP: Final = 1.3  # times the usual distance of lines
_INDENT: Final = 0.8  # of the size
_SHORT_LINE: Final = 0.8  # of the width of two lines: the first ends what it says …
_RAGGED_LINE: Final = 0.6  # … even without a full stop
_SIZE_STEP: Final = 1.12  # a heading's letters are so much larger than those of the text
_MOST_HEADING_CHARS: Final = 160
_MOST_BOLD_CHARS: Final = 90
_LEVELS: Final = 4
_EDGE: Final = 0.1  # of the page's height, where running heads and page numbers stand
_RECURRING: Final = 0.5  # of the pages
_LEAST_PAGES: Final = 3
_LONGEST_NUMBER: Final = 5
_ENDS: Final = re.compile(r"[.!?:;。！？][\"'”’»)\]]*$")
_NUMBER: Final = re.compile(
    r"^\W*(?:page|seite|página|p\.)?\s*(?:\d{1,4}|[ivxlc]{1,6})(?:\s*(?:/|of|von|de|sur)\s*\d+)?\W*$",
    re.IGNORECASE,
)
_DIGITS: Final = re.compile(r"\d+")


@dataclass(slots=True)
class Paragraph:
    """What is written down as one: prose, a heading (level above 0) or a row of a table."""

    text: str
    size: float
    bold: bool
    lines: int = 1
    level: int = 0
    cells: tuple[str, ...] = ()


def text_of(pages: Sequence[Page]) -> str:
    """Return pages as light Markdown, without what recurs at their edges."""
    edges = _edges(pages)
    kept = [
        [line for line in page.lines if not edges.has(line, page, place)]
        for place, page in enumerate(pages)
    ]
    body = _body_size(line for lines in kept for line in lines)
    words = whole_words([line.text for lines in kept for line in lines])
    paragraphs: list[Paragraph] = []
    for lines in kept:
        _append(paragraphs, list(_paragraphs(lines, body, words)), words)
    _set_levels(paragraphs, body)
    return "".join(_written(paragraphs)).strip()


@dataclass(frozen=True, slots=True)
class _Edges:
    """What recurs at the edge of the pages.

    Attributes:
        texts: Numbers apart.
        offset: What page numbers are more than a page's place; None where there are none.
    """

    texts: frozenset[str] = frozenset()
    offset: int | None = None

    def has(self, line: Line, page: Page, place: int) -> bool:
        """Tell whether a line is a running head or a page number."""
        if not _at_edge(line, page):
            return False
        if _NUMBER.match(line.text) or _without_numbers(line) in self.texts:
            return True
        return self.offset is not None and place + self.offset in _end_numbers(line)


def _edges(pages: Sequence[Page]) -> _Edges:
    if len(pages) < _LEAST_PAGES:
        return _Edges()
    texts: Counter[str] = Counter()
    offsets: Counter[int] = Counter()
    for place, page in enumerate(pages):
        lines = [line for line in page.lines if _at_edge(line, page)]
        texts.update({_without_numbers(line) for line in lines})
        offsets.update({number - place for line in lines for number in _end_numbers(line)})
    least = _RECURRING * len(pages)
    offset, count = offsets.most_common(1)[0] if offsets else (0, 0)
    often = frozenset(text for text, times in texts.items() if times >= least)
    return _Edges(often, offset if count >= least else None)


def _end_numbers(line: Line) -> set[int]:
    """Return the numbers that a line begins or ends with."""
    ends = {line.words[0].text, line.words[-1].text}
    return {int(word) for word in ends if word.isdecimal() and len(word) < _LONGEST_NUMBER}


def _at_edge(line: Line, page: Page) -> bool:
    return line.bottom > (1 - _EDGE) * page.height or line.top < _EDGE * page.height


def _without_numbers(line: Line) -> str:
    return _DIGITS.sub("0", line.text)


def _body_size(lines: Iterable[Line]) -> float:
    """Return the size of most letters."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size, 1)] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _paragraphs(lines: Sequence[Line], body: float, words: AbstractSet[str]) -> Iterator[Paragraph]:
    """Join the lines of a page into paragraphs."""
    pitch = _usual_pitch(lines, body)
    current: Paragraph | None = None
    last: Line | None = None
    for line in lines:
        if current is None or last is None or _begins(line, last, pitch):
            if current is not None:
                yield current
            current = Paragraph(line.text, line.size, line.bold, cells=line.cells)
        else:
            current.text = _joined(current.text, line.text, words)
            current.lines += 1
            current.bold &= line.bold
        last = line
    if current is not None:
        yield current


def _usual_pitch(lines: Sequence[Line], body: float) -> float:
    """Return the usual distance of neighbouring lines."""
    pitches = [first.base - second.base for first, second in pairwise(lines)]
    close = [pitch for pitch in pitches if 0 < pitch < 2 * max(body, 1.0)]
    return median(close) if close else 1.2 * body


def _begins(line: Line, last: Line, pitch: float) -> bool:
    """Tell whether a line begins a paragraph."""
    if line.cells or last.cells or ITEM.match(line.text):
        return True
    larger, smaller = max(line.size, last.size), max(min(line.size, last.size), 0.1)
    if larger / smaller > _SIZE_STEP or line.bold != last.bold:
        # A word in bold type may be all that a line has; with a gap it is another paragraph.
        return larger / smaller > _SIZE_STEP or last.base - line.base > pitch * 1.05
    if line.base > last.base:  # the top of the next column
        return bool(_ENDS.search(last.text)) and not line.text[:1].islower()
    if last.base - line.base > _PARAGRAPH_GAP * pitch:
        return True
    if line.left - last.left > _INDENT * line.size and bool(_ENDS.search(last.text)):
        return True
    share = (last.right - last.left) / max(
        max(last.right, line.right) - min(last.left, line.left), 0.1
    )
    ends = bool(_ENDS.search(last.text)) or share < _RAGGED_LINE
    return share < _SHORT_LINE and ends and not line.text[:1].islower()


def _joined(text: str, more: str, words: AbstractSet[str]) -> str:
    """Join two lines; a hyphen that only broke a word goes."""
    if text.endswith(HYPHENS) and more[:1].isalpha():
        return unbroken(text, more, words)
    dense = text and ord(text[-1]) >= _DENSE and ord(more[0]) >= _DENSE
    return text + more if dense else f"{text} {more}"


_DENSE: Final = 0x2E80  # from here on stand the scripts without spaces


def _append(paragraphs: list[Paragraph], more: list[Paragraph], words: AbstractSet[str]) -> None:
    """Add a page; a paragraph that goes on over the page's end stays one."""
    if paragraphs and more and _goes_on(paragraphs[-1], more[0]):
        paragraphs[-1].text = _joined(paragraphs[-1].text, more.pop(0).text, words)
    paragraphs += more


def _goes_on(last: Paragraph, first: Paragraph) -> bool:
    if last.cells or first.cells or abs(last.size - first.size) > 1.0 or last.lines == 1:
        return False
    return not _ENDS.search(last.text) and not ITEM.match(first.text)


def _set_levels(paragraphs: Sequence[Paragraph], body: float) -> None:
    """Make headings of what is larger than the text, or bold and short; larger ones are higher."""
    large = [p for p in paragraphs if _is_large(p, body)]
    sizes = sorted({round(p.size) for p in large}, reverse=True)
    for paragraph in large:
        paragraph.level = min(_LEVELS - 1, 1 + sizes.index(round(paragraph.size)))
    below = min(_LEVELS, 1 + max((p.level for p in large), default=1))
    for paragraph in paragraphs:
        if not paragraph.level and _is_bold_heading(paragraph):
            paragraph.level = below


def _is_large(paragraph: Paragraph, body: float) -> bool:
    if paragraph.cells or len(paragraph.text) > _MOST_HEADING_CHARS:
        return False
    return paragraph.size > _SIZE_STEP * body and any(map(str.isalpha, paragraph.text))


def _is_bold_heading(paragraph: Paragraph) -> bool:
    text = paragraph.text
    if not paragraph.bold or paragraph.cells or paragraph.lines > 2:  # noqa: PLR2004 - of a heading
        return False
    return len(text) <= _MOST_BOLD_CHARS and not text.endswith((".", ",", ";"))


def _written(paragraphs: Sequence[Paragraph]) -> Iterator[str]:
    last: Paragraph | None = None
    for paragraph in paragraphs:
        in_table = bool(paragraph.cells) and last is not None and bool(last.cells)
        yield "" if last is None else "\n" if in_table else "\n\n"
        if paragraph.cells:
            yield f"| {paragraph.text} |"
            if not in_table:
                yield "\n" + "| --- " * len(paragraph.cells) + "|"
        else:
            yield f"{'#' * paragraph.level} {paragraph.text}" if paragraph.level else paragraph.text
        last = paragraph
