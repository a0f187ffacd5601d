"""A bound on nesting before a page is parsed.

The parser's time grows with the square of the depth: a mebibyte of one opening tag keeps it busy
for a minute. What lies deeper than any real page is cut off.
"""

import re
from typing import Final

# Twenty milliseconds of parsing; the walk stops at a tenth of it anyway.
MAX_OPEN: Final = 4_000
_TAG: Final = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_ATTRIBUTES: Final = r"""(?:\s++[\w:.-]++\s*+=\s*+(?:"[^"]*+"|'[^']*+'))*+\s*+"""
# A tag that closes itself, without any doubt about its attributes: drawings have thousands.
_SELF_CLOSED: Final = re.compile(rf"<\w++{_ATTRIBUTES}/>")
_DRAWING: Final = re.compile(rf"<svg{_ATTRIBUTES}>", re.IGNORECASE)
# What a drawing is called; with an element inside it would be no drawing any more.
_CAPTION: Final = re.compile(rf"<(title|desc){_ATTRIBUTES}>[^<]*+</\1", re.IGNORECASE)
# Elements that hold nothing, or that the next of their kind closes.
_FLAT: Final = frozenset(
    {
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param",
        "source", "track", "wbr", "p", "option", "a", "button",
    }
)  # fmt: skip
# Inside a drawing these may close themselves; any other element may have ended the drawing, and
# outside one the slash means nothing.
_DRAWN: Final = frozenset(
    {
        "a", "circle", "clippath", "defs", "ellipse", "g", "image", "line", "lineargradient",
        "marker", "mask", "path", "pattern", "polygon", "polyline", "radialgradient", "rect",
        "stop", "symbol", "text", "tspan", "use",
    }
)  # fmt: skip


def shallow(markup: str) -> str:
    """Return a page up to where too many elements are open.

    >>> len(shallow("<div>" * 9_000)) // len("<div>")
    4000
    """
    if markup.count("<") - 2 * markup.count("</") < MAX_OPEN:
        return markup
    opened = 0
    drawing = False
    for tag in _TAG.finditer(markup):
        name = tag[2].lower()
        drawing = _is_drawn(markup, tag, name) and (drawing or name == "svg")
        if name in _FLAT or (drawing and _SELF_CLOSED.match(markup, tag.start())):
            continue
        opened = max(0, opened - 1) if tag[1] else opened + 1
        if opened > MAX_OPEN:
            return markup[: tag.start()]
    return markup


def _is_drawn(markup: str, tag: re.Match[str], name: str) -> bool:
    """Tell whether a drawing begins with a tag, or goes on after it."""
    if name == "svg":
        return not tag[1] and _DRAWING.match(markup, tag.start()) is not None
    if name in ("title", "desc"):
        return bool(tag[1]) or _CAPTION.match(markup, tag.start()) is not None
    return name in _DRAWN
