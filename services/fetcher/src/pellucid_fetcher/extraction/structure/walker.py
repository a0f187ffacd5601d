"""The walk over a page's elements: where one block ends and the next begins.

Decides what is never text (scripts, controls, hidden elements, what is struck out). How signs,
tables, listings and formulas are read stands beside it.
"""

from collections.abc import Mapping

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pellucid_fetcher.extraction.structure import (
    bounds,
    formulas,
    items,
    links,
    listings,
    pictures,
    tags,
)
from pellucid_fetcher.extraction.structure.blocks import (
    Block,
    PageBlocks,
    Place,
    add_to_places,
    count_words,
)
from pellucid_fetcher.extraction.structure.cells import OpenTables
from pellucid_fetcher.extraction.structure.lines import BOXES, BREAK, Line, joined, stands_apart
from pellucid_fetcher.extraction.structure.openable import NAMED
from pellucid_fetcher.extraction.structure.visibility import Visibility, is_for_screen_readers


class Walker:
    """Walks one page.

    Args:
        visibility: Of its elements.
        base: Address that its links start from; without one they are not noted.
        labels: Of the panels that tabs open.
    """

    def __init__(
        self,
        visibility: Visibility,
        base: str = "",
        labels: Mapping[int, str] | None = None,
    ) -> None:
        self.page = PageBlocks()
        self._visibility = visibility
        self._base = base
        self._labels = labels or {}
        self._label = ""
        self._line = Line()
        self._lists: list[items.ItemList] = []
        self._tables = OpenTables()
        self._links: list[tuple[int, int]] = []
        self._documents: list[LexborHTMLParser] = []
        self._inside = {"a": 0, "noscript": 0, "blockquote": 0, "code": 0, "lines": 0}
        self._heading = 0
        self._chars = 0

    def walk(self, root: LexborNode) -> PageBlocks:
        """Collect the blocks below an element."""
        top = Place("", "", None, 0)
        stack: list[tuple[LexborNode, Place, str]] = [(root, top, "")]
        while stack and not self.page.limited:
            node, here, leaving = stack.pop()
            if leaving:
                self._leave(leaving, node, here)
                continue
            entered = self._visit(node, node.tag or "", here)
            if entered is None:
                continue
            inner, tag = entered
            stack.append((node, inner, tag))
            child = self._last_child(node, tag)
            while child is not None:
                stack.append((child, inner, ""))
                child = child.prev
        self._flush(top)
        return self.page

    def _last_child(self, node: LexborNode, tag: str) -> LexborNode | None:
        if tag != "iframe":
            return node.last_child
        # What a frame holds in an attribute is a document of its own.
        self._documents.append(LexborHTMLParser(node.attributes.get("srcdoc") or ""))
        body = self._documents[-1].body
        return body.last_child if body is not None else None

    def _visit(self, node: LexborNode, tag: str, here: Place) -> tuple[Place, str] | None:
        """Take in one node; return the place of its children and its kind when it is entered."""
        if tag == "-text":
            self._take_text(node.text_content or "")
            return None
        if tag == "math" or (tag == "script" and formulas.is_script(node)):
            self._line.pieces.append(formulas.formula(node))
            return None
        if (tag in tags.SKIPPED or tag.startswith("-")) and not (
            tag == "iframe" and node.attributes.get("srcdoc")
        ):
            self._count_skipped(node, tag, here)
            return None
        if tag in ("br", "hr", "img"):
            self._take_void(node, tag, here)
            return None
        return self._enter(node, tag, here)

    def _count_skipped(self, node: LexborNode, tag: str, here: Place) -> None:
        self.page.scripts += tag == "script"
        if tag == "input":
            kind = (node.attributes.get("type") or "text").lower()
            self.page.password |= kind == "password"
            here.fields += kind not in tags.NO_FIELDS
            if self._lists or self._tables.in_cell:
                self._line.pieces.append(items.ticked(node))
        elif tag == "svg":
            self._note_picture(node, here)

    def _take_void(self, node: LexborNode, tag: str, here: Place) -> None:
        if tag == "img":
            self._take_picture(node, here)
        elif tag == "br":
            self._line.pieces.append(BREAK)
        else:
            self._flush(here)

    def _take_picture(self, node: LexborNode, here: Place) -> None:
        if pictures.is_small(node) and not self._tables.in_cell:
            self._line.pieces.append(f" {pictures.label_of(node)} ")
        else:
            self._note_picture(node, here)

    def _note_picture(self, node: LexborNode, here: Place) -> None:
        """Keep what a picture is called, where that may be what it says."""
        blocks, label = self.page.blocks, pictures.label_of(node)
        if self._tables.in_cell:
            self._line.labels.append(label)
        elif not label or self._inside["a"] or self._line.pieces:
            return
        elif pictures.is_announced(blocks):
            self.page.pictures.append((len(blocks), Block("p", label, here)))

    def _take_text(self, text: str) -> None:
        self._chars += len(text)
        self.page.limited |= self._chars > bounds.MAX_TOTAL_CHARS
        line = self._line
        if not line.pieces and (not text or text.isspace()):
            line.blank = bool(text) or line.blank  # between elements: the most frequent text of all
            return
        if self._inside["lines"] and BREAK in text:
            for part in text[: bounds.MAX_BLOCK_CHARS].split(BREAK):
                line.pieces += (part, BREAK)
            line.pieces.pop()
        else:
            line.pieces.append(text[: bounds.MAX_BLOCK_CHARS])
        if self._inside["a"]:
            line.link_words += count_words(text)

    def _enter(self, node: LexborNode, tag: str, here: Place) -> tuple[Place, str] | None:
        attributes = node.attributes
        names = " ".join([value for key in NAMED if (value := attributes.get(key))]).lower()
        if attributes and self._visibility.hides(tag, attributes, names, here.depth):
            if is_for_screen_readers(names):
                self._line.take_sign(node.text(deep=True))
            return None
        self.page.elements += 1
        if here.depth > bounds.MAX_DEPTH or self.page.elements > bounds.MAX_ELEMENTS:
            self.page.limited = True
            return None
        if (formulas.is_rendered(names) or tag == "mjx-container") and (
            formula := formulas.rendered_formula(node)
        ):
            self._line.pieces.append(formula)
            return None
        if "role" in attributes or tag in ("noscript", "footer"):
            tag = tags.stands_for(node, tag, in_table=self._tables.is_open)
        place = Place(tag, names, here, here.depth + 1)
        if tag in tags.INLINE:
            self._enter_inline(tag, attributes)
            place = place if names else here
        else:
            self._flush(here)
            if not self._enter_block(node, tag, place, attributes):
                return None
        if attributes.get("role") == "checkbox" and (self._lists or self._tables.in_cell):
            self._line.pieces.append(items.ticked(node))
        return place, tag

    def _enter_block(
        self, node: LexborNode, tag: str, place: Place, attributes: Mapping[str, str | None]
    ) -> bool:
        """Open a block; False when it has been read as a whole."""
        if tag == "pre" or (tag == "table" and listings.is_listing(node)):
            self._take_listing(node, place)
            return False
        style = attributes.get("style")
        if style and "white-space" in style and "pre" in style:
            self._inside["lines"] += 1
            place.keeps_lines = True
        self._open(node, tag, place)
        if self._labels:
            self._label = self._labels.get(node.mem_id, self._label)
        return True

    def _enter_inline(self, tag: str, attributes: Mapping[str, str | None]) -> None:
        if tag == "a":
            self._inside["a"] += 1
            self._line.links += 1
            number = links.noted(attributes.get("href"), self._base, self.page.links)
            self._links.append((len(self._line.pieces), number))
        elif tag == "code":
            self._inside["code"] += 1
            self._line.pieces.append("`")
        elif tag in tags.WHOLE or pictures.is_picture(attributes, in_cell=self._tables.in_cell):
            self._line.open(tag)
        elif tag in tags.TIMES and (instant := attributes.get("datetime")):
            self._line.instants.append(instant)

    def _open(self, node: LexborNode, tag: str, place: Place) -> None:
        if tag in self._inside:
            self._inside[tag] += 1
        elif tag in tags.LISTS:
            self._lists.append(items.list_of(node))
        elif tag == "li":
            self._open_item(node)
        elif tag in tags.HEADINGS:
            self._heading = tags.HEADINGS[tag]
        elif tag in ("table", "tfoot", "tr", "td", "th"):
            self._tables.open(tag, node, place, noscript=self._inside["noscript"] > 0)

    def _open_item(self, node: LexborNode) -> None:
        if not self._lists:
            self._lists.append(items.ItemList(ordered=False, implied=True))
        self._lists[-1].open_item(node)
        if self._tables.in_cell and self._lists[-1].ordered:
            self._line.pieces.append(self._lists[-1].marker)

    def _leave(self, tag: str, node: LexborNode, here: Place) -> None:
        if self._label and node.mem_id in self._labels:
            self._label = ""
        if tag in tags.INLINE:
            self._leave_inline(tag, node)
            return
        self._inside["lines"] -= here.keeps_lines
        if self._tables.in_cell:
            self._leave_in_cell(tag, node)
            return
        self._flush(here)
        self._leave_block(tag)

    def _leave_in_cell(self, tag: str, node: LexborNode) -> None:
        """Keep the parts of a cell apart, and close it when it is the outermost one."""
        if self._tables.leave_part(tag, node, self._line):
            self._restart_line()
            return
        if tag in self._inside:
            self._inside[tag] -= 1
        elif tag in tags.LISTS and self._lists:
            self._lists.pop()
        self._heading = 0 if tag in tags.HEADINGS else self._heading

    def _leave_block(self, tag: str) -> None:
        if tag in self._inside:
            self._inside[tag] -= 1
        elif self._lists and (tag in tags.LISTS or (tag == "li" and self._lists[-1].implied)):
            self._lists.pop()
        elif tag in tags.HEADINGS:
            self._heading = 0
        elif tag in ("tr", "tfoot", "table"):
            for block in self._tables.leave(tag):
                self._emit(block)

    def _leave_inline(self, tag: str, node: LexborNode) -> None:
        if tag == "a":
            self._inside["a"] -= 1
            start, number = self._links.pop()
            if links.leads_back(node, self._line.pieces[start:]):
                del self._line.pieces[start:]
            elif number >= 0:
                self._line.link(start, number)
        elif tag == "code":
            self._inside["code"] -= 1
            self._line.pieces.append("`")
        elif self._line.openings and (
            tag in tags.WHOLE or pictures.is_picture(node.attributes, in_cell=self._tables.in_cell)
        ):
            self._line.close(tag, node)
        if tag in BOXES and stands_apart(node):
            self._line.pieces.append(" ")

    def _take_listing(self, node: LexborNode, place: Place) -> None:
        text = listings.listing_of(node)
        if not text.strip() or self._tables.in_cell:
            self._take_text(text)
            return
        self._chars += len(text)
        place.tag = "pre"
        self._emit(listings.block_of(node, text[: bounds.MAX_BLOCK_CHARS], place))

    def _flush(self, here: Place) -> None:
        line = self._line
        if not line.pieces:
            if line.blank and not self._tables.in_cell:
                self._restart_line()
            return
        if self._tables.in_cell:
            line.pieces.append(" ")
            return
        for start, number in reversed(self._links):
            if number >= 0:
                line.link(start, number)
        marked = joined(line.pieces)
        text = links.without_marks(marked) if self._base else marked
        if text:
            words = count_words(text)
            block = Block(self._kind(), text, here, words=words)
            block.link_words = min(line.link_words, words)
            block.links = line.links
            block.instants = tuple(line.instants)
            block.marked = marked if len(marked) > len(text) else ""
            self._style(block)
            self._emit(block)
        self._restart_line()

    def _restart_line(self) -> None:
        self._line.clear()
        self._links = [(0, number) for _, number in self._links]

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
        block.noscript = block.noscript or self._inside["noscript"] > 0
        block.label, self._label = self._label, ""
        self.page.blocks.append(block)
        self.page.limited |= len(self.page.blocks) >= bounds.MAX_BLOCKS
        add_to_places(block)
