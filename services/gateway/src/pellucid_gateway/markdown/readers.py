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
from pellucid_gateway.markdown.code_spans import without_spans

# Nothing that a reader links or loads is without one of these; matched from where it may begin.
# Each alternative begins where a run begins, so that a long run is read once.
_NOTABLE = re.compile(
    r"[\[\]<`\\]|//|www\.|~~~|&(?=#|\w)|[A-Za-z]:(?=\S)|(?<![^\s@])[^\s@]*@"
    r"|(?<![^\s.])[^\s.]+\.(?=[^\W\d])|^[ \t>]*(?:\|[ \t]*)?:?-[-:| \t]*$",
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
# markdown-it takes milliseconds for so much; of longer blocks it reads the last lines.
MOST_CHARS = 8_000
_MARK_IN_CODE = "<pellucid-code>"


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
    recent = text if len(text) <= MOST_CHARS else _last_lines(text)
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


def _last_lines(text: str) -> str:
    begins = len(text) - MOST_CHARS
    line = text.find("\n", begins)
    return text[line + 1 if line >= 0 else begins :]


@cache
def _markdown_it() -> MarkdownIt:
    return MarkdownIt("gfm-like", {"html": True, "linkify": True})


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
    spans = [c for token in tokens for c in token.children or () if c.type == "code_inline"]
    return without_spans("\n".join(lines), spans)


def is_in_fence(text: str) -> bool:
    """Whether a line after this text is one of a fenced code block, for every reader."""
    probe = f"{text.rstrip(chr(10))}\n{_MARK_IN_CODE}\n"
    end = "&lt;pellucid-code&gt;\n</code></pre>"
    readers = (_by_cmark, _markdown_it().render, _markdown_it_without_html().render)
    return all(read(probe).rstrip().endswith(end) for read in readers)


def last_block(text: str) -> int:
    """Offset at which the last block of a text begins; all before it is settled for all readers."""
    starts = [token.map[0] for token in _markdown_it().parse(text) if token.map and not token.level]
    lines = text.splitlines(keepends=True)
    line = max((n for n in starts if n and not lines[n - 1].strip()), default=0)
    begun = lines[line : line + 1]
    # An indented line or one with a list mark may belong to the block before it.
    is_apart = begun and re.match(r"[^\W\d_]|#|\*\*|\[|```", begun[0])
    return sum(map(len, lines[:line])) if is_apart else 0
