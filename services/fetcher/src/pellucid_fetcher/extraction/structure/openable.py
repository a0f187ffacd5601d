"""Parts that are hidden at first and that a page opens to its readers.

Decides which controls a reader can see and use: a hidden part that only a hidden or pretended
control names is what a page says to machines alone.
"""

from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pellucid_fetcher.extraction.structure.blocks import clean
from pellucid_fetcher.extraction.structure.visibility import Visibility

_MAX_CONTROLS: Final = 200
_MAX_DEPTH: Final = 100
_MAX_NAMED: Final = 4  # parts that one control opens
_CONTROLS: Final = frozenset({"button", "summary", "a"})
_QUESTIONS: Final = frozenset({"h2", "h3", "h4", "h5", "h6", "dt"})
_MENUS: Final = frozenset({"nav", "ul", "ol", "menu"})
_MAX_WRAPPERS: Final = 3  # around a control, the control itself included
_ROLES: Final = frozenset({"button", "tab", "link"})
NAMED: Final = ("class", "id", "role", "itemprop", "data-testid", "aria-label")


def opened_ids(parser: LexborHTMLParser, visibility: Visibility) -> frozenset[str]:
    """Collect the ids of what a visible control expands, and of what React streams in.

    React sends such a part hidden ("S:1") for a placeholder further up ("B:1" or "P:1").

    Args:
        parser: The parsed page.
        visibility: Of the page, without anything opened.
    """
    opened: set[str] = set()
    seen: dict[int, bool] = {}
    for node in parser.css("[aria-expanded][aria-controls]")[:_MAX_CONTROLS]:
        if _is_control(node) and not _is_hidden(node, visibility, seen):
            opened.update((node.attributes.get("aria-controls") or "").split()[:_MAX_NAMED])
    for number, node in enumerate(parser.css("[aria-expanded]:not([aria-controls])")):
        if number < _MAX_CONTROLS and _asks(node) and not _is_hidden(node, visibility, seen):
            opened.update(_panel_below(node, number))
    for place in parser.css('template[id^="B:"], template[id^="P:"]')[:_MAX_CONTROLS]:
        opened.add("S:" + (place.attributes.get("id") or "")[2:])
    return frozenset(opened)


def _panel_below(control: LexborNode, number: int) -> set[str]:
    """Return the id of what follows a control that names no part: an answer under its question.

    The control may stand alone in a heading. A part without an id is given one.
    """
    here: LexborNode | None = control
    for _ in range(_MAX_WRAPPERS):
        if here is None:
            break
        if (panel := _next_element(here)) is not None:
            if panel.tag in _MENUS:
                return set()
            if not panel.attributes.get("id"):
                panel.attrs["id"] = f"below-control-{number}"
            return {panel.attributes["id"] or ""}
        here = here.parent if here.tag == control.tag or here.tag in _QUESTIONS else None
    return set()


def _asks(node: LexborNode) -> bool:
    """Tell whether a control is a question. What others open is seldom part of what a page says."""
    return _is_control(node) and clean(node.text(deep=True)).endswith(("?", "？"))


def _next_element(node: LexborNode) -> LexborNode | None:
    here = node.next
    while here is not None and (here.tag or "").startswith("-"):
        here = here.next
    return here


def _is_control(node: LexborNode) -> bool:
    """Tell whether an element can be used and has something on it to be seen."""
    is_usable = node.tag in _CONTROLS or node.attributes.get("role") in _ROLES
    return is_usable and "disabled" not in node.attributes and bool(clean(node.text(deep=True)))


def _is_hidden(node: LexborNode, visibility: Visibility, seen: dict[int, bool]) -> bool:
    """Tell whether an element or one around it is hidden; ``seen`` keeps the answers."""
    path: list[int] = []
    here: LexborNode | None = node
    found = False
    for _ in range(_MAX_DEPTH):
        if here is None or (found := seen.get(here.mem_id, False)):
            break
        path.append(here.mem_id)
        attributes = here.attributes
        names = " ".join(filter(None, map(attributes.get, NAMED))).lower()
        if found := visibility.hides(here.tag or "", attributes, names):
            break
        here = here.parent
    else:
        found = True
    seen.update(dict.fromkeys(path, found))
    return found
