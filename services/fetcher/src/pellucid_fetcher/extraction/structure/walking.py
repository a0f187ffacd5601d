"""From a parsed page to its blocks, without recursion and with a bound on everything.

Decides where one block ends and the next begins, and what is never text (scripts, controls, hidden
elements).
"""

from dataclasses import dataclass, field
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pellucid_fetcher.extraction.structure.blocks import (
    Block,
    PageBlocks,
    Place,
    add_to_places,
    clean,
    count_words,
    without_invisible,
)
from pellucid_fetcher.extraction.structure.openable import NAMED, opened_ids
from pellucid_fetcher.extraction.structure.tables import is_data_table
from pellucid_fetcher.extraction.structure.visibility import Visibility

MAX_DEPTH: Final = 400
MAX_ELEMENTS: Final = 60_000
MAX_BLOCKS: Final = 5_000
MAX_BLOCK_CHARS: Final = 100_000
MAX_TOTAL_CHARS: Final = 1_000_000
_CLOAKED_WORDS: Final = 20
# Outer elements that may fade in, and how many times as much a page shows with them as without.
_FADED: Final = 'body > [style*="opacity"] h1, body > * > [style*="opacity"] h1'
_MOSTLY: Final = 2

_SKIPPED: Final = frozenset(
    {
        "script", "style", "template", "svg", "math", "iframe", "object", "embed", "applet",
        "canvas", "audio", "video", "select", "option", "optgroup", "datalist", "input", "head",
        "textarea", "link", "meta", "map", "progress", "meter", "frame", "frameset", "noframes",
        "dialog", "-comment", "-doctype", "-cdata", "!doctype",
    }
)  # fmt: skip
_INLINE: Final = frozenset(
    {
        "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn",
        "em", "font", "i", "ins", "kbd", "label", "mark", "picture", "q", "rp", "rt", "ruby", "s",
        "samp", "small", "source", "span", "strike", "strong", "sub", "sup", "time", "tt", "u",
        "var", "wbr", "track", "nobr", "output",
    }
)  # fmt: skip
_NO_FIELDS: Final = frozenset({"hidden", "search", "submit", "button", "image", "reset", "number"})
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_LISTS: Final = frozenset({"ul", "ol", "menu"})


@dataclass(slots=True)
class _Line:
    """Text that is being gathered into the next block."""

    pieces: list[str] = field(default_factory=list)
    link_words: int = 0
    links: int = 0
    blank: bool = False

    def clear(self) -> None:
        self.pieces = []
        self.blank = False
        self.link_words = self.links = 0


@dataclass(slots=True)
class _List:
    ordered: bool
    count: int = 0
    marker: str = ""
    implied: bool = False


@dataclass(slots=True)
class _Row:
    cells: list[str] = field(default_factory=list)
    heading_cells: int = 0
    link_words: int = 0
    links: int = 0


class Walker:
    """Walks one page."""

    def __init__(self, visibility: Visibility) -> None:
        self.page = PageBlocks()
        self._visibility = visibility
        self._line = _Line()
        self._lists: list[_List] = []
        self._row: _Row | None = None
        self._data_tables: list[bool] = []
        self._inside = {"a": 0, "noscript": 0, "blockquote": 0, "code": 0}
        self._heading = 0
        self._chars = 0

    def walk(self, root: LexborNode) -> PageBlocks:
        """Collect the blocks below an element."""
        top = Place("", "", None, 0)
        stack: list[tuple[LexborNode, Place, bool]] = [(root, top, False)]
        while stack and not self.page.limited:
            node, here, leaving = stack.pop()
            tag = node.tag or ""
            if leaving:
                self._leave(tag, here)
                continue
            inner = self._visit(node, tag, here)
            if inner is None:
                continue
            stack.append((node, inner, True))
            child = node.last_child
            while child is not None:
                stack.append((child, inner, False))
                child = child.prev
        self._flush(top)
        return self.page

    def _visit(self, node: LexborNode, tag: str, here: Place) -> Place | None:
        """Take in one node; return the place of its children when it is to be entered."""
        if tag == "-text":
            self._take_text(node.text_content or "")
            return None
        if tag in _SKIPPED or tag.startswith("-"):
            self._count_skipped(node, tag, here)
            return None
        if tag in ("br", "hr", "img"):
            self._take_void(tag, here)
            return None
        return self._enter(node, tag, here)

    def _count_skipped(self, node: LexborNode, tag: str, here: Place) -> None:
        self.page.scripts += tag == "script"
        if tag == "input":
            kind = (node.attributes.get("type") or "text").lower()
            self.page.password |= kind == "password"
            here.fields += kind not in _NO_FIELDS

    def _take_void(self, tag: str, here: Place) -> None:
        if tag == "img":
            self.page.images += 1
        elif tag == "br":
            self._line.pieces.append("\n")
        else:
            self._flush(here)

    def _take_text(self, text: str) -> None:
        self._chars += len(text)
        self.page.limited |= self._chars > MAX_TOTAL_CHARS
        line = self._line
        if not line.pieces and (not text or text.isspace()):
            line.blank = bool(text) or line.blank  # between elements: the most frequent text of all
            return
        line.pieces.append(text[:MAX_BLOCK_CHARS])
        if self._inside["a"]:
            line.link_words += count_words(text)

    def _enter(self, node: LexborNode, tag: str, here: Place) -> Place | None:
        attributes = node.attributes
        names = " ".join([value for key in NAMED if (value := attributes.get(key))]).lower()
        if self._visibility.hides(tag, attributes, names, here.depth):
            return None
        self.page.elements += 1
        if here.depth > MAX_DEPTH or self.page.elements > MAX_ELEMENTS:
            self.page.limited = True
            return None
        if tag in _INLINE:
            self._enter_inline(tag)
            return here if not names else Place(tag, names, here, here.depth + 1)
        self._flush(here)
        if tag == "pre":
            self._take_listing(node, here, names)
            return None
        self._open(node, tag)
        return Place(tag, names, here, here.depth + 1)

    def _enter_inline(self, tag: str) -> None:
        if tag == "a":
            self._inside["a"] += 1
            self._line.links += 1
        elif tag == "code":
            self._inside["code"] += 1
            self._line.pieces.append("`")

    def _open(self, node: LexborNode, tag: str) -> None:
        if tag in self._inside:
            self._inside[tag] += 1
        elif tag in _LISTS:
            self._lists.append(_List(ordered=tag == "ol"))
        elif tag == "li":
            self._open_item()
        elif tag in _HEADINGS:
            self._heading = _HEADINGS[tag]
        elif tag == "table":
            self._data_tables.append(is_data_table(node))
        elif tag == "tr" and self._data_tables and self._data_tables[-1] and self._row is None:
            self._row = _Row()

    def _open_item(self) -> None:
        if not self._lists:
            self._lists.append(_List(ordered=False, implied=True))
        items = self._lists[-1]
        items.count += 1
        items.marker = f"{items.count}. " if items.ordered else "- "

    def _leave(self, tag: str, here: Place) -> None:
        if tag in _INLINE:
            self._leave_inline(tag)
            return
        if self._row is not None and tag in ("td", "th"):
            self._close_cell(tag)
            return
        self._flush(here)
        if tag in self._inside:
            self._inside[tag] -= 1
        elif self._lists and (tag in _LISTS or (tag == "li" and self._lists[-1].implied)):
            self._lists.pop()
        elif tag in _HEADINGS:
            self._heading = 0
        elif tag == "tr" and self._row is not None:
            self._close_row(here)
        elif tag == "table" and self._data_tables:
            self._data_tables.pop()

    def _leave_inline(self, tag: str) -> None:
        if tag == "a":
            self._inside["a"] -= 1
        elif tag == "code":
            self._inside["code"] -= 1
            self._line.pieces.append("`")

    def _close_cell(self, tag: str) -> None:
        assert self._row is not None  # noqa: S101 - checked by the caller
        line = self._line
        self._row.cells.append(clean("".join(line.pieces)).replace("|", "\\|"))
        self._row.heading_cells += tag == "th"
        self._row.link_words += line.link_words
        self._row.links += line.links
        line.clear()

    def _close_row(self, here: Place) -> None:
        row, self._row = self._row, None
        assert row is not None  # noqa: S101 - checked by the caller
        if not any(row.cells):
            return
        words = sum(map(count_words, row.cells))
        header = row.heading_cells == len(row.cells) > 1
        self._emit(
            Block(
                "row" if len(row.cells) > 1 else "p",
                " | ".join(row.cells),
                here,
                words=words,
                link_words=min(row.link_words, words),
                links=row.links,
                header=header,
            )
        )

    def _take_listing(self, node: LexborNode, here: Place, names: str) -> None:
        text = without_invisible(node.text(deep=True) or "").strip("\n").rstrip()
        if not text.strip() or self._row is not None:
            self._take_text(text)
            return
        self._chars += len(text)
        place = Place("pre", names, here, here.depth + 1)
        self._emit(Block("pre", text[:MAX_BLOCK_CHARS], place, words=count_words(text)))

    def _flush(self, here: Place) -> None:
        line = self._line
        if not line.pieces:
            if line.blank and self._row is None:
                line.clear()
            return
        if self._row is not None:
            line.pieces.append(" ")
            return
        text = _joined(line.pieces)
        if text:
            words = count_words(text)
            block = Block(self._kind(), text, here, words=words)
            block.link_words = min(line.link_words, words)
            block.links = line.links
            self._style(block)
            self._emit(block)
        line.clear()

    def _kind(self) -> str:
        if self._heading:
            return "h"
        if self._lists:
            return "li"
        return "quote" if self._inside["blockquote"] else "p"

    def _style(self, block: Block) -> None:
        if block.kind == "h":
            block.level = self._heading
        elif block.kind == "li":
            block.level = len(self._lists)
            block.marker, self._lists[-1].marker = self._lists[-1].marker, ""

    def _emit(self, block: Block) -> None:
        block.noscript = self._inside["noscript"] > 0
        self.page.blocks.append(block)
        self.page.limited |= len(self.page.blocks) >= MAX_BLOCKS
        add_to_places(block)


def _joined(pieces: list[str]) -> str:
    """Join pieces into lines; a line break of the page stays one."""
    if "\n" not in pieces:
        return clean("".join(pieces)).replace("``", "")
    lines: list[list[str]] = [[]]
    for piece in pieces:
        if piece == "\n":
            lines.append([])
        else:
            lines[-1].append(piece)
    texts = (clean("".join(line)).replace("``", "") for line in lines)
    return "\n".join(text for text in texts if text)


def walk_page(parser: LexborHTMLParser) -> PageBlocks:
    """Collect the blocks of a parsed page."""
    styles = [node.text(deep=True) for node in parser.css("style")[:20]]
    root = parser.body or parser.root
    if root is None:
        return PageBlocks()
    visibility = Visibility(styles)
    opened = opened_ids(parser, visibility)
    visibility.show(opened)
    page = Walker(visibility).walk(root)
    shown = _words(page)
    if not page.limited and parser.css_first(_FADED) is not None:
        visibility.show(opened, faded=True)
        whole = Walker(visibility).walk(root)
        if _words(whole) > _MOSTLY * shown:
            return whole
    if page.limited or shown >= _CLOAKED_WORDS:
        return page
    # Next to nothing is shown: perhaps the whole page waits behind a cloak.
    visibility.show(opened, wrappers=True)
    return Walker(visibility).walk(root)


def _words(page: PageBlocks) -> int:
    return sum(block.words for block in page.blocks)
