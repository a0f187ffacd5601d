"""The one door for untrusted strings that become Markdown: titles, snippets, quotes, publishers.

What a page or a provider wrote is shown as it is written and is nothing but text to every reader:
it opens no link, loads nothing, and ends no construct of ours. Where escapes do not suffice, what
is left over is words.
"""

import re
from collections.abc import Collection
from functools import cache
from html import unescape

from linkify_it import LinkifyIt

from pellucid_gateway.markdown.addresses import Addresses
from pellucid_gateway.markdown.readers import UNKNOWN_DOMAIN, is_notable, leads_elsewhere
from pellucid_language.text import clean

_NOWHERE = Addresses({})
_BLANKS = re.compile(r"\s+")
# What begins a block where a line of ours begins with the string.
_OPENING = re.compile(r"^(\d{0,9})(?=[.)](?:\s|$)|#{1,6}(?:\s|$)|[-+*](?:\s|$)|>|~~~|=+$|-+$|\|)")
_BACKSLASH = re.compile(r"\\(?=[!-/:-@\[-`{-~]|$)")
_ENTITY = re.compile(r"&(?=(#?\w+;))")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_EMPHASIS = re.compile(r"(?<=\S)[*]|[*](?=\S)|(?<!\w)_(?=\S)|(?<=\S)_(?!\w)|~(?=~)|(?<=~)~")
_BRACKET = re.compile(r"[\[\]]")
# Only a bracket that closes before one of these makes a link; a string that is one may come there.
_CLOSING = re.compile(r"\](?=[(\[:])|(?<=!)\[|(?<=^)\[(?=[^\]]*\]$)")
_SCHEME = re.compile(r"(?<=[A-Za-z]):(?=//)|(?<=www)\.(?=\S)", re.IGNORECASE)
_NO_SCHEME = re.compile(r"(?<![:/\\])//(?=[\w.])")
MAIL = re.compile(
    r"(?:\b(?:mailto|xmpp):|(?<![\w.!#$%&'*+/=?^{|}~-]))[\w.!#$%&'*+/=?^{|}~-]*+(?<=[\w+~-])@"
    r"(?:[\w-]+\.)+[\w-]*\w(?:/[\w.@-]+)?",
    re.IGNORECASE,
)
_NO_WORDS = re.compile(r"[^\w\s.,;:!?%()'\"“”‘’«»„—–…·-]|(?<=\w)[.:](?=\w)|(?<=\w)://?|//")
_BAR = re.compile(r"(?<!\\)\|")
_URL_ESCAPES = {c: f"%{ord(c):02X}" for c in ' "()<>[]\\^`{|}'}


def escaped(text: str, hosts: Collection[str] = ()) -> str:
    r"""The string in one line, as text that no reader takes for anything else.

    Args:
        text: Untrusted.
        hosts: Names of hosts that may stand as they are, though some readers would link them.

    >>> escaped("Tolls [new] rise")
    'Tolls [new] rise'
    >>> escaped("See ![x](https://evil.example/x)")
    'See !\\[x\\](https\\://evil.example/x)'
    """
    line = _escaped(_BLANKS.sub(" ", clean(text)).strip(), _CLOSING, hosts)
    return _OPENING.sub(r"\1\\", line)


def label(text: str) -> str:
    """The string as the label of a link of ours: it ends neither the label nor a table's cell."""
    safe = _escaped(_BLANKS.sub(" ", clean(text)).strip(), _BRACKET, ())
    return _BAR.sub(r"\|", safe)


def publisher(name: str, domain: str) -> str:
    """The name of a publisher as it stands in prose; its own domain may be its name.

    Args:
        name: Untrusted; its domain stands for an empty one.
        domain: Of its page.
    """
    return escaped(name or domain, (domain.casefold(),))


def address(url: str) -> str:
    """An address as the target of a link of ours."""
    return "".join(_URL_ESCAPES.get(c, c) for c in clean(url) if not c.isspace())


def link(text: str, url: str) -> str:
    """A link of ours with an untrusted label."""
    return f"[{label(text)}]({address(url)})"


def bare(url: str) -> str:
    """An address that stands for itself; the same where every reader sees its end."""
    safe = address(url)
    return safe if (safe == url and safe[-1:].isalnum()) or safe.endswith("/") else f"<{safe}>"


def _escaped(line: str, brackets: re.Pattern[str], hosts: Collection[str]) -> str:
    if not is_notable(line) and not _EMPHASIS.search(line):
        return line
    safe = unlinked(_BACKSLASH.sub(r"\\\\", line), brackets, hosts)
    shown = Addresses({n: f"https://{host}" for n, host in enumerate(hosts)})
    # As it stands in a sentence, in a label and at the beginning of a line.
    around = f"a {safe} b\n\n[{safe}](#a)\n\n{safe}"
    return safe if not leads_elsewhere(around, shown) else words(line)


def unlinked(text: str, brackets: re.Pattern[str], hosts: Collection[str] = ()) -> str:
    """The text with everything escaped that makes more of it than text."""
    parts = []
    last = 0
    for mail in MAIL.finditer(text):
        parts += [_marks_escaped(text[last : mail.start()], brackets, hosts), as_code(mail.group())]
        last = mail.end()
    return "".join((*parts, _marks_escaped(text[last:], brackets, hosts)))


def as_code(mail: str) -> str:
    """A mail address as code: cmark-gfm links it however it is escaped."""
    return f"`{mail.replace('`', '').replace(chr(92), '')}`"


def _marks_escaped(text: str, brackets: re.Pattern[str], hosts: Collection[str]) -> str:
    text = _ENTITY.sub(_entity, text).replace("`", "\\`")
    text = _TAG.sub("&lt;", _EMPHASIS.sub(r"\\\g<0>", text))
    text = brackets.sub(r"\\\g<0>", text)
    text = _NO_SCHEME.sub(r"/\\/", _SCHEME.sub(r"\\\g<0>", text))
    return domains_escaped(text, hosts)


def _entity(mark: re.Match[str]) -> str:
    return "&amp;" if unescape(f"&{mark[1]}") != f"&{mark[1]}" else "&"


def domains_escaped(text: str, hosts: Collection[str] = ()) -> str:
    r"""The text with no bare domain that a reader would link.

    >>> domains_escaped("as evil.com says"), domains_escaped("in Node.js")
    ('as evil\\.com says', 'in Node.js')
    """
    for match in reversed(_linkify().match(text) or []):
        written = text[match.index : match.last_index]
        if written.casefold().removeprefix("www.") not in hosts:
            text = f"{text[: match.index]}{_broken(written)}{text[match.last_index :]}"
    return UNKNOWN_DOMAIN.sub(lambda domain: _broken(domain.group()), text)


def _broken(domain: str) -> str:
    return re.sub(r"(?<!\\)[.:@](?=\S)", r"\\\g<0>", domain)


@cache
def _linkify() -> LinkifyIt:
    return LinkifyIt()


def words(text: str) -> str:
    """What is left of a text without any character of which a reader could make something."""
    left = _BLANKS.sub(" ", _NO_WORDS.sub(" ", text)).strip()
    return left if not leads_elsewhere(left, _NOWHERE) else re.sub(r"[^\w\s]+", " ", left)
