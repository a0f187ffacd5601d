"""Whether a message leaves the page that the conversation is about, told by the page itself.

Whoever named a page goes on about it unless something speaks for another subject: a name that the
page never has, a value of this very day, a question that is complete without it. Words that the
page lacks are no sign by themselves: people ask in other words, in another language, and about what
a page does not tell.
"""

import re
from collections.abc import Sequence
from enum import StrEnum

from pellucid_gateway.domain.decision import Action, Decision, Intent
from pellucid_gateway.question.asked_things import named_words, share_told, things_of
from pellucid_gateway.question.page_words import Standing, standing, ways
from pellucid_language.detection import UNDETERMINED, detect_language
from pellucid_language.folding import fold
from pellucid_language.terms import function_terms, has_unspaced_script, terms

# A question of which the page tells at most this share of the things may be about another subject.
_LITTLE = 0.5
# With so many things of its own a question may be complete without the page, and surely is.
_NEARLY_COMPLETE, _COMPLETE = 3, 4
# Share of them that the page lacks where the question is about something else.
_MISSING = 0.5
# What speaks for a search beyond the form of a question: a price, opening hours, a current fact.
_CLEAR = 0.3
# Kinds of message that want something made which needs no page: a poem, a sum, a program.
_MAKING = frozenset({"code", "creative", "math"})
_BRIEF_SAMPLE = 2_000
# In German every noun is capitalised; a place stands behind these without an article.
_GERMAN_PLACE = re.compile(r"\b(?:in|nach|aus|von) (?P<name>[A-ZÄÖÜ]\w{2,})\b(?! \w+en\b)")
# A thing is asked for of somewhere or somebody: "the population of Karsholm".
_OF_SOMETHING = re.compile(
    r"\b(?:of|in|at|from|near|de|du|en|à|a|del|von|aus|nach|bei) (?P<name>[A-ZÀ-Þ][\w-]{2,})"
)
_NUMBERED = re.compile(r"\b[A-ZÀ-Þ][\w-]+ \d{1,4}\b")


class Leaving(StrEnum):
    """How a message stands to the page, once that has been read."""

    STAYS = "stays"
    PERHAPS = "perhaps"
    LEAVES = "leaves"


def leaving(since: Sequence[str], decision: Decision, texts: Sequence[str]) -> Leaving:
    """Whether the message, or one before it, asks about what the pages do not have.

    Args:
        since: The person's messages after the one that named the pages, oldest first.
        decision: What was decided without them.
        texts: Title and text of each page that could be read.
    """
    message, page = since[-1], "\n".join(texts)
    if standing(message) is Standing.ON_IT or not texts:
        return Leaving.STAYS
    # What was decided on earlier messages is not known here, so these must be clearer.
    left_before = any(
        _names_another_thing(message, page)
        or (_is_strange(message, page) and _lacks(message, page))
        for message in since[:-1]
        if standing(message) is not Standing.ON_IT
    )
    apart = _names_another_thing(message, page) or _wants_no_page(decision, page, message)
    if left_before or apart or (decision.needs_search and _is_elsewhere(message, page, decision)):
        return Leaving.LEAVES
    perhaps = decision.needs_search and _may_be_elsewhere(message, page, decision)
    return Leaving.PERHAPS if perhaps else Leaving.STAYS


def _is_elsewhere(message: str, page: str, decision: Decision) -> bool:
    if _lacks(message, page) and (_is_strange(message, page) or _is_of_now(decision)):
        return True
    is_clear = _weight(decision) >= _CLEAR
    return _is_of_stranger(message, page) or (
        is_clear and _missing(message, page) >= _MISSING and _is_complete(message, page, _COMPLETE)
    )


def _may_be_elsewhere(message: str, page: str, decision: Decision) -> bool:
    """Whether it asks for what changes, with something that the page lacks."""
    if _is_strange(message, page) or (decision.time_sensitive and _lacks(message, page)):
        return True
    is_clear = _weight(decision) >= _CLEAR and _missing(message, page) > 0
    return is_clear and (_is_of_now(decision) or _is_complete(message, page, _NEARLY_COMPLETE))


def _is_strange(message: str, page: str) -> bool:
    """Whether a message has a name that the page lacks, and does not point back to the page."""
    if points_back(message) or has_unspaced_script(page):
        return False
    have = fold(page)
    names = set(named_words(message))
    if detect_language(message) == "de":
        names = {fold(match["name"]) for match in _GERMAN_PLACE.finditer(message)}
    numbered = {fold(match.group()) for match in _NUMBERED.finditer(message)}
    return any(not terms(name) <= terms(page) for name in names) or any(
        name not in have for name in numbered
    )


def _is_of_stranger(message: str, page: str) -> bool:
    """Whether something is asked of a name that the page lacks: "the population of Karsholm"."""
    of = {fold(match["name"]) for match in _OF_SOMETHING.finditer(message)}
    return _is_strange(message, page) and any(not terms(name) <= terms(page) for name in of)


def _is_of_now(decision: Decision) -> bool:
    """Whether it asks for what is so today, which a page told when it was written."""
    return decision.real_time or decision.intent is Intent.NEWS


def _weight(decision: Decision) -> float:
    return sum(signal.weight for signal in decision.signals if signal.weight > 0)


def _wants_no_page(decision: Decision, page: str, message: str) -> bool:
    """Whether something else is to be made, of nothing that the page tells."""
    makes = decision.action is Action.ANSWER and decision.reason_code in _MAKING
    return makes and not points_back(message) and share_told(things_of(message), page) < _LITTLE


def _lacks(message: str, page: str) -> bool:
    """Whether the page tells little of what a message asks about."""
    things = things_of(message)
    return bool(things) and share_told(things, page) <= _LITTLE


def _missing(message: str, page: str) -> float:
    """Share of the things that a message names which the page lacks, 0 to 1."""
    things = things_of(message)
    return sum(not thing.is_in(page) for thing in things) / len(things) if things else 0.0


def _is_complete(message: str, page: str, fewest: int) -> bool:
    """Whether a question in the page's language names enough to be understood without it."""
    apart = not points_back(message) and not _is_foreign(message, page)
    return apart and len(things_of(message)) >= fewest


def _is_foreign(message: str, page: str) -> bool:
    """Whether message and page are of different languages, as far as that can be told."""
    if has_unspaced_script(message) != has_unspaced_script(page):
        return True
    told = {detect_language(message), detect_language(page[:_BRIEF_SAMPLE])}
    return len(told - {UNDETERMINED}) > 1


def points_back(message: str) -> bool:
    """Whether a message has a word that stands for something said before.

    >>> points_back("How tall is it?"), points_back("Are there flights to Bergen?")
    (True, False)
    """
    expressions, language = ways().pronoun, detect_language(message)
    known = (expressions[language],) if language in expressions else tuple(expressions.values())
    return any(one.search(fold(message)) for one in known)


def _names_another_thing(message: str, page: str) -> bool:
    """Whether it begins with a thing of its own that the page lacks: "and the Halo 2, how …"."""
    match = ways().front.match(fold(message))
    if match is None:
        return False
    words = match.group("topic").split()
    if ways().asking & set(words):
        return False
    phrase = " ".join(
        word for word in words if not terms(word) <= function_terms() or word.isdigit()
    )
    named = terms(phrase) - function_terms()
    if not named:
        return False
    numbered = any(word.isdigit() for word in words) and phrase not in fold(page)
    return numbered or not named <= terms(page)
