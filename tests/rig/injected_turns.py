"""Runs an injected page through the fetcher's extraction and a whole turn of the gateway."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cache
from itertools import count
from typing import Any

from pellucid_fetcher.document import Document
from pellucid_fetcher.extraction.reading.dispatch import open_readers, read
from pellucid_gateway.domain.answer_model import AnswerModel
from pellucid_gateway.domain.decision import Action, Decision, PlannedQuery, Stage
from pellucid_gateway.domain.events import Done, TurnResult
from pellucid_gateway.domain.findings import (
    Hit,
    Method,
    PageContent,
    ProviderReport,
    ProviderStatus,
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
    Services,
)
from pellucid_gateway.domain.request import ChatMessage, Role, TurnRequest
from pellucid_gateway.turn.dependencies import Dependencies
from pellucid_gateway.turn.orchestrator import Engine
from pellucid_gateway.turn_context.budgets import StageBudgets
from pellucid_gateway.turn_context.plans import DEPTH_PLANS
from pellucid_gateway.verification.fact_matching import overlap
from pellucid_runtime.clock import SystemClock
from rig.injection import HOST, OTHER_HOST, OTHER_URL, URL

_RELEVANCE = 0.8


class Lenient:
    """A scorer that includes every hit and compares by words; whatever was gathered is enough."""

    async def reflect(self, call: ReflectCall) -> Reflection:
        """Enough."""
        del call
        return Reflection(sufficient=True)

    async def score(self, call: ScoreCall) -> tuple[ScoredHit, ...]:
        """Include everything."""
        return tuple(ScoredHit(hit=hit, relevance=_RELEVANCE) for hit in call.hits)

    async def similarities(
        self,
        text: str,
        others: Sequence[str],
        *,
        no_store: bool = False,
        thorough: bool = False,
    ) -> tuple[float, ...]:
        """By words."""
        del no_store, thorough
        return tuple(overlap(text, other) for other in others)

    async def support(
        self, claims: Sequence[str], passages: Sequence[Passage]
    ) -> tuple[tuple[PassageSupport, ...], ...]:
        """By words."""
        return tuple(
            tuple(PassageSupport(passage_id=p.id, score=overlap(c, p.text)) for p in passages)
            for c in claims
        )


@dataclass
class Web(Lenient):
    """The other services and the web: one page, and a record of what was asked for."""

    question: str
    page: PageContent
    snippet: str
    title: str
    other_snippet: str = ""
    queries: list[str] = field(default_factory=list)
    urls: list[str] = field(default_factory=list)

    async def decide(self, call: DecideCall) -> DecideAnswer:
        """Search for the question."""
        return DecideAnswer(
            Decision(
                action=Action.SEARCH,
                confidence=1.0,
                stage=Stage.RULE,
                reason="",
                standalone_question=call.message,
                queries=(PlannedQuery(self.question[:100]),),
                language="en",
            )
        )

    async def search(self, call: SearchCall) -> SearchAnswer:
        """Find the page."""
        self.queries += [query.text for query in call.queries]
        hit = Hit(url=URL, title=self.title, snippet=self.snippet, domain=HOST)
        report = ProviderReport(name="local", status=ProviderStatus.OK, results=1)
        other = Hit(url=OTHER_URL, title=self.title, snippet=self.other_snippet, domain=OTHER_HOST)
        hits = (hit, other) if self.other_snippet else (hit,)
        return SearchAnswer(hits=hits, providers=(report,))

    async def fetch_many(self, call: FetchCall) -> AsyncIterator[tuple[int, PageContent]]:
        """Give the page."""
        for index, url in enumerate(call.urls):
            self.urls.append(url)
            if url == URL:
                yield index, self.page


class _Nowhere:
    """Keeps nothing."""

    async def save(self, evidence_id: str, owner: str, record: Mapping[str, Any]) -> None:
        """Keep nothing."""

    async def load(self, evidence_id: str, owner: str) -> Mapping[str, Any]:
        """Not asked for."""
        raise NotImplementedError

    async def delete(self, evidence_id: str, owner: str) -> None:
        """Not asked for."""
        raise NotImplementedError


@cache
def _readers() -> Any:
    return open_readers()


def extracted(page: bytes) -> PageContent:
    """What the fetcher makes of a page."""
    found = read(_readers(), Document(page, URL, "text/html"))
    return PageContent(
        url=URL,
        success=bool(found.text),
        status="ok",
        final_url=URL,
        method=Method.HTTP,
        title=found.title,
        site_name=found.site_name,
        text=found.text,
    )


def engine_over(web: Web, model: AnswerModel | None) -> Engine:
    """The real engine over a web of stand-ins."""
    ids = count(1)
    services = Services(decision=web, search=web, scorer=web, fetcher=web)
    return Engine(
        Dependencies(
            services=services,
            model=model,
            evidence=_Nowhere(),
            clock=_Fixed(),
            budgets=StageBudgets(),
            plans=DEPTH_PLANS,
            knowledge_cutoff=date(2025, 1, 1),
            new_id=lambda: f"{next(ids) * 2654435761 % 2**32:032x}",
        )
    )


async def answered(web: Web, model: AnswerModel | None) -> TurnResult:
    """One turn over the page."""
    request = TurnRequest(messages=(ChatMessage(Role.USER, web.question),))
    events = [event async for event in engine_over(web, model).run(request)]
    assert isinstance(events[-1], Done), events[-1]
    return events[-1].result


class _Fixed(SystemClock):
    """A fixed day; the stopwatch runs."""

    def now(self) -> datetime:
        """The day of the cases."""
        return datetime(2026, 11, 20, 12, tzinfo=UTC)
