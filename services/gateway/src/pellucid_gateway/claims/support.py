"""Does a source support a claim? The scorer's judgement, held to the lexical checks.

With the scorer lost the lexical checks remain and the turn says so.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pellucid_gateway.claims.claim_checks import (
    NOTHING_SAID,
    LexicalSupport,
    best_passage,
    date_words,
    has_anchor,
    has_facts,
    is_pinned,
    lexical_support,
    overlap,
    undated,
)
from pellucid_gateway.claims.contradictions import contradicts
from pellucid_gateway.claims.distortions import is_distorted
from pellucid_gateway.claims.doubts import decided, doubtful, surroundings
from pellucid_gateway.claims.judgement import (
    LONGEST_DOUBT_CHARS,
    MIN_SUPPORT,
    MOST_DOUBTS,
    MOST_VERDICTS,
    Doubt,
    Judgement,
    SecondOpinion,
)
from pellucid_gateway.course.budgets import limited
from pellucid_gateway.course.course import Course
from pellucid_gateway.vocabulary.answer import Verdict
from pellucid_gateway.vocabulary.findings import Source
from pellucid_gateway.vocabulary.ports import Passage, PassageSupport, ScorerPort
from pellucid_language import sentences
from pellucid_language.folding import fold
from pellucid_language.quantities import Figure, figures, spelled_figures
from pellucid_language.terms import function_terms, has_unspaced_script, terms
from pellucid_language.text_memory import TextMemory
from pellucid_runtime.errors import ServiceError

# Share of a claim's words that its source must have when only words can be checked; chosen on
# labelled claims, where it finds nearly all changed numbers.
MIN_OVERLAP = 0.4
# Support by the wording of a claim with a figure, which its source must have: 4 more of our own
# right claims are kept and no wrong one, of 2,330 public rows 1 right and 2 wrong ones.
_LEAST_WITH_FIGURE = 0.35
# Pairs of characters, of which a changed ending takes two.
MIN_OVERLAP_UNSPACED = 0.3
# Of a claim over several sources each has this much.
_LEAST_PART = 0.3
_MOST_CLAIMS = 32
# What a claim keeps of its score that is denied, turned or says more than its source.
_KEPT_DENIED = 0.3
_WORD = re.compile(r"\w+")
# What a claim in another language than its source gets when its figures and names hold.
_ACROSS_LANGUAGES = 0.5


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
        opinion: Asked about what words leave open; None: words decide.
        verdicts: What an opinion said of the same answer before.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        *,
        scorer: ScorerPort,
        course: Course,
        question: str,
        language: str,
        opinion: SecondOpinion | None = None,
        verdicts: Sequence[Verdict] = (),
    ) -> None:
        self._opinion = opinion
        self._told = {(one.claim, one.sources): one.supported for one in verdicts}
        self._sources = tuple(sources)
        self._scorer = scorer
        self._course = course
        self._ledger = course.ledger
        self._question = question
        self._language = language
        self._memory = TextMemory()
        self._passages = tuple(
            Passage(str(s.n), shown_text(s), no_store=s.user_supplied) for s in sources
        )

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """What the opinion said so far, in the order asked; at most `MOST_VERDICTS`."""
        return tuple(Verdict(claim, sources, told) for (claim, sources), told in self._told.items())

    async def judge(
        self, claims: Sequence[str], cited: Sequence[Sequence[int]] = ()
    ) -> tuple[tuple[Judgement, ...], ...]:
        """Judge each claim against each source, both in order.

        Args:
            claims: Those of one sentence.
            cited: Numbers of the sources that each claim cites; without them words decide.
        """
        judged = await self._by_words(claims)
        doubts = [
            doubt
            for i, numbers in enumerate(cited)
            for doubt in self._doubts(claims[i], judged[i], numbers)
        ]
        await self._ask_opinion(doubts)
        return tuple(
            tuple(decided(one, self._told.get((claims[i], (one.source,)))) for one in row)
            for i, row in enumerate(judged)
        )

    async def _ask_opinion(self, doubts: Sequence[Doubt]) -> None:
        room = min(MOST_DOUBTS, MOST_VERDICTS - len(self._told))
        asked = [
            doubt
            for doubt in doubts
            if len(doubt.claim) <= LONGEST_DOUBT_CHARS
            and (doubt.claim, doubt.sources) not in self._told
        ][:room]
        if self._opinion is None or not asked:
            return
        verdicts = await self._opinion.on(asked)
        for doubt, verdict in zip(asked, verdicts or (), strict=False):
            self._told[doubt.claim, doubt.sources] = verdict

    def _doubts(self, claim: str, judged: Sequence[Judgement], cited: Sequence[int]) -> list[Doubt]:
        """What is worth a question: open claims on each source, and on all that are cited."""
        by_number = {source.n: source for source in self._sources}
        doubts = [
            Doubt(claim, surroundings(one.passage, by_number[one.source]), (one.source,))
            for one in doubtful(judged, cited)
        ]
        together = tuple(n for n in cited if n in by_number)
        if len(together) > 1 and not any(one.supported for one in judged if one.source in cited):
            passages = (
                surroundings(_passage(claim, by_number[n], None), by_number[n]) for n in together
            )
            doubts.append(Doubt(claim, " ".join(passages), together))
        return doubts

    async def _by_words(self, claims: Sequence[str]) -> tuple[tuple[Judgement, ...], ...]:
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
        score = support.score if support else overlap(claim, shown)
        least = _least_support(claim) if support else _least_overlap(claim)
        if self._is_checked_by_facts_alone(claim, source):
            score, least = max(score, _ACROSS_LANGUAGES), _ACROSS_LANGUAGES
        found = self._by_facts(claim, source)
        if found.kept < 1.0:
            worth = round(score * found.kept, 4)
            return Judgement(source.n, supported=False, score=worth, passage="")
        is_denied = found.numbers_open or self._is_denied(claim, source)
        supported = score >= least and not is_denied
        is_open = not (supported and _is_verbatim(claim, source))
        if is_open and support and support.verdict is not None:
            supported, is_open = support.verdict >= MIN_SUPPORT, False
            score = max(score, MIN_SUPPORT) if supported else score
        is_open = is_open and (self._opinion is not None or bool(self._told))
        return Judgement(
            source=source.n,
            supported=supported,
            score=round(score * (_KEPT_DENIED if is_denied else 1.0), 4),
            passage=_passage(claim, source, support) if supported or is_open else "",
            is_open=is_open,
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
        told = self._told.get((claim, tuple(source.n for source in cited)))
        if told is None and any(self._told.get((claim, (source.n,))) is False for source in cited):
            told = False
        holds = self._holds(claim, whole) if told is None else told
        if share < MIN_OVERLAP or not holds or self._by_facts(claim, whole).kept < 1.0:
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
        found = self._by_facts(claim, source)
        stands = found.kept == 1.0 and not found.numbers_open
        return stands and not self._is_denied(claim, source)

    def _is_denied(self, claim: str, source: Source) -> bool:
        return contradicts(claim, source.facts) or is_distorted(claim, shown_text(source))

    def _by_facts(self, claim: str, source: Source) -> LexicalSupport:
        """What the source has of the figures, dates and names of a claim that says something."""
        if not terms(claim) - function_terms():
            return NOTHING_SAID
        return lexical_support(
            claim,
            f"{source.title}. {source.facts}",
            published=source.published.time if source.published else None,
            known=self._question,
            language=self._language,
        )


def _is_verbatim(claim: str, source: Source) -> bool:
    """Whether a sentence of the source has the claim's words, in their order, and no other."""
    words = _WORD.findall(fold(claim))
    return any(_WORD.findall(fold(one)) == words for one in sentences.split(source.facts))


def _supporting(claim: str, source: Source, score: float) -> Judgement:
    return Judgement(
        source=source.n,
        supported=True,
        score=round(score, 4),
        passage=_passage(claim, source, None),
    )


def _least_support(claim: str) -> float:
    """Where a figure of the claim stands in its source, less of the wording must agree."""
    has_figure = any(not figure.is_year for figure in _figures(claim))
    return _LEAST_WITH_FIGURE if has_figure else MIN_SUPPORT


def _figures(claim: str) -> Iterator[Figure]:
    text = undated(claim)
    yield from figures(text)
    yield from spelled_figures(text)


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
