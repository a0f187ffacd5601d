"""Parts that are hidden at first and that a page opens to its readers.

Decides which controls a reader can see and use: a hidden part that only a hidden or pretended
control names is what a page says to machines alone.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
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
# Controls that name what they open.
_NAMING: Final = (
    '[aria-expanded][aria-controls], [role="tab"][aria-controls], [aria-selected][aria-controls], '
    '[data-toggle="tab"], [data-toggle="pill"], [data-toggle="collapse"], '
    '[data-bs-toggle="tab"], [data-bs-toggle="pill"], [data-bs-toggle="collapse"]'
)
_EXPANDED: Final = "[aria-expanded]:not([aria-controls])"
_LABELLED: Final = '[role="tabpanel"][aria-labelledby]'
_STREAMED: Final = 'template[id^="B:"], template[id^="P:"]'
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


@dataclass(slots=True)
class _Page:
    """A page whose controls are looked for; `hidden` keeps what is known of its elements."""

    parser: LexborHTMLParser
    visibility: Visibility
    hidden: dict[int, bool] = field(default_factory=dict)

    def nodes(self, selector: str) -> list[LexborNode]:
        """Return the first elements of a kind."""
        return self.parser.css(selector)[:_MAX_CONTROLS]

    def offers(self, node: LexborNode, *, labels: bool = False) -> bool:
        """Tell whether an element is a control that people see."""
        return _is_control(node, labels=labels) and not self.hides(node)

    def hides(self, node: LexborNode) -> bool:
        """Tell whether an element or one around it is hidden."""
        path: list[int] = []
        here: LexborNode | None = node
        found = False
        for _ in range(_MAX_DEPTH):
            if here is None or (found := self.hidden.get(here.mem_id, False)):
                break
            path.append(here.mem_id)
            attributes = here.attributes
            names = " ".join(filter(None, map(attributes.get, NAMED))).lower()
            if found := self.visibility.hides(here.tag or "", attributes, names):
                break
            here = here.parent
        else:
            found = True
        self.hidden.update(dict.fromkeys(path, found))
        return found


def opened_ids(parser: LexborHTMLParser, visibility: Visibility) -> frozenset[str]:
    """Collect the ids of what a visible control opens, and of what React streams in.

    React sends such a part hidden ("S:1") for a placeholder further up ("B:1" or "P:1"). With them
    go the parts that are hidden from screen readers only. Parts without an id are given one.

    Args:
        parser: The parsed page.
        visibility: Of the page, without anything opened.
    """
    page = _Page(parser, visibility)
    opened = {name for node in page.nodes(_NAMING) if page.offers(node) for name in _named(node)}
    opened.update("S:" + (place.attributes.get("id") or "")[2:] for place in page.nodes(_STREAMED))
    for parts in (_answers(page), _labelled(page), _panel_sets(page), _said_twice(page)):
        opened.update(map(_given_id, parts))
    return frozenset(opened)


def _given_id(node: LexborNode) -> str:
    if not node.attributes.get("id"):
        node.attrs["id"] = f"opened-{node.mem_id}"
    return node.attributes["id"] or ""


def _named(control: LexborNode) -> list[str]:
    """Return the ids that a control names, also in the ways of a known kit of parts."""
    attributes = control.attributes
    told = [attributes.get(name) or "" for name in ("data-bs-target", "data-target", "href")]
    links = [target[1:] for target in told if target[:1] == "#" and len(target) > 1]
    return ((attributes.get("aria-controls") or "").split() + links)[:_MAX_NAMED]


def _answers(page: _Page) -> Iterator[LexborNode]:
    """Yield what follows a control that is a question and names no part.

    What other such controls open is seldom part of what a page says.
    """
    for node in page.nodes(_EXPANDED):
        if clean(node.text(deep=True)).endswith(("?", "？")) and page.offers(node):
            panel = _panel_below(node)
            if panel is not None and panel.tag not in _MENUS:
                yield panel


def _panel_below(control: LexborNode) -> LexborNode | None:
    """Return the element after a control, which may stand alone in a heading."""
    here: LexborNode | None = control
    for _ in range(_MAX_WRAPPERS):
        if here is None:
            return None
        if (panel := element_after(here)) is not None:
            return panel
        here = here.parent if here.tag == control.tag or here.tag in _QUESTIONS else None
    return None


def _labelled(page: _Page) -> Iterator[LexborNode]:
    """Yield the panels that are labelled by a tab which can be seen."""
    for panel in page.nodes(_LABELLED):
        label = panel.attributes.get("aria-labelledby") or ""
        tab = page.parser.css_first(f'[id="{label}"]') if _PLAIN_ID.fullmatch(label) else None
        if tab is not None and page.offers(tab):
            yield panel


def _panel_sets(page: _Page) -> Iterator[LexborNode]:
    """Yield the hidden ones of panels side by side that have a control each.

    Only where there are as many controls as panels, and one of the panels is shown.
    """
    done: set[int] = set()
    for node in page.nodes(_HIDDEN):
        parent = node.parent
        if node.tag not in _PANELS or parent is None or parent.mem_id in done:
            continue
        done.add(parent.mem_id)
        alike = [each for each in parent.iter(include_text=False) if _look(each) == _look(node)]
        hidden = [each for each in alike if page.hides(each)]
        if not (1 < len(alike) <= _MAX_PANELS and 0 < len(hidden) < len(alike)):
            continue
        if sum(page.offers(tab, labels=True) for tab in _tabs_of(parent, alike)) == len(alike):
            yield from hidden


def _look(node: LexborNode) -> tuple[str, str]:
    return node.tag or "", ((node.attributes.get("class") or "").split() or [""])[0]


def _tabs_of(parent: LexborNode, panels: list[LexborNode]) -> list[LexborNode]:
    """Return what may be controls beside panels, or in what stands right before them."""
    inside = {node.mem_id for panel in panels for node in panel.css(_TABS)}
    found = [node for node in parent.css(_TABS) if node.mem_id not in inside]
    before = element_before(parent)
    if not found and before is not None:
        found = before.css(_TABS)
    return found[:_MAX_PANELS]


def _said_twice(page: _Page) -> Iterator[LexborNode]:
    """Yield what people see while an element beside it says it to screen readers."""
    for node in page.nodes(_SEEN):
        beside = (element_after(node), element_before(node))
        told = next((each for each in beside if each is not None and _is_read_out(each)), None)
        text = clean(node.text(deep=True))
        if told is None or not text:
            continue
        seen = {name: value for name, value in node.attributes.items() if name != "aria-hidden"}
        is_hidden = page.visibility.hides(node.tag or "", seen, (seen.get("class") or "").lower())
        is_sign = not any(map(str.isalnum, text))
        if not is_hidden and (is_sign or text in clean(told.text(deep=True))):
            yield node


def _is_read_out(node: LexborNode) -> bool:
    return is_for_screen_readers(node.attributes.get("class") or "")


def _is_control(node: LexborNode, *, labels: bool) -> bool:
    """Tell whether an element can be used and has something on it to be seen."""
    is_usable = node.tag in _CONTROLS or node.attributes.get("role") in _ROLES
    is_usable |= labels and node.tag == "label"
    return is_usable and "disabled" not in node.attributes and bool(clean(node.text(deep=True)))
