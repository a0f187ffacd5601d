"""Links in a block's text: marked while the page is read, written as Markdown when asked for.

A link's begin and its end are single private characters, so that they move with the text through
signs, cells and lines, and so that a block's words are the same with and without them.
"""

import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborNode

_BEGIN: Final = "\U000f0000"
_FIRST: Final = 0xF0001
MOST: Final = 0xFFFD - 1
_MARKS: Final = re.compile("[\U000f0000-\U000ffffd]")
_LINK: Final = re.compile("\U000f0000([^\U000f0000-\U000ffffd]*)([\U000f0001-\U000ffffd])")
_SCHEMES: Final = frozenset({"http", "https", "mailto"})
_ESCAPED: Final = {" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E", '"': "%22"}
_MOST_CHARS: Final = 2_000


def begin() -> str:
    """Return the mark with which a link begins."""
    return _BEGIN


def end(number: int) -> str:
    """Return the mark with which a link ends, by its number on the page."""
    return chr(_FIRST + number)


def without_marks(text: str) -> str:
    """Return a text as it is shown."""
    return text if text.isascii() else _MARKS.sub("", text)


def noted(href: str | None, base: str, addresses: list[str]) -> int:
    """Note where a link leads; its number on the page, or -1 for one that is not noted."""
    address = absolute(href, base) if href and base else ""
    if not address or len(addresses) >= MOST:
        return -1
    addresses.append(address)
    return len(addresses) - 1


def leads_back(node: LexborNode, pieces: Sequence[str]) -> bool:
    """Tell whether a link only leads within its page, with a sign: the way back from a note."""
    href = node.attributes.get("href") or ""
    return href[:1] == "#" and not any(map(str.isalnum, "".join(pieces)))


def remarked(marked: str, text: str) -> str:
    """Put the marks around a text that were around another one."""
    found = _MARKS.findall(marked)
    return f"{found[0]}{text}{found[-1]}" if len(found) > 1 else text


def written(marked: str, addresses: Sequence[str]) -> str:
    """Write marked links as Markdown.

    >>> written(f"see {begin()}the guide {end(0)}now", ["https://a.example/g"])
    'see [the guide](https://a.example/g) now'
    """

    def link(found: re.Match[str]) -> str:
        inner, address = found[1], addresses[ord(found[2]) - _FIRST]
        text = inner.strip()
        if not text:
            return inner
        before, after = inner[: len(inner) - len(inner.lstrip())], inner[len(inner.rstrip()) :]
        return f"{before}[{text}]({address}){after}"

    return without_marks(_LINK.sub(link, marked))


def absolute(href: str, base: str) -> str:
    """Return the address that a link leads to; empty for what is no page or letter.

    >>> absolute("../b (1)", "https://a.example/x/y"), absolute("javascript:go()", "https://a.example")
    ('https://a.example/b%20%281%29', '')
    """
    try:
        address = urljoin(base, "".join(href.split("\n")).strip())
        scheme = urlsplit(address).scheme.lower()
    except ValueError:
        return ""
    if scheme not in _SCHEMES or len(address) > _MOST_CHARS or not address.isprintable():
        return ""
    return "".join(_ESCAPED.get(sign, sign) for sign in address)
