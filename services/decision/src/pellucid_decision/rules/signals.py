"""Which signals fire on a message, and what score they add up to."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from pellucid_decision.decision import Signal, strongest_first
from pellucid_decision.rules.rulebook import Matcher, Rulebook
from pellucid_decision.text.conversation import Ask, Role
from pellucid_decision.text.material import without_material
from pellucid_decision.text.normal import window
from pellucid_decision.text.structure import structural_signals
from pellucid_language.detection import rivals
from pellucid_language.folding import straight

EVIDENCE_CHARACTERS = 64
_LATIN_LETTER = re.compile(r"[a-z]")
# What may be asked of a text that the message brings; what that text says asks for nothing then.
TASKS = frozenset({"text_task", "rewriting", "creative", "code_writing", "roleplay"})


@dataclass(frozen=True, slots=True)
class Reading:
    """A message as the rules see it.

    Attributes:
        text: Folded window of the message.
        language: ISO 639-1 code.
        signals: What fired, strongest first.
        score: Prior plus the sum of the weights, clamped to 0..1.
    """

    text: str
    language: str
    signals: tuple[Signal, ...]
    score: float

    def has(self, *names: str) -> bool:
        """True when one of the named signals fired."""
        return not {signal.name for signal in self.signals}.isdisjoint(names)

    def vetoed(self, strength: float = 0.3) -> bool:
        """True when a signal of at least that strength speaks against a search."""
        return any(signal.weight <= -strength for signal in self.signals)


def read(text: str, *, language: str, rulebook: Rulebook, ask: Ask) -> Reading:
    """Return the signals of one text on its own.

    Args:
        text: Message or resolved question.
        language: ISO 639-1 code.
        rulebook: Rules in force.
        ask: The request, for its clock and cut-off.
    """
    view = straight(window(text))
    spotted = _spotted(view, language, rulebook, ask)
    order = without_material(view)
    if order == view:
        spotted.pop("text_task", None)
    elif (asked := _spotted(order, language, rulebook, ask, spotted)).keys() & TASKS:
        spotted = {
            name: words
            for name, words in spotted.items()
            if name in asked or (rulebook.signals[name].veto and name != "text_task")
        }
    return reading(view, language=language, spotted=spotted.items(), rulebook=rulebook)


def _spotted(
    text: str, language: str, rulebook: Rulebook, ask: Ask, known: Collection[str] | None = None
) -> dict[str, str]:
    """Return evidence by name of the signals that fire on a folded text.

    With `known` only those and tasks are looked for.
    """
    wanted = None if known is None else TASKS.union(known)
    lower = text.lower()
    possible = rulebook.needles.possible(lower)

    def spot(code: str) -> dict[str, str]:
        return dict(_spot(lower, rulebook.of(code).among(possible), wanted))

    spotted = spot("any") | spot(language)
    for code in _further(text, language):
        spotted = spot(code) | spotted
    for name, words in structural_signals(text, cutoff=ask.cutoff, now=ask.now, language=language):
        spotted[name] = words
    return spotted


def reading(
    text: str,
    *,
    language: str,
    spotted: Iterable[tuple[str, str]],
    rulebook: Rulebook,
) -> Reading:
    """Weigh what was spotted."""
    signals = tuple(
        Signal(name, rulebook.signals[name].weight, evidence[:EVIDENCE_CHARACTERS])
        for name, evidence in spotted
        if name in rulebook.signals
    )
    total = rulebook.prior + sum(signal.weight for signal in signals)
    return Reading(text, language, strongest_first(signals), min(1.0, max(0.0, total)))


def with_signal(base: Reading, name: str, evidence: str, rulebook: Rulebook) -> Reading:
    """Return `base` with one more signal."""
    spotted = [(signal.name, signal.evidence) for signal in base.signals if signal.name != name]
    return reading(
        base.text, language=base.language, spotted=[*spotted, (name, evidence)], rulebook=rulebook
    )


def ends_in_tool(ask: Ask) -> bool:
    """True when the last turn before the message is a tool's result."""
    return bool(ask.history) and ask.history[-1].role is Role.TOOL


def _spot(
    lower: str, matchers: Iterable[Matcher], wanted: Collection[str] | None
) -> Iterator[tuple[str, str]]:
    for matcher in matchers:
        if wanted is not None and matcher.spec.name not in wanted:
            continue
        match = matcher.pattern.search(lower)
        if match and not (matcher.unless and matcher.unless.search(lower)):
            yield matcher.spec.name, " ".join(match.group().split())


def _further(text: str, language: str) -> tuple[str, ...]:
    """Languages whose rules are read as well: English terms in CJK text, near ones of short text."""  # noqa: E501 - one pattern or table row
    if language in {"ko", "ja", "zh"}:
        return ("en",) if _has_latin(text) else ()
    return tuple(code for code in rivals(text) if code != language)


def _has_latin(text: str) -> bool:
    return _LATIN_LETTER.search(text.casefold()) is not None
