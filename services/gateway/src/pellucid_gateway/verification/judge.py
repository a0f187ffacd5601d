"""Does a source support a claim? Form, then likeness, then whoever judges.

Figures, dates and names of the claim must stand in the source's text as it was shown. Of what
stands the scorer tells how alike the wording is, and a judge whether the passage says it: the
scorer's verifier, else a language model. Without either, form and likeness decide.
"""

from asyncio import Future
from collections.abc import Sequence
from dataclasses import replace

from pellucid_gateway.domain.answer import Verdict
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.domain.ports import Passage, PassageSupport, ScorerPort
from pellucid_gateway.turn_context.budgets import limited
from pellucid_gateway.turn_context.context import TurnContext
from pellucid_gateway.verification.fact_matching import (
    NOTHING_SAID,
    FactMatch,
    has_anchor,
    has_facts,
    match_facts,
    overlap,
)
from pellucid_gateway.verification.judgement import MIN_SUPPORT, Doubt, Judgement, SecondOpinion
from pellucid_gateway.verification.nearby import near
from pellucid_gateway.verification.passages import passage_of, shown_text, surroundings
from pellucid_gateway.verification.verdicts import Verdicts
from pellucid_language.detection import UNDETERMINED, detect_language
from pellucid_language.terms import function_terms, has_unspaced_script, terms
from pellucid_language.text_memory import TextMemory
from pellucid_runtime.errors import ServiceError

# Share of a claim's words that its source must have when only words can be compared.
_LEAST_OVERLAP = 0.4
# Pairs of characters, of which a changed ending takes two.
_LEAST_OVERLAP_UNSPACED = 0.3
# Likeness from which form and likeness together are enough.
_LEAST_LIKENESS = 0.3
# The same for a sentence to which we add the citation ourselves.
_LEAST_ADDED = 0.5
# Of a claim over several sources each has this much.
_LEAST_PART = 0.3
_MOST_CLAIMS = 32
# What a claim in another language than its source gets when its figures and names hold.
_ACROSS_LANGUAGES = 0.5
# Sources that a claim does not cite but may be bound to, and that a judge is asked about.
_MOST_OTHERS = 2
# Of a source's text, to tell its language.
_SAMPLE_CHARS = 1_000


def load_claim_tables() -> None:
    """Read the tables of all checks, which takes about a fifth of a second."""
    samples = {"en": "Ash bought 3 km of Birch", "de": "Ash kauft Birch", "ko": "가"}
    for language, claim in samples.items():
        match_facts(claim, claim, language=language)


class SupportJudge:
    """Judges the claims of one answer.

    Args:
        sources: What the model was shown.
        scorer: Asked until it fails once.
        context: The turn's time and account; told when the scorer is lost.
        question: Its words need no support.
        language: Language of the answer.
        opinion: Judges what stands; None: form and likeness decide.
        verdicts: What an opinion said of the same answer before.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        *,
        scorer: ScorerPort,
        context: TurnContext,
        question: str,
        language: str,
        opinion: SecondOpinion | None = None,
        verdicts: Sequence[Verdict] = (),
    ) -> None:
        self._verdicts = Verdicts(opinion, verdicts)
        self._sources = {source.n: source for source in sources}
        self._scorer = scorer
        self._context = context
        self._question = question
        self._language = language
        self._memory = TextMemory()

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """What a language model said and what counted, in the order read."""
        return self._verdicts.read

    async def close(self) -> None:
        """Stop asking a language model."""
        await self._verdicts.close()

    async def judge(self, claims: Sequence[str]) -> tuple[tuple[Judgement, ...], ...]:
        """Judge each claim of a sentence against each source, both in order."""
        if not claims or not self._sources:
            return tuple(() for _ in claims)
        sources = self._near(claims)
        support = await self._support(claims[:_MOST_CLAIMS], sources)
        judged = []
        for i, claim in enumerate(claims):
            # The scorer answers for many turns in one moment, and then all of them would check.
            await self._context.rounds.turn()
            row = support[i] if i < len(support) else ()
            judged.append(self._judged_by_all(claim, sources, row))
        return tuple(judged)

    def ask(
        self,
        claims: Sequence[tuple[str, Sequence[int]]],
        judged: Sequence[Sequence[Judgement]],
        at_most_s: float | None = None,
    ) -> "Future[None]":
        """Ask a language model about the claims of a sentence.

        Args:
            claims: Each with the numbers that it cites; none where a source is looked for.
            judged: What `judge` told of each.
            at_most_s: How long its verdicts can be waited for.

        Returns:
            Done when nothing more will come; `decided` then has what came.
        """
        doubts = [
            doubt
            for (claim, cited), row in zip(claims, judged, strict=True)
            for doubt in self._doubts(claim, row, cited)
        ]
        return self._verdicts.ask(doubts, at_most_s)

    def decided(self, claim: str, row: Sequence[Judgement]) -> tuple[Judgement, ...]:
        """The judgements of a claim with the verdicts that came.

        Where a judge spoke of the claim at all, only what it found supported counts.
        """
        read = [
            one
            if not one.stands or one.verdict is not None
            else replace(one, verdict=self._verdicts.of(claim, (one.source,)))
            for one in row
        ]
        is_judged = any(one.verdict is not None for one in read)
        return tuple(
            replace(one, is_alike=False) if is_judged and one.verdict is None else one
            for one in read
        )

    def decided_together(
        self, claim: str, numbers: Sequence[int], row: Sequence[Judgement]
    ) -> tuple[Judgement, ...]:
        """Judge a claim of which each of several sources may have a part.

        Args:
            claim: One sentence or clause that no source supports alone.
            numbers: Sources that it cites.
            row: Its judgements, decided.

        Returns:
            A judgement for each source when together they have all of it; else none.
        """
        cited = self._joined(claim, numbers)
        if cited is None:
            return ()
        verdict = self._verdicts.of(claim, tuple(source.n for source in cited))
        is_refuted = verdict is None and any(one.verdict is False for one in row)
        if verdict is False or is_refuted:
            return ()
        return tuple(
            replace(
                one,
                stands=True,
                is_alike=True,
                verdict=verdict,
                passage=passage_of(claim, self._sources[one.source], None),
            )
            for one in row
            if any(one.source == source.n for source in cited)
        )

    def speaks_of_sources(self, claim: str) -> bool:
        """Whether a claim has at least half its words, and two, from some source."""
        wanted = terms(claim) - function_terms()
        with self._memory.used():
            shared = max(
                (len(wanted & terms(shown_text(s))) for s in self._near((claim,))), default=0
            )
        return shared > 1 and 2 * shared >= len(wanted)

    def is_close(self, judgement: Judgement) -> bool:
        """Whether a citation may be added of our own accord: judged, or very much alike."""
        if judgement.verdict is not None:
            return judgement.supported
        return judgement.takes_over and judgement.is_rated and judgement.score >= _LEAST_ADDED

    def _near(self, claims: Sequence[str]) -> tuple[Source, ...]:
        """The sources in order, of a long one only what some claims can rest on."""
        said = " ".join(claims)
        return tuple(replace(s, facts=near(said, s.facts)) for s in self._sources.values())

    def _judged_by_all(
        self, claim: str, sources: Sequence[Source], support: Sequence[PassageSupport]
    ) -> tuple[Judgement, ...]:
        with self._memory.used():
            return tuple(
                self._judged(claim, source, support[j] if support else None)
                for j, source in enumerate(sources)
            )

    async def _support(
        self, claims: Sequence[str], sources: Sequence[Source]
    ) -> tuple[tuple[PassageSupport, ...], ...]:
        ledger = self._context.ledger
        if ledger.lost("scorer"):
            self._tell_lexical()
            return ()
        budget = self._context.budget
        try:
            async with limited(budget.answer_s(self._context.budgets.support_s)):
                passages = tuple(
                    Passage(str(s.n), shown_text(s), no_store=s.user_supplied) for s in sources
                )
                support = await self._scorer.support(claims, passages)
        except (ServiceError, TimeoutError) as error:
            ledger.lose_by("scorer", error, "support")
            self._tell_lexical()
            return ()
        whole = len(support) == len(claims) and all(len(s) == len(self._sources) for s in support)
        return support if whole else ()

    def _tell_lexical(self) -> None:
        self._context.ledger.lose("citations", "only words and numbers were checked")

    def _judged(self, claim: str, source: Source, support: PassageSupport | None) -> Judgement:
        shown = shown_text(source)
        score = support.score if support else overlap(claim, shown)
        least = _LEAST_LIKENESS if support else _least_overlap(claim)
        is_near = score >= least
        if has_anchor(claim) and self._is_across(claim, source):
            score = max(score, _ACROSS_LANGUAGES)
        found = self._facts(claim, source)
        if found.kept < 1.0:
            return Judgement(source.n, stands=False, score=round(score * found.kept, 4))
        verdict = None
        if support and support.verdict is not None:
            verdict = support.verdict >= MIN_SUPPORT
        return Judgement(
            source=source.n,
            stands=True,
            score=round(score, 4),
            is_alike=score >= least and not found.is_open,
            passage=self._passage(claim, source, support),
            verdict=verdict,
            is_rated=support is not None,
            is_near=is_near and not found.is_derived,
        )

    def _is_across(self, claim: str, source: Source) -> bool:
        """Whether claim and source are of different languages."""
        page = detect_language(source.facts[:_SAMPLE_CHARS], source.language)
        return detect_language(claim, self._language)[:2] not in {page[:2], UNDETERMINED[:2]}

    def _doubts(self, claim: str, row: Sequence[Judgement], cited: Sequence[int]) -> list[Doubt]:
        """What is worth a question: the cited sources, the best others, all cited together."""
        open_ones = [one for one in row if one.stands and one.verdict is None]
        own = [one for one in open_ones if one.source in cited]
        least = max((one.score for one in own if one.is_alike), default=0.0)
        others = [
            one
            for one in open_ones
            if one.source not in cited and one.is_alike and one.score > least
        ]
        asked = [*own, *sorted(others, key=lambda one: -one.score)[:_MOST_OTHERS]]
        doubts = [
            Doubt(claim, surroundings(one.passage, self._sources[one.source]), (one.source,))
            for one in asked
        ]
        together = self._joined(claim, cited)
        if together and not any(one.supported for one in row if one.source in cited):
            passages = (surroundings(passage_of(claim, s, None), s) for s in together)
            doubts.append(Doubt(claim, " ".join(passages), tuple(s.n for s in together)))
        return doubts

    def _joined(self, claim: str, numbers: Sequence[int]) -> list[Source] | None:
        """The cited sources where they have the claim's facts between them; None where not."""
        cited = [source for source in self._near((claim,)) if source.n in numbers]
        with self._memory.used():
            if len(cited) <= 1 or any(overlap(claim, shown_text(s)) < _LEAST_PART for s in cited):
                return None
            whole = replace(
                cited[0],
                title=". ".join(s.title for s in cited),
                facts=" ".join(shown_text(s) for s in cited),
            )
            found = self._facts(claim, whole)
            has_all = found.kept == 1.0 and not found.is_open
            return cited if has_all and overlap(claim, whole.facts) >= _LEAST_OVERLAP else None

    def _facts(self, claim: str, source: Source) -> FactMatch:
        """What the source has of the figures, dates and names of a claim that says something."""
        if not terms(claim) - function_terms():
            return NOTHING_SAID
        return match_facts(
            claim,
            f"{source.title}. {source.facts}",
            published=source.published.time if source.published else None,
            known=self._question,
            language=self._language,
            is_across=self._is_across(claim, source),
        )

    def _passage(self, claim: str, source: Source, support: PassageSupport | None) -> str:
        """The likest words, unless others have more of the claim's figures, dates and names."""
        likest = passage_of(claim, source, support)
        if support is None or not has_facts(claim):
            return likest
        nearest = passage_of(claim, source, None)
        return max(
            (likest, nearest),
            key=lambda words: self._facts(claim, replace(source, facts=words)).kept,
        )


def _least_overlap(claim: str) -> float:
    return _LEAST_OVERLAP_UNSPACED if has_unspaced_script(claim) else _LEAST_OVERLAP
