"""An embedding service beside the models: its protocol, its scale, its faults, and what leaves."""

import asyncio
import math
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import grpc
import numpy as np
import pytest
from pellucid.scorer.v1 import scorer_pb2, scorer_pb2_grpc
from prometheus_client import REGISTRY

from pellucid_runtime.errors import ServiceError
from pellucid_runtime.llm.endpoint import open_endpoint
from pellucid_runtime.rpc.server import GrpcServer
from pellucid_scorer import model_choice
from pellucid_scorer.adapters import backends, model_files
from pellucid_scorer.adapters.embedding_service import EmbeddingService
from pellucid_scorer.app import build
from pellucid_scorer.encoding import fitted_scale
from pellucid_scorer.encoding.embedding import Embedder
from pellucid_scorer.encoding.embedding_cache import EmbeddingCache
from pellucid_scorer.encoding.service_encoder import SERVICE, ServiceAnswer, ServiceEncoder
from pellucid_scorer.models import ModelSource, Prefixes
from pellucid_scorer.ports import Encoder, PlainText
from pellucid_scorer.ranking.candidates import Candidate
from pellucid_scorer.ranking.tables import read_models
from pellucid_scorer.settings import Device, ScorerSettings
from rig.embedding_server import Embed, EmbeddingServer, serving

TEXTS = [PlainText("tide", is_question=True), *(PlainText(f"passage {n}") for n in range(6))]
SOON_S = 5.0


def by_letters(texts: Sequence[str]) -> np.ndarray:
    """Return vectors of any length that tell texts apart."""
    counts = [[text.count(letter) for letter in "aeiou0123456789"] for text in texts]
    return np.array(counts, np.float32) + 0.1


@pytest.fixture
def shifted(real_encoder: Encoder) -> Embed:
    """The vectors of MiniLM, all moved one way and made longer, so that cosines are .5 + c / 2."""

    def embed(texts: Sequence[str]) -> np.ndarray:
        vectors = real_encoder.encode(real_encoder.tokenize(texts))
        return np.hstack([vectors, np.ones((len(texts), 1))]) * 3

    return embed


@asynccontextmanager
async def opened(
    server: EmbeddingServer, *, receiver: str = "voyage.example", most_s: float = 2.0, **fields: Any
) -> AsyncIterator[tuple[EmbeddingService, ServiceEncoder]]:
    async with AsyncExitStack() as stack:
        endpoint = await open_endpoint(server.url, lambda: "sk-1", "m", stack)
        given = {"receiver": receiver, "batch_texts": 32} | fields
        service = EmbeddingService(endpoint, **given)
        cache = EmbeddingCache(1_000_000)
        yield (
            service,
            ServiceEncoder(
                service, prefixes=Prefixes("query: ", "passage: "), cache=cache, most_s=most_s
            ),
        )


@pytest.mark.parametrize("knows_base64", [True, False])
async def test_vectors_come_in_the_order_of_the_texts_in_either_form(*, knows_base64: bool) -> None:
    async with (
        serving(by_letters, most_texts=3, knows_base64=knows_base64) as server,
        opened(server, batch_texts=3) as (service, _),
    ):
        found = await service.embed(TEXTS, within_s=SOON_S)
    wanted = by_letters([text.text for text in TEXTS])
    np.testing.assert_allclose(found, wanted / np.linalg.norm(wanted, axis=1, keepdims=True), 1e-5)
    assert sorted(len(body["input"]) for body in server.asked) == [1, 3, 3]
    assert server.keys == {"Bearer sk-1"}
    assert {"dimensions", "input_type"}.isdisjoint(server.asked[0])


async def test_questions_and_passages_are_told_apart_where_the_service_wants_it() -> None:
    async with (
        serving(by_letters) as server,
        opened(server, tells_types=True, dimensions=15) as (service, _),
    ):
        found = await service.embed([*TEXTS[1:], TEXTS[0]], within_s=SOON_S)
    by_type = {body["input_type"]: body["input"] for body in server.asked}
    assert by_type == {"query": ["tide"], "document": [text.text for text in TEXTS[1:]]}
    assert {body["dimensions"] for body in server.asked} == {15}
    wanted = by_letters(["tide"])[0]
    np.testing.assert_allclose(found[-1], wanted / np.linalg.norm(wanted), 1e-5)


def _without_a_row(body: dict[str, Any]) -> dict[str, Any]:
    return body | {"data": body["data"][1:]}


def _without_numbers(body: dict[str, Any]) -> dict[str, Any]:
    return body | {"data": [row | {"embedding": [math.nan] * 15} for row in body["data"]]}


def _without_direction(body: dict[str, Any]) -> dict[str, Any]:
    return body | {"data": [row | {"embedding": [0.0] * 15} for row in body["data"]]}


def _ragged(body: dict[str, Any]) -> dict[str, Any]:
    return body | {"data": [row | {"embedding": [1.0] * row["index"]} for row in body["data"]]}


FAULTS: dict[str, dict[str, Any]] = {
    "too many texts": {"most_texts": 2},
    "wrong key": {"status": 401},
    "failed": {"status": 503},
    "a page": {"spoil": lambda _: "<html>login</html>"},
    "no data": {"spoil": lambda _: {"data": None}},
    "a row is missing": {"spoil": _without_a_row},
    "no numbers": {"spoil": _without_numbers},
    "no direction": {"spoil": _without_direction},
    "ragged": {"spoil": _ragged},
    "no base64": {"spoil": lambda body: body | {"data": [{"index": 0, "embedding": "%"}]}},
    "late": {"delay_s": 0.5},
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
async def test_what_is_no_answer_is_one_typed_error_in_time(fault: dict[str, Any]) -> None:
    loop = asyncio.get_running_loop()
    async with serving(by_letters, **fault) as server, opened(server) as (service, _):
        begun = loop.time()
        with pytest.raises(ServiceError):
            await service.embed(TEXTS, within_s=0.25)
        assert loop.time() - begun < 0.45
        assert server.asked


async def test_vectors_of_another_length_than_before_are_refused() -> None:
    async with serving(by_letters) as server, opened(server) as (service, _):
        await service.embed(TEXTS, within_s=SOON_S)
        server.embed = lambda texts: np.ones((len(texts), 7))
        with pytest.raises(ServiceError):
            await service.embed(TEXTS, within_s=SOON_S)


async def test_an_unknown_scale_is_brought_to_that_of_the_thresholds(
    shifted: Embed, real_encoder: Encoder
) -> None:
    texts = ["how much is the toll", "The toll for cars is 4 crowns.", "Lemon soup with lentils."]
    async with serving(shifted) as server, opened(server) as (_, service):
        await service.measure(SOON_S)
        said = (await service.embed(texts[:1], texts[1:], within_s=SOON_S)).embedded
    assert said is not None
    assert (said.scripts, said.languages) == ({"LATIN"}, {"en"})
    sent = ["query: " + texts[0], *("passage: " + text for text in texts[1:])]
    vectors = real_encoder.encode(real_encoder.tokenize(sent))
    cosines = said.vectors[1:] @ said.vectors[0]
    np.testing.assert_allclose(said.scale.likenesses(cosines), vectors[1:] @ vectors[0], atol=0.05)
    assert said.model == "m/127.0.0.1"


def test_a_model_of_all_languages_is_known_by_what_it_finds() -> None:
    count = len(fitted_scale.texts()) // 2
    questions = np.eye(count, dtype=np.float32)
    fitted = fitted_scale.fit(np.vstack([questions, questions]))
    assert fitted is not None
    assert fitted.scripts == {"all"}
    assert not fitted.languages
    lost = np.vstack([questions, np.roll(questions, 1, axis=0)])
    assert fitted_scale.fit(lost) is None
    assert fitted_scale.fit(np.ones_like(lost)) is None


@pytest.mark.further_model
def test_a_model_whose_scale_was_swept_is_given_nearly_that_scale(tmp_path: Path) -> None:
    spec = read_models().named("multilingual-e5-small")
    files = model_files.find(spec, source=ModelSource.PACKAGE, folder=None, cache=tmp_path)
    encoder = backends.open_encoder(files, Device.CPU, threads=2)
    kinds = {True: spec.prefixes.query, False: spec.prefixes.passage}
    texts = [kinds[text.is_question] + text.text for text in fitted_scale.texts()]
    fitted = fitted_scale.fit(encoder.encode(encoder.tokenize(texts)))
    assert fitted is not None
    assert fitted.scripts == spec.scripts
    assert fitted.scale.zero == pytest.approx(spec.scale.zero, abs=0.02)
    assert fitted.scale.one == pytest.approx(spec.scale.one, abs=0.03)


async def test_a_service_that_tells_nothing_apart_is_never_heard() -> None:
    async with (
        serving(lambda texts: np.ones((len(texts), 4))) as server,
        opened(server) as (_, service),
    ):
        await service.measure(SOON_S)
        measured = len(server.asked)
        answer = await service.embed(["tide"], ["harbour"], within_s=SOON_S)
    assert answer == ServiceAnswer(lost=(SERVICE,))
    assert len(server.asked) == measured


async def test_a_text_is_sent_once_and_only_its_beginning(shifted: Embed) -> None:
    long = "항구 " * 2_000
    async with serving(shifted) as server, opened(server) as (_, service):
        await service.measure(SOON_S)
        before = len(server.asked)
        first = await service.embed(["tide"], [long, "harbour"], within_s=SOON_S)
        again = await service.embed(["tide"], ["harbour", long], within_s=SOON_S)
    assert len(server.asked) == before + 1
    assert [one.text for one in first.outbound] == server.asked[-1]["input"]
    assert {(one.to, one.kind) for one in first.outbound} == {("voyage.example", "embedding")}
    assert max(len(text.encode()) for text in server.texts) <= 1_024
    assert not again.outbound
    assert first.embedded is not None
    assert again.embedded is not None
    np.testing.assert_array_equal(first.embedded.vectors[1], again.embedded.vectors[2])


async def test_a_service_that_asks_for_a_pause_gets_it(shifted: Embed) -> None:
    async with serving(shifted) as server, opened(server) as (_, service):
        await service.measure(SOON_S)
        server.status, server.headers = 429, {"Retry-After": "60"}
        before = len(server.asked)
        answers = [await service.embed([f"tide {n}"], ["soup"], within_s=1) for n in range(4)]
    assert len(server.asked) == before + 1
    assert [answer.lost for answer in answers] == [(SERVICE,)] * 4
    # What was refused has left all the same; what was not sent has not.
    assert [len(answer.outbound) for answer in answers] == [2, 0, 0, 0]


async def test_a_service_that_hangs_is_left_alone_after_a_while(shifted: Embed) -> None:
    loop = asyncio.get_running_loop()
    async with serving(shifted) as server, opened(server, most_s=0.05) as (_, service):
        await service.measure(SOON_S)
        server.delay_s = 0.4
        before, begun = len(server.asked), loop.time()
        for n in range(9):
            await service.embed([f"tide {n}"], ["soup"], within_s=SOON_S)
        assert loop.time() - begun < 2
    assert len(server.asked) == before + 5


async def test_a_service_that_comes_later_is_measured_by_the_first_call(shifted: Embed) -> None:
    async with serving(shifted, status=503) as server, opened(server) as (_, service):
        await service.measure(SOON_S)
        server.status = 200
        first = await service.embed(["tide"], ["harbour"], within_s=SOON_S)
        second = await service.embed(["tide"], ["harbour"], within_s=SOON_S)
    assert first.lost == (SERVICE,)
    assert second.embedded is not None


CANDIDATES = [
    Candidate("web", title="The harbour", snippet="opened in 1912"),
    Candidate("own", title="Salaries", snippet="of the harbour board", internal=True),
    Candidate("bare", url="https://a.example"),
]


@pytest.mark.parametrize(
    ("receiver", "shareable", "sent"),
    [
        ("voyage.example", ["harbour year"],
         {"query: harbour year", "passage: The harbour opened in 1912"}),
        ("voyage.example", [], set()),
        ("voyage.example", ["one", "two"], set()),
        ("voyage.example", [""], set()),
        (
            "",
            [],
            {"query: when did my harbour open", "passage: The harbour opened in 1912",
             "passage: Salaries of the harbour board"},
        ),
    ],
)  # fmt: skip
async def test_outside_goes_what_may_leave_and_nothing_else(
    embedder: Embedder, shifted: Embed, receiver: str, shareable: list[str], sent: set[str]
) -> None:
    async with serving(shifted) as server, opened(server, receiver=receiver) as (_, service):
        await service.measure(SOON_S)
        before = len(server.texts)
        heard = await model_choice.hear(
            [embedder],
            ["when did my harbour open"],
            CANDIDATES,
            model_choice.Outside(service, shareable),
        )
    assert set(server.texts[before:]) == sent
    assert {one.text for one in heard.answer.outbound} == (sent if receiver else set())
    assert len(heard.every) == 1 + bool(sent)
    if receiver and sent:
        rows = np.isnan(heard.every[1].vectors).any(axis=1).tolist()
        assert rows == [False, False, True, True]


REQUEST = scorer_pb2.ScoreRequest(
    question="Why did my harbour close?",
    shareable_questions=["harbour closed reason"],
    candidates=[
        scorer_pb2.Candidate(id="a", title="Harbour closes after storm", snippet="Its pier broke."),
        scorer_pb2.Candidate(id="b", title="Lentil soup", snippet="With lemon and paprika."),
    ],
)


@asynccontextmanager
async def scorer(
    folder: Path, server: EmbeddingServer, **fields: Any
) -> AsyncIterator[scorer_pb2_grpc.ScorerServiceStub]:
    settings = ScorerSettings(
        grpc_port=0,
        metrics_port=0,
        data_dir=folder,
        scorer_model="all-MiniLM-L6-v2",
        scorer_threads=2,
        scorer_embedding_url=server.url,
        scorer_embedding_model="voyage-3.5",
        scorer_embedding_ms=2_000,
        pellucid_clock=datetime(2026, 5, 1, tzinfo=UTC),
        **fields,
    )
    async with AsyncExitStack() as stack:
        service = await build(settings, stack)
        grpc_server = next(one for one in service.listeners if isinstance(one, GrpcServer))
        await stack.enter_async_context(grpc_server)
        channel = await stack.enter_async_context(grpc.aio.insecure_channel(grpc_server.target))
        yield scorer_pb2_grpc.ScorerServiceStub(channel)


def _calls(outcome: str) -> float:
    labels = {"model": "voyage-3.5", "outcome": outcome}
    return REGISTRY.get_sample_value("pellucid_llm_calls_total", labels) or 0.0


async def test_the_scorer_hears_the_service_on_results_alone_and_says_what_left(
    tmp_path: Path, shifted: Embed
) -> None:
    async with serving(shifted) as server, scorer(tmp_path, server) as stub:
        before, known = _calls("ok"), len(server.texts)
        said = await stub.Score(REQUEST)
        after = len(server.texts)
        await stub.Similarity(scorer_pb2.SimilarityRequest(text="page", others=["a page of mine"]))
        await stub.Support(
            scorer_pb2.SupportRequest(
                claims=["It closed."], passages=[scorer_pb2.Passage(id="1", text="It closed.")]
            )
        )
        await stub.Embed(scorer_pb2.EmbedRequest(texts=["mine"]))
    assert said.model.endswith("+voyage-3.5/127.0.0.1")
    assert [one.text for one in said.outbound] == server.texts[known:]
    assert set(server.texts[known:]) == {
        "harbour closed reason",
        "Harbour closes after storm Its pier broke.",
        "Lentil soup With lemon and paprika.",
    }
    assert {(one.to, one.kind) for one in said.outbound} == {("127.0.0.1", "embedding")}
    assert [one.id for one in said.scored if one.included] == ["a"]
    assert not said.lost
    assert len(server.texts) == after
    assert _calls("ok") == before + 1


async def test_without_the_service_the_scores_are_those_of_the_models(
    tmp_path: Path, shifted: Embed
) -> None:
    alone = scorer_pb2.ScoreRequest()
    alone.CopyFrom(REQUEST)
    del alone.shareable_questions[:]
    async with serving(shifted, status=500) as server, scorer(tmp_path, server) as stub:
        lost = await stub.Score(REQUEST)
        server.status = 200
        await stub.Score(REQUEST)
        unshared = await stub.Score(alone)
    assert lost.lost == [SERVICE]
    assert not unshared.lost
    assert not unshared.outbound
    assert "voyage" not in lost.model + unshared.model
    assert [one.final for one in lost.scored] == [one.final for one in unshared.scored]
