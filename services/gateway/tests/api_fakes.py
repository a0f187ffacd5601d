"""A scripted engine for tests of the faces, and one turn that uses every field."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from starlette.types import ASGIApp

from pellucid_gateway.domain.account import Degradation, Notice, OutboundText, Usage
from pellucid_gateway.domain.citation import Citation, CitationReport
from pellucid_gateway.domain.decision import (
    Action,
    Decision,
    Freshness,
    Intent,
    PlannedQuery,
    Signal,
    Stage,
)
from pellucid_gateway.domain.events import (
    AnswerKind,
    Cited,
    Decided,
    Delta,
    Done,
    Noticed,
    Progress,
    ProgressKind,
    ResultsReady,
    SourcesReady,
    ToolCallPieces,
    TurnEvent,
    TurnResult,
    UrlFetched,
)
from pellucid_gateway.domain.findings import (
    DateSource,
    Hit,
    Method,
    PageContent,
    ProviderReport,
    ProviderStatus,
    PublishedDate,
    ScoreBreakdown,
    ScoredHit,
    Source,
)
from pellucid_gateway.domain.request import SearchCommand, TurnRequest
from pellucid_gateway.domain.search_outcome import SearchOutcome
from pellucid_gateway.load_shedding.adaptive_limit import AdaptiveLimit

MakeApp = Callable[..., ASGIApp]

WHEN = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)

DECISION = Decision(
    action=Action.SEARCH,
    confidence=0.93,
    stage=Stage.RULE,
    reason="The question asks for the latest toll, which changes over time.",
    reason_code="time_word",
    signals=(Signal("time_word", 0.6, "latest"), Signal("veto_code", -0.1, "toll")),
    standalone_question="What is the latest toll for cars on the Skerry Bridge?",
    queries=(PlannedQuery("Skerry Bridge car toll 2026"), PlannedQuery("Skerry Bridge toll news")),
    fallback_queries=("Skerry Bridge toll",),
    intent=Intent.NEWS,
    freshness=Freshness.MONTH,
    recency_days=31,
    target_info=("the toll", "since when"),
    language="en",
)

SOURCES = (
    Source(
        n=1,
        url="http://harbourpost.localhost:8099/toll",
        title="Bridge toll rises to 4.20 in March",
        domain="harbourpost.localhost",
        snippet="The toll for cars on the Skerry Bridge rises to 4.20 from 1 March 2026.",
        facts="The toll for cars rises to 4.20.",
        published=PublishedDate(WHEN, DateSource.META, 0.9),
        language="en",
        relevance=0.78,
        breakdown=ScoreBreakdown(semantic=0.85, trust=0.8, freshness=0.9, quality=0.6),
        providers=("local",),
        method=Method.HTTP,
        cited=True,
    ),
    Source(
        n=2,
        url="http://harrowmere-council.localhost:8099/decisions",
        title="Council decisions, February",
        domain="harrowmere-council.localhost",
        snippet="The council raised the car toll by 20 cents, effective 1 March.",
        relevance=0.71,
        breakdown=ScoreBreakdown(semantic=0.7, trust=0.95, freshness=0.8, quality=0.5),
        providers=("local", "brave"),
        cited=True,
        warnings=("possibly_harmful",),
    ),
    Source(
        n=3,
        url="http://skerry.localhost:8099/",
        title="<b>Skerry</b> Bridge",
        domain="skerry.localhost",
    ),
)

PIECES = (
    "**Harbour Post** reports that the toll ",
    "for cars rose to 4.20 on 1 March 2026.",
    " The council 👍 raised it by 20 cents.\n\n",
    "- cars pay 4.20\n- bicycles cross free\n",
)
ANSWER = "".join(PIECES)


def _citation(claim: str, source: Source, passage: str) -> Citation:
    start = ANSWER.index(claim)
    return Citation(
        start=start,
        end=start + len(claim),
        source=source.n,
        url=source.url,
        title=source.title,
        cited_text=passage,
        support=0.87,
    )


CITATIONS = (
    _citation("the toll for cars rose to 4.20 on 1 March 2026.", SOURCES[0], "rises to 4.20"),
    _citation(
        "The council 👍 raised it by 20 cents.", SOURCES[1], "raised the car toll by 20 cents"
    ),
)

RESULT = TurnResult(
    id="turn-1",
    conversation_id="conversation-1",
    answer=ANSWER,
    answer_kind=AnswerKind.EXTRACTIVE,
    model_label="Web + extractive",
    decision=DECISION,
    finished_at=WHEN,
    sources=SOURCES,
    citations=CITATIONS,
    citation_report=CitationReport(checked=3, kept=2, dropped=1, uncited_sentences=1),
    url_contents=(UrlFetched(url="http://a.localhost/", success=False, error="It is gone."),),
    providers=(
        ProviderReport(name="local", status=ProviderStatus.OK, latency_ms=12, results=10),
        ProviderReport(
            name="brave", status=ProviderStatus.FAILED, latency_ms=900, error_code="timeout"
        ),
    ),
    iterations=1,
    degraded=(Degradation("provider:brave", "timeout"),),
    notices=(Notice("page_unreachable", "One page could not be read."),),
    timings_ms={"decision": 3, "search": 412, "score": 41, "first_token": 480, "total": 1400},
    usage=Usage(
        prompt_tokens=900, completion_tokens=40, context_tokens=300, searches=2, cost_micro_usd=5000
    ),
    outbound=(OutboundText("local", "query", "Skerry Bridge car toll 2026"),),
    evidence_id="evidence-1",
)


def turn_events() -> list[TurnEvent]:
    """A turn with every kind of event, in the promised order."""
    return [
        Decided(DECISION),
        UrlFetched(url="http://a.localhost/", success=False, error="It is gone."),
        Progress(
            kind=ProgressKind.SEARCH_START,
            message="Searching the web…",
            query="Skerry Bridge car toll 2026",
        ),
        Progress(
            kind=ProgressKind.ITERATION,
            message="Searching…",
            iteration=1,
            query="Skerry Bridge car toll 2026",
        ),
        Progress(kind=ProgressKind.FETCHING, message="Reading 3 pages…", count=3),
        Progress(kind=ProgressKind.EXTRACTING, message="Taking notes…", count=3),
        Progress(kind=ProgressKind.REFLECTING, message="Is it enough?", iteration=1),
        Progress(kind=ProgressKind.COMPLETE, message="Found 3 results", count=3),
        SourcesReady(tuple(replace(source, cited=False) for source in SOURCES)),
        Noticed(RESULT.notices[0]),
        Delta(PIECES[0]),
        Delta(PIECES[1]),
        Cited(CITATIONS[0]),
        Delta(PIECES[2]),
        Cited(CITATIONS[1]),
        Delta(PIECES[3]),
        Done(RESULT),
    ]


CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "convert", "arguments": '{"amount": 4.2}'},
}


def tool_call_events() -> list[TurnEvent]:
    """The model calls a tool of the client instead of answering."""
    pieces = (
        {"index": 0, "id": "call_1", "type": "function", "function": {"name": "convert"}},
        {"index": 0, "function": {"arguments": '{"amount": 4.2}'}},
    )
    result = replace(
        RESULT,
        answer="",
        answer_kind=AnswerKind.MODEL,
        sources=(),
        citations=(),
        notices=(),
        url_contents=(),
        finish_reason="tool_calls",
        tool_calls=(CALL,),
    )
    return [
        Decided(replace(DECISION, action=Action.ANSWER, queries=())),
        ToolCallPieces(pieces[:1]),
        ToolCallPieces(pieces[1:]),
        Done(result),
    ]


def forced_events() -> list[TurnEvent]:
    """A forced search."""
    result = replace(
        RESULT, answer="", answer_kind=AnswerKind.RESULTS, citations=(), notices=(), degraded=()
    )
    return [Decided(DECISION), ResultsReady("Skerry Bridge car toll 2026", SOURCES), Done(result)]


OUTCOME = SearchOutcome(
    id="search-1",
    results=SOURCES,
    excluded=(
        ScoredHit(
            hit=Hit(url="http://x.localhost/", title="Off topic"),
            relevance=0.1,
            included=False,
            exclusion="off_topic",
        ),
    ),
    queries=("Skerry Bridge car toll 2026",),
    providers=RESULT.providers,
    usage=RESULT.usage,
    outbound=RESULT.outbound,
)


@dataclass
class FakeEngine:
    """Plays events; records what it was asked and whether it was cancelled.

    Attributes:
        events: What every turn tells.
        pause_s: Seconds before each event.
        defect: Raised after the events instead of ending well.
        unread: Why no page can be read.
        document: Text of every page.
    """

    events: list[TurnEvent] = field(default_factory=turn_events)
    pause_s: float = 0.0
    defect: Exception | None = None
    unread: str = ""
    turns: list[TurnRequest] = field(default_factory=list)
    commands: list[SearchCommand] = field(default_factory=list)
    fetched: list[tuple[str, ...]] = field(default_factory=list)
    document: str = "Text"
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self, request: TurnRequest) -> AsyncIterator[TurnEvent]:
        self.turns.append(request)
        try:
            for event in self.events:
                if self.pause_s:
                    await asyncio.sleep(self.pause_s)
                yield event
            if self.defect is not None:
                raise self.defect
        except (asyncio.CancelledError, GeneratorExit):
            self.cancelled.set()
            raise

    async def decide(self, request: TurnRequest) -> Decision:
        self.turns.append(request)
        if self.defect is not None:
            raise self.defect
        return DECISION

    async def search(self, command: SearchCommand) -> SearchOutcome:
        self.commands.append(command)
        if self.defect is not None:
            raise self.defect
        return OUTCOME

    async def fetch(
        self,
        urls: Sequence[str],
        *,
        no_external: bool = False,
        max_chars: int = 0,
        offset: int | None = None,
        links: bool = False,
    ) -> tuple[PageContent, ...]:
        del no_external
        self.fetched.append(tuple(urls))
        if self.unread:
            return tuple(
                PageContent(url=url, success=False, status="gone", error=self.unread)
                for url in urls
            )
        start, most = offset or 0, max_chars or 50_000
        following = start + most if start + most < len(self.document) else 0
        text = self.document[start : start + most]
        return tuple(
            PageContent(
                url=url,
                success=True,
                status="ok",
                final_url=url,
                http_status=200,
                method=Method.HTTP,
                title="Title",
                text=f"[{text}]({url})" if links else text,
                published=PublishedDate(WHEN, DateSource.META, 0.9),
                next_offset=following,
            )
            for url in urls
        )


def fallen_bound(*, least: int, most_in_hand: int) -> AdaptiveLimit:
    """A bound of searches for which it has just been too much."""
    bound = AdaptiveLimit(least=least, most=64, late_s=0.02)
    for _ in range(3):
        bound.settle(1.0, most_in_hand=most_in_hand)
    return bound
