"""What the elements of a page are, by their tags and roles."""

from typing import Final

SKIPPED: Final = frozenset(
    {
        "script", "style", "template", "svg", "object", "embed", "applet", "canvas", "audio",
        "video", "select", "option", "optgroup", "datalist", "input", "head", "textarea", "link",
        "meta", "map", "progress", "meter", "frame", "frameset", "noframes", "dialog", "iframe",
        "s", "strike", "del", "rp", "-comment", "-doctype", "-cdata", "!doctype",
    }
)  # fmt: skip
INLINE: Final = frozenset(
    {
        "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "dfn", "em",
        "font", "i", "ins", "kbd", "label", "mark", "picture", "q", "rb", "rtc", "rt", "ruby",
        "samp", "small", "source", "span", "strong", "sub", "sup", "time", "tt", "u", "var",
        "wbr", "track", "nobr",
        "output", "relative-time", "time-ago", "slot",
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
