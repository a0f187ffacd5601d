"""Is what was gathered enough? The deterministic judge: coverage of the question and its targets.

Terms of the question and words of the target information are looked for in the extracts. It never
asks a model; `model_reflection` does that first when one is configured.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from pellucid_decision.decision import Outbound
from pellucid_decision.errors import DecisionError
from pellucid_decision.queries.terms import Term, terms_of
from pellucid_decision.understanding.limits import valid_query
from pellucid_language.calendar import month_beginnings
from pellucid_language.folding import straight
from pellucid_language.scripts import HAN, HANGUL

MAX_MISSING = 3
SUFFICIENT_COVERAGE = 0.7
_NUMBER = re.compile(r"\d")
_CAPITAL_NAME = re.compile(rf"\b[A-Z][a-z]+ [A-Z][a-z]+|[{HAN}{HANGUL}]{{2,4}}")
_DATE = re.compile(
    rf"\b(?:19|20)\d\d\b|\d{{1,2}}[./月월]|\b(?:{'|'.join(month_beginnings('en'))})",
    re.IGNORECASE,
)
# What an extract must show for a kind of target information.
_EVIDENCE: Mapping[str, re.Pattern[str]] = {
    "number": _NUMBER,
    "value": _NUMBER,
    "price": _NUMBER,
    "result": _NUMBER,
    "name": _CAPITAL_NAME,
    "who": _CAPITAL_NAME,
    "date": _DATE,
    "when": _DATE,
    "time": _DATE,
    "forecast": _NUMBER,
    "rating": _NUMBER,
}
_CLAUSE_END = re.compile(r"[,;?!、，；？！。]")


@dataclass(frozen=True, slots=True)
class Extract:
    """Text taken from one source; untrusted.

    Attributes:
        title: Title of the source.
        text: Key facts.
        published_at: When it was published, if known.
    """

    title: str
    text: str
    published_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Gathered:
    """What is to be judged.

    Attributes:
        question: The standalone question.
        target_info: What an answer must contain.
        extracts: What was gathered so far.
        used_queries: Queries used so far.
        now: The instant that "today" refers to.
        no_external: Nothing may leave the installation.
    """

    question: str
    target_info: tuple[str, ...]
    extracts: tuple[Extract, ...]
    used_queries: tuple[str, ...]
    now: datetime
    no_external: bool = False


@dataclass(frozen=True, slots=True)
class Judgement:
    """The answer to "is it enough?".

    Attributes:
        sufficient: The extracts answer the question.
        missing: What is missing, most important first; at most 3, empty when sufficient.
        refined_query: Query for the next round; empty when none would help.
        reasoning: One English sentence.
        confidence: 0 to 1.
        judge: "llm" or "coverage".
        outbound: What was sent to an external model.
        degraded: The model, with one sentence, when it gave no judgement.
    """

    sufficient: bool
    missing: tuple[str, ...]
    refined_query: str
    reasoning: str
    confidence: float
    judge: str = "coverage"
    outbound: tuple[Outbound, ...] = ()
    degraded: tuple[tuple[str, str], ...] = ()


class NoJudgementError(DecisionError):
    """A model was asked and gave none, or none in time.

    Args:
        outbound: What was sent to it.
    """

    def __init__(self, outbound: tuple[Outbound, ...]) -> None:
        super().__init__("the reasoning model gave no judgement")
        self.outbound = outbound


def judge_coverage(gathered: Gathered, language: str) -> Judgement:
    """Judge by the share of question terms and targets that the extracts show.

    Args:
        gathered: What is to be judged.
        language: ISO 639-1 code of the question.
    """
    text = straight(
        " ".join(f"{extract.title} {extract.text}" for extract in gathered.extracts)
    ).casefold()
    original = " ".join(f"{extract.title} {extract.text}" for extract in gathered.extracts)
    terms = terms_of(gathered.question, language)
    absent = [term for term in terms if not _present(term, text)]
    unmet = [target for target in gathered.target_info if not _met(target, original)]
    covered = 1 - len(absent) / len(terms) if terms else float(bool(text.strip()))
    met = 1 - len(unmet) / len(gathered.target_info) if gathered.target_info else 1.0
    share = 0.6 * covered + 0.4 * met
    firm_absent = [term for term in absent if term.firm]
    sufficient = (
        bool(text.strip()) and share >= SUFFICIENT_COVERAGE and not unmet and not firm_absent
    )
    if sufficient:
        return Judgement(True, (), "", "The extracts cover the question and its targets.", share)  # noqa: FBT003 - first field
    missing = _missing(unmet, firm_absent, absent, gathered.question)
    refined = refined_query(gathered, terms, absent)
    return Judgement(False, missing, refined, _reasoning(missing), 1 - share)  # noqa: FBT003 - first field


def refined_query(gathered: Gathered, terms: Sequence[Term], absent: Sequence[Term]) -> str:
    """Return a query that was not used yet: names first, then what is missing; empty for none."""
    used = {frozenset(query.casefold().split()) for query in gathered.used_queries}
    names = [term.text for term in terms if term.firm][:3]
    lacking = [term.text for term in absent if term.text not in names]
    plain = [term.text for term in terms if term.text not in names]
    year = str(gathered.now.year)
    candidates = (
        _of_open_clause(gathered.question, terms, absent),
        [*names, *lacking],
        [*names, *plain, year],
        [*plain, *names],
        [*names[:2], *plain[:2], "overview"],
    )
    for words in candidates:
        query = valid_query(" ".join(dict.fromkeys(words[:6])))
        if query and frozenset(query.casefold().split()) not in used:
            return query
    return ""


def _of_open_clause(question: str, terms: Sequence[Term], absent: Sequence[Term]) -> list[str]:
    """Return the terms of the clause that lacks most; none where the question is one clause."""
    clauses = [clause.casefold() for clause in _CLAUSE_END.split(question) if clause.strip()]
    if len(clauses) < 2:  # noqa: PLR2004 - of one clause nothing is left out
        return []
    lacking = [sum(term.key in clause for term in absent) for clause in clauses]
    clause = clauses[lacking.index(max(lacking))]
    return [term.text for term in terms if term.text.casefold() in clause] if any(lacking) else []


def _present(term: Term, text: str) -> bool:
    """A term is there as it is or by its first letters (endings differ between forms)."""
    key = term.key
    stem = key[: max(4, len(key) - 3)] if len(key) > 5 and key.isascii() else key  # noqa: PLR2004 - short words have no ending to lose
    return stem in text


def _met(target: str, text: str) -> bool:
    words = re.findall(r"\w+", target.casefold())
    wanted = [pattern for word, pattern in _EVIDENCE.items() if word in words]
    return bool(text.strip()) and all(pattern.search(text) for pattern in wanted)


def _missing(
    unmet: Sequence[str], firm: Sequence[Term], absent: Sequence[Term], question: str
) -> tuple[str, ...]:
    aspects = [*unmet, *(term.text for term in firm), *(term.text for term in absent)]
    return tuple(dict.fromkeys(aspects))[:MAX_MISSING] or (question[:80],)


def _reasoning(missing: Sequence[str]) -> str:
    return f"The extracts do not show: {', '.join(missing)}."
