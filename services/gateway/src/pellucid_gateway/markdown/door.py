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
from pellucid_gateway.markdown.code_spans import code_spans
from pellucid_gateway.markdown.escaping import MAIL, as_code, domains_escaped, only_letters, words
from pellucid_gateway.markdown.readers import (
    MOST_CHARS,
    is_in_fence,
    is_notable,
    last_block,
    leads_elsewhere,
    plain_end,
)

_MARKS = re.compile(r"[\\`\[\]!|~@:/.]")
# The row below the head of a table, as the most lenient reader knows it.
_DELIMITERS = re.compile(r"[ \t>]*(?:\|[ \t]*:?-|:?-+:?[ \t]*\|)")
# A line that defines an address for a name used elsewhere; a citation marker is none.
_DEFINITION = re.compile(r"^([ \t>*+\d.)-]{0,40})\[(?=[^\]\n]{1,200}\]:)", re.MULTILINE)
_LINE = re.compile(r"[^\n]+")
# Longer pieces are judged by their lines, as if they came one after another.
_LONG_PIECE = 2_000
# Characters that readers may be shown of one answer, and for each that it has; an answer in short
# paragraphs takes eight for each. What takes more leaves as letters, digits and blanks.
_LEAST_READ = 50_000
_READ_FOR_EACH = 12
# What is refused counts so many times more.
_REFUSED = 4
# What may end behind a piece and begin before it: a domain, the name of a scheme.
_TAIL = 80
# Longer differences are told apart by their lengths alone.
_MOST_COMPARED = 500
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
        if len(self.given) > _MOST_COMPARED:
            return min(offset * len(self.text) // len(self.given), len(self.text))
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
        self._in_fence = False
        self._left = _LEAST_READ

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
        if len(piece) <= _LONG_PIECE or "\n" not in piece[:-1]:
            return Passed(self._one(piece, is_code=is_code), piece)
        lines = piece.splitlines(keepends=True)
        return Passed("".join(self._one(line, is_code=is_code) for line in lines), piece)

    def _one(self, piece: str, *, is_code: bool) -> str:
        self._left += _READ_FOR_EACH * len(piece)
        shown = _HIDDEN.sub("", piece)
        if self._in_fence and self._stays_in_fence(shown):
            return shown
        self._in_fence = False
        if not is_code:
            shown = _DEFINITION.sub(r"\1\\[", shown)
        self._is_notable = self._is_notable or is_notable(f"{self._open[-_TAIL:]}{shown}")
        if self._is_notable:
            shown = next(s for s in self._ways(shown) if self._is_harmless(s))
        self._open += shown
        if "\n" in piece and self._is_notable:
            self._settle()
        return shown

    def _stays_in_fence(self, line: str) -> bool:
        """Whether a line is no more than one of a code block; it need not be kept then."""
        whole = line.endswith("\n")
        return whole and len(line) < MOST_CHARS and is_in_fence(self._open + line)

    def _settle(self) -> None:
        """Forget what no reader can reopen."""
        if not self._may_read(len(self._open)):
            return
        if "\n\n" in self._open or "\n " in self._open:
            self._open = self._open[last_block(self._open) :]
        self._is_notable = is_notable(self._open)
        *_, last = self._open.rstrip("\n").split("\n")
        self._in_fence = last.lstrip(" ").startswith(("```", "~~~")) and is_in_fence(self._open)

    def _may_read(self, chars: int) -> bool:
        self._left -= chars
        return self._left > 0 and chars <= MOST_CHARS

    def _is_harmless(self, piece: str) -> bool:
        if not self._may_read(len(self._open) + len(piece)):
            return not piece or piece == self._letters(piece)
        if leads_elsewhere(self._open + piece, self._addresses):
            # Honest answers are seldom refused anything.
            self._left -= _REFUSED * (len(self._open) + len(piece))
            return not piece
        # A delimiter row makes cells of the line before, and cells end code spans.
        return not leads_elsewhere(self._cells_before(piece), self._addresses)

    def _letters(self, piece: str) -> str:
        """What no reader makes anything of, whatever stands before; no word goes on."""
        bare = only_letters(piece)
        return f" {bare}" if self._open[-1:].strip() and bare[:1].strip() else bare

    def _cells_before(self, piece: str) -> str:
        """The cells as paragraphs; the word before each keeps it from beginning another block."""
        *_, header, row = ["", *(self._open + piece).rstrip("\n").split("\n")]
        cells = header.split("|") if "`" in header and _DELIMITERS.match(row) else []
        return "\n\n".join(f"a {cell.strip()}" for cell in cells)

    def _ways(self, piece: str) -> Iterator[str]:
        """The piece in forms of which each says less than the one before; the last says nothing."""
        yield piece
        # Text before the first mark may have left already, as it is.
        begun = plain_end(piece)
        yield from (piece[:begun] + way for way in _lesser(piece[begun:]))
        yield from _lesser(piece)
        yield self._letters(piece)
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
    for start, end in code_spans(text):
        parts += [change(text[last:start]), text[start:end]]
        last = end
    return "".join((*parts, change(text[last:])))


def _unlinked(text: str) -> str:
    """Mail addresses as code, bare domains escaped: what people write without meaning a link."""
    return domains_escaped(MAIL.sub(lambda mail: as_code(mail.group()), text))


def _literal(text: str) -> str:
    """Every mark of Markdown and HTML escaped."""
    return _MARKS.sub(r"\\\g<0>", text.replace("&", "&amp;").replace("<", "&lt;"))
