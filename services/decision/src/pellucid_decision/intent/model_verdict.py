"""From the trained model's probability to a verdict, and what happens without the model."""

from pellucid_decision.decision import Signal, Stage, Verdict
from pellucid_decision.intent.case import Case
from pellucid_decision.intent.kinds import reason_of
from pellucid_decision.intent.reading import fired
from pellucid_decision.llm.decision_stage import Reply
from pellucid_decision.ports import Understanding

# Within this band of its calibrated probability the model is unsure, and a language model is asked.
UNSURE = (0.3, 0.7)
# In doubt no search: speed first.
SEARCH_AT = 0.5
LEANS_AT = 0.5
# After an answer, what surely is small talk has a lower probability of a search. Swept 0.05 to 0.5
# on 110 reactions to an answer, of which it tells 27, 46, 69 (at 0.2), 81, 99; of 561 questions
# after an answer it takes 0, 0, 1, 4, 9 for small talk.
SURELY_TALK = 0.2
# What the fallback is worth; it reads a few words.
_FALLBACK_CONFIDENCE = 0.6
_MATRIX_CONFIDENCE = 0.9


def is_sure(understood: Understanding) -> bool:
    """Whether the model's probability lies outside the band of doubt."""
    low, high = UNSURE
    return not low < understood.search < high


def by_matrix(case: Case, understood: Understanding | None) -> Verdict | None:
    """Return a search for a watched topic, unless the model is sure that none is needed."""
    if case.category is None or (understood and understood.search <= UNSURE[0]):
        return None
    topic = case.category.name.replace("_", " ")
    reason = f"The message asks about a watched topic ({topic})."
    return Verdict(True, Stage.MATRIX, _MATRIX_CONFIDENCE, case.category.name, reason)  # noqa: FBT003 - first field


def by_model(understood: Understanding, *, stage: Stage = Stage.CLASSIFIER) -> Verdict:
    """Return the verdict of the trained model."""
    search = understood.search >= SEARCH_AT
    confidence = understood.search if search else 1 - understood.search
    code = understood.kind or "model"
    return Verdict(search, stage, confidence, code, reason_of(understood.kind, search=search))


def by_language_model(reply: Reply) -> Verdict:
    """Return the verdict of a language model that gave one."""
    search = bool(reply.search)
    usual = "is needed" if search else "is not needed"
    reason = reply.reason or f"The language model judged that the web {usual}."
    return Verdict(search, Stage.LLM, reply.sure, "model", reason)


def by_fallback(case: Case) -> Verdict:
    """Return the verdict where no model answered: a few words search, all else is answered."""
    signals = fallback_signals(case)
    if not signals:
        reason = "No model was available, and nothing clearly asks for the web."
        return Verdict(False, Stage.FALLBACK, _FALLBACK_CONFIDENCE, "best_guess", reason)  # noqa: FBT003 - first field
    code = signals[0].name
    reason = case.book.fallback[code].reason
    return Verdict(True, Stage.FALLBACK, _FALLBACK_CONFIDENCE, code, reason)  # noqa: FBT003 - first field


def fallback_signals(case: Case) -> tuple[Signal, ...]:
    """Return which words of the fallback a message has."""
    return tuple(fired(case.book.fallback.values(), case.reading.text))


def model_signals(understood: Understanding | None, reply: Reply | None) -> tuple[Signal, ...]:
    """Return what the models said, as signals for people."""
    found = []
    if understood:
        percent = f"{understood.search:.0%} for a search"
        evidence = f"{understood.kind}, {percent}" if understood.kind else percent
        found.append(Signal("trained_model", round(2 * understood.search - 1, 3), evidence))
        if understood.leans >= LEANS_AT:
            found.append(Signal("refers_to_history", 0.0, f"{understood.leans:.0%}"))
    if reply and reply.search is not None:
        weight = reply.confidence if reply.search else -reply.confidence
        found.append(Signal("language_model", round(weight, 3)))
    return tuple(found)
