"""The scorer's four answers: score, embed, similarity, support. Pure but for the embedder."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np
import numpy.typing as npt

from pellucid_language.scripts import EVERY_SCRIPT
from pellucid_runtime.clock import Clock
from pellucid_runtime.errors import InvalidArgumentError, OverloadedError
from pellucid_scorer import model_choice
from pellucid_scorer.encoding.embedding import Embedded, Embedder
from pellucid_scorer.encoding.pairs import PairReader
from pellucid_scorer.encoding.reading_choice import reader_of
from pellucid_scorer.encoding.service_encoder import Outbound, ServiceEncoder
from pellucid_scorer.ranking import semantic
from pellucid_scorer.ranking.candidates import Candidate, Semantic, Subject, Verdict
from pellucid_scorer.ranking.profiles import Overrides, Profile, Profiles
from pellucid_scorer.ranking.scores import Question, Ranking, Tables
from pellucid_scorer.spent import Spent
from pellucid_scorer.support import likeness as support
from pellucid_scorer.support import pairing

RERANKED = 15
"""Results that the reranker reads, the best by the other models."""
READ_AGAIN = 16
"""Texts that further models compare with a text, the nearest by the first."""
VERIFIED = 32
"""Pairs of a call that the verifier reads, the likeliest first."""
RERANKER, VERIFIER = "reranker", "verifier"

LEXICAL = "lexical"
"""Name of the model of a response that no model took part in."""


@dataclass(frozen=True, slots=True)
class ScoreQuery:
    """What to score and by which rules.

    Attributes:
        question: The standalone question.
        candidates: Results with unique ids.
        subject: What the conversation is about.
        profile: Name of the rules; empty means the default.
        overrides: What the request changes in them.
        time_sensitive: Freshness weighs more.
        real_time: Results of the last hours come first.
        now: Instant that ages refer to; None means the clock's.
        further_questions: A candidate may answer one of these instead.
        shareable_questions: What an embedding service outside may be sent in place of the
            questions, in their order; none: nothing of this leaves.
    """

    question: str
    candidates: Sequence[Candidate]
    subject: Subject = field(default_factory=Subject)
    profile: str = ""
    overrides: Overrides = field(default_factory=Overrides)
    time_sensitive: bool = False
    real_time: bool = False
    now: datetime | None = None
    further_questions: Sequence[str] = ()
    shareable_questions: Sequence[str] = ()

    @property
    def questions(self) -> Sequence[str]:
        """Every text that a candidate may answer, the question first."""
        return (self.question, *(text for text in self.further_questions if text.strip()))


@dataclass(frozen=True, slots=True)
class Scored:
    """Verdicts in order of use, how they came about, what came too late for them, what left."""

    verdicts: tuple[Verdict, ...]
    rules: Profile
    model: str
    spent: Spent
    lost: tuple[str, ...] = ()
    outbound: tuple[Outbound, ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """Judgements by claim, each in the order of the passages; see `Scored`."""

    claims: tuple[tuple[support.Judgement, ...], ...]
    model: str
    lost: tuple[str, ...] = ()


class Scorer:
    """Answers calls.

    Args:
        embedder: Turns texts into vectors, by the model whose scale the thresholds are of.
        companions: Further models, heard where they answer in time.
        service: Embedding service that is heard on results, never on pages or claims.
        reranker: Orders the best results again.
        verifier: Judges claims against passages.
        tables: Trust, freshness and quality.
        profiles: Named rules.
        clock: Tells the present.
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        tables: Tables,
        profiles: Profiles,
        clock: Clock,
        companions: Sequence[Embedder] = (),
        service: ServiceEncoder | None = None,
        reranker: PairReader | None = None,
        verifier: PairReader | None = None,
    ) -> None:
        self._reranker = reranker
        self._verifier = verifier
        self._embedder = embedder
        self._models = (embedder, *companions)
        self._service = service
        self._tables = tables
        self._profiles = profiles
        self._clock = clock

    def refusal(self) -> OverloadedError | None:
        """Return what a call of `score` gets that is refused before it is read; None: read it."""
        return self._embedder.refusal()

    async def score(self, query: ScoreQuery) -> Scored:
        """Rate, filter and order candidates.

        Raises:
            InvalidArgumentError: Ids are not unique, weights do not sum to 1, or there is no such
                profile.
            OverloadedError: The queue is full.
        """
        rules = self._profiles.rules(
            query.profile, query.overrides, time_sensitive=query.time_sensitive
        )
        _require_unique("candidates", [candidate.id for candidate in query.candidates])
        asked = query.questions
        service = self._service
        outside = model_choice.Outside(service, query.shareable_questions) if service else None
        heard = await model_choice.hear(self._models, asked, query.candidates, outside)
        parts = semantic.best_of(
            semantic.rate_all(
                question, query.candidates, model_choice.readings(heard.every, place, asked)
            )
            for place, question in enumerate(asked)
        )
        parts, again = await self._reranked(query, parts)
        now = query.now or self._clock.now()
        question = Question(query.question, query.subject, now, real_time=query.real_time)
        ranking = Ranking(self._tables, rules, question)
        basis = model_choice.reader_of_all(heard.local, query.candidates)
        verdicts = ranking.rank(
            query.candidates,
            parts,
            basis.vectors[len(asked) :],
            scale=basis.scale,
            encoder=basis.model,
        )
        return Scored(
            verdicts,
            rules,
            "+".join([*(one.model for one in heard.every), *again.used]),
            model_choice.longest(heard.every),
            (*heard.answer.lost, *again.lost),
            heard.answer.outbound,
        )

    async def _reranked(
        self, query: ScoreQuery, parts: tuple[Semantic, ...]
    ) -> tuple[tuple[Semantic, ...], "_Part"]:
        """Return the parts, the best in the reranker's order, and what became of the reranker."""
        if self._reranker is None or not parts:
            return parts, _Part()
        best = sorted(range(len(parts)), key=lambda place: -parts[place].score)[:RERANKED]
        pairs = [(query.question, query.candidates[place].text) for place in best]
        rated = await self._reranker.rate(pairs)
        if rated is None:
            return parts, _Part(lost=(RERANKER,))
        order = sorted(zip(best, rated.tolist(), strict=True), key=lambda pair: -pair[1])
        again = semantic.reordered(parts, [place for place, _ in order])
        return again, _Part(used=(self._reranker.name,))

    async def embed(self, texts: Sequence[str]) -> Embedded:
        """Return the unit vector of each text, in order.

        Raises:
            OverloadedError: The queue is full.
        """
        return await self._embedder.embed(texts)

    async def similarity(
        self,
        text: str,
        others: Sequence[str],
        *,
        no_store: bool = False,
        thorough: bool = False,
    ) -> tuple[tuple[float, ...], str]:
        """Return the likeness of a text and each of several, in order, and the models' names.

        Args:
            text: What they are compared with.
            others: The others.
            no_store: No vector of theirs is kept.
            thorough: Further models read again what the first finds nearest, and the mean counts.
                One that would be late is left out.

        Raises:
            OverloadedError: The queue is full.
        """
        every, usual = self._models, self._reader([text])
        reader = every[reader_of([one.scripts for one in every], text, others)]
        first = await _embedded(reader, usual, [text, *others], no_store=no_store)
        near, names = _likenesses(first), [first.model]
        if not (thorough and reader is usual):
            return tuple(near.tolist()), first.model
        # One after the other: side by side both are late where the first alone is in time.
        nearest = np.argsort(-near, kind="stable")[:READ_AGAIN]
        again = [text, *(others[place] for place in nearest)]
        heard = [near[nearest]]
        for model in (one for one in every if one is not reader and one.reads([text])):
            more = await model_choice.if_free(model, again, 1, no_store=no_store)
            heard += [_likenesses(one) for one in more]
            names += [one.model for one in more]
        near[nearest] = np.mean(heard, axis=0)
        return tuple(near.tolist()), "+".join(names)

    def _reader(self, texts: Sequence[str]) -> Embedder:
        """Return the first model that was trained on the scripts of some texts; else the first."""
        return next((one for one in self._models if one.reads(texts)), self._embedder)

    async def judge(
        self,
        claims: Sequence[str],
        passages: Sequence[tuple[str, str]],
        *,
        no_store: bool = False,
    ) -> Judged:
        """Judge each claim against each passage.

        Args:
            claims: One sentence each.
            passages: Unique id and text of each.
            no_store: No vector of theirs is kept.

        Raises:
            InvalidArgumentError: Ids are not unique.
            OverloadedError: The queue is full.
        """
        _require_unique("passages", [id_ for id_, _ in passages])
        sources = [support.Passage.read(id=id_, text=text) for id_, text in passages]
        pairs = pairing.pairs([support.Claim.read(claim) for claim in claims], sources)
        texts = pairing.texts(pairs)
        reader = self._reader(claims)
        embedded = await reader.embed(texts, no_store=no_store) if texts else None
        judgements = pairing.judgements(pairs, texts, embedded)
        pairs, judgements = await self._across(pairs, judgements, no_store=no_store)
        judgements, again = await self._verified(pairs, judgements)
        rows = range(0, len(judgements), len(sources))
        by_claim = tuple(judgements[row : row + len(sources)] for row in rows)
        model = "+".join([embedded.model if embedded else LEXICAL, *again.used])
        return Judged(by_claim, model, again.lost)

    async def _across(
        self,
        pairs: tuple[pairing.Pair, ...],
        judgements: tuple[support.Judgement, ...],
        *,
        no_store: bool,
    ) -> tuple[tuple[pairing.Pair, ...], tuple[support.Judgement, ...]]:
        """Read pairs of two languages again, with the model of all languages where there is one."""
        every = (one for one in self._models if EVERY_SCRIPT in one.scripts)
        places = [place for place, pair in enumerate(pairs) if pair.is_across]
        if not places or (reader := next(every, None)) is None:
            return pairs, judgements
        read, judged = list(pairs), list(judgements)
        choices = pairing.across([pairs[place] for place in places])
        texts = pairing.texts_of(pair for choice in choices for pair in choice)
        try:
            embedded = await reader.embed(texts, no_store=no_store)
        except OverloadedError:
            return pairs, judgements
        for place, choice in zip(places, choices, strict=True):
            found = zip(choice, pairing.judgements(choice, texts, embedded), strict=True)
            read[place], judged[place] = max(found, key=lambda one: one[1].score)
        return tuple(read), tuple(judged)

    async def _verified(
        self, pairs: Sequence[pairing.Pair], judgements: tuple[support.Judgement, ...]
    ) -> tuple[tuple[support.Judgement, ...], "_Part"]:
        """Return judgements with the verifier's verdicts, and what became of the verifier."""
        worth = [place for place, pair in enumerate(pairs) if pairing.is_worth_reading(pair)]
        worth = sorted(worth, key=lambda place: -judgements[place].score)[:VERIFIED]
        if self._verifier is None or not worth:
            return judgements, _Part()
        said = await self._verifier.rate(
            [(pairs[p].window_text, pairs[p].claim.text) for p in worth]
        )
        if said is None:
            return judgements, _Part(lost=(VERIFIER,))
        verdicts = dict(zip(worth, said.tolist(), strict=True))
        found = tuple(
            replace(one, verdict=verdicts.get(place)) for place, one in enumerate(judgements)
        )
        return found, _Part(used=(self._verifier.name,))


@dataclass(frozen=True, slots=True)
class _Part:
    """What became of a further model: its name where it was used, its part where it came late."""

    used: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


def _require_unique(field: str, ids: Sequence[str]) -> None:
    if len(set(ids)) < len(ids):
        raise InvalidArgumentError(field, "ids unique within the request")


def _likenesses(embedded: Embedded) -> npt.NDArray[np.float32]:
    """Return the likeness of each text to the question before them."""
    return embedded.scale.likenesses(model_choice.reading(embedded, 0, 1).cosines)


async def _embedded(
    reader: Embedder, usual: Embedder, texts: Sequence[str], *, no_store: bool
) -> Embedded:
    """Return the vectors of a question and texts, the usual model's where the other's are late."""
    within_s = model_choice.share_s(model_choice.FURTHER_SHARE)
    try:
        return await reader.embed(texts, questions=1, no_store=no_store, within_s=within_s)
    except OverloadedError:
        if reader is usual:
            raise
        return await usual.embed(texts, questions=1, no_store=no_store, within_s=within_s)
