"""Does a source support a claim? The scorer's judgement, held to the lexical checks.

With the scorer lost the lexical checks remain and the turn says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pellucid_gateway import sentences
from pellucid_gateway.budgets import limited
from pellucid_gateway.claim_checks import (
    best_passage,
    date_words,
    has_anchor,
    lexical_support,
    overlap,
)
from pellucid_gateway.contradictions import contradicts
from pellucid_gateway.course import Course
from pellucid_gateway.findings import Source
from pellucid_gateway.ports import Passage, PassageSupport, ScorerPort
from pellucid_gateway.terms import function_terms, has_unspaced_script, terms
from pellucid_runtime.errors import ServiceError

# Even odds of the scorer's calibrated support.
MIN_SUPPORT = 0.5
# Share of a claim's words that its source must have when only words can be checked; chosen on
# labelled claims, where it finds nearly all changed numbers.
MIN_OVERLAP = 0.6
# The same where the scorer misses nothing but a name that the checks of the claim's own language
# find: it takes inflected German nouns and titles for names. Of 96 right claims 4 were lost so.
_OVERLAP_DESPITE_NAMES = 0.7
_MOST_CLAIMS = 32
# What a claim in another script than its source gets when its figures and names hold.
_ACROSS_SCRIPTS = 0.5


@dataclass(frozen=True, slots=True)
class Judgement:
    """How one source stands to one claim; the passage is verbatim from the source's facts."""

    source: int
    supported: bool
    score: float
    passage: str


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
        self._passages = tuple(Passage(str(s.n), shown_text(s)) for s in sources)

    async def judge(self, claims: Sequence[str]) -> tuple[tuple[Judgement, ...], ...]:
        """Judge each claim against each source, both in order."""
        if not claims or not self._sources:
            return tuple(() for _ in claims)
        support = await self._ask(claims[:_MOST_CLAIMS])
        return tuple(
            tuple(
                self._judged(claim, source, support[i][j] if i < len(support) else None)
                for j, source in enumerate(self._sources)
            )
            for i, claim in enumerate(claims)
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
        """The scorer's number must suffice, figures and names stand, nothing speak against."""
        shown = shown_text(source)
        across = has_unspaced_script(claim) != has_unspaced_script(source.facts)
        score = support.score if support else overlap(claim, shown)
        least = MIN_SUPPORT if support else MIN_OVERLAP
        if across and has_anchor(claim):
            score, least = max(score, _ACROSS_SCRIPTS), _ACROSS_SCRIPTS
        if (
            support
            and _misses_names_only(support)
            and overlap(claim, shown) >= (_OVERLAP_DESPITE_NAMES)
        ):
            score = max(score, MIN_SUPPORT)
        supported = score >= least and self._holds(claim, source)
        return Judgement(
            source=source.n,
            supported=supported,
            score=round(score, 4),
            passage=_passage(claim, source, support) if supported else "",
        )

    def is_said(self, sentence: str) -> bool:
        """Whether some source has the figures, dates and names of a sentence, by words alone."""
        return not has_anchor(sentence) or any(
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


def _misses_names_only(support: PassageSupport) -> bool:
    return support.numbers_found and support.dates_found and not support.names_found


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
