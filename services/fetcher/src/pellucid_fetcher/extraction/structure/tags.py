"""What the elements of a page are, by their tags and roles."""

from typing import Final

from selectolax.lexbor import LexborNode

from pellucid_fetcher.extraction.structure.siblings import names_quotation

SKIPPED: Final = frozenset(
    {
        "script", "style", "template", "svg", "object", "embed", "applet", "canvas", "audio",
        "video", "select", "option", "optgroup", "datalist", "input", "head", "textarea", "link",
        "meta", "map", "frame", "frameset", "noframes", "dialog", "iframe",
        "s", "strike", "del", "rp", "-comment", "-doctype", "-cdata", "!doctype",
    }
)  # fmt: skip
INLINE: Final = frozenset(
    {
        "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "dfn", "em",
        "font", "i", "ins", "kbd", "label", "mark", "picture", "q", "rb", "rtc", "rt", "ruby",
        "samp", "small", "source", "span", "strong", "sub", "sup", "time", "tt", "u", "var",
        "wbr", "track", "nobr",
        "output", "progress", "meter", "relative-time", "time-ago", "slot",
    }
)  # fmt: skip
WHOLE: Final = frozenset({"sup", "sub", "rt", "ruby", "q"})  # read as a whole when they end
TIMES: Final = frozenset({"time", "relative-time", "time-ago"})
TEXT_PARENTS: Final = frozenset({"p", "li", "td", "th", "dd", "span", "b", "strong", "em"})
NO_FIELDS: Final = frozenset({"hidden", "search", "submit", "button", "image", "reset", "number"})
HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
LISTS: Final = frozenset({"ul", "ol", "menu"})
ROLES: Final = {
    "table": "table", "grid": "table", "treegrid": "table", "row": "tr", "cell": "td",
    "gridcell": "td", "columnheader": "th", "rowheader": "th",
}  # fmt: skip


def stands_for(node: LexborNode, tag: str, *, in_table: bool) -> str:
    """Return the tag that an element stands for, by its role or by its place."""
    role = node.attributes.get("role")
    if role in ROLES and (in_table or ROLES[role] == "table"):
        return ROLES[role]
    if tag == "noscript" and node.parent is not None and node.parent.tag in TEXT_PARENTS:
        return "span"  # within a sentence it stands in for what a script would write
    return "p" if tag == "footer" and names_quotation(node) else tag
