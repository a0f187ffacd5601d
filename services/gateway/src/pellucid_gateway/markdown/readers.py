"""What readers of Markdown make of a text: where it leads, what it loads.

Readers disagree, so several read it: markdown-it (which links bare domains) with HTML and without,
cmark-gfm (which links `www.` names, mail and `xmpp:` addresses) and one that takes the text for
HTML. An address that any of them would link or load counts.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from cmarkgfm import cmark
from markdown_it import MarkdownIt
from markdown_it.token import Token
from selectolax.lexbor import LexborHTMLParser, LexborNode

from pellucid_gateway.markdown.addresses import Addresses

# Nothing that a reader links or loads is without one of these; matched from where it may begin, and
# in linear time: a page may have a hundred thousand characters without a blank, or of nothing else.
_NOTABLE = re.compile(
    r"[\[\]<`\\]|//|www\.|~~~|&(?=#|\w)|[A-Za-z]:(?=\S)|(?<![^\s@])[^\s@]*+@"
    r"|[^\s.]{1,63}\.(?=[^\W\d])|^[ \t>]*+(?:\|[ \t]*+)?:?-[-:| \t]*+$",
    re.IGNORECASE | re.MULTILINE,
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Bracketed numbers alone are citation markers.
_MARKER = re.compile(r"\[\d{1,4}\](?![(\[:])")
# With an address that no list of top-level domains needs to know.
UNKNOWN_DOMAIN = re.compile(
    r"(?<![\w@./\\-])(?:[\w-]+\.)+[^\W\d_][\w-]{1,23}(?::\d+)?[/?#][^\s<>\"”»]*"
)
_DEFINED = re.compile(r"\[([^\[\]]{1,200})\]:")
# Elements that load, post, run or hide the text after them, whatever their attributes.
_ACTIVE = _words(
    """
    applet audio base bgsound button canvas dialog embed fencedframe form frame frameset head
    iframe image link map math meta noembed noframes noscript object param picture
    plaintext portal script select slot source style svg template textarea title track video
    xmp
    """
)
# A parser drops these where no table or page is; a reader that puts the text into one does not.
_MISPLACED = re.compile(
    r"<(/?)(?=(?:body|caption|col|colgroup|html|t[dhr]|tbody|tfoot|thead)\b)", re.IGNORECASE
)
# What a parser adds around a text.
_FRAME = frozenset({"html", "head", "body", "-text"})
# What Markdown itself writes.
_HARMLESS_ATTRIBUTES = {
    "a": {"href", "title"},
    "img": {"src", "alt", "title"},
    "code": {"class"},
    "ol": {"start"},
    "x-td": {"align", "style"},
    "x-th": {"align", "style"},
    "input": {"type", "checked", "disabled"},
    "details": {"open"},
}
# Attributes that load, post or run what their value says.
_ACTIVE_ATTRIBUTES = _words(
    """
    action archive background cite classid codebase content data dynsrc formaction href
    imagesrcset longdesc lowsrc manifest ping poster profile src srcdoc srcset style usemap
    xlink:href
    """
)
_HARMLESS_STYLE = re.compile(r"text-align:\s*(?:left|right|center);?")
_EXTENSIONS = ["table", "autolink", "strikethrough", "tasklist"]
# markdown-it takes tens of milliseconds for so much. Of a longer block it reads the end: from a
# line before which nothing is open, or else four times as much.
_RECENT_CHARS, _MOST_CHARS = 2_000, 8_000
_MARK = re.compile(r"\\.|[\[\]]")


def is_notable(text: str) -> bool:
    """Whether a text has anything at all of which a reader could make more than text."""
    return _NOTABLE.search(_MARKER.sub("", text)) is not None


def plain_end(text: str) -> int:
    """Offset up to which no reader makes more than text of it, whatever follows."""
    match = _NOTABLE.search(text)
    return match.start() if match else len(text)


def leads_elsewhere(text: str, addresses: Addresses) -> bool:
    """Whether some reader links or loads an address that is not one of `addresses`."""
    return any(_foreign(text, addresses))


def _foreign(text: str, addresses: Addresses) -> Iterator[bool]:
    yield _is_foreign(_by_cmark(text + _uses(text)), addresses)
    recent = recent_end(text)
    references: dict[str, dict[str, dict[str, str]]] = {}
    tokens = _markdown_it().parse(recent, references)
    defined = references.get("references", {}).values()
    yield any(not addresses.may_link(each["href"]) for each in defined)
    html = _markdown_it().renderer.render(tokens, _markdown_it().options, references)
    yield _is_foreign(html, addresses)
    if "<" in recent:
        # Clients that take no HTML read the Markdown inside of it.
        yield _is_foreign(_markdown_it_without_html().render(recent), addresses)
    plain = _without_code(recent, tokens)
    yield _is_foreign(plain, addresses)
    yield any(not addresses.may_link(m.group()) for m in UNKNOWN_DOMAIN.finditer(plain))


def _uses(text: str) -> str:
    """A use of every name that the text may define, since one may stand anywhere else."""
    names = dict.fromkeys(_DEFINED.findall(text))
    return "\n\n" + " ".join(f"[{name}]" for name in names) if names else ""


def recent_end(text: str) -> str:
    """What all readers read: of a long block the end, behind the line that opens its code."""
    if len(text) <= _RECENT_CHARS:
        return text
    lines = text.splitlines(keepends=True)
    fences = {
        line: token.map[0]
        for token in _blocks().parse(text)
        if token.type == "fence" and token.map
        for line in range(*token.map)
    }
    is_closed, left = True, len(text)
    for i, line in enumerate(lines):
        if left <= (_RECENT_CHARS if is_closed else _MOST_CHARS):
            opening = lines[fences[i]] if fences.get(i, i) != i else ""
            return opening + "".join(lines[i:])
        left -= len(line)
        is_closed = is_closed and (i in fences or _is_closed(line))
    return lines[-1][-_MOST_CHARS:]


def _is_closed(line: str) -> bool:
    """Whether nothing that a line opens is open at its end."""
    depth = 0
    for mark in _MARK.findall(line):
        depth += {"[": 1, "]": -1}.get(mark, 0)
    return depth == 0 and line.count("`") % 2 == 0 and "<" not in line


@cache
def _markdown_it() -> MarkdownIt:
    return MarkdownIt("gfm-like", {"html": True, "linkify": True})


@cache
def _blocks() -> MarkdownIt:
    """Tells the blocks of a text, not what is in them."""
    return MarkdownIt("gfm-like", {"html": True}).disable(["inline", "linkify"])


@cache
def _markdown_it_without_html() -> MarkdownIt:
    return MarkdownIt("gfm-like", {"html": False, "linkify": True})


def _by_cmark(text: str) -> str:
    html: str = cmark.markdown_to_html_with_extensions(
        text, options=cmark.Options.CMARK_OPT_UNSAFE, extensions=_EXTENSIONS
    )
    return html


def _is_foreign(html: str, addresses: Addresses) -> bool:
    """Whether a page leads elsewhere, or would if what follows ended its last tag."""
    if "<" not in html:
        return False
    placed = "<body>" + _MISPLACED.sub(r"<\1x-", html)
    return any(_has_foreign(placed + end, addresses) for end in ("", ">", '">', "'>"))


def _has_foreign(page: str, addresses: Addresses) -> bool:
    body = LexborHTMLParser(page).root
    nodes = body.traverse() if body else ()
    return any(_is_foreign_node(node, addresses) for node in nodes)


def _is_foreign_node(node: LexborNode, addresses: Addresses) -> bool:
    name = (node.tag or "").lower()
    given = {key: value or "" for key, value in node.attributes.items()}
    if name in _FRAME and not given:
        return False
    if name == "input" and given.get("type") != "checkbox":
        return True
    if name == "img" and not addresses.may_show(given.get("src", "")):
        return True
    if name == "img" and any("<" in key for key in given):
        # A tag without its end has taken in the next one, which a reader may see apart.
        return True
    if name == "a" and not addresses.may_link(given.get("href", "")):
        return True
    return name in _ACTIVE or _is_active(name, given)


def _is_active(name: str, given: Mapping[str, str]) -> bool:
    """Whether attributes do more than those that Markdown itself writes."""
    usual = _HARMLESS_ATTRIBUTES.get(name, set())
    style = given.get("style", "")
    odd_style = bool(style) and not _HARMLESS_STYLE.fullmatch(style)
    return odd_style or any(_may_act(pair) for pair in given.items() if pair[0] not in usual)


def _may_act(attribute: tuple[str, str]) -> bool:
    """Whether an attribute that Markdown does not write could do something; words cannot."""
    name, value = attribute
    is_active = name.startswith("on") or name in _ACTIVE_ATTRIBUTES
    return bool(value) and (is_active or ":" in value or "//" in value or "\\" in value)


def _without_code(text: str, tokens: list[Token]) -> str:
    """The text as a reader of HTML has it, without what stands in code."""
    lines = text.split("\n")
    for token in tokens:
        if token.type in {"fence", "code_block"} and token.map:
            first, end = token.map
            lines[first:end] = [""] * (end - first)
    plain = "\n".join(lines)
    for token in tokens:
        for child in token.children or ():
            if child.type == "code_inline":
                plain = _without_span(plain, child)
    return plain


def _without_span(text: str, span: Token) -> str:
    """The text without the first code span that has this content."""
    content = r"\s+".join(map(re.escape, span.content.split()))
    fence = re.escape(span.markup)
    pattern = rf"(?<!`){fence}(?!`)\s*{content}\s*(?<!`){fence}(?!`)"
    return re.sub(pattern, " ", text, count=1)


def last_block(text: str) -> int:
    """Offset at which the last block of a text begins; all before it is settled for all readers."""
    starts = [token.map[0] for token in _blocks().parse(text) if token.map and not token.level]
    lines = text.splitlines(keepends=True)
    line = max((n for n in starts if n and not lines[n - 1].strip()), default=0)
    begun = lines[line : line + 1]
    # An indented line or one with a list mark may belong to the block before it.
    is_apart = begun and re.match(r"[^\W\d_]|#|\*\*|\[|```", begun[0])
    return sum(map(len, lines[:line])) if is_apart else 0
