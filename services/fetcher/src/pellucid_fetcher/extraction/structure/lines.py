"""The text that is being gathered into the next block, with its signs, links and pictures."""

from dataclasses import dataclass, field
from typing import Final

from selectolax.lexbor import LexborNode

from pellucid_fetcher.extraction.structure import links, signs
from pellucid_fetcher.extraction.structure.blocks import clean

BREAK: Final = "\n"
_CONTEXT: Final = 6  # pieces before a sign that tell how to read it
_AFTER_CHARS: Final = 8
_MAX_SIGN: Final = 3
BOXES: Final = frozenset({"span", "b", "strong", "em", "i", "label", "a", "time", "small"})
_HOLDERS: Final = frozenset({"div", "li", "td", "th", "dt", "dd", "header", "section", "button"})
_BOX_CHARS: Final = 3  # shorter ones are letters that a style sets, or parts of a price
_OPEN_QUOTE: Final = "“"
_CLOSE_QUOTE: Final = "”"


@dataclass(slots=True)
class Line:
    """Text that is being gathered.

    Attributes:
        pieces: As the page has them; a line break is a piece of its own.
        labels: What pictures in it are called; said where there is nothing else.
        openings: Where the elements that are open began, by their tag.
        instants: What its elements tell machines of a time.
        readings: How the signs of a ruby are read.
    """

    pieces: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    openings: list[tuple[str, int]] = field(default_factory=list)
    instants: list[str] = field(default_factory=list)
    readings: list[str] = field(default_factory=list)
    link_words: int = 0
    links: int = 0
    blank: bool = False

    def clear(self) -> None:
        """Begin anew; what is open stays open, from the beginning."""
        self.pieces = []
        self.labels = []
        self.instants = []
        self.openings = [(tag, 0) for tag, _ in self.openings]
        self.blank = False
        self.link_words = self.links = 0

    def take_sign(self, sign: str) -> None:
        """Take a mark that is written for screen readers where a style draws it: 3⁄4, 7+1."""
        if self.pieces and len(sign) <= _MAX_SIGN and not any(map(str.isalnum, sign)):
            self.pieces.append(sign)

    def open(self, tag: str) -> None:
        """Note where an element begins whose whole text is needed."""
        self.openings.append((tag, len(self.pieces)))
        if tag == "q":
            self.pieces.append(_OPEN_QUOTE)

    def close(self, tag: str, node: LexborNode) -> None:
        """Write what an element says as a whole."""
        if not self.openings or self.openings[-1][0] != tag:
            return
        start = self.openings.pop()[1]
        inner = "".join(self.pieces[start:])
        match tag:
            case "sup" | "sub":
                self.pieces[start:] = [self._sign(tag, node, start, inner)]
            case "rt":
                self.readings.append(clean(inner))
                del self.pieces[start:]
            case "ruby":
                self._read_out(inner)
            case "q":
                self.pieces.append(_CLOSE_QUOTE)
            case _:
                self._label(node, inner)

    def link(self, start: int, number: int) -> None:
        """Mark what was gathered since a link began."""
        self.pieces.insert(start, links.begin())
        self.pieces.append(links.end(number))

    def _sign(self, tag: str, node: LexborNode, start: int, inner: str) -> str:
        before = "".join(self.pieces[max(0, start - _CONTEXT) : start])
        before = links.without_marks(before.rpartition(BREAK)[2])
        sign = links.without_marks(inner)
        if tag == "sub":
            written = signs.lowered(before, sign, _after(node))
        else:
            is_link = node.css_first("a[href]") is not None
            written = signs.raised(before, sign, _after(node), is_link=is_link)
        return links.remarked(inner, written)

    def _read_out(self, inner: str) -> None:
        reading = "".join(self.readings)
        self.readings = []
        if reading and clean(inner):
            is_latin = inner.isascii()
            self.pieces.append(f" ({reading})" if is_latin else f"（{reading}）")

    def _label(self, node: LexborNode, inner: str) -> None:
        label = clean(node.attributes.get("aria-label") or node.attributes.get("title") or "")
        if not label or clean(inner):
            return
        self.labels.append(label)
        if any(map(str.strip, self.pieces)) or _after(node).strip():
            self.pieces.append(f" {label} ")


def stands_apart(node: LexborNode) -> bool:
    """Tell whether an element and the next are boxes of their own, with no sentence around them.

    Where a block holds inline elements only, a style sets them apart: a name and its value.
    """
    following, parent = node.next, node.parent
    if following is None or following.tag not in BOXES or parent is None:
        return False
    if parent.tag not in _HOLDERS:
        return False
    here, other = node.text(deep=True), following.text(deep=True)
    if not (len(here) >= _BOX_CHARS <= len(other) and here[-1].isalnum() and other[0].isalnum()):
        return False
    return all(child.tag != "-text" for child in parent.iter(include_text=True))


def _after(node: LexborNode) -> str:
    """Return the beginning of what follows an element, as far as it is text."""
    following = node.next
    if following is None:
        parent = node.parent
        following = parent.next if parent is not None and parent.tag in ("span", "a", "b") else None
    if following is None or following.tag in ("sup", "sub"):
        return ""
    return (following.text(deep=True) or "")[:_AFTER_CHARS]


def joined(pieces: list[str]) -> str:
    """Join pieces into lines; a line break of the page stays one."""
    if BREAK not in pieces:
        return clean("".join(pieces)).replace("``", "")
    lines: list[list[str]] = [[]]
    for piece in pieces:
        if piece == BREAK:
            lines.append([])
        else:
            lines[-1].append(piece)
    texts = (clean("".join(line)).replace("``", "") for line in lines)
    return "\n".join(text for text in texts if text)
