"""The last door of an answer: nothing passes that some reader would make a foreign address of.

It sees the pieces in the order in which they leave and judges each with what has left before it,
since a piece can end a construct that an earlier one began. What a client has of the answer at any
moment is therefore as harmless as the whole.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from pellucid_gateway.markdown.addresses import Addresses
from pellucid_gateway.markdown.escaping import MAIL, as_code, domains_escaped, words
from pellucid_gateway.markdown.readers import (
    is_notable,
    last_block,
    leads_elsewhere,
    plain_end,
    recent_end,
)

_CODE_SPAN = re.compile(r"(?<![`\\])(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_MARKS = re.compile(r"[\\`\[\]!|~@:/.]")
# The row below the head of a table, as the most lenient reader knows it.
_DELIMITERS = re.compile(r"[ \t>]*(?:\|[ \t]*:?-|:?-+:?[ \t]*\|)")
# A line that defines an address for a name used elsewhere; a citation marker is none.
_DEFINITION = re.compile(r"^([ \t>*+\d.)-]{0,40})\[(?=[^\]\n]{1,200}\]:)", re.MULTILINE)
_LINE = re.compile(r"[^\n]+")
_BRACKETS = re.compile(r"\\.|[\[\]]", re.DOTALL)
# Brackets that stand open at once in one block. Readers look for the end of each of them, so that
# thousands take a reader seconds; nobody writes as many.
_MOST_OPEN = 10
# Characters that all readers read of one answer, the same ones again for each piece after them: a
# few seconds. A list of 16,000 characters without a blank line stays below; behind it, text leaves
# as bare words.
_MOST_READ = 400_000
_NO_WORD = re.compile(r"[^\w\s.,;!?]+|[.,;!?](?=\S)")
# Tag characters spell hidden text; only the flags of three countries are made of them.
_HIDDEN = re.compile(
    "(?<![\U000e0020-\U000e007f\U0001f3f4])[\U000e0000-\U000e007f]+|[\U000e0100-\U000e01ef]"
)


@dataclass(frozen=True, slots=True)
class Passed:
    """A piece as it may leave.

    Attributes:
        text: What may leave.
        given: The piece as it was given.
    """

    text: str
    given: str

    def place(self, offset: int) -> int:
        """Where a border within the given piece stands in the text, as near as can be told."""
        if self.text == self.given:
            return offset
        same = SequenceMatcher(None, self.given, self.text, autojunk=False)
        for _, first, end, shown, shown_end in same.get_opcodes():
            if offset < end or (offset == end and first < end):
                return min(shown + offset - first, shown_end)
        return len(self.text)


class Door:
    """Lets the pieces of one answer out.

    Args:
        addresses: Where the answer may lead.
    """

    def __init__(self, addresses: Addresses) -> None:
        self._addresses = addresses
        # What has left since the last block that no reader can reopen.
        self._open = ""
        self._is_notable = False
        self._depth = 0
        self._read = 0

    @property
    def is_alert(self) -> bool:
        """Whether the block in progress has something that what follows may complete."""
        return self._is_notable

    def passed(self, piece: str, *, is_code: bool = False) -> Passed:
        """The piece as it may leave after all before it; what leaves is what this returns.

        Args:
            piece: More of the answer.
            is_code: It is a line of a code block, fences included.
        """
        shown = _HIDDEN.sub("", piece)
        if not is_code:
            shown = self._shallow(_DEFINITION.sub(r"\1\\[", shown))
        self._is_notable = self._is_notable or is_notable(f"{self._open[-1:]}{shown}")
        if self._is_notable:
            shown = self._harmless(shown, is_code=is_code)
        self._open += shown
        if "\n" in piece and self._is_notable:
            begun = last_block(self._open)
            self._open = self._open[begun:]
            self._is_notable = is_notable(self._open)
            self._depth = 0 if begun else self._depth
        return Passed(shown, piece)

    def _shallow(self, piece: str) -> str:
        """The piece with every bracket escaped that would open one too many."""

        def seen(mark: re.Match[str]) -> str:
            if mark[0] == "]":
                self._depth = max(0, self._depth - 1)
            elif mark[0] == "[":
                if self._depth >= _MOST_OPEN:
                    return "\\["
                self._depth += 1
            return mark[0]

        return _BRACKETS.sub(seen, piece)

    def _harmless(self, piece: str, *, is_code: bool) -> str:
        # Readers pass over code.
        self._read += 0 if is_code else len(recent_end(self._open + piece))
        if self._read > _MOST_READ and not is_code:
            return _NO_WORD.sub(" ", piece)
        return next(way for way in self._ways(piece) if self._is_harmless(way, is_code=is_code))

    def _is_harmless(self, piece: str, *, is_code: bool) -> bool:
        if leads_elsewhere(self._open + piece, self._addresses):
            return not piece
        # A delimiter row makes cells of the line before, and cells end code spans.
        apart = self._cells_before(piece) + ([] if is_code else self._lines_of(piece))
        return not any(leads_elsewhere(part, self._addresses) for part in apart)

    def _lines_of(self, piece: str) -> list[str]:
        """The lines of a piece, where a code span may reach over them.

        Some reader ends a paragraph at a line that others take for more of it, as behind a list or
        before a table, and with it the code span.
        """
        text = self._open + piece
        if "`" not in text:
            return []
        *begun, last = self._open.split("\n")
        lines = (last + piece).split("\n")
        return lines if begun or len(lines) > 1 else []

    def _cells_before(self, piece: str) -> list[str]:
        *_, header, row = ["", *(self._open + piece).rstrip("\n").split("\n")]
        return header.split("|") if "`" in header and _DELIMITERS.match(row) else []

    def _ways(self, piece: str) -> Iterator[str]:
        """The piece in forms of which each says less than the one before; the last says nothing."""
        yield piece
        # Text before the first mark may have left already, as it is.
        begun = plain_end(piece)
        yield from (piece[:begun] + way for way in _lesser(piece[begun:]))
        yield from _lesser(piece)
        yield ""


def _lesser(piece: str) -> Iterator[str]:
    yield _outside_code(piece, _unlinked)
    yield _outside_code(piece, _literal)
    yield _literal(piece)
    yield _LINE.sub(lambda line: words(line.group()), piece)
    yield "\n" if piece.endswith("\n") else ""


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    """The text with everything changed but what looks like code spans."""
    parts = []
    last = 0
    for span in _CODE_SPAN.finditer(text):
        parts += [change(text[last : span.start()]), span.group()]
        last = span.end()
    return "".join((*parts, change(text[last:])))


def _unlinked(text: str) -> str:
    """Mail addresses as code, bare domains escaped: what people write without meaning a link."""
    return domains_escaped(MAIL.sub(lambda mail: as_code(mail.group()), text))


def _literal(text: str) -> str:
    """Every mark of Markdown and HTML escaped."""
    return _MARKS.sub(r"\\\g<0>", text.replace("&", "&amp;").replace("<", "&lt;"))
