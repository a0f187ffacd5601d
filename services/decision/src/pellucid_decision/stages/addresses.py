"""Which addresses of a message are to be opened, and what their pages are called."""

from pellucid_decision.question.chunk import Chunk
from pellucid_decision.question.terms import Kind
from pellucid_decision.rules.rulebook import Rulebook
from pellucid_decision.rules.signals import Reading
from pellucid_decision.text.links import MAX_PROCESSED, Link, find_links, page_name
from pellucid_decision.text.material import without_pasted


def addresses_in(message: str, book: Rulebook) -> tuple[Link, ...]:
    """Return the addresses of a message, of what it pastes only those that it asks for."""
    found = find_links(message)
    if not found:
        return ()
    bare = without_pasted(message)
    asks = book.languages["any"].phrase("reads_link")
    if bare == message or not any(map(str.isalnum, bare)) or (asks and asks.search(bare)):
        return found
    own = {link.url for link in find_links(bare)}
    return tuple(link for link in found if link.url in own)


def pages_of(links: tuple[Link, ...]) -> tuple[Chunk, ...]:
    """Return the names of the first pages that a message is about."""
    names = (page_name(link) for link in links[:MAX_PROCESSED])
    return tuple(Chunk(name, Kind.ENTITY) for name in names if name)


def without_links(message: str, links: tuple[Link, ...], site: str) -> str:
    """Return a message without its addresses; a bare name in it stays."""
    text = message
    for link in links:
        text = text.replace(link.text, " ") if not link.bare or link.host == site else text
    return text.strip() or message


def meant(links: tuple[Link, ...], site: str, reading: Reading, book: Rulebook) -> tuple[Link, ...]:
    """Addresses to open: a bare name in a question about something else is just a name."""
    a_name = reading.score >= book.search_at or bool(site)
    return tuple(link for link in links if not link.bare or not a_name)
