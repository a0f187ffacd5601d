"""Parts that are hidden at first and that a page opens to its readers.

Decides which controls a reader can see and use: a hidden part that only a hidden or pretended
control names is what a page says to machines alone.
"""

import re
from collections.abc import Iterator
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pellucid_fetcher.extraction.structure.blocks import clean
from pellucid_fetcher.extraction.structure.siblings import element_after, element_before
from pellucid_fetcher.extraction.structure.visibility import (
    Visibility,
    is_for_screen_readers,
)

_MAX_CONTROLS: Final = 200
_MAX_DEPTH: Final = 100
# Tabs and buttons that name what they open, otherwise than by being expanded.
_NAMING: Final = (
    '[role="tab"][aria-controls], [aria-selected][aria-controls], '
    '[data-toggle="tab"], [data-toggle="pill"], [data-toggle="collapse"], '
    '[data-bs-toggle="tab"], [data-bs-toggle="pill"], [data-bs-toggle="collapse"]'
)
_SEEN: Final = '[aria-hidden="true"]'
_HIDDEN: Final = '[aria-hidden="true"], [hidden], [style*="display"]'
_PANELS: Final = frozenset({"div", "section", "article"})
_TABS: Final = 'button, label, [role="tab"], a[href^="#"]'
_MAX_PANELS: Final = 20
_PLAIN_ID: Final = re.compile(r"[\w:.-]{1,80}")
_MAX_NAMED: Final = 4  # parts that one control opens
_CONTROLS: Final = frozenset({"button", "summary", "a"})
_QUESTIONS: Final = frozenset({"h2", "h3", "h4", "h5", "h6", "dt"})
_MENUS: Final = frozenset({"nav", "ul", "ol", "menu"})
_MAX_WRAPPERS: Final = 3  # around a control, the control itself included
_ROLES: Final = frozenset({"button", "tab", "link"})
NAMED: Final = ("class", "id", "role", "itemprop", "data-testid", "aria-label")


def opened_ids(parser: LexborHTMLParser, visibility: Visibility) -> frozenset[str]:
    """Collect the ids of what a visible control expands, and of what React streams in.

    React sends such a part hidden ("S:1") for a placeholder further up ("B:1" or "P:1"). With them
    go the parts that are hidden from screen readers only.

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
    for node in parser.css(_NAMING)[:_MAX_CONTROLS]:
        if _is_control(node) and not _is_hidden(node, visibility, seen):
            opened.update(_named_by(node))
    opened.update(_labelled_panels(parser, visibility, seen))
    opened.update(_panel_sets(parser, visibility, seen))
    opened.update(_said_twice(parser, visibility))
    for place in parser.css('template[id^="B:"], template[id^="P:"]')[:_MAX_CONTROLS]:
        opened.add("S:" + (place.attributes.get("id") or "")[2:])
    return frozenset(opened)


def _said_twice(parser: LexborHTMLParser, visibility: Visibility) -> Iterator[str]:
    """Yield the ids of what people see while an element beside it says it to screen readers."""
    for number, node in enumerate(parser.css(_SEEN)[:_MAX_CONTROLS]):
        beside = (element_after(node), element_before(node))
        told = next((each for each in beside if each is not None and _is_read_out(each)), None)
        text = clean(node.text(deep=True))
        if told is None or not text:
            continue
        seen = {name: value for name, value in node.attributes.items() if name != "aria-hidden"}
        is_hidden = visibility.hides(node.tag or "", seen, (seen.get("class") or "").lower())
        is_sign = not any(map(str.isalnum, text))
        if not is_hidden and (is_sign or text in clean(told.text(deep=True))):
            yield _given_id(node, f"said-twice-{number}")


def _is_read_out(node: LexborNode) -> bool:
    return is_for_screen_readers(node.attributes.get("class") or "")


def _named_by(control: LexborNode) -> list[str]:
    """Return the ids that a tab or a button of a known kit of parts names."""
    attributes = control.attributes
    told = [attributes.get(name) or "" for name in ("data-bs-target", "data-target", "href")]
    links = [target[1:] for target in told if target[:1] == "#" and len(target) > 1]
    return ((attributes.get("aria-controls") or "").split() + links)[:_MAX_NAMED]


def _labelled_panels(
    parser: LexborHTMLParser, visibility: Visibility, seen: dict[int, bool]
) -> set[str]:
    """Return the panels that are labelled by a tab which can be seen."""
    opened: set[str] = set()
    for number, panel in enumerate(parser.css('[role="tabpanel"][aria-labelledby]')):
        label = panel.attributes.get("aria-labelledby") or ""
        if number >= _MAX_CONTROLS or not _PLAIN_ID.fullmatch(label):
            continue
        tab = parser.css_first(f'[id="{label}"]')
        if tab is not None and _is_control(tab) and not _is_hidden(tab, visibility, seen):
            opened.add(_given_id(panel, f"opened-{number}"))
    return opened


def _panel_sets(
    parser: LexborHTMLParser, visibility: Visibility, seen: dict[int, bool]
) -> set[str]:
    """Return the hidden ones of panels side by side that have a control each.

    Only where there are as many controls as panels, and one of the panels is shown.
    """
    opened: set[str] = set()
    done: set[int] = set()
    for node in parser.css(_HIDDEN)[:_MAX_CONTROLS]:
        parent = node.parent
        if node.tag not in _PANELS or parent is None or parent.mem_id in done:
            continue
        done.add(parent.mem_id)
        alike = [each for each in parent.iter(include_text=False) if _look(each) == _look(node)]
        hidden = [each for each in alike if _is_hidden(each, visibility, seen)]
        if not (1 < len(alike) <= _MAX_PANELS and 0 < len(hidden) < len(alike)):
            continue
        if _count_controls(parent, alike, visibility, seen) == len(alike):
            names = (f"panel-{parent.mem_id}-{at}" for at in range(len(hidden)))
            opened.update(map(_given_id, hidden, names))
    return opened


def _look(node: LexborNode) -> tuple[str, str]:
    return node.tag or "", ((node.attributes.get("class") or "").split() or [""])[0]


def _count_controls(
    parent: LexborNode,
    panels: list[LexborNode],
    visibility: Visibility,
    seen: dict[int, bool],
) -> int:
    """Count the controls beside panels, or in what stands right before them."""
    inside = {node.mem_id for panel in panels for node in panel.css(_TABS)}
    found = [node for node in parent.css(_TABS) if node.mem_id not in inside]
    before = element_before(parent)
    if not found and before is not None:
        found = before.css(_TABS)
    return sum(
        _is_control(node, labels=True) and not _is_hidden(node, visibility, seen)
        for node in found[:_MAX_PANELS]
    )


def _given_id(node: LexborNode, name: str) -> str:
    if not node.attributes.get("id"):
        node.attrs["id"] = name
    return node.attributes["id"] or ""


def _panel_below(control: LexborNode, number: int) -> set[str]:
    """Return the id of what follows a control that names no part: an answer under its question.

    The control may stand alone in a heading. A part without an id is given one.
    """
    here: LexborNode | None = control
    for _ in range(_MAX_WRAPPERS):
        if here is None:
            break
        if (panel := element_after(here)) is not None:
            if panel.tag in _MENUS:
                return set()
            return {_given_id(panel, f"below-control-{number}")}
        here = here.parent if here.tag == control.tag or here.tag in _QUESTIONS else None
    return set()


def _asks(node: LexborNode) -> bool:
    """Tell whether a control is a question. What others open is seldom part of what a page says."""
    return _is_control(node) and clean(node.text(deep=True)).endswith(("?", "？"))


def _is_control(node: LexborNode, *, labels: bool = False) -> bool:
    """Tell whether an element can be used and has something on it to be seen."""
    is_usable = node.tag in _CONTROLS or node.attributes.get("role") in _ROLES
    is_usable |= labels and node.tag == "label"
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
