"""Stand-ins for the engine's ports, each scripted by a test."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pellucid_gateway.domain.account import Degradation, OutboundText
from pellucid_gateway.domain.answer_model import ModelEnd, ModelPiece, ModelToolCalls, Prompt
from pellucid_gateway.domain.decision import Action, Decision, PlannedQuery, Stage
from pellucid_gateway.domain.findings import (
    Hit,
    Method,
    PageContent,
    ProviderReport,
    ProviderStatus,
    PublishedDate,
    ScoreBreakdown,
    ScoredHit,
)
from pellucid_gateway.domain.ports import (
    DecideAnswer,
    DecideCall,
    FetchCall,
    Passage,
    PassageSupport,
    ReflectCall,
    Reflection,
    ScoreCall,
    SearchAnswer,
    SearchCall,
    Written,
)
from pellucid_gateway.verification.fact_matching import overlap
from pellucid_runtime.errors import DependencyDownError, NotFoundError

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


QUESTION = "What is the toll for cars on the Skerry Bridge?"


def hit(n: int, snippet: str, domain: str, **values: Any) -> Hit:
    return Hit(
        url=f"http://{domain}/page-{n}",
        title=f"Skerry Bridge page {n}",
        snippet=snippet,
        domain=domain,
        providers=("local",),
        published=PublishedDate(datetime(2026, 10, 3, tzinfo=UTC)),
        **values,
    )


HITS = (
    hit(
        1,
        "The toll for cars on the Skerry Bridge is 4.50 crowns since 3 October 2026.",
        "harbourpost.example",
    ),
    hit(
        2,
        "Cars crossing the Skerry Bridge pay a toll of 4.50 crowns, the council said.",
        "council.example",
    ),
    hit(3, "The Skerry Bridge opened in 1987 and carries 12,000 cars a day.", "almanac.example"),
)


def search_decision(**values: Any) -> Decision:
    defaults: dict[str, Any] = {
        "action": Action.SEARCH,
        "confidence": 0.9,
        "stage": Stage.RULE,
        "reason": "It asks for a price.",
        "standalone_question": QUESTION,
        "queries": (PlannedQuery("Skerry Bridge toll cars"),),
        "fallback_queries": ("Skerry Bridge",),
        "language": "en",
    }
    return Decision(**(defaults | values))


def answer_decision(message: str = "Explain photosynthesis", **values: Any) -> Decision:
    return Decision(
        action=Action.ANSWER,
        confidence=0.9,
        stage=Stage.RULE,
        reason="Timeless.",
        standalone_question=message,
        language="en",
        **values,
    )


@dataclass
class FakeDecision:
    decision: Decision = field(default_factory=search_decision)
    reflections: list[Reflection] = field(default_factory=list)
    down: bool = False
    hangs: bool = False
    calls: list[DecideCall] = field(default_factory=list)
    reflect_calls: list[ReflectCall] = field(default_factory=list)
    reflect_s: float = 0.0
    writing: tuple[OutboundText, ...] | None = None
    writes: Written | Exception = field(default_factory=Written)
    writes_after_s: float = 0.0
    known: list[tuple[PlannedQuery, ...]] = field(default_factory=list)

    async def decide(self, call: DecideCall) -> DecideAnswer:
        self.calls.append(call)
        await _fail("decision", down=self.down, hangs=self.hangs)
        return DecideAnswer(self.decision, writing=self.writing)

    async def write_queries(self, call: DecideCall, known: tuple[PlannedQuery, ...]) -> Written:
        self.calls.append(call)
        self.known.append(known)
        await asyncio.sleep(self.writes_after_s)
        if isinstance(self.writes, Exception):
            raise self.writes
        return self.writes

    async def reflect(self, call: ReflectCall) -> Reflection:
        self.reflect_calls.append(call)
        await asyncio.sleep(self.reflect_s)
        await _fail("decision", down=self.down, hangs=self.hangs)
        return self.reflections.pop(0) if self.reflections else Reflection(sufficient=True)


@dataclass
class FakeSearch:
    hits: tuple[Hit, ...] = HITS
    rounds: list[tuple[Hit, ...]] = field(default_factory=list)
    status: ProviderStatus = ProviderStatus.OK
    provider: str = "local"
    cost_micro_usd: int = 0
    others: tuple[ProviderReport, ...] = ()
    degraded: tuple[Degradation, ...] = ()
    error: Exception | None = None
    down: bool = False
    hangs: bool = False
    calls: list[SearchCall] = field(default_factory=list)
    cancelled: int = 0

    async def search(self, call: SearchCall) -> SearchAnswer:
        self.calls.append(call)
        try:
            await _fail("search", down=self.down, hangs=self.hangs)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if self.error:
            raise self.error
        hits = self.rounds.pop(0) if self.rounds else self.hits
        works = self.status in {ProviderStatus.OK, ProviderStatus.CACHED}
        report = ProviderReport(
            name=self.provider,
            status=self.status,
            results=len(hits),
            calls=1,
            cost_micro_usd=self.cost_micro_usd,
        )
        queries = tuple(query.text for query in call.queries)
        # As the service does: what the cache or the local index answers leaves to nobody.
        left = self.provider != "local" and self.status is ProviderStatus.OK
        return SearchAnswer(
            hits=hits if works else (),
            queries=queries,
            providers=(*self.others, report),
            outbound=tuple(OutboundText(self.provider, "query", q) for q in queries if left),
            degraded=self.degraded,
            cost_micro_usd=self.cost_micro_usd,
        )


@dataclass
class FakeScorer:
    """Includes every hit at 0.8 unless told otherwise; supports by shared words."""

    relevance: float = 0.8
    included: bool = True
    without: tuple[str, ...] = ()
    sent: tuple[tuple[str, str], ...] = ()
    verdict: float | None = None
    down: bool = False
    hangs: bool = False
    score_calls: list[ScoreCall] = field(default_factory=list)
    support_calls: int = 0
    unstored: list[bool] = field(default_factory=list)
    thorough: list[bool] = field(default_factory=list)

    async def score(self, call: ScoreCall) -> tuple[ScoredHit, ...]:
        self.score_calls.append(call)
        await _fail("scorer", down=self.down, hangs=self.hangs)
        parts = ScoreBreakdown(semantic=0.7, trust=0.5, freshness=0.9, quality=0.6)
        return tuple(
            ScoredHit(
                hit=h,
                relevance=self.relevance,
                breakdown=parts,
                included=self.included and i < call.max_results,
                exclusion="" if self.included else "below_threshold",
                without=self.without,
                sent=self.sent,
            )
            for i, h in enumerate(call.hits)
        )

    async def similarities(
        self,
        text: str,
        others: Sequence[str],
        *,
        no_store: bool = False,
        thorough: bool = False,
    ) -> tuple[float, ...]:
        self.unstored.append(no_store)
        self.thorough.append(thorough)
        await _fail("scorer", down=self.down, hangs=self.hangs)
        return tuple(overlap(text, other) for other in others)

    async def support(
        self, claims: Sequence[str], passages: Sequence[Passage]
    ) -> tuple[tuple[PassageSupport, ...], ...]:
        self.support_calls += 1
        await _fail("scorer", down=self.down, hangs=self.hangs)
        return tuple(
            tuple(
                PassageSupport(passage_id=p.id, score=overlap(c, p.text), verdict=self.verdict)
                for p in passages
            )
            for c in claims
        )


@dataclass
class FakeFetcher:
    texts: dict[str, str] = field(default_factory=dict)
    down: bool = False
    hangs: bool = False
    warnings: tuple[str, ...] = ()
    calls: list[FetchCall] = field(default_factory=list)
    cancelled: int = 0

    async def fetch_many(self, call: FetchCall) -> AsyncIterator[tuple[int, PageContent]]:
        self.calls.append(call)
        try:
            await _fail("fetcher", down=self.down, hangs=self.hangs)
            for i, url in enumerate(call.urls):
                yield i, self._page(url)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise

    def _page(self, url: str) -> PageContent:
        text = self.texts.get(url)
        if text is None:
            return PageContent(url=url, success=False, status="not_found", error="Not there.")
        return PageContent(
            url=url,
            success=True,
            status="ok",
            method=Method.HTTP,
            title="A page",
            text=text,
            warnings=self.warnings,
        )


@dataclass
class FakeModel:
    """Answers with its pieces; while there are rests it stops at the length limit."""

    pieces: Sequence[str | ModelToolCalls] = ("The toll is 4.50 crowns [1].",)
    rests: list[Sequence[str]] = field(default_factory=list)
    name: str = "fake-model"
    receiver: str = "llm.example"
    window_tokens: int = 8192
    fails_after: int | None = None
    hangs_after: int | None = None
    truncated: bool = False
    cost_micro_usd: int = 0
    prompts: list[Prompt] = field(default_factory=list)
    cancelled: int = 0

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelPiece | ModelToolCalls | ModelEnd]:
        self.prompts.append(prompt)
        is_rest = len(self.prompts) > 1 and bool(self.rests)
        pieces = self.rests.pop(0) if is_rest else self.pieces
        try:
            for i, piece in enumerate(pieces):
                await self._trouble(i)
                yield ModelPiece(piece) if isinstance(piece, str) else piece
            await self._trouble(len(self.pieces))
        except (asyncio.CancelledError, GeneratorExit):
            self.cancelled += 1
            raise
        is_cut = bool(self.rests) or self.truncated
        yield ModelEnd(
            truncated=is_cut,
            finish_reason="length" if is_cut else "stop",
            prompt_tokens=100,
            completion_tokens=10,
            model=self.name,
            cost_micro_usd=self.cost_micro_usd,
        )

    async def _trouble(self, i: int) -> None:
        if self.fails_after is not None and i >= self.fails_after:
            raise DependencyDownError("llm")
        if self.hangs_after is not None and i >= self.hangs_after:
            await asyncio.Event().wait()


@dataclass
class FakeEvidence:
    records: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    owners: set[tuple[str, str]] = field(default_factory=set)
    down: bool = False

    async def save(self, evidence_id: str, owner: str, record: Mapping[str, Any]) -> None:
        if self.down:
            raise DependencyDownError("store")
        self.records[evidence_id] = record
        self.owners.add((evidence_id, owner))

    async def load(self, evidence_id: str, owner: str) -> Mapping[str, Any]:
        if (evidence_id, owner) not in self.owners:
            raise NotFoundError(f"evidence:{evidence_id}")
        return self.records[evidence_id]

    async def delete(self, evidence_id: str, owner: str) -> None:
        self.owners.remove((evidence_id, owner))
        del self.records[evidence_id]


async def _fail(name: str, *, down: bool, hangs: bool) -> None:
    if down:
        raise DependencyDownError(name)
    if hangs:
        await asyncio.Event().wait()
    await asyncio.sleep(0)
