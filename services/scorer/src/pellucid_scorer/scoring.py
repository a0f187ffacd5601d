"""The scorer's four answers: score, embed, similarity, support. Pure but for the embedder."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from pellucid_runtime.clock import Clock
from pellucid_runtime.errors import InvalidArgumentError, OverloadedError
from pellucid_scorer import pairing, semantic, support
from pellucid_scorer.candidates import Candidate, Subject, Verdict
from pellucid_scorer.embedding import Embedded, Embedder, Spent
from pellucid_scorer.profiles import Overrides, Profile, Profiles
from pellucid_scorer.ranking import Question, Ranking, Tables

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
    """

    question: str
    candidates: Sequence[Candidate]
    subject: Subject = field(default_factory=Subject)
    profile: str = ""
    overrides: Overrides = field(default_factory=Overrides)
    time_sensitive: bool = False
    real_time: bool = False
    now: datetime | None = None


@dataclass(frozen=True, slots=True)
class Scored:
    """Verdicts in order of use, and how they came about."""

    verdicts: tuple[Verdict, ...]
    rules: Profile
    model: str
    spent: Spent


@dataclass(frozen=True, slots=True)
class Judged:
    """Judgements by claim, each in the order of the passages."""

    claims: tuple[tuple[support.Judgement, ...], ...]
    model: str


class Scorer:
    """Answers calls.

    Args:
        embedder: Turns texts into vectors.
        tables: Trust, freshness and quality.
        profiles: Named rules.
        clock: Tells the present.
    """

    def __init__(
        self, embedder: Embedder, *, tables: Tables, profiles: Profiles, clock: Clock
    ) -> None:
        self._embedder = embedder
        self._tables = tables
        self._profiles = profiles
        self._clock = clock

    def refusal(self) -> OverloadedError | None:
        """Return what a call of `score` gets that is refused before it is read; None: read it."""
        return self._embedder.refusal()

    async def score(self, query: ScoreQuery) -> Scored:
        """Rate, filter and order candidates.

        Raises:
            NotFoundError: There is no such profile.
            InvalidArgumentError: Ids are not unique, or weights do not sum to 1.
            OverloadedError: The queue is full.
        """
        rules = self._profiles.rules(
            query.profile, query.overrides, time_sensitive=query.time_sensitive
        )
        _require_unique("candidates", [candidate.id for candidate in query.candidates])
        texts = [candidate.text for candidate in query.candidates]
        embedded = await self._embedder.embed([query.question, *texts])
        vectors = embedded.vectors[1:]
        cosines = semantic.cosines(vectors, embedded.vectors[0])
        parts = semantic.rate_all(query.question, texts, cosines, embedded.scripts)
        now = query.now or self._clock.now()
        question = Question(query.question, query.subject, now, real_time=query.real_time)
        ranking = Ranking(self._tables, rules, question)
        verdicts = ranking.rank(query.candidates, parts, vectors)
        return Scored(verdicts, rules, embedded.model, embedded.spent)

    async def embed(self, texts: Sequence[str]) -> Embedded:
        """Return the unit vector of each text, in order.

        Raises:
            OverloadedError: The queue is full.
        """
        return await self._embedder.embed(texts)

    async def similarity(self, text: str, others: Sequence[str]) -> tuple[tuple[float, ...], str]:
        """Return the cosine of a text with each of several, in order, and the model's name.

        Raises:
            OverloadedError: The queue is full.
        """
        embedded = await self._embedder.embed([text, *others])
        cosines = semantic.cosines(embedded.vectors[1:], embedded.vectors[0])
        return tuple(cosines.tolist()), embedded.model

    async def judge(self, claims: Sequence[str], passages: Sequence[tuple[str, str]]) -> Judged:
        """Judge each claim against each passage.

        Args:
            claims: One sentence each.
            passages: Unique id and text of each.

        Raises:
            InvalidArgumentError: Ids are not unique.
            OverloadedError: The queue is full.
        """
        _require_unique("passages", [id_ for id_, _ in passages])
        sources = [support.Passage.read(id=id_, text=text) for id_, text in passages]
        pairs = pairing.pairs([support.Claim.read(claim) for claim in claims], sources)
        texts = pairing.texts(pairs)
        embedded = await self._embedder.embed(texts) if texts else None
        judgements = pairing.judgements(pairs, texts, embedded)
        rows = range(0, len(judgements), len(sources))
        by_claim = tuple(judgements[row : row + len(sources)] for row in rows)
        return Judged(by_claim, embedded.model if embedded else LEXICAL)


def _require_unique(field: str, ids: Sequence[str]) -> None:
    if len(set(ids)) < len(ids):
        raise InvalidArgumentError(field, "ids unique within the request")
