"""The engine's adapters against real gRPC servers in process, a real store, a scripted model."""

# ruff: noqa: ARG002 - servicer methods take a context that these need not

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from pellucid.common.v1 import common_pb2
from pellucid.decision.v1 import decision_pb2, decision_pb2_grpc
from pellucid.fetcher.v1 import fetcher_pb2, fetcher_pb2_grpc
from pellucid.scorer.v1 import scorer_pb2, scorer_pb2_grpc
from pellucid.search.v1 import search_pb2, search_pb2_grpc

from pellucid_gateway.adapters.evidence_store import StoredEvidence
from pellucid_gateway.adapters.model import LlmAnswerModel
from pellucid_gateway.adapters.services import open_services
from pellucid_gateway.adapters.sqlite_state import SqliteState
from pellucid_gateway.domain.account import OutboundText
from pellucid_gateway.domain.answer_model import ModelEnd, ModelPiece, ModelThought, Prompt
from pellucid_gateway.domain.decision import Action, Freshness, PlannedQuery, Stage, WebMode
from pellucid_gateway.domain.findings import DateSource, Hit, Method, ProviderStatus, Purpose
from pellucid_gateway.domain.outgoing import sent_for_rating
from pellucid_gateway.domain.ports import (
    DecideCall,
    FetchCall,
    Passage,
    ReflectCall,
    ScoreCall,
    SearchCall,
    Services,
)
from pellucid_gateway.domain.request import (
    ChatMessage,
    Role,
    ScoringOptions,
    SearchOptions,
    SubjectContext,
)
from pellucid_gateway.domain.state_ports import Entry
from pellucid_runtime.clock import SystemClock
from pellucid_runtime.errors import DependencyDownError, NotFoundError
from pellucid_runtime.llm.model import ChatRequest, Chunk, Usage

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def stamp(moment: datetime) -> Timestamp:
    timestamp = Timestamp()
    timestamp.FromDatetime(moment)
    return timestamp


class Recorder(
    decision_pb2_grpc.DecisionServiceServicer,
    search_pb2_grpc.SearchServiceServicer,
    scorer_pb2_grpc.ScorerServiceServicer,
    fetcher_pb2_grpc.FetcherServiceServicer,
):
    """All four services; keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        # So many calls get no answer.
        self.stuck = 0

    async def Decide(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.asked.append(request)
        decision = decision_pb2.Decision(
            action=decision_pb2.ACTION_SEARCH,
            needs_search=True,
            confidence=0.9,
            stage=decision_pb2.STAGE_MATRIX,
            standalone_question="Which toll?",
            queries=[decision_pb2.Query(text="toll", freshness=common_pb2.FRESHNESS_WEEK)],
            freshness=common_pb2.FRESHNESS_WEEK,
        )
        lost = common_pb2.Degradation(component="llm", detail="slow")
        return decision_pb2.DecideResponse(decision=decision, degraded=[lost])

    async def Reflect(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.asked.append(request)
        return decision_pb2.ReflectResponse(refined_query="more", missing_aspects=["who"])

    async def Search(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.asked.append(request)
        published = common_pb2.PublishedDate(
            time=stamp(NOW), source=common_pb2.DATE_SOURCE_JSON_LD, confidence=0.9
        )
        hit = search_pb2.Hit(
            url="http://a.example/",
            title="A",
            domain="a.example",
            published=published,
            findings=[search_pb2.Finding(provider="local", rank=1)],
        )
        report = search_pb2.ProviderReport(
            name="brave",
            status=search_pb2.PROVIDER_STATUS_RATE_LIMITED,
            error_code=search_pb2.PROVIDER_ERROR_CODE_QUOTA,
        )
        linked = search_pb2.Entity(name="A", id="Q1", label="A", description="a letter")
        return search_pb2.SearchResponse(
            hits=[hit], providers=[report], cost_micro_usd=5000, entities=[linked]
        )

    async def Score(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.asked.append(request)
        scored = [
            scorer_pb2.ScoredCandidate(
                id=candidate.id,
                final=0.5,
                included=i == 0,
                exclusion=scorer_pb2.EXCLUSION_DOMAIN_CAP if i else 0,
            )
            for i, candidate in enumerate(reversed(request.candidates))
        ]
        sent = common_pb2.OutboundText(to="voyage.example", kind="embedding", text="q")
        return scorer_pb2.ScoreResponse(scored=scored, outbound=[sent])

    async def Similarity(self, request: Any, context: Any) -> Any:  # noqa: N802
        if self.stuck:
            self.stuck -= 1
            await asyncio.sleep(30)
        return scorer_pb2.SimilarityResponse(similarities=[0.25] * len(request.others))

    async def Support(self, request: Any, context: Any) -> Any:  # noqa: N802
        judged = scorer_pb2.PassageSupport(passage_id="1", score=0.3, likeness=0.7)
        claims = [scorer_pb2.ClaimSupport(passages=[judged]) for _ in request.claims]
        return scorer_pb2.SupportResponse(claims=claims)

    async def FetchMany(self, request: Any, context: Any) -> AsyncIterator[Any]:  # noqa: N802
        self.asked.append(request)
        for index in reversed(range(len(request.requests))):
            page = fetcher_pb2.Page(
                url=request.requests[index].url,
                success=bool(index),
                status=fetcher_pb2.FETCH_STATUS_OK if index else fetcher_pb2.FETCH_STATUS_NO_TEXT,
                method=fetcher_pb2.METHOD_BROWSER,
            )
            yield fetcher_pb2.FetchManyResponse(index=index, page=page)


@pytest.fixture
async def wired() -> AsyncIterator[tuple[Services, Recorder]]:
    recorder = Recorder()
    server = grpc.aio.server()
    decision_pb2_grpc.add_DecisionServiceServicer_to_server(recorder, server)
    search_pb2_grpc.add_SearchServiceServicer_to_server(recorder, server)
    scorer_pb2_grpc.add_ScorerServiceServicer_to_server(recorder, server)
    fetcher_pb2_grpc.add_FetcherServiceServicer_to_server(recorder, server)
    target = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    async with AsyncExitStack() as stack:
        services = await open_services(
            stack, decision=target, search=target, scorer=target, fetcher=target
        )
        yield services, recorder
    await server.stop(None)


async def test_a_decision_travels_both_ways(wired: tuple[Services, Recorder]) -> None:
    services, recorder = wired
    answer = await services.decision.decide(
        DecideCall(
            message="And the toll?",
            history=(ChatMessage(Role.USER, "x" * 10_000),),
            now=NOW,
            web_mode=WebMode.ON,
            subject=SubjectContext(title="Bridge"),
        )
    )

    asked = recorder.asked[0]
    assert asked.web_mode == decision_pb2.WEB_MODE_ON
    assert asked.subject.title == "Bridge"
    assert len(asked.history[0].content.encode()) <= 8192
    assert answer.decision.action is Action.SEARCH
    assert answer.decision.stage is Stage.MATRIX
    assert answer.decision.queries == (PlannedQuery("toll", Freshness.WEEK),)
    assert answer.decision.language == "und"
    assert answer.degraded[0].component == "llm"


async def test_a_reflection_travels_both_ways(wired: tuple[Services, Recorder]) -> None:
    call = ReflectCall(
        question="Who?", target_info=("a name",), extracts=(), used_queries=("q",), language="",
        now=NOW,
    )  # fmt: skip
    reflection = await wired[0].decision.reflect(call)

    assert not reflection.sufficient
    assert (reflection.refined_query, reflection.missing_aspects) == ("more", ("who",))


async def test_the_persons_restrictions_go_before_the_decisions(
    wired: tuple[Services, Recorder],
) -> None:
    services, recorder = wired
    options = SearchOptions(recency_days=30, site="b.example", no_external=True)
    call = SearchCall(
        queries=(PlannedQuery("toll", Freshness.DAY, "a.example"),),
        question="Which toll?",
        options=options,
        now=NOW,
    )
    answer = await services.search.search(call)

    query = recorder.asked[0].queries[0]
    assert (query.site, query.freshness) == ("b.example", common_pb2.FRESHNESS_MONTH)
    assert recorder.asked[0].no_external
    assert answer.hits[0].providers == ("local",)
    assert answer.hits[0].published is not None
    assert answer.hits[0].published.source is DateSource.JSON_LD
    assert answer.providers[0].status is ProviderStatus.RATE_LIMITED
    assert answer.providers[0].error_code == "quota"
    assert answer.cost_micro_usd == 5000
    assert [(e.name, e.id, e.description) for e in answer.entities] == [("A", "Q1", "a letter")]


async def test_scores_find_their_hits_again(wired: tuple[Services, Recorder]) -> None:
    services, recorder = wired
    liked = Hit(url="http://a.example/", title="A", trust_shift=0.2)
    hits = (liked, Hit(url="http://b.example/", title="B", internal=True))
    call = ScoreCall(
        question="q", hits=hits, now=NOW, max_results=5, max_per_domain=2,
        shareable_questions=("redacted q",),
        scoring=ScoringOptions(threshold=0.0, weights=(0.4, 0.3, 0.2, 0.1)),
    )  # fmt: skip
    scored = await services.scorer.score(call)

    assert recorder.asked[0].HasField("threshold")
    assert recorder.asked[0].weights.trust == pytest.approx(0.3)
    assert [one.trust_shift for one in recorder.asked[0].candidates] == [0.2, 0.0]
    assert [one.internal for one in recorder.asked[0].candidates] == [False, True]
    assert recorder.asked[0].shareable_questions == ["redacted q"]
    assert sent_for_rating(scored) == (OutboundText("voyage.example", "embedding", "q"),)
    assert [item.hit.title for item in scored] == ["B", "A"]
    assert [item.exclusion for item in scored] == ["", "domain_cap"]


async def test_similarity_and_support_come_back_in_order(
    wired: tuple[Services, Recorder],
) -> None:
    scorer = wired[0].scorer

    assert await scorer.similarities("a", ["b", "c"]) == (0.25, 0.25)
    ((judged,),) = await scorer.support(["claim"], [Passage("1", "text")])
    assert judged.score == 0.7


async def test_a_scorer_that_takes_long_is_asked_once_more(
    wired: tuple[Services, Recorder],
) -> None:
    services, recorder = wired
    recorder.stuck = 1
    async with asyncio.timeout(10):
        assert await services.scorer.similarities("a", ["b"]) == (0.25,)
    assert recorder.stuck == 0


async def test_pages_come_as_they_arrive(wired: tuple[Services, Recorder]) -> None:
    services, recorder = wired
    call = FetchCall(
        urls=("http://a.example/", "http://b.example/"), purpose=Purpose.USER_URL, timeout_s=2.5
    )
    pages = [item async for item in services.fetcher.fetch_many(call)]

    assert recorder.asked[0].requests[0].purpose == fetcher_pb2.PURPOSE_USER_URL
    assert recorder.asked[0].requests[0].timeout_ms == 2500
    assert [(i, p.success, p.status) for i, p in pages] == [(1, True, "ok"), (0, False, "no_text")]
    assert pages[0][1].method is Method.BROWSER


async def test_a_service_that_is_not_there_is_a_dependency_that_is_down() -> None:
    async with AsyncExitStack() as stack:
        nowhere = "127.0.0.1:1"
        services = await open_services(
            stack, decision=nowhere, search=nowhere, scorer=nowhere, fetcher=nowhere
        )
        with pytest.raises(DependencyDownError):
            await services.scorer.similarities("a", ["b"])


class ScriptedLlm:
    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        self.requests: list[ChatRequest] = []

    async def stream(self, request: ChatRequest) -> AsyncIterator[Chunk]:
        self.requests.append(request)
        for chunk in self._chunks:
            yield chunk

    async def complete(self, request: ChatRequest) -> Any:
        raise AssertionError(f"only streaming is scripted, not {request}")


async def test_the_models_chunks_become_pieces_and_one_end() -> None:
    llm = ScriptedLlm(
        [Chunk("a"), Chunk(""), Chunk("b"), Chunk(finish_reason="length"), Chunk(usage=Usage(7, 2))]
    )
    model = LlmAnswerModel(llm, name="m", receiver="llm.example", window_tokens=4096)
    prompt = Prompt(messages=(ChatMessage(Role.USER, "hi"),), max_tokens=99)
    events = [event async for event in model.stream(prompt)]

    assert events == [
        ModelPiece("a"),
        ModelThought(""),
        ModelPiece("b"),
        ModelEnd(truncated=True, finish_reason="length", prompt_tokens=7, completion_tokens=2),
    ]
    assert llm.requests[0].max_tokens == 99
    assert llm.requests[0].model is None


async def test_evidence_belongs_to_its_owner_and_can_be_forgotten(tmp_path: Path) -> None:
    async with SqliteState(tmp_path / "state.sqlite3", SystemClock()) as store:
        evidence = StoredEvidence(store)
        await evidence.save("id1", "me", {"answer": "x"})

        assert await evidence.load("id1", "me") == {"answer": "x"}
        with pytest.raises(NotFoundError):
            await evidence.load("id1", "somebody else")
        with pytest.raises(NotFoundError):
            await evidence.delete("id1", "somebody else")
        await evidence.delete("id1", "me")
        with pytest.raises(NotFoundError):
            await evidence.load("id1", "me")


async def test_an_entry_that_is_not_ours_counts_as_none(tmp_path: Path) -> None:
    async with SqliteState(tmp_path / "state.sqlite3", SystemClock()) as store:
        await store.put("me", "evidence", Entry("id1", b"\x00not json"), ttl_s=60.0)

        with pytest.raises(NotFoundError):
            await StoredEvidence(store).load("id1", "me")
