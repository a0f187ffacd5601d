"""Where sentences end, in whole texts and in streams, for scripts with and without spaces.

A boundary is settled only when enough text follows it to be sure, so a stream splits the same way
however it is cut into chunks.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from pellucid_language import citation_marks
from pellucid_language.calendar import month_beginnings
from pellucid_language.text_memory import remembered

_SPACED_END = ".!?…"
_UNSPACED_END = "。！？｡"
_MARK = re.compile(rf"[\n{_SPACED_END}{_UNSPACED_END}]")
_CLOSERS = "\"'”’»)）」』*_"
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"“])(?:[A-ZÀ-Ý]|Mr|Mrs|Ms|Dr|Prof|St|No|Nr|vs|Inc|Ltd|Co|Corp|Jr|Sr|approx|ca|bzw|"
    r"Sra?|Mme|(?:[A-Za-z]\.)+[A-Za-z])$"
)
_LONGEST_ABBREVIATION = 24
_GERMAN_MONTH = re.compile(rf"\s*(?:{'|'.join(month_beginnings('de'))})")
# A German ordinal before its noun: "am 3. Spieltag", which "I am 3." is not.
_GERMAN_ORDINAL = re.compile(
    r"(?<!\bI )\b(?i:am|vom|zum|zur|im|beim|ab|de[mnrs]|die|das|seit|bis|ihre?[nmrs]?|seine?[nmrs]?"
    r"|jede[nmrs]?)\s\d{1,3}$"
)
_LIST_NUMBER = re.compile(r"^\s*\d{1,3}$")
# Beyond this a text without any ending is cut, so that what is held back stays bounded.
MAX_SENTENCE_CHARS = 2_000
_LOOKAHEAD_CHARS = 128
# A sentence and its markers are within so many, so that a long text is not copied for each.
_READ_CHARS = 2 * MAX_SENTENCE_CHARS + _LOOKAHEAD_CHARS


def boundary(text: str, *, final: bool) -> int | None:
    """Find the end of the first sentence.

    Args:
        text: What follows the last boundary.
        final: Nothing will follow this text.

    Returns:
        Offset one past the sentence and its trailing markers, or None when more text is needed
        (with `final`: when the text is empty).
    """
    for match in _MARK.finditer(text, 0, MAX_SENTENCE_CHARS):
        i = match.start()
        if match.group() == "\n":
            return i + 1
        end = _after(text, i, final=final)
        if end is None:
            return _forced(text)
        if end:
            return end
    if final:
        return min(len(text), MAX_SENTENCE_CHARS) or None
    return _forced(text)


def _forced(text: str) -> int | None:
    enough = len(text) >= MAX_SENTENCE_CHARS + _LOOKAHEAD_CHARS
    return MAX_SENTENCE_CHARS if enough else None


def _after(text: str, i: int, *, final: bool) -> int | None:
    """End of the sentence whose mark stands at `i`; 0 when it is none, None when unsure."""
    j = i + 1
    while j < len(text) and text[j] in _SPACED_END + _UNSPACED_END + _CLOSERS:
        if text[j] == "*" and citation_marks.MARK.match(text, j):
            break
        j += 1
    if j == len(text):
        return j if final else None
    if text[i] == "!" and text[j] == "[":
        return 0  # an image in Markdown, not the end of a sentence
    spaced = text[i] in _SPACED_END
    if spaced and not text[j].isspace() and not citation_marks.STARTS.match(text, j):
        return 0
    end = citation_marks.trailing_end(text, j, final=final)
    if end is None or end > j:
        return end
    if spaced and not text[j].isspace():
        return 0
    return _unless_abbreviated(text, i, j, final=final) if spaced and text[i] == "." else j


def _unless_abbreviated(text: str, i: int, j: int, *, final: bool) -> int | None:
    k = j
    while k < len(text) and text[k] in " \t":
        k += 1
    following = text[k : k + 1]
    if following.islower() or _is_within_a_sentence(text, i):
        return 0
    if text[i - 1 : i].isdigit() and following.isupper():
        if not final and len(text) - k < len("Sep"):
            return None
        return 0 if _GERMAN_MONTH.match(text, k) and not _spelled_year(text, i) else j
    return j


def _is_within_a_sentence(text: str, i: int) -> bool:
    """Whether the full stop at `i` is that of an abbreviation or of a number in an order."""
    near = max(0, i - _LONGEST_ABBREVIATION)
    return bool(
        _ABBREVIATION.search(text, near, i)
        or _GERMAN_ORDINAL.search(text, near, i)
        or _LIST_NUMBER.match(text[:i])
    )


def _spelled_year(text: str, i: int) -> bool:
    return bool(re.search(r"\d{3}$", text[:i]))


def split(text: str) -> list[str]:
    """Sentences of a whole text, stripped, without empty ones.

    >>> split("It rose 3.5 % in May. Dr. Quill agreed.")
    ['It rose 3.5 % in May.', 'Dr. Quill agreed.']
    """
    return list(_sentences(text))


@remembered
def _sentences(text: str) -> tuple[str, ...]:
    return tuple(text[start:end] for start, end in spans(text))


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each sentence of a whole text, in order, without blanks around it.

    >>> list(spans("It rose. It fell."))
    [(0, 8), (9, 17)]
    """
    start = 0
    while (length := boundary(text[start : start + _READ_CHARS], final=True)) is not None:
        sentence = text[start : start + length]
        if bare := sentence.strip():
            first = start + sentence.index(bare[0])
            yield first, first + len(bare)
        start += length


class SegmentKind(Enum):
    """How a segment is treated: prose is checked, code is left as it is."""

    PROSE = "prose"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Segment:
    """A sentence, a table row, or a line of a code block; segments join to the text."""

    kind: SegmentKind
    text: str


_FENCES = ("```", "~~~")
_WHOLE_LINE = ("|", "#")
_FENCE_CHARS = len(_FENCES[0])
# A line that is indented further than this within its list item opens no code block.
_MAX_FENCE_INDENT = 3
_LIST_MARKS = re.compile(r"(?: *(?:[-*+]|\d{1,9}[.)]) +)+")


class Segmenter:
    """Cuts a stream into segments, the same ones however it is chunked.

    Where a code block begins and ends is told as CommonMark tells it (4.5 and 5.2).
    """

    def __init__(self) -> None:
        self._pending = ""
        self._line_start = True
        self._fence = ""
        # Columns at which the content of the list items in progress begins, outermost first, and
        # that of the item in which the code block stands.
        self._items: list[int] = []
        self._container = 0

    @property
    def pending(self) -> str:
        """Text of the segment in progress."""
        return self._pending

    @property
    def pending_is_code(self) -> bool:
        """Whether the segment in progress stands in a code block."""
        return bool(self._fence)

    def feed(self, text: str) -> list[Segment]:
        """Take more text; return the segments that it completes."""
        self._pending += text
        return self._take(final=False)

    def finish(self) -> list[Segment]:
        """Return what is left."""
        return self._take(final=True)

    def _take(self, *, final: bool) -> list[Segment]:
        segments = []
        while (end := self._next_end(final=final)) is not None:
            piece, self._pending = self._pending[:end], self._pending[end:]
            segments.append(self._segment(piece))
            self._line_start = piece.endswith("\n")
        return segments

    def _next_end(self, *, final: bool) -> int | None:
        head = self._pending.lstrip(" \t")
        if not self._pending:
            return None
        unsure = self._line_start and len(head) < _FENCE_CHARS
        if unsure and not final and "\n" not in head:
            return None
        line = self._pending.partition("\n")[0]
        if self._line_start and line.strip() and _indent(line) < self._container:
            # The list item that the code block stands in has ended, and the block with it.
            self._fence, self._container = "", 0
        if self._fence or (self._line_start and head.startswith((*_FENCES, *_WHOLE_LINE))):
            newline = self._pending.find("\n")
            if newline >= 0:
                return newline + 1
            if len(self._pending) >= MAX_SENTENCE_CHARS:
                return MAX_SENTENCE_CHARS
            return len(self._pending) if final else None
        return boundary(self._pending, final=final)

    def _segment(self, piece: str) -> Segment:
        line = piece.expandtabs(4) if self._line_start else ""
        if self._fence:
            if self._closes(line):
                self._fence, self._container = "", 0
        else:
            self._fence = self._opened(line)
            if not self._fence:
                return Segment(SegmentKind.PROSE, piece)
            self._container = self._items[-1] if self._items else 0
        return Segment(SegmentKind.CODE, piece)

    def _opened(self, line: str) -> str:
        """The fence that a line of prose opens, if any; notes the list item that it stands in."""
        if not line.strip():
            return ""
        indent = _indent(line)
        while self._items and indent < self._items[-1]:
            self._items.pop()
        if indent - (self._items[-1] if self._items else 0) > _MAX_FENCE_INDENT:
            return ""
        marks = _LIST_MARKS.match(line)
        if marks:
            self._items.append(marks.end())
        return _fence_of(line[marks.end() :] if marks else line)

    def _closes(self, line: str) -> bool:
        """Whether a line ends the block: as many of its marks or more, nothing after them."""
        bare = line.strip()
        is_near = _indent(line) - self._container <= _MAX_FENCE_INDENT
        return is_near and len(bare) >= len(self._fence) and not bare.strip(self._fence[0])


def _indent(line: str) -> int:
    """Columns before the first character; a tab ends at the next multiple of four."""
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip(" "))


def _fence_of(line: str) -> str:
    """The run of marks with which a line opens a code block; empty when it opens none."""
    head = line.lstrip(" ")
    mark = next((fence[0] for fence in _FENCES if head.startswith(fence)), "")
    if not mark:
        return ""
    info = head.lstrip(mark)
    return head[: len(head) - len(info)] if mark == "~" or "`" not in info else ""
