"""gateway.v1 with the real server, its interceptors and a scripted engine."""

from collections.abc import AsyncIterator

import grpc
import pytest
from api_fakes import ANSWER, RESULT, FakeEngine, forced_events
from pellucid.common.v1 import common_pb2, error_reason_pb2
from pellucid.decision.v1 import decision_pb2
from pellucid.fetcher.v1 import fetcher_pb2
from pellucid.gateway.v1 import gateway_pb2, gateway_pb2_grpc
from pellucid.search.v1 import search_pb2

from pellucid_gateway.api.http.identity import Identity
from pellucid_gateway.domain.decision import WebMode
from pellucid_gateway.domain.events import Failed
from pellucid_gateway.domain.request import Depth
from pellucid_gateway.grpc.server import SERVICE_NAME, GatewayServicer
from pellucid_gateway.settings import GatewaySettings
from pellucid_runtime.health import Health
from pellucid_runtime.rpc.server import GrpcServer

Stub = gateway_pb2_grpc.GatewayServiceStub


@pytest.fixture
async def stub(engine: FakeEngine) -> AsyncIterator[Stub]:
    servicer = GatewayServicer(engine, Identity(b"k" * 16))
    server = GrpcServer(
        GatewaySettings(grpc_port=0),
        register=[
            lambda grpc_server: gateway_pb2_grpc.add_GatewayServiceServicer_to_server(
                servicer, grpc_server
            )
        ],
        services=[SERVICE_NAME],
        health=Health(),
    )
    async with server, grpc.aio.insecure_channel(server.target) as channel:
        yield gateway_pb2_grpc.GatewayServiceStub(channel)


def chat(*contents: str, **options: object) -> gateway_pb2.ChatRequest:
    messages = [
        common_pb2.Message(role=common_pb2.ROLE_USER, content=content) for content in contents
    ]
    return gateway_pb2.ChatRequest(messages=messages, **options)


async def test_the_stream_carries_the_whole_turn(stub: Stub, engine: FakeEngine) -> None:
    request = chat(
        "What is the toll?",
        user_id="ada",
        web_mode=decision_pb2.WEB_MODE_ON,
        depth=gateway_pb2.DEPTH_DEEP,
    )

    events = [event async for event in stub.Chat(request, timeout=5)]

    kinds = [event.WhichOneof("event") for event in events]
    assert kinds[:3] == ["decision", "url_fetch", "progress"]
    assert kinds[-1] == "done"
    text = "".join(event.delta.text for event in events if event.WhichOneof("event") == "delta")
    assert text == ANSWER == events[-1].done.answer
    (turn,) = engine.turns
    assert (turn.web_mode, turn.depth) == (WebMode.ON, Depth.DEEP)
    assert turn.caller not in {"", "ada"}
    assert 4000 < turn.deadline_ms <= 5100  # gRPC rounds timeouts up


async def test_the_result_keeps_every_field(stub: Stub) -> None:
    events = [event async for event in stub.Chat(chat("x"))]

    done = events[-1].done
    assert done.answer_kind == gateway_pb2.ANSWER_KIND_EXTRACTIVE
    assert done.decision.stage == decision_pb2.STAGE_RULE
    assert done.decision.queries[0].text == "Skerry Bridge car toll 2026"
    assert done.sources[0].method == fetcher_pb2.METHOD_HTTP
    assert done.sources[0].published.source == common_pb2.DATE_SOURCE_META
    assert not done.sources[2].HasField("breakdown")
    assert done.providers[1].error_code == search_pb2.PROVIDER_ERROR_CODE_TIMEOUT
    assert done.degraded[0].component == "provider:brave"
    assert done.timings_ms["search"] == 412
    assert done.usage.cost_micro_usd == RESULT.usage.cost_micro_usd
    assert [citation.start for citation in done.citations] == [
        citation.start for citation in RESULT.citations
    ]


async def test_a_forced_search_sends_its_results_as_sources(stub: Stub, engine: FakeEngine) -> None:
    engine.events = forced_events()

    events = [event async for event in stub.Chat(chat("x", force_search=True))]

    assert [event.WhichOneof("event") for event in events] == ["decision", "sources", "done"]


async def test_a_failed_turn_ends_with_an_error_event(stub: Stub, engine: FakeEngine) -> None:
    engine.events = [Failed("SEARCH_FAILED", "No provider answered.", retryable=True)]

    (event,) = [event async for event in stub.Chat(chat("x"))]

    assert event.error.reason == error_reason_pb2.ERROR_REASON_SEARCH_FAILED
    assert event.error.retryable


@pytest.mark.parametrize(
    "request_",
    [
        gateway_pb2.ChatRequest(),
        chat(" "),
        chat("x" * 32_769),
        chat("x", depth=99),
        chat(*["x"] * 51),
        gateway_pb2.ChatRequest(
            messages=[common_pb2.Message(role=common_pb2.ROLE_ASSISTANT, content="x")]
        ),
    ],
)
async def test_bad_requests_are_refused_before_the_engine(
    stub: Stub, engine: FakeEngine, request_: gateway_pb2.ChatRequest
) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        async for _ in stub.Chat(request_):
            pass

    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert engine.turns == []


async def test_decide_answers_the_decision(stub: Stub) -> None:
    reply = await stub.Decide(gateway_pb2.DecideRequest(chat=chat("x")))

    assert reply.decision.action == decision_pb2.ACTION_SEARCH
    assert reply.decision.signals[0].name == "time_word"


async def test_leaving_the_stream_cancels_the_turn(stub: Stub, engine: FakeEngine) -> None:
    engine.pause_s = 1.0
    call = stub.Chat(chat("x"))
    async for _ in call:
        break
    call.cancel()

    import asyncio

    await asyncio.wait_for(engine.cancelled.wait(), 10)


async def test_a_defect_tells_nothing(stub: Stub, engine: FakeEngine) -> None:
    engine.defect = RuntimeError("the secret text")

    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.Decide(gateway_pb2.DecideRequest(chat=chat("x")))

    assert caught.value.code() is grpc.StatusCode.INTERNAL
    assert "secret" not in (caught.value.details() or "")
