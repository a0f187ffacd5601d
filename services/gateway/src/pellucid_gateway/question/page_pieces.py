"""A page cut into pieces that can be chosen, each with what it needs to be understood.

A row of a table says nothing without the heads of its columns, an item of a list without the line
that introduces it, an answer without its question, "It opened in May" without the sentence before.
It reads the light Markdown of the fetcher; which pieces are worth showing is decided elsewhere.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pellucid_gateway.question.plain_text import plain
from pellucid_gateway.question.tokens import GAP
from pellucid_language import sentences

# A page of 200,000 characters has about 3,000; a page of mere one-word lines must not cost more.
MOST_PIECES = 4_000
# A longer item or paragraph of code is cut like prose.
_WHOLE_CHARS = 400
# What is longer is no title of what follows it.
_LEAD_CHARS = 240
_HEADING = re.compile(r"^\s{0,3}(#{1,6})\s+(.*)$")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_RULE = re.compile(r"^\|(?:\s*:?-{3,}:?\s*\|)+$")
_INDENT = "  "
_ANNOUNCES = (":", "：")
_ASKS = ("?", "？")
_ENDS = tuple(".!…。！;,、，；")
_TITLE_CHARS = 80
# "No.", "Yes, of course.": what follows says why.
_BRIEF_CHARS = 16
# Headings, introducing lines and sentences before, taken together.
_MOST_NEEDS = 12
_POINTS_BACK = re.compile(
    r"^[\"“'(]?(?:(?:he|she|it|they|this|these|those|that|his|her|its|their|but|however|there|then"
    r"|er|sie|es|diese[rsnm]?|dies|dort|sein\w*|ihr\w*|dabei|damit|dazu"
    r"|il|elle|ils|elles|cela|ce|cette|ces|celui-ci|celle-ci|son|sa|ses"
    r"|este|esta|estos|estas|ese|esa|ello|ella|ellos|ellas|su|sus)\b"
    r"|그(?:는|가|녀|의|들)|이(?:는|것|를|들)|これ|それ|その|この|同(?:社|氏|市)|他们?|她们?|它们?|这|那|该)",
    re.IGNORECASE,
)


class Kind(StrEnum):
    """What a piece is."""

    TITLE = "title"
    HEADING = "heading"
    PROSE = "prose"
    ITEM = "item"
    HEAD_ROW = "head_row"
    ROW = "row"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Piece:
    """The least of a page that can be chosen.

    Attributes:
        text: As shown, without marks of format.
        kind: What it is.
        block: Number of its paragraph, list, table or piece of code, from 0.
        needs: Places of the earlier pieces without which it is not understood, ascending.
        about: Headings above it and the line that introduces it, outermost first.
    """

    text: str
    kind: Kind
    block: int
    needs: tuple[int, ...] = ()
    about: tuple[str, ...] = ()


def pieces_of(text: str) -> tuple[Piece, ...]:
    r"""Cut a page.

    Args:
        text: Light Markdown: blocks apart by empty lines.

    >>> [piece.text for piece in pieces_of("# Fares\n\n| Who | Fare |\n| --- | --- |\n| Dog | 2 |")]
    ['Fares', '| Who | Fare |', '| Dog | 2 |']
    """
    page = _Page()
    for block in _blocks(text):
        page.add(block)
        if len(page.pieces) >= MOST_PIECES:
            break
    return tuple(page.pieces[:MOST_PIECES])


def with_needs(chosen: Iterable[int], pieces: Sequence[Piece]) -> frozenset[int]:
    """The chosen places with those that they need, and what those need but for outer headings.

    Of a chain without end, which only a page made for it has, no more than `_MOST_NEEDS` come.
    """
    return frozenset().union(*(_with_own_needs(place, pieces) for place in chosen))


def _with_own_needs(place: int, pieces: Sequence[Piece]) -> set[int]:
    found = {place}
    left = deque(pieces[place].needs)
    while left and len(found) <= _MOST_NEEDS:
        needed = left.popleft()
        if needed not in found:
            found.add(needed)
            left.extend(() if pieces[needed].kind is Kind.HEADING else pieces[needed].needs)
    return found


def joined(chosen: Iterable[int], pieces: Sequence[Piece]) -> str:
    """The chosen pieces in the order of the page: sentences of a paragraph on one line.

    What is left out between two of them is marked: "asked for a report. […] did so in an hour" must
    not read as one. The title of the page stands elsewhere.
    """
    text = ""
    before = -1
    for place in sorted(chosen):
        piece = pieces[place]
        if piece.kind is Kind.TITLE:
            continue
        if before >= 0:
            runs_on = piece.kind is Kind.PROSE and piece.block == pieces[before].block
            gap = " " if place == before + 1 else f" {GAP} "
            text += gap if runs_on else "\n"
        text += piece.text
        before = place
    return text


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines of one kind, as written."""

    kind: Kind
    lines: tuple[str, ...]


class _Page:
    """Pieces so far, with the headings and the introducing line that hold for the next block."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self._headings: list[tuple[int, int]] = []
        self._leads: tuple[int, ...] = ()
        self._block = -1

    def add(self, block: _Block) -> None:
        """Add the pieces of a block."""
        self._block += 1
        match block.kind:
            case Kind.HEADING:
                self._add_heading(block.lines[0])
                return
            case Kind.ROW:
                self._add_table(block.lines)
            case Kind.ITEM:
                self._add_list(block.lines)
            case Kind.CODE:
                self._add_code(block.lines)
            case _:
                self._add_prose(block.lines)
                return
        self._leads = ()

    def _add_heading(self, line: str) -> None:
        match = _HEADING.match(line)
        level, text = (len(match.group(1)), plain(match.group(2))) if match else (1, plain(line))
        if not text:
            return
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        self._put(text, Kind.HEADING, needs=tuple(place for _, place in self._headings[-1:]))
        self._headings.append((level, len(self.pieces) - 1))
        self._leads = ()

    def _add_table(self, lines: Sequence[str]) -> None:
        has_head = len(lines) > 1 and bool(_RULE.match(lines[1].strip()))
        needs = self._context()
        for i, line in enumerate(lines):
            if _RULE.match(line.strip()) or not line.strip("| \t"):
                continue
            is_head = has_head and i == 0
            self._put(plain(line), Kind.HEAD_ROW if is_head else Kind.ROW, needs=needs)
            if is_head:
                needs = (*needs, len(self.pieces) - 1)

    def _add_list(self, lines: Sequence[str]) -> None:
        """What stands under an item's first line, such as a price, belongs to that line."""
        needs = self._context()
        first: tuple[int, ...] = ()
        for line in lines:
            mark = _ITEM.match(line)
            text = plain(line)
            if not text:
                continue
            if mark and len(text) <= _WHOLE_CHARS:
                self._put(f"- {text[len(mark.group().strip()) :].strip()}", Kind.ITEM, needs=needs)
                first = (len(self.pieces) - 1,)
            elif first and _is_fragment(text):
                self._put(text, Kind.ITEM, needs=(*needs, *first), asked=first)
            else:
                self._put_sentences(text, (*needs, *first))

    def _add_code(self, lines: Sequence[str]) -> None:
        needs = self._context()
        for part in "\n".join(lines).split("\n\n"):
            written = [_indented(line) for line in part.split("\n")]
            text = "\n".join(line for line in written if line.strip())
            if text:
                self._put(text, Kind.CODE, needs=needs)

    def _add_prose(self, lines: Sequence[str]) -> None:
        """Each line may be a paragraph; a short one that asks or announces leads what follows."""
        for line in lines:
            text = plain(line)
            if not text:
                continue
            self._put_sentences(text, self._context())
            if not _leads(text):
                self._leads = ()
                continue
            # "Prepare a kit", then "Include:", then the list.
            before = self._leads[-1:] if _announces(text) else ()
            self._leads = (*before, len(self.pieces) - 1)

    def _put_sentences(self, text: str, needs: tuple[int, ...]) -> None:
        """Sentences of a paragraph; a question that opens it is the title of all that follows."""
        first = len(self.pieces)
        asked: tuple[int, ...] = ()
        for sentence in filter(None, map(str.strip, sentences.split(text))):
            here = len(self.pieces)
            before = (here - 1,) if here > first and self._leans_back(sentence) else ()
            self._put(sentence, Kind.PROSE, needs=(*needs, *asked, *before), asked=asked)
            if here == first and _is_question(sentence):
                asked = (here,)

    def _leans_back(self, sentence: str) -> bool:
        """Whether a sentence is not understood without the one before it in its paragraph."""
        before = self.pieces[-1].text
        return bool(
            _POINTS_BACK.match(sentence) or _is_question(before) or len(before) <= _BRIEF_CHARS
        )

    def _context(self) -> tuple[int, ...]:
        """Places of the nearest heading and of the lines that introduce the block."""
        return (*(place for _, place in self._headings[-1:]), *self._leads)

    def _put(
        self, text: str, kind: Kind, *, needs: tuple[int, ...], asked: tuple[int, ...] = ()
    ) -> None:
        places = (*(place for _, place in self._headings), *self._leads, *asked)
        about = tuple(self.pieces[place].text for place in places)
        self.pieces.append(Piece(text, kind, self._block, needs, about))


def _indented(line: str) -> str:
    """A line of code with single blanks but for its indentation, which may be its meaning."""
    return line[: len(line) - len(line.lstrip())] + " ".join(line.split())


def _announces(text: str) -> bool:
    return text.endswith(_ANNOUNCES)


def _is_question(text: str) -> bool:
    return text.endswith(_ASKS) and len(text) <= _LEAD_CHARS


def _leads(text: str) -> bool:
    """Whether a line is rather the title, the question or the announcement of what follows."""
    if _announces(text):
        return len(text) <= _LEAD_CHARS
    if text.endswith(_ASKS):
        return _is_question(text)
    return _is_fragment(text)


def _is_fragment(text: str) -> bool:
    """Whether a line is short and no sentence."""
    return len(text) <= _TITLE_CHARS and not text.endswith(_ENDS)


def _blocks(text: str) -> Iterator[_Block]:
    """Runs of lines of one kind; an empty line ends a run, except within code."""
    run: list[str] = []
    kind: Kind | None = None
    in_code = False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            if kind is not None:
                yield _Block(kind, tuple(run))
            in_code, run, kind = not in_code, [], None
            continue
        own = Kind.CODE if in_code else _kind_of(line)
        if own is Kind.PROSE and kind is Kind.ITEM and line.startswith(_INDENT):
            own = Kind.ITEM
        if own is not kind or own is Kind.HEADING:
            if kind is not None:
                yield _Block(kind, tuple(run))
            run, kind = [], own
        if own is not None:
            run.append(line)
    if kind is not None:
        yield _Block(kind, tuple(run))


def _kind_of(line: str) -> Kind | None:
    bare = line.strip()
    if not bare:
        return None
    if _HEADING.match(line):
        return Kind.HEADING
    if bare.startswith("|"):
        return Kind.ROW
    return Kind.ITEM if _ITEM.match(line) else Kind.PROSE
