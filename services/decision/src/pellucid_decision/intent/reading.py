"""What the form of a message says: which signals fire, and whether it is a query already."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pellucid_decision.decision import Signal
from pellucid_decision.intent.rulebook import FormSignal, Rulebook
from pellucid_decision.text.conversation import Ask, Role
from pellucid_decision.text.material import own_words, without_material
from pellucid_decision.text.normal import window
from pellucid_language.folding import straight
from pellucid_language.scripts import is_spaceless

EVIDENCE_CHARACTERS = 64
# Prompts of frontends are told from all of a message, the rest from the person's own words. What
# follows a colon may well forbid a search ("One thing: don't search").
_OF_ALL, _FORBIDS = "task_prompt", "dont_search"
_OPERATOR = re.compile(
    r'(?:\A|\s)(?:(?:site|filetype|intitle|inurl|intext|ext):\S|"[^"\n]+"\s+-\w)'
)
_QUOTATION = re.compile(r'\A\s*"[^"\n]+"\s*\Z')
_SINGLE_WORD = re.compile(r"\A\w[\w.+#'’-]*\Z")


@dataclass(frozen=True, slots=True)
class Reading:
    """The form of a message.

    Attributes:
        text: Folded window of the message, in lower case.
        signals: What fired, in the order of the rules.
        literal: The query that the message is or wraps; empty when it is none.
        ordered: The query is an order to search, not just a word or a quotation.
    """

    text: str
    signals: tuple[Signal, ...]
    literal: str = ""
    ordered: bool = False

    def has(self, *names: str) -> bool:
        """True when one of the named signals fired."""
        return any(signal.name in names for signal in self.signals)


def read(ask: Ask, rulebook: Rulebook) -> Reading:
    """Return what the form of a message says."""
    view = straight(window(ask.message)).lower()
    texts = {_OF_ALL: view, _FORBIDS: own_words(view)}
    own = without_material(view)
    signals = tuple(
        signal
        for form in rulebook.signals.values()
        for signal in fired([form], texts.get(form.name, own))
    )
    if ask.history and ask.history[-1].role is Role.TOOL:
        signals = (_signal(rulebook.signals["tool_result"], "tool"), *signals)
    literal, ordered = _literal(ask.message, rulebook)
    return Reading(view, signals, literal, ordered)


def fired(forms: Iterable[FormSignal], text: str) -> Iterator[Signal]:
    """Yield the signals that fire on a lower-case text, with the words that made them."""
    for form in forms:
        match = next(filter(None, (pattern.search(text) for pattern in form.patterns)), None)
        if match:
            yield _signal(form, match.group())


def _signal(form: FormSignal, evidence: str) -> Signal:
    return Signal(form.name, form.weight, " ".join(evidence.split())[:EVIDENCE_CHARACTERS])


def _literal(message: str, rulebook: Rulebook) -> tuple[str, bool]:
    """Return the query that a message is or wraps, and whether that is an order to search."""
    wrapper = rulebook.found("query_wrapper", message.lower())
    query = message[wrapper.end() :].strip() if wrapper else ""
    if query and "\n" not in query:
        return query, True
    text = message.strip()
    if _OPERATOR.search(text) and "\n" not in text:
        return text, True
    bare = text.rstrip("?!.")
    single = _SINGLE_WORD.match(bare) and not is_spaceless(bare)
    return (bare if single else text) if single or _QUOTATION.match(text) else "", False
