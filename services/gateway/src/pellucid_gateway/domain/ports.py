"""What the engine needs from outside. Every call may raise `ServiceError`; callers bound its time.

Nothing in here knows gRPC or HTTP; the adapters translate.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from pellucid_gateway.domain.account import Degradation, OutboundText
from pellucid_gateway.domain.attachment import Attachment
from pellucid_gateway.domain.decision import Decision, PlannedQuery, WebMode
from pellucid_gateway.domain.findings import (
    Entity,
    Hit,
    PageContent,
    ProviderReport,
    Purpose,
    ScoredHit,
)
from pellucid_gateway.domain.request import (
    ChatMessage,
    ScoringOptions,
    SearchOptions,
    SubjectContext,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecideCall:
    """A message to decide on, with the exchanges before it and the person's first message.

    Attributes:
        history: Oldest first; see `decision_history`.
        max_queries: Most queries about one thing, 1 to 3.
        max_parts: Most things asked in one message that get a query each, 1 to 3.
        memories: What is known of the person.
        search_offered: The answer before offered to search for the subject.
    """

    message: str
    history: tuple[ChatMessage, ...]
    now: datetime
    web_mode: WebMode = WebMode.AUTO
    subject: SubjectContext | None = None
    force_search: bool = False
    no_external: bool = False
    time_zone: str = ""
    language: str = ""
    conversation_id: str = ""
    max_queries: int = 0
    max_parts: int = 0
    memories: tuple[str, ...] = ()
    search_offered: bool = False


@dataclass(frozen=True, slots=True)
class DecideAnswer:
    """A decision, what was lost on the way to it, and what left for it.

    Attributes:
        writing: What leaves when a model writes a further query; None when none is to.
    """

    decision: Decision
    degraded: tuple[Degradation, ...] = ()
    outbound: tuple[OutboundText, ...] = ()
    writing: tuple[OutboundText, ...] | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote for a search that is under way: at most one query."""

    queries: tuple[PlannedQuery, ...] = ()
    degraded: tuple[Degradation, ...] = ()
    outbound: tuple[OutboundText, ...] = ()


@dataclass(frozen=True, slots=True)
class Extract:
    """Untrusted key facts of one source."""

    title: str
    text: str
    published_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectCall:
    """The question with what was gathered for it."""

    question: str
    target_info: tuple[str, ...]
    extracts: tuple[Extract, ...]
    used_queries: tuple[str, ...]
    language: str
    now: datetime
    no_external: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflection:
    """Whether it is enough; the refined query is empty when none would help."""

    sufficient: bool
    missing_aspects: tuple[str, ...] = ()
    refined_query: str = ""
    reasoning: str = ""
    outbound: tuple[OutboundText, ...] = ()
    degraded: tuple[Degradation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchCall:
    """Queries for the providers; `question` never reaches them.

    Attributes:
        topic: Kind of question, by which real-time sources are chosen; empty when unknown.
    """

    queries: tuple[PlannedQuery, ...]
    question: str
    options: SearchOptions
    now: datetime
    language: str = ""
    caller: str = ""
    real_time: bool = False
    news: bool = False
    topic: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchAnswer:
    """Fused hits, best first, and the account of how they came about.

    Attributes:
        queries: What was searched for, redacted, whoever answered.
        entities: What names of the queries stand for.
    """

    hits: tuple[Hit, ...] = ()
    queries: tuple[str, ...] = ()
    providers: tuple[ProviderReport, ...] = ()
    outbound: tuple[OutboundText, ...] = ()
    degraded: tuple[Degradation, ...] = ()
    cost_micro_usd: int = 0
    entities: tuple[Entity, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreCall:
    """Hits to rate against the question; their order is the providers'.

    Attributes:
        further_questions: A hit may answer one of these instead: queries for parts of the
            question, and those that followed from what was found.
        shareable_questions: What may leave the installation in place of all these, in their order;
            none where nothing may.
    """

    question: str
    hits: tuple[Hit, ...]
    now: datetime
    max_results: int
    max_per_domain: int
    scoring: ScoringOptions = field(default_factory=ScoringOptions)
    subject: SubjectContext | None = None
    time_sensitive: bool = False
    real_time: bool = False
    further_questions: tuple[str, ...] = ()
    shareable_questions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """Text of one source by which claims are judged.

    Attributes:
        no_store: It is of a page that a person named: no vector of it is kept.
    """

    id: str
    text: str
    no_store: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageSupport:
    """How well one passage supports one claim; window offsets are code points, end exclusive.

    Attributes:
        score: Calibrated support by the wording alone, 0 to 1.
        verdict: How surely a verifier that read both finds the claim stated; None: none read them.
    """

    passage_id: str
    score: float
    window_start: int = 0
    window_end: int = 0
    verdict: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchCall:
    """Pages to read, most wanted first; at most 20.

    Attributes:
        attachments: Those among them that the person handed over.
    """

    urls: tuple[str, ...]
    purpose: Purpose
    timeout_s: float
    max_chars: int = 10_000
    no_external: bool = False
    offset: int | None = None
    links: bool = False
    attachments: tuple[Attachment, ...] = ()


class DecisionPort(Protocol):
    """The decision service."""

    async def decide(self, call: DecideCall) -> DecideAnswer:
        """Decide whether to search, fetch or answer."""
        ...

    async def write_queries(self, call: DecideCall, known: tuple[PlannedQuery, ...]) -> Written:
        """Have a model write a query that the known ones of the decision lack."""
        ...

    async def reflect(self, call: ReflectCall) -> Reflection:
        """Judge whether the extracts answer the question."""
        ...


class SearchPort(Protocol):
    """The search service."""

    async def search(self, call: SearchCall) -> SearchAnswer:
        """Ask the providers; a failing provider is a report, not an error."""
        ...


class ScorerPort(Protocol):
    """The scorer."""

    async def score(self, call: ScoreCall) -> tuple[ScoredHit, ...]:
        """Rate every hit once: included ones first in order of use, then the others."""
        ...

    async def similarities(
        self,
        text: str,
        others: Sequence[str],
        *,
        no_store: bool = False,
        thorough: bool = False,
    ) -> tuple[float, ...]:
        """Cosine, -1 to 1, of the text with each of 1 to 1,000 others.

        Args:
            text: What they are compared with.
            others: The others.
            no_store: They are of pages that a person named: no vector of them is kept.
            thorough: The mean of all models of the scorer, which takes longer.
        """
        ...

    async def support(
        self, claims: Sequence[str], passages: Sequence[Passage]
    ) -> tuple[tuple[PassageSupport, ...], ...]:
        """Judge each claim (1 to 32) against each passage (1 to 64), both in order."""
        ...


class FetcherPort(Protocol):
    """The fetcher."""

    def fetch_many(self, call: FetchCall) -> AsyncIterator[tuple[int, PageContent]]:
        """Yield (index into the call's addresses, page) as pages arrive, in no fixed order."""
        ...


class EvidenceStore(Protocol):
    """Keeps what stands behind an answer, for a limited time."""

    async def save(self, evidence_id: str, owner: str, record: Mapping[str, Any]) -> None:
        """Keep a JSON-like record for its owner."""
        ...

    async def load(self, evidence_id: str, owner: str) -> Mapping[str, Any]:
        """Return a record; NotFoundError when there is none or it is another's."""
        ...

    async def delete(self, evidence_id: str, owner: str) -> None:
        """Forget a record; NotFoundError when there is none or it is another's."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The four services as the engine sees them."""

    decision: DecisionPort
    search: SearchPort
    scorer: ScorerPort
    fetcher: FetcherPort
