"""A bound on nesting before a page is parsed.

The parser's time grows with the square of the depth: a mebibyte of one opening tag keeps it busy
for a minute. What lies deeper than any real page is cut off.
"""

import re
from typing import Final

# Twenty milliseconds of parsing; the walk stops at a tenth of it anyway.
MAX_OPEN: Final = 4_000
_TAG: Final = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
# Elements that hold nothing, or that the next of their kind closes.
_FLAT: Final = frozenset(
    {
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param",
        "source", "track", "wbr", "p", "option", "a", "button",
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
    for tag in _TAG.finditer(markup):
        if tag[2].lower() in _FLAT:
            continue
        opened = max(0, opened - 1) if tag[1] else opened + 1
        if opened > MAX_OPEN:
            return markup[: tag.start()]
    return markup
