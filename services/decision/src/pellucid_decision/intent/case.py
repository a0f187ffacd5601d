"""Reads the form of one message: language, addresses, signals; decides nothing about it."""

from dataclasses import dataclass

from pellucid_decision.intent.addresses import addresses_in, named_site
from pellucid_decision.intent.matrix import match_category
from pellucid_decision.intent.reading import Reading, fired, read
from pellucid_decision.intent.rulebook import Category, Rulebook
from pellucid_decision.text.conversation import Ask, Role
from pellucid_decision.text.links import Link
from pellucid_decision.text.material import own_words
from pellucid_language.detection import UNDETERMINED, detect_language


@dataclass(frozen=True, slots=True)
class Case:
    """A message with what its form says.

    Attributes:
        ask: The request.
        language: ISO 639-1 code of the person's words.
        reading: Signals of the form.
        links: Addresses to open.
        site: Host named as the place to look; empty for none.
        category: Row of the keyword matrix that fires.
        about_answer: It asks for the sources of the answer before, or to verify it.
        book: Rules in force.
    """

    ask: Ask
    language: str
    reading: Reading
    links: tuple[Link, ...]
    site: str
    category: Category | None
    about_answer: bool
    book: Rulebook

    @property
    def names_page(self) -> bool:
        """An address is written out as one; a bare host may be just a name."""
        return any(not link.bare for link in self.links)


def examine(ask: Ask, book: Rulebook) -> Case:
    """Read the form of a message."""
    reading = read(ask, book)
    found = addresses_in(ask.message, book)
    site = named_site(ask.message, found, book)
    links = tuple(link for link in found if not (link.bare and site))
    recent = any(fired([book.fallback["time_word"]], reading.text))
    answered = any(turn.role is Role.ASSISTANT for turn in ask.history)
    return Case(
        ask=ask,
        language=_language(ask),
        reading=reading,
        links=links,
        site=site,
        category=match_category(reading.text, book, recent=recent),
        about_answer=answered and not links and bool(book.found("about_answer", reading.text)),
        book=book,
    )


def _language(ask: Ask) -> str:
    known = ask.language.split("-")[0].lower()
    if known and known not in {"auto", UNDETERMINED}:
        return known
    earlier = " ".join(ask.person_turns()[-2:])
    hint = detect_language(own_words(earlier)) if earlier else UNDETERMINED
    return detect_language(own_words(ask.message), hint)
