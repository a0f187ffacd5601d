"""Where a page without text of its own leads: to what it refreshes to, or to its frame."""

import re
from typing import Final
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser

from pellucid_fetcher.extraction.structure.links import absolute

_REFRESH: Final = re.compile(
    r"^\s*(\d{1,2})(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?[\"']?([^\"'>]+)", re.IGNORECASE
)
_MOST_WORDS: Final = 40  # a page that says more is read itself
_MOST_S: Final = 10


def leads_to(parser: LexborHTMLParser, base: str, words: int) -> str:
    """Return the address that a page leads to; empty for none.

    Args:
        parser: The parsed page.
        base: Address that its own addresses start from.
        words: Number of words that it shows.
    """
    if words > _MOST_WORDS:
        return ""
    for node in parser.css("meta[http-equiv]"):
        if (node.attributes.get("http-equiv") or "").lower() != "refresh":
            continue
        found = _REFRESH.match(node.attributes.get("content") or "")
        if found and int(found[1]) <= _MOST_S:
            return _other_page(found[2].strip(), base)
    frames = [node.attributes.get("src") or "" for node in parser.css("iframe[src], frame[src]")]
    held = (_other_page(source, base) for source in frames if source)
    return next((address for address in held if _is_of_site(address, base)), "")


def _other_page(href: str, base: str) -> str:
    address = absolute(href, base).partition("#")[0]
    return address if address.startswith("http") and address != base.partition("#")[0] else ""


def _is_of_site(address: str, base: str) -> bool:
    return bool(address) and urlsplit(address).hostname == urlsplit(base).hostname
