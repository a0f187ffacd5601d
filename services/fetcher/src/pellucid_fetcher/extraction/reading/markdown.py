"""Blocks to light Markdown: headings, lists, tables, quotes, code, marked links."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pellucid_fetcher.extraction.structure import links
from pellucid_fetcher.extraction.structure.blocks import Block, Place

_MAX_INDENT = 4
_TERM_CHARS = 300  # a longer text is a paragraph of its own
_TERM_DEPTH = 3


def render(blocks: Sequence[Block], addresses: Sequence[str] = ()) -> str:
    """Write blocks as Markdown.

    Args:
        blocks: In page order.
        addresses: Where the links lead that are marked in them.

    Returns:
        Paragraphs apart by an empty line; items of a list and rows of a table on adjoining lines.
    """
    parts: list[str] = []
    previous: Block | None = None
    items = _Items()
    for block in map(items.settled, blocks):
        parts.append(_gap(previous, block))
        if block.label:
            parts.append(f"{block.label}:\n\n")
        told = (
            replace(block, text=links.written(block.marked, addresses)) if block.marked else block
        )
        parts.append(_written(told, previous))
        previous = block
    return "".join(parts).strip()


@dataclass(slots=True)
class _Items:
    """The items of lists that are open where a block stands."""

    levels: set[int] = field(default_factory=set)

    def settled(self, block: Block) -> Block:
        """Make a paragraph of an item's later block whose beginning is not written.

        Some pages stand as a whole in one item, and headings of questions are items without a mark.
        """
        if block.kind != "li":
            self.levels.clear()
            return block
        self.levels = {level for level in self.levels if level <= block.level}
        if block.marker:
            self.levels.add(block.level)
        elif block.level not in self.levels:
            return replace(block, kind="p")
        return block


def _gap(previous: Block | None, block: Block) -> str:
    if previous is None:
        return ""
    part = _part_of_term(previous, block)
    if part:
        return part
    adjoins = previous.kind == block.kind and block.kind in ("li", "row", "quote")
    return "\n" if adjoins else "\n\n"


def _part_of_term(previous: Block, block: Block) -> str:
    """Return what stands between a term and what is said of it; empty for other blocks."""
    part, before = _in_terms(block), _in_terms(previous)
    if not part or not before or max(len(block.text), len(previous.text)) > _TERM_CHARS:
        return ""
    if (before, part) == ("dt", "dd"):
        return " " if previous.text[-1:] in ":?!.：？" else ": "
    return "; " if (before, part) == ("dd", "dd") else "\n"


def _in_terms(block: Block) -> str:
    """Tell whether a paragraph is a term or said of one, by the elements around it."""
    here: Place | None = block.place
    for _ in range(_TERM_DEPTH):
        if here is None or block.kind != "p":
            break
        if here.tag in ("dt", "dd"):
            return here.tag
        here = here.parent
    return ""


def _written(block: Block, previous: Block | None) -> str:
    match block.kind:
        case "h":
            return f"{'#' * block.level} {_on_one_line(block.text)}"
        case "li":
            return _item(block)
        case "quote":
            return "\n".join(f"> {line}" for line in block.text.split("\n"))
        case "pre":
            return f"```{block.language}\n{block.text.replace('```', '` ` `')}\n```"
        case "row":
            return _row(block, previous)
        case _:
            return block.text


def _item(block: Block) -> str:
    indent = "  " * min(_MAX_INDENT, block.level - 1)
    marker = block.marker or "  "
    return f"{indent}{marker}{_on_one_line(block.text)}"


def _row(block: Block, previous: Block | None) -> str:
    line = f"| {_on_one_line(block.text)} |"
    starts = previous is None or previous.kind != "row"
    return f"{line}\n{'| --- ' * (block.text.count(' | ') + 1)}|" if starts else line


def _on_one_line(text: str) -> str:
    return text.replace("\n", " ")
