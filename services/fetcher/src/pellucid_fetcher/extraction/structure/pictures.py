"""What pictures are called by the page, and which of them a page announces."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from selectolax.lexbor import LexborNode

from pellucid_fetcher.extraction.structure.blocks import Block, clean

_MAX_LABEL: Final = 500
_FILE: Final = re.compile(
    r"^\S+\.(?:jpe?g|png|gif|webp|svg|avif)$|^(?:img|dsc|image)[_-]?\d+$", re.IGNORECASE
)
_MAX_SIGN_PIXELS: Final = 48


def label_of(node: LexborNode) -> str:
    """Return what a picture is called; empty where it is called nothing or like its file."""
    attributes = node.attributes
    told = attributes.get("alt") or attributes.get("aria-label") or attributes.get("title") or ""
    if not told and node.tag == "svg":
        title = node.css_first("title")
        told = title.text(deep=True) if title is not None else ""
    label = clean(told)
    return "" if _FILE.match(label) or len(label) > _MAX_LABEL else label


def is_picture(attributes: Mapping[str, str | None], *, in_cell: bool) -> bool:
    """Tell whether an element says that it is one, or may be one as it is named in a cell."""
    is_named = in_cell and ("aria-label" in attributes or "title" in attributes)
    return is_named or attributes.get("role") == "img"


def is_small(node: LexborNode) -> bool:
    """Tell whether a picture stands for a word or a sign in a line of text."""
    attributes, parent = node.attributes, node.parent
    sides = [(attributes.get(side) or "").removesuffix("px") for side in ("width", "height")]
    fits = all(side.isdecimal() and int(side) <= _MAX_SIGN_PIXELS for side in sides)
    return fits and parent is not None and parent.tag in ("p", "dd")


def is_announced(blocks: Sequence[Block]) -> bool:
    """Tell whether the last of some blocks says that something follows."""
    return bool(blocks) and blocks[-1].text.endswith((":", "："))
