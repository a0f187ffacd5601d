"""What stands before the items of lists: bullets, numbers as pages count them, boxes to tick."""

import re
from dataclasses import dataclass
from typing import Final

from selectolax.lexbor import LexborNode

_NUMBER: Final = re.compile(r"-?\d{1,9}")
_ROMAN: Final = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_MAX_ROMAN: Final = 3999
_LETTERS: Final = 26
_STYLE: Final = re.compile(r"list-style(?:-type)?\s*:\s*([a-z-]+)")
_TYPES: Final = {
    "lower-alpha": "a", "lower-latin": "a", "upper-alpha": "A", "upper-latin": "A",
    "lower-roman": "i", "upper-roman": "I",
}  # fmt: skip


@dataclass(slots=True)
class ItemList:
    """A list that is open.

    Attributes:
        ordered: Its items are numbered.
        count: Number of the next item.
        step: From one item to the next; -1 counts down.
        kind: "1", "a", "A", "i" or "I".
        marker: Of the item that is open, until it is written.
        implied: Items without a list around them.
    """

    ordered: bool
    count: int = 1
    step: int = 1
    kind: str = "1"
    marker: str = ""
    implied: bool = False

    def open_item(self, node: LexborNode) -> None:
        """Prepare what stands before an item."""
        value = node.attributes.get("value") or ""
        if self.ordered and _NUMBER.fullmatch(value):
            self.count = int(value)
        self.marker = f"{numeral(self.count, self.kind)}. " if self.ordered else "- "
        self.count += self.step


def list_of(node: LexborNode) -> ItemList:
    """Open a list as its element says."""
    if node.tag != "ol":
        return ItemList(ordered=False)
    attributes = node.attributes
    is_reversed = "reversed" in attributes
    told = attributes.get("start") or ""
    start = int(told) if _NUMBER.fullmatch(told) else 1
    if is_reversed and not told:
        start = _count_items(node)
    styled = _STYLE.search(attributes.get("style") or "")
    kind = _TYPES.get(styled[1], "1") if styled else attributes.get("type") or "1"
    return ItemList(ordered=True, count=start, step=-1 if is_reversed else 1, kind=kind)


def numeral(number: int, kind: str) -> str:
    """Write a number as a list counts.

    >>> numeral(4, "I"), numeral(28, "a"), numeral(7, "1")
    ('IV', 'ab', '7')
    """
    lower = kind.lower()
    if lower == "i" and 0 < number <= _MAX_ROMAN:
        text = _roman(number)
    elif lower == "a" and number > 0:
        text = _alphabetic(number)
    else:
        return str(number)
    return text.upper() if kind.isupper() else text


def _roman(number: int) -> str:
    text = ""
    for value, letters in _ROMAN:
        text += letters * (number // value)
        number %= value
    return text


def _alphabetic(number: int) -> str:
    text = ""
    while number:
        number, letter = divmod(number - 1, _LETTERS)
        text = chr(ord("a") + letter) + text
    return text


def _count_items(node: LexborNode) -> int:
    return sum(child.tag == "li" for child in node.iter(include_text=False))


def ticked(node: LexborNode) -> str:
    """Return the box of an element that is ticked or not; empty for another kind.

    >>> from selectolax.lexbor import LexborHTMLParser
    >>> ticked(LexborHTMLParser("<input type=checkbox checked>").css_first("input"))
    '[x] '
    """
    attributes = node.attributes
    if "checkbox" not in ((attributes.get("type") or "").lower(), attributes.get("role")):
        return ""
    is_ticked = "checked" in attributes or attributes.get("aria-checked") == "true"
    return "[x] " if is_ticked else "[ ] "
