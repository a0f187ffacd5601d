"""The elements beside an element, whatever text stands between them."""

from selectolax.lexbor import LexborNode


def element_before(node: LexborNode) -> LexborNode | None:
    """Return the element before another one."""
    here = node.prev
    while here is not None and (here.tag or "").startswith("-"):
        here = here.prev
    return here


def element_after(node: LexborNode) -> LexborNode | None:
    """Return the element after another one."""
    here = node.next
    while here is not None and (here.tag or "").startswith("-"):
        here = here.next
    return here


def names_quotation(footer: LexborNode) -> bool:
    """Tell whether a footer says whom a quotation is of."""
    before, parent = element_before(footer), footer.parent
    return "blockquote" in (before.tag if before else "", parent.tag if parent else "")
