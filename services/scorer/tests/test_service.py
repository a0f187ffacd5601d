"""The real server in process: its RPCs, limits and errors over the wire."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import grpc
import numpy as np
import pytest
import pytest_asyncio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from pellucid.common.v1 import common_pb2
from pellucid.scorer.v1 import scorer_pb2, scorer_pb2_grpc

from pellucid_runtime.errors import OverloadedError
from pellucid_runtime.rpc.server import GrpcServer
from pellucid_scorer.adapters import backends
from pellucid_scorer.app import build
from pellucid_scorer.encoding.embedding import Embedder
from pellucid_scorer.encoding.overload_gate import OverloadGate
from pellucid_scorer.server import SERVICE
from pellucid_scorer.settings import ScorerSettings
from pellucid_scorer.understanding.card import Card, Line
from pellucid_scorer.understanding.layout import Arranged
from pellucid_scorer.understanding.reading import Logits

pytestmark = pytest.mark.asyncio(loop_scope="module")

Stub = scorer_pb2_grpc.ScorerServiceStub

NEWS = scorer_pb2.Candidate(
    id="news",
    url="https://www.reuters.com/tides",
    title="Harbour closes after storm",
    snippet="The harbour of Northport closed on Monday after a storm damaged its eastern pier.",
)
OFF_TOPIC = scorer_pb2.Candidate(
    id="gov",
    url="https://www.treasury.gov/today",
    title="Annual report of the treasury",
    snippet="The study of tax receipts was published today. " * 4,
)
QUESTION = "Why did the harbour of Northport close?"


@pytest.fixture(scope="module", autouse=True)
def _each_model_is_opened_once() -> Iterator[None]:
    """Each takes seconds; the servers differ in what stands before them."""
    opened = backends.open_models
    by_name = cache(lambda model: opened(ScorerSettings(scorer_model=model, scorer_threads=2)))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(backends, "open_models", lambda settings: by_name(settings.scorer_model))
        yield


@asynccontextmanager
async def serving(
    folder: Path, **fields: object
) -> AsyncIterator[tuple[Stub, health_pb2_grpc.HealthStub]]:
    settings = ScorerSettings(
        grpc_port=0,
        metrics_port=0,
        data_dir=folder,
        scorer_threads=2,
        pellucid_clock=datetime(2026, 5, 1, tzinfo=UTC),
        **{"scorer_model": "all-MiniLM-L6-v2", **fields},
    )
    async with AsyncExitStack() as stack:
        service = await build(settings, stack)
        server = next(one for one in service.listeners if isinstance(one, GrpcServer))
        assert service.health.components == {"model": True}
        await stack.enter_async_context(server)
        channel = await stack.enter_async_context(grpc.aio.insecure_channel(server.target))
        yield scorer_pb2_grpc.ScorerServiceStub(channel), health_pb2_grpc.HealthStub(channel)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stub(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stub]:
    """One server for all tests that leave it as it was."""
    async with serving(tmp_path_factory.mktemp("data")) as (one, _):
        yield one


async def test_a_full_queue_refuses_with_a_pushback_and_stays_serving(tmp_path: Path) -> None:
    async with serving(tmp_path, scorer_queue_tokens=256) as (stub, health):
        calls = [asyncio.ensure_future(_score(stub, number)) for number in range(24)]
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        status = await health.Check(health_pb2.HealthCheckRequest(service=SERVICE))
    refused = [one for one in outcomes if isinstance(one, grpc.aio.AioRpcError)]
    assert 0 < len(refused) < len(outcomes)
    assert {one.code() for one in refused} == {grpc.StatusCode.RESOURCE_EXHAUSTED}
    assert all(int(dict(one.trailing_metadata())["grpc-retry-pushback-ms"]) > 0 for one in refused)
    assert status.status == health_pb2.HealthCheckResponse.SERVING


@pytest.mark.further_model
async def test_two_models_find_across_languages_and_a_full_one_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = scorer_pb2.ScoreRequest(
        question="Northport 항구는 왜 문을 닫았나요?", candidates=[OFF_TOPIC, NEWS]
    )
    async with serving(tmp_path, scorer_model="auto") as (stub, _):
        both = await stub.Score(request)
        monkeypatch.setattr(Embedder, "_cached", _full_for_many_languages)
        one = await stub.Score(request)
        likeness = await stub.Similarity(
            scorer_pb2.SimilarityRequest(text="harbour", others=["a pier in a harbour"])
        )
    assert both.model.startswith("multilingual-e5-small/cpu-")
    assert [(x.id, x.included) for x in both.scored] == [("news", True), ("gov", False)]
    assert both.scored[0].breakdown.semantic_method == "embedding"
    assert one.model.startswith("all-MiniLM-L6-v2/cpu-")
    assert "+" not in one.model
    assert likeness.model == one.model


async def test_a_question_and_passages_of_two_languages_are_compared_by_the_model_of_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = "The toll for cars on the bridge is 4.50 crowns, and the fish market is open on Mondays."
    english = scorer_pb2.SimilarityRequest(text="What is the toll for the bridge?", others=[page])
    german = scorer_pb2.SimilarityRequest(text="Wie hoch ist die Maut?", others=[page])
    async with serving(tmp_path, scorer_model="auto") as (stub, _):
        alike = await stub.Similarity(english)
        apart = await stub.Similarity(german)
        monkeypatch.setattr(Embedder, "_cached", _full_for_many_languages)
        full = await stub.Similarity(german)
    assert alike.model.startswith("all-MiniLM-L6-v2/cpu-")
    assert apart.model.startswith("multilingual-e5-small/cpu-")
    assert full.model == alike.model


def _full_for_many_languages(embedder: Embedder, keys: list[bytes]) -> dict[bytes, np.ndarray]:
    if embedder.reads(["항구"]):
        raise OverloadedError("encode", 0.5)
    del keys
    return {}


async def test_only_searches_are_refused_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OverloadGate, "refusal", lambda _gate: OverloadedError("encode", 0.5))
    async with serving(tmp_path) as (stub, _):
        wrong = scorer_pb2.ScoreRequest(candidates=[NEWS, NEWS])
        assert await code_of(stub.Score(wrong)) == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert (await stub.Embed(scorer_pb2.EmbedRequest(texts=["tide"]))).vectors


async def _score(stub: Stub, number: int) -> scorer_pb2.ScoreResponse:
    candidates = [
        scorer_pb2.Candidate(id=str(n), snippet=f"pier {number} number {n} closed " * 9)
        for n in range(20)
    ]
    return await stub.Score(scorer_pb2.ScoreRequest(question=QUESTION, candidates=candidates))


async def code_of(call: "grpc.aio.UnaryUnaryCall[object, object]") -> grpc.StatusCode:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await call
    return refused.value.code()


async def test_score_end_to_end(stub: Stub) -> None:
    OFF_TOPIC.published_at.FromDatetime(datetime(2026, 5, 1, tzinfo=UTC))
    response = await stub.Score(
        scorer_pb2.ScoreRequest(question=QUESTION, candidates=[OFF_TOPIC, NEWS])
    )
    news, gov = response.scored
    assert (news.id, news.included, news.domain) == ("news", True, "reuters.com")
    assert (gov.included, gov.exclusion) == (False, scorer_pb2.EXCLUSION_OFF_TOPIC)
    assert (gov.breakdown.trust_rule, gov.breakdown.freshness) == (".gov", 1.0)
    weights, parts = response.weights, news.breakdown
    assert news.final == pytest.approx(
        weights.semantic * parts.semantic
        + weights.trust * parts.trust
        + weights.freshness * parts.freshness
        + weights.quality * parts.quality
    )
    assert response.model.startswith("all-MiniLM-L6-v2/cpu-")
    assert (response.profile, response.threshold) == ("default", 0.35)


async def test_subject_and_overrides(stub: Stub) -> None:
    request = scorer_pb2.ScoreRequest(
        question=QUESTION,
        candidates=[NEWS],
        subject=common_pb2.SubjectContext(organizations=["Northport"]),
        profile="news",
        threshold=0.0,
        time_sensitive=True,
    )
    response = await stub.Score(request)
    assert response.scored[0].breakdown.subject_lift > 0
    assert (response.profile, response.threshold) == ("news", 0.0)
    assert response.weights.freshness == 0.25


async def test_a_thousand_results(stub: Stub) -> None:
    many = [
        scorer_pb2.Candidate(id=str(n), url=f"https://s{n}.example/", title=f"Pier {n} closed")
        for n in range(1000)
    ]
    response = await stub.Score(scorer_pb2.ScoreRequest(question=QUESTION, candidates=many))
    assert len(response.scored) == 1000
    assert sum(one.included for one in response.scored) == 5


async def test_odd_candidates_are_rated(stub: Stub) -> None:
    odd = [
        scorer_pb2.Candidate(id="empty"),
        scorer_pb2.Candidate(id="emoji", title="🎉🎉🎉", snippet="🚢" * 100),
        scorer_pb2.Candidate(id="mixed", title="港口 harbour 항구", url="http://[bad"),
        scorer_pb2.Candidate(id="control", title="\x00\x07 x", url="https://a\nb.example/"),
    ]
    response = await stub.Score(scorer_pb2.ScoreRequest(question="🎉", candidates=odd))
    assert {one.id for one in response.scored} == {"empty", "emoji", "mixed", "control"}
    assert all(0.0 <= one.final <= 1.0 for one in response.scored)


async def test_no_candidates(stub: Stub) -> None:
    assert not (await stub.Score(scorer_pb2.ScoreRequest(question="q"))).scored


async def test_wrong_requests_are_refused_by_name(stub: Stub) -> None:
    invalid = grpc.StatusCode.INVALID_ARGUMENT
    request = scorer_pb2.ScoreRequest
    assert await code_of(stub.Score(request())) == invalid
    assert await code_of(stub.Score(request(question="x" * 1_000_000))) == invalid
    assert await code_of(stub.Score(request(question="q", candidates=[NEWS] * 1001))) == invalid
    assert await code_of(stub.Score(request(question="q", candidates=[NEWS, NEWS]))) == invalid
    assert await code_of(stub.Score(request(question="q", threshold=float("nan")))) == invalid
    weights = scorer_pb2.Weights(semantic=0.9, trust=0.9)
    assert await code_of(stub.Score(request(question="q", weights=weights))) == invalid
    far = scorer_pb2.Candidate(id="far")
    far.published_at.seconds = 10**15
    assert await code_of(stub.Score(request(question="q", candidates=[far]))) == invalid
    unknown = stub.Score(request(question="q", profile="nobody-wrote-this"))
    assert await code_of(unknown) == grpc.StatusCode.INVALID_ARGUMENT


async def test_embed(stub: Stub) -> None:
    response = await stub.Embed(scorer_pb2.EmbedRequest(texts=["tide", "", "tide"]))
    vectors = np.frombuffer(response.vectors, "<f4").reshape(3, response.dimensions)
    assert response.dimensions == 384
    np.testing.assert_array_equal(vectors[0], vectors[2])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-3)


async def test_similarity(stub: Stub) -> None:
    request = scorer_pb2.SimilarityRequest(text="a cat", others=["a kitten", "a tax form", "a cat"])
    kitten, tax, same = (await stub.Similarity(request)).similarities
    assert same == pytest.approx(1.0, abs=1e-3)
    assert kitten > 0.6 > tax


async def test_support(stub: Stub) -> None:
    passage = "Northport earned 4.2 million crowns in March 2025. Ann Lee leads the harbour board."
    request = scorer_pb2.SupportRequest(
        claims=[
            "In March 2025, Northport earned 4.2 million crowns.",
            "In March 2025, Northport earned 4.9 million crowns.",
        ],
        passages=[
            scorer_pb2.Passage(id="p", text=passage),
            scorer_pb2.Passage(id="q", text="Lentil soup needs lemon."),
        ],
    )
    right, wrong = (await stub.Support(request)).claims
    assert [one.passage_id for one in right.passages] == ["p", "q"]
    assert right.passages[0].score > 0.5
    window = passage[right.passages[0].window_start : right.passages[0].window_end]
    assert "4.2 million" in window
    assert right.passages[0].overlap > wrong.passages[0].overlap
    assert wrong.passages[1].score < 0.2


async def test_without_trained_weights_nothing_is_understood(stub: Stub) -> None:
    code = await code_of(stub.Understand(scorer_pb2.UnderstandRequest(message="hello")))
    assert code is grpc.StatusCode.FAILED_PRECONDITION


class Everything:
    """A model that reads everything into every message."""

    name, first, last = "everything", 0, 2
    card = Card("everything", 1, 1.0, ("news",), Line(1, 0), Line(1, 0))

    def __init__(self) -> None:
        self.pieces = self

    def cut(self, words: Sequence[str]) -> list[list[tuple[int, int, int]]]:
        return [[(5, 0, len(word))] for word in words]

    def run(self, arranged: Arranged) -> Logits:
        many = np.full(max(5, len(arranged.ids)), 40, np.float32)
        tags = np.stack([many[: len(arranged.ids)]] * 3, axis=1)
        return Logits(tags, many[:1], many[:1], many[:5], many[:1])


async def test_understand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = backends.open_models

    def with_it(settings: ScorerSettings) -> backends.Opened:
        return backends.Opened(opened(settings).encoders, Everything())

    monkeypatch.setattr(backends, "open_models", with_it)
    request = scorer_pb2.UnderstandRequest(
        message="and  there?",
        history=[
            common_pb2.Message(role=common_pb2.ROLE_SYSTEM, content="Be brief."),
            common_pb2.Message(role=common_pb2.ROLE_USER, content="weather Rome"),
        ],
    )
    async with serving(tmp_path) as (stub, _):
        found = await stub.Understand(request)
        empty = await code_of(stub.Understand(scorer_pb2.UnderstandRequest()))
    assert empty is grpc.StatusCode.INVALID_ARGUMENT
    assert (found.search, found.leans_on_history) == pytest.approx((1, 1))
    assert found.freshness == pytest.approx([0.2] * 5)
    assert (found.kind, found.kind_probability, found.model) == ("news", 1, "everything")
    places = [(piece.text, piece.start, piece.end) for piece in found.pieces]
    assert places == [(0, 0, 3), (0, 5, 11), (2, 0, 7), (2, 8, 12)]
    assert all(list(piece.queries) == [1, 1, 1] for piece in found.pieces)
