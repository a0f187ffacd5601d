"""Reads one message: language, addresses, question, signals; decides nothing about it."""

from dataclasses import dataclass, replace

from pellucid_decision.question.resolution import (
    Resolved,
    of_last_question,
    on_topic,
    resolve,
)
from pellucid_decision.question.terms import Kind
from pellucid_decision.rules.facets import named_site
from pellucid_decision.rules.matrix import match_category
from pellucid_decision.rules.rulebook import Category, Rulebook
from pellucid_decision.rules.signals import Reading, ends_in_tool, read, with_signal
from pellucid_decision.stages.addresses import addresses_in, meant, pages_of, without_links
from pellucid_decision.text.conversation import Ask, Role
from pellucid_decision.text.han import Script, simplified
from pellucid_decision.text.links import Link
from pellucid_decision.text.material import own_words
from pellucid_decision.text.normal import outline
from pellucid_language.detection import UNDETERMINED, detect_language

SMALL_TALK = ("small_talk", "thanks")
# A question with at most this many terms may live off the turns before.
_SHORT_QUESTION_TERMS = 4


@dataclass(frozen=True, slots=True)
class Case:
    """A message with everything that was read from it.

    Attributes:
        about_answer: It asks for the sources of the answer before, or to verify it.
        doubted: The question that was answered might have needed the web.
        script: How it is written, where that is traditional Chinese; `ask` is in simplified.
    """

    ask: Ask
    language: str
    resolved: Resolved
    reading: Reading
    links: tuple[Link, ...]
    site: str
    category: Category | None
    book: Rulebook
    about_answer: bool = False
    doubted: bool = False
    script: Script | None = None

    @property
    def topicless(self) -> bool:
        """Small talk, or nothing to search for."""
        return self.reading.has(*SMALL_TALK) or not (self.resolved.own or self.resolved.topic)


def examine(ask: Ask, book: Rulebook) -> Case:
    """Read language, addresses, topic and signals of a message."""
    language = _language(ask)
    rules = book.of(language)
    ask, script = simplified(ask) if language == "zh" else (ask, None)
    found = addresses_in(ask.message, book)
    site = named_site(ask.message, found, rules)
    asked = _without_orders(outline(without_links(ask.message, found, site)), book)
    resolved = resolve(asked, ask.history, rules)
    reading = _reading(ask, resolved, language, book)
    if reading.has("after_search"):
        resolved = on_topic(resolved)
    if site:
        reading = with_signal(reading, "site_named", site, book)
    links = meant(found, site, reading, book)
    resolved = replace(resolved, pages=pages_of(links))
    category = match_category(reading, book)
    case = Case(ask, language, resolved, reading, links, site, category, book, script=script)
    if not _is_about_answer(case):
        return case
    before = _earlier(ask, language, book)
    doubted = before is not None and before.score > book.answer_at
    return replace(case, resolved=of_last_question(resolved), about_answer=True, doubted=doubted)


def _language(ask: Ask) -> str:
    known = ask.language.split("-")[0].lower()
    if known and known not in {"auto", UNDETERMINED}:
        return known
    earlier = " ".join(ask.person_turns()[-2:])
    hint = detect_language(own_words(earlier)) if earlier else UNDETERMINED
    return detect_language(own_words(ask.message), hint)


def _without_orders(text: str, book: Rulebook) -> str:
    """Drop what tells the assistant to break its rules: nobody searches for that."""
    rules = book.languages["any"]
    orders, words = rules.phrase("orders"), rules.phrase("order_words")
    if words and not words.search(text):
        return text
    return (orders.sub(" ", text).strip() if orders else text) or text


def _reading(ask: Ask, resolved: Resolved, language: str, book: Rulebook) -> Reading:
    """Signals of the message, with those of the resolved question when it leans on the turns."""
    own = read(ask.message, language=language, rulebook=book, ask=ask)
    if ends_in_tool(ask):
        return with_signal(own, "tool_result", "tool", book)
    if own.vetoed(strength=0.6) or not ask.person_turns():
        return own
    before = _earlier(ask, language, book)
    tie = _tie(own, resolved, before, book) if before else ""
    return with_signal(own, tie, resolved.question, book) if tie else own


def _tie(own: Reading, resolved: Resolved, before: Reading, book: Rulebook) -> str:
    """Signal by which a message hangs on the question before it; empty when on its own."""
    if before.score >= book.search_at:
        if resolved.leans:
            return "followup_of_search"
        return "after_search" if _names_nothing(own, resolved) else ""
    below = resolved.leans and before.score <= book.answer_at
    return "followup_of_answer" if below else ""


def _names_nothing(own: Reading, resolved: Resolved) -> bool:
    """A short question without a topic of its own: most likely about that of the turns before."""
    named = any(term.kind in {Kind.ENTITY, Kind.QUOTED} for term in resolved.own)
    asks = own.text.rstrip().endswith(("?", "？"))
    return asks and not named and not own.vetoed(0.1) and len(resolved.own) <= _SHORT_QUESTION_TERMS


def _earlier(ask: Ask, language: str, book: Rulebook) -> Reading | None:
    """Reading of the last question of the person that was more than an acknowledgement."""
    for text in reversed(ask.person_turns()):
        reading = read(text, language=detect_language(text, language), rulebook=book, ask=ask)
        if not reading.has(*SMALL_TALK):
            return reading
    return None


def _is_about_answer(case: Case) -> bool:
    """Whether a message asks for the sources of the answer before, or to verify it."""
    if not any(turn.role is Role.ASSISTANT for turn in case.ask.history):
        return False
    asks = case.book.of(case.language).phrase("about_answer")
    return bool(asks and asks.search(case.resolved.text) and not case.links)
