"""The labels of tabs, each in front of the panel that it opens."""

from collections.abc import Mapping
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pellucid_fetcher.extraction.structure.blocks import clean

_PANEL: Final = '[role="tabpanel"]'
_TAB: Final = '[role="tab"]'
_MAX_PANELS: Final = 200
_MAX_LABEL: Final = 80


def panel_labels(parser: LexborHTMLParser) -> Mapping[int, str]:
    """Return the labels of panels by their ``mem_id``.

    A tab and its panel name one another, or they stand in the same order.
    """
    panels = parser.css(_PANEL)[:_MAX_PANELS]
    if not panels:
        return {}
    tabs = parser.css(_TAB)[:_MAX_PANELS]
    named = {tab.attributes.get("aria-controls"): tab for tab in tabs}
    named |= {tab.attributes.get("id"): tab for tab in tabs}
    named.pop(None, None)
    labels: dict[int, str] = {}
    for panel in panels:
        attributes = panel.attributes
        tab = named.get(attributes.get("aria-labelledby")) or named.get(attributes.get("id"))
        tab = tab or _in_order(panel)
        if tab is not None and len(label := clean(tab.text(deep=True))) <= _MAX_LABEL:
            labels[panel.mem_id] = label
    return labels


def _in_order(panel: LexborNode) -> LexborNode | None:
    """Return the tab of a panel that stands among as many panels as there are tabs nearby."""
    parent = panel.parent
    if parent is None:
        return None
    panels = [node.mem_id for node in parent.css(_PANEL)]
    tabs = parent.css(_TAB) or (parent.parent.css(_TAB) if parent.parent is not None else [])
    return tabs[panels.index(panel.mem_id)] if len(tabs) == len(panels) else None
