"""Does a source support a claim? The scorer's judgement, held to the lexical checks.

With the scorer lost the lexical checks remain and the turn says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pellucid_gateway import sentences
from pellucid_gateway.budgets import limited
from pellucid_gateway.claim_checks import (
    best_passage,
    date_words,
    has_anchor,
    has_facts,
    is_pinned,
    lexical_support,
    overlap,
)
from pellucid_gateway.contradictions import contradicts
from pellucid_gateway.course import Course
from pellucid_gateway.findings import Source
from pellucid_gateway.ports import Passage, PassageSupport, ScorerPort
from pellucid_gateway.terms import function_terms, has_unspaced_script, terms
from pellucid_gateway.text_memory import TextMemory
from pellucid_runtime.errors import ServiceError

# Even odds of the scorer's calibrated support.
MIN_SUPPORT = 0.5
# Share of a claim's words that its source must have when only words can be checked; chosen on
# labelled claims, where it finds nearly all changed numbers.
MIN_OVERLAP = 0.4
# Pairs of characters, of which a changed ending takes two.
MIN_OVERLAP_UNSPACED = 0.3
# Of a claim over several sources each has this much.
_LEAST_PART = 0.3
_MOST_CLAIMS = 32
# What a claim in another language than its source gets when its figures and names hold.
_ACROSS_LANGUAGES = 0.5


@dataclass(frozen=True, slots=True)
class Judgement:
    """How one source stands to one claim; the passage is verbatim from the source's facts."""

    source: int
    supported: bool
    score: float
    passage: str


def load_claim_tables() -> None:
    """Read the tables of all checks, which takes about a fifth of a second."""
    samples = {"en": "Ash bought 3 km of Birch", "de": "Ash kauft Birch", "ko": "가"}
    for language, claim in samples.items():
        lexical_support(claim, claim, language=language)
        contradicts(claim, f"{claim}.")


class SupportJudge:
    """Judges the claims of one answer.

    Args:
        sources: What the model was shown.
        scorer: Asked until it fails once.
        course: The turn's time and account; told when the scorer is lost.
        question: Its words need no support.
        language: Language of the answer.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        *,
        scorer: ScorerPort,
        course: Course,
        question: str,
        language: str,
    ) -> None:
        self._sources = tuple(sources)
        self._scorer = scorer
        self._course = course
        self._ledger = course.ledger
        self._question = question
        self._language = language
        self._memory = TextMemory()
        self._passages = tuple(Passage(str(s.n), shown_text(s)) for s in sources)

    async def judge(self, claims: Sequence[str]) -> tuple[tuple[Judgement, ...], ...]:
        """Judge each claim against each source, both in order."""
        if not claims or not self._sources:
            return tuple(() for _ in claims)
        support = await self._ask(claims[:_MOST_CLAIMS])
        judged = []
        for i, claim in enumerate(claims):
            # The scorer answers for many turns in one moment, and then all of them would check.
            await self._course.rounds.turn()
            judged.append(self._judged_by_all(claim, support[i] if i < len(support) else ()))
        return tuple(judged)

    def _judged_by_all(
        self, claim: str, support: Sequence[PassageSupport]
    ) -> tuple[Judgement, ...]:
        with self._memory.used():
            return tuple(
                self._judged(claim, source, support[j] if support else None)
                for j, source in enumerate(self._sources)
            )

    async def _ask(self, claims: Sequence[str]) -> tuple[tuple[PassageSupport, ...], ...]:
        if self._ledger.lost("scorer"):
            self._tell_lexical()
            return ()
        budget = self._course.budget
        try:
            async with limited(budget.answer_s(self._course.budgets.support_s)):
                support = await self._scorer.support(claims, self._passages)
        except (ServiceError, TimeoutError) as error:
            self._ledger.lose_by("scorer", error, "support")
            self._tell_lexical()
            return ()
        whole = len(support) == len(claims) and all(len(s) == len(self._sources) for s in support)
        return support if whole else ()

    def _tell_lexical(self) -> None:
        self._ledger.lose("citations", "only words and numbers were checked")

    def _judged(self, claim: str, source: Source, support: PassageSupport | None) -> Judgement:
        """The wording must suffice, figures and names stand, nothing speak against."""
        shown = shown_text(source)
        score = _likeness(support) if support else overlap(claim, shown)
        least = MIN_SUPPORT if support else _least_overlap(claim)
        if self._is_checked_by_facts_alone(claim, source):
            score, least = max(score, _ACROSS_LANGUAGES), _ACROSS_LANGUAGES
        supported = score >= least and not _is_vetoed(support) and self._holds(claim, source)
        return Judgement(
            source=source.n,
            supported=supported,
            score=round(score, 4),
            passage=_passage(claim, source, support) if supported else "",
        )

    def _is_checked_by_facts_alone(self, claim: str, source: Source) -> bool:
        """Whether the two are of different languages, and the claim has what can be looked up."""
        if has_unspaced_script(claim) != has_unspaced_script(source.facts):
            return has_anchor(claim)
        return source.language[:2] not in {"", self._language[:2]} and is_pinned(claim)

    def judge_together(self, claim: str, numbers: Sequence[int]) -> tuple[Judgement, ...]:
        """Judge a claim of which each of several sources may have a part.

        Args:
            claim: One sentence or clause that no source supports alone.
            numbers: Sources that it cites.

        Returns:
            A judgement for each source when together they have all of it; else none.
        """
        with self._memory.used():
            return self._judged_together(claim, numbers)

    def _judged_together(self, claim: str, numbers: Sequence[int]) -> tuple[Judgement, ...]:
        cited = [source for source in self._sources if source.n in numbers]
        if len(cited) <= 1 or any(overlap(claim, shown_text(s)) < _LEAST_PART for s in cited):
            return ()
        whole = replace(
            cited[0],
            title=". ".join(s.title for s in cited),
            facts=" ".join(shown_text(s) for s in cited),
        )
        share = overlap(claim, whole.facts)
        if share < MIN_OVERLAP or not self._holds(claim, whole):
            return ()
        return tuple(_supporting(claim, s, share) for s in cited)

    def is_said(self, sentence: str) -> bool:
        """Whether some source has the figures, dates and names of a sentence, by words alone."""
        with self._memory.used():
            return not has_facts(sentence) or any(
                has_unspaced_script(sentence) != has_unspaced_script(source.facts)
                or self._holds(sentence, source)
                for source in self._sources
            )

    def _holds(self, claim: str, source: Source) -> bool:
        lexical = lexical_support(
            claim,
            f"{source.title}. {source.facts}",
            published=source.published.time if source.published else None,
            known=self._question,
            language=self._language,
        )
        says_something = bool(terms(claim) - function_terms())
        return says_something and lexical.all_found and not contradicts(claim, source.facts)


def _supporting(claim: str, source: Source, score: float) -> Judgement:
    return Judgement(
        source=source.n,
        supported=True,
        score=round(score, 4),
        passage=_passage(claim, source, None),
    )


def _likeness(support: PassageSupport) -> float:
    """How well the wording supports; what is missing is looked up here, by language."""
    return max(support.score, support.likeness)


def _is_vetoed(support: PassageSupport | None) -> bool:
    """The scorer found everything and still thinks little of the claim: it is denied or turned."""
    if support is None or support.score >= MIN_SUPPORT:
        return False
    return support.numbers_found and support.names_found and support.dates_found


def _least_overlap(claim: str) -> float:
    return MIN_OVERLAP_UNSPACED if has_unspaced_script(claim) else MIN_OVERLAP


def shown_text(source: Source) -> str:
    """Title, date and facts, as far as claims may rest on them; the facts come last."""
    date = f" {date_words(source.published.time)}." if source.published else ""
    return f"{source.title}.{date} {source.facts}"


def _passage(claim: str, source: Source, support: PassageSupport | None) -> str:
    """The supporting words within the facts: the scorer's window, else the nearest sentence."""
    facts_start = len(shown_text(source)) - len(source.facts)
    if support and support.window_end > support.window_start >= facts_start:
        window = source.facts[support.window_start - facts_start : support.window_end - facts_start]
        if window.strip():
            return window.strip()
    return best_passage(claim, sentences.split(source.facts)) or source.facts
