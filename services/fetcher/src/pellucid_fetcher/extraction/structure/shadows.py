"""Declarative shadow roots: parts of a page that its custom elements hold, and their slots.

The parser keeps a template's content apart; under another name it is a part of the page.
"""

import re
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

ROOT: Final = "x-shadow-root"
_MARK: Final = "shadowrootmode"
_TEMPLATE: Final = re.compile(r"<(/?)template\b([^>]*)>", re.IGNORECASE)
_MAX_SLOTS: Final = 500


def with_open_roots(markup: str) -> str:
    """Name the templates that are shadow roots otherwise, so that their content is read.

    >>> with_open_roots("<a-b><template shadowrootmode=open><p>x</p></template></a-b>")
    '<a-b><x-shadow-root shadowrootmode=open><p>x</p></x-shadow-root></a-b>'
    """
    if _MARK not in markup:
        return markup
    opened: list[bool] = []

    def named(tag: re.Match[str]) -> str:
        if not tag[1]:
            opened.append(_MARK in tag[2].lower())
            return f"<{ROOT}{tag[2]}>" if opened[-1] else tag[0]
        return f"</{ROOT}>" if opened and opened.pop() else tag[0]

    return _TEMPLATE.sub(named, markup)


def fill_slots(parser: LexborHTMLParser, markup: str) -> None:
    """Put what stands in a custom element into the slots of its shadow root."""
    if ROOT not in markup:
        return
    for root in parser.css(ROOT)[:_MAX_SLOTS]:
        host = root.parent
        if host is None:
            continue
        given = [node for node in host.iter(include_text=True) if node.mem_id != root.mem_id]
        for slot in root.css("slot")[:_MAX_SLOTS]:
            _fill(slot, given)
        for node in given:
            node.decompose()


def _fill(slot: LexborNode, given: list[LexborNode]) -> None:
    name = slot.attributes.get("name") or ""
    taken = [node for node in given if _slot_of(node) == name]
    if not any(node.tag != "-text" or (node.text_content or "").strip() for node in taken):
        slot.unwrap()  # what it holds itself is shown for want of others
        return
    for node in taken:
        slot.insert_before(node)
    slot.decompose()


def _slot_of(node: LexborNode) -> str:
    return (node.attributes.get("slot") or "") if node.tag != "-text" else ""
