"""Which addresses of a message are to be opened, and where the person wants to look."""

import re

from pellucid_decision.intent.rulebook import Rulebook
from pellucid_decision.text.links import Link, find_links, page_name
from pellucid_decision.text.material import without_pasted
from pellucid_language.folding import straight

_SITE = re.compile(r"\bsite:\s?([a-z0-9.-]+\.[a-z]{2,24})", re.IGNORECASE)
_PLACE_PARTICLE = re.compile(r"\s?(?:에서|で|上|里|中)")


def addresses_in(message: str, book: Rulebook) -> tuple[Link, ...]:
    """Return the addresses of a message, of what it pastes only those that it asks for."""
    found = find_links(message)
    if not found:
        return ()
    bare = without_pasted(message)
    if bare == message or not any(map(str.isalnum, bare)):
        return found
    if book.found("reads_link", straight(bare).lower()):
        return found
    own = {link.url for link in find_links(bare)}
    return tuple(link for link in found if link.url in own)


def named_site(text: str, links: tuple[Link, ...], book: Rulebook) -> str:
    """Return the host that the person names as the place to look, empty for none."""
    written = _SITE.search(text)
    if written:
        return written.group(1).lower()
    for link in links:
        if link.bare and (_after_preposition(link.text, text, book) or _is_place(link.text, text)):
            return link.host.removeprefix("www.")
    return ""


def without_links(message: str, links: tuple[Link, ...], site: str) -> str:
    """Return a message with the names of its pages for their addresses, without the site's."""
    text = message
    for link in links:
        name = "" if link.host.removeprefix("www.") == site else page_name(link)
        text = text.replace(link.text, link.text if link.bare and name else name)
    return text.strip() or message


def _after_preposition(name: str, text: str, book: Rulebook) -> bool:
    places = (match.end() for match in book.site_prepositions.finditer(text))
    return any(text[place : place + len(name)].lower() == name.lower() for place in places)


def _is_place(name: str, text: str) -> bool:
    """Whether a particle behind the name says that it is where to look."""
    start = text.find(name)
    while start >= 0:
        if _PLACE_PARTICLE.match(text, start + len(name)):
            return True
        start = text.find(name, start + 1)
    return False
