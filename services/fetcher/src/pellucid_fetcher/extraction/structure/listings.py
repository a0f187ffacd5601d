"""Code as it stands in a page: its lines without their numbers, and its language."""

import re
from typing import Final

from selectolax.lexbor import LexborNode

from pellucid_fetcher.extraction.structure.blocks import (
    Block,
    Place,
    clean,
    count_words,
    without_invisible,
)

_LANGUAGE: Final = re.compile(
    r"(?:^|\s)(?:language|lang|highlight-source|highlight-text|sourcecode|brush:)[-:_ ]?"
    r"([a-z][\w+#-]{0,19})(?:\s|$)"
)
_NO_LANGUAGES: Final = frozenset({"none", "plaintext", "text", "plain", "default", "nohighlight"})
_NUMBERING: Final = re.compile(
    r"(?:^|\s)(?:linenos?|line-?num(?:ber)?s?(?:-rows)?|lnum|gutter|hljs-ln-numbers?|blob-num"
    r"|rouge-gutter|lineno-\w+|code-line-number)(?:\s|$)"
)
_SILENT: Final = frozenset({"button", "script", "style", "template", "svg", "-comment"})
_LINES: Final = frozenset({"div", "p", "li", "tr", "ol", "ul", "table"})
_COUNT: Final = re.compile(r"\s*(\d+)\s*")
_MAX_NODES: Final = 50_000
_FEWEST: Final = 2


def language_of(node: LexborNode) -> str:
    """Return the language that a listing, its code element or what holds it names; empty for none.

    >>> from selectolax.lexbor import LexborHTMLParser
    >>> language_of(LexborHTMLParser('<pre><code class="language-py">').css_first("pre"))
    'py'
    """
    parent = node.parent
    for here in (node, node.css_first("code"), parent, parent.parent if parent else None):
        if here is None:
            continue
        attributes = here.attributes
        told = attributes.get("data-lang") or attributes.get("data-language") or ""
        found = _LANGUAGE.search((attributes.get("class") or "").lower())
        name = told.lower() if re.fullmatch(r"[\w+#-]{1,20}", told) else found[1] if found else ""
        if name:
            return "" if name in _NO_LANGUAGES else name
    return ""


def block_of(node: LexborNode, text: str, place: Place) -> Block:
    """Return a listing as a block."""
    language = language_of(node)
    return Block("pre", text, place, words=count_words(text), language=language)


def listing_of(node: LexborNode) -> str:
    """Return the text of a listing, a line for each of its lines."""
    pieces: list[str] = []
    stack: list[tuple[LexborNode, bool]] = [(node, False)]
    for _ in range(_MAX_NODES):
        if not stack:
            break
        here, leaving = stack.pop()
        tag = here.tag or ""
        if leaving:
            _end_line(pieces)
        elif tag == "-text":
            pieces.append(here.text_content or "")
        elif tag == "br":
            pieces.append("\n")
        elif tag not in _SILENT and (here is node or not _is_numbering(here)):
            if tag in _LINES and here is not node:
                _end_line(pieces)
                stack.append((here, True))
            child = here.last_child
            while child is not None:
                stack.append((child, False))
                child = child.prev
    text = without_invisible("".join(pieces)).replace("\xa0", " ").strip("\n").rstrip()
    return "" if _is_count(text) else text


def _end_line(pieces: list[str]) -> None:
    if pieces and not pieces[-1].endswith("\n"):
        pieces.append("\n")


def _is_numbering(node: LexborNode) -> bool:
    attributes = node.attributes
    return bool(_NUMBERING.search((attributes.get("class") or "").lower())) or (
        "data-line-number" in attributes
        and not clean(node.text(deep=True) or "").strip("0123456789")
    )


def _is_count(text: str) -> bool:
    """Tell whether lines do nothing but count up: the numbers beside a listing."""
    lines = text.split("\n")
    counts = [int(found[1]) for line in lines if (found := _COUNT.fullmatch(line))]
    if len(counts) < max(_FEWEST, len(lines)):
        return False
    return counts == list(range(counts[0], counts[0] + len(counts)))


def is_listing(table: LexborNode) -> bool:
    """Tell whether a table holds a listing, a row for each line, with numbers beside them."""
    rows = table.css("tr")
    if len(rows) < _FEWEST:
        return False
    return all(_is_numbered_line(row) for row in rows[:50])


def _is_numbered_line(row: LexborNode) -> bool:
    cells = row.css("td")
    return len(cells) >= _FEWEST and _is_numbering(cells[0])
