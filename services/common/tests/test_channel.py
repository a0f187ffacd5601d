"""Calls to other services: bounded, balanced, retried where that is safe, and traced."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pellucid.scorer.v1 import scorer_pb2 as scorer
from pellucid.scorer.v1 import scorer_pb2_grpc
from prometheus_client import REGISTRY

from pellucid_runtime.errors import (
    DeadlineExceededError,
    DependencyDownError,
    InvalidArgumentError,
)
from pellucid_runtime.rpc import server as server_module
from pellucid_runtime.rpc.channel import open_channel, service_config
from pellucid_runtime.rpc.deadline import child_timeout_s, deadline_scope, remaining_s
from pellucid_runtime.settings import ServiceSettings
from pellucid_runtime.telemetry import tracing
from rig.waiting import eventually

SCORER = "pellucid.scorer.v1.ScorerService"


async def read_into(received: list[Any], call: Any) -> None:
    async for event in call:
        received.append(event)  # noqa: PERF401 - what came before an error matters


async def test_timeout_is_the_smaller_of_wish_and_rest() -> None:
    assert child_timeout_s(3.0) == 3.0
    with deadline_scope(1.0):
        assert child_timeout_s(0.5) == 0.5
        assert child_timeout_s(3.0) == pytest.approx(0.99, abs=0.01)
        assert child_timeout_s() == pytest.approx(0.99, abs=0.01)
        assert child_timeout_s(margin_s=0.5) == pytest.approx(0.5, abs=0.01)


async def test_inner_scope_never_outlives_the_outer() -> None:
    with deadline_scope(0.2):
        with deadline_scope(10):
            assert remaining_s() == pytest.approx(0.2, abs=0.02)
        with deadline_scope(0.1):
            assert remaining_s() == pytest.approx(0.1, abs=0.02)
        assert remaining_s() == pytest.approx(0.2, abs=0.02)
    assert remaining_s() is None


async def test_scope_in_a_generator_may_be_left_from_another_task() -> None:
    async def pieces() -> AsyncIterator[float]:
        with deadline_scope(5):
            yield 1.0
            yield 2.0

    generator = pieces()
    await asyncio.create_task(anext(generator))
    await asyncio.create_task(generator.aclose())
    assert remaining_s() is None


async def test_call_without_any_deadline_still_has_one() -> None:
    timeout = child_timeout_s()
    assert 0 < timeout < 60


async def test_a_caller_that_pings_keeps_its_connection(
    start_rig: Any, ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pings come 30 times as often as in production, and may; the fourth is one too many else."""
    monkeypatch.setattr(server_module, "_PING_INTERVAL_MS", 333)
    target = (await start_rig()).server.target
    # gRPC would leave out most of the pings of a connection without data.
    options = [("grpc.keepalive_time_ms", 1_000), ("grpc.http2.max_pings_without_data", 0)]
    async with grpc.aio.insecure_channel(target, options=options) as channel:
        watching = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest())
        await watching.read()
        await scorer_pb2_grpc.ScorerServiceStub(channel).Similarity(ask, timeout=5)
        changed = channel.wait_for_state_change(grpc.ChannelConnectivity.READY)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(changed, timeout=6)
        watching.cancel()


async def test_nobody_listens(ask: Any, free_port: int) -> None:
    async with open_channel(f"127.0.0.1:{free_port}", service=SCORER) as channel:
        began = asyncio.get_running_loop().time()
        with pytest.raises(DependencyDownError) as caught:
            await scorer_pb2_grpc.ScorerServiceStub(channel).Similarity(ask, timeout=5)
        assert asyncio.get_running_loop().time() - began < 4
    assert caught.value.metadata == {"dependency": "scorer"}


async def test_restarted_server_is_found_again_within_a_second(start_rig: Any, ask: Any) -> None:
    rig = await start_rig()
    port = rig.server.port
    await rig.scorer.Similarity(ask)
    await rig.server.stop()
    for _ in range(8):  # long enough to climb the reconnection backoff
        with pytest.raises(DependencyDownError):
            await rig.scorer.Similarity(ask, timeout=5)
        await asyncio.sleep(0.1)
    again = await start_rig(with_settings=ServiceSettings(grpc_port=port))
    began = asyncio.get_running_loop().time()
    while True:
        try:
            await rig.scorer.Similarity(ask, timeout=5)
            break
        except DependencyDownError:
            await asyncio.sleep(0.02)
    # The promise is a second; the rest is left to a busy machine.
    assert asyncio.get_running_loop().time() - began < 2.0
    assert again.handlers.calls == 1


async def test_idempotent_call_is_retried_when_unavailable(start_rig: Any, ask: Any) -> None:
    attempts = 0

    async def unavailable_once(_request: Any, _context: Any) -> Any:
        nonlocal attempts
        attempts += 1
        if attempts == 1:
            raise DependencyDownError("model", retry_after_s=0.01)
        return scorer.SimilarityResponse()

    rig = await start_rig()
    rig.handlers.similarity = unavailable_once
    await rig.scorer.Similarity(ask, timeout=5)
    assert attempts == 2


async def test_all_that_was_lost_together_is_tried_again_and_an_outage_is_not(
    start_rig: Any, ask: Any
) -> None:
    together, left_to_fail = 15, 15

    async def unavailable(_request: Any, _context: Any) -> Any:
        nonlocal left_to_fail
        left_to_fail -= 1
        if left_to_fail >= 0:
            raise DependencyDownError("model", retry_after_s=0.01)
        return scorer.SimilarityResponse()

    rig = await start_rig()
    rig.handlers.similarity = unavailable
    await asyncio.gather(*(rig.scorer.Similarity(ask, timeout=20) for _ in range(together)))
    assert rig.handlers.calls == 2 * together

    rig.handlers.calls, left_to_fail = 0, 1_000
    for _ in range(60):
        with pytest.raises(DependencyDownError):
            await rig.scorer.Similarity(ask, timeout=20)
    assert rig.handlers.calls <= 60 + 20


async def test_lost_dependency_of_the_server_is_not_retried_at_a_second_layer(
    start_rig: Any, ask: Any
) -> None:
    async def unavailable(_request: Any, _context: Any) -> Any:
        raise DependencyDownError("store")

    rig = await start_rig()
    rig.handlers.similarity = unavailable
    with pytest.raises(DependencyDownError) as caught:
        await rig.scorer.Similarity(ask, timeout=5)
    assert rig.handlers.calls == 1
    assert caught.value.metadata == {"dependency": "store"}


async def test_call_that_is_not_idempotent_is_not_retried(start_rig: Any, chat: Any) -> None:
    async def unavailable(_request: Any, _context: Any) -> Any:
        raise DependencyDownError("model", retry_after_s=0.01)
        yield

    rig = await start_rig()
    rig.handlers.chat = unavailable
    with pytest.raises(DependencyDownError):
        _ = [event async for event in rig.gateway.Chat(chat, timeout=5)]
    assert rig.handlers.calls == 1


def test_retries_follow_the_contracts_idempotency() -> None:
    (policy,) = service_config("pellucid.gateway.v1.GatewayService")["methodConfig"]
    assert [name["method"] for name in policy["name"]] == ["Decide"]
    assert policy["retryPolicy"]["retryableStatusCodes"] == ["UNAVAILABLE"]
    assert "methodConfig" not in service_config("unknown.v1.Service")


async def test_calls_are_spread_over_all_addresses(start_rig: Any, ask: Any) -> None:
    rigs = [await start_rig(), await start_rig()]
    addresses = ",".join(rig.server.target for rig in rigs)
    async with open_channel(f"ipv4:{addresses}", service=SCORER) as channel:
        stub = scorer_pb2_grpc.ScorerServiceStub(channel)
        async with asyncio.timeout(10):
            while not all(rig.handlers.calls for rig in rigs):  # both are connected
                await stub.Similarity(ask)
        before = [rig.handlers.calls for rig in rigs]
        for _ in range(10):
            await stub.Similarity(ask)
    assert [rig.handlers.calls - then for rig, then in zip(rigs, before, strict=True)] == [5, 5]


async def test_a_replica_whose_calls_end_without_an_answer_is_left_alone(
    start_rig: Any, ask: Any
) -> None:
    rigs = [await start_rig(), await start_rig()]
    stuck = rigs[0].handlers

    async def never(_request: Any, _context: Any) -> Any:
        await asyncio.sleep(60)

    stuck.similarity = never
    addresses = ",".join(rig.server.target for rig in rigs)
    async with open_channel(f"ipv4:{addresses}", service=SCORER) as channel:
        stub = scorer_pb2_grpc.ScorerServiceStub(channel)
        end = asyncio.get_running_loop().time() + 20
        in_a_row = 0
        while in_a_row < 10 and asyncio.get_running_loop().time() < end:
            try:
                await stub.Similarity(ask, timeout=0.2)
                in_a_row += 1
            except DeadlineExceededError:
                in_a_row = 0
            await asyncio.sleep(0.02)
    assert stuck.calls >= 4
    assert in_a_row == 10


async def test_cancelling_the_caller_cancels_the_handler(start_rig: Any, ask: Any) -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    async def wait(_request: Any, _context: Any) -> Any:
        began.set()
        try:
            await asyncio.sleep(30)
        finally:
            ended.set()

    rig = await start_rig()
    rig.handlers.similarity = wait
    call = asyncio.ensure_future(rig.scorer.Similarity(ask))
    await began.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await asyncio.wait_for(ended.wait(), 10)


async def test_stream_that_falls_silent_ends_at_the_deadline(start_rig: Any, chat: Any) -> None:
    async def silent(_request: Any, _context: Any) -> Any:
        from pellucid.gateway.v1 import gateway_pb2

        yield gateway_pb2.ChatResponse()
        await asyncio.sleep(30)

    rig = await start_rig()
    rig.handlers.chat = silent
    received: list[Any] = []
    with deadline_scope(1.0), pytest.raises(DeadlineExceededError):
        await read_into(received, rig.gateway.Chat(chat))
    assert len(received) == 1


async def test_message_beyond_the_size_limit_is_refused(start_rig: Any, ask: Any) -> None:
    rig = await start_rig(with_settings=ServiceSettings(grpc_max_message_bytes=4096))
    ask.text = "x" * 5000
    with pytest.raises(DependencyDownError):
        await rig.scorer.Similarity(ask)
    assert rig.handlers.calls == 0


async def test_answer_beyond_the_size_limit_is_no_overload(start_rig: Any, ask: Any) -> None:
    """Coming again later, as after an overload, would not help."""

    async def much(_request: Any, _context: Any) -> Any:
        return scorer.SimilarityResponse(similarities=[0.5] * 5000)

    rig = await start_rig()
    rig.handlers.similarity = much
    small = open_channel(rig.server.target, service=SCORER, max_message_bytes=4096)
    async with small as channel:
        with pytest.raises(DependencyDownError) as told:
            await scorer_pb2_grpc.ScorerServiceStub(channel).Similarity(ask)
    assert told.value.retry_after_s is None


async def test_foreign_server_without_details_is_understood(ask: Any) -> None:
    """A proxy or another implementation gives a code and nothing else."""

    async def refuse(_request: Any, context: Any) -> Any:
        await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "no")

    server = grpc.aio.server()
    handler = grpc.unary_unary_rpc_method_handler(refuse)
    server.add_generic_rpc_handlers(
        [grpc.method_handlers_generic_handler(SCORER, {"Similarity": handler})]
    )
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with open_channel(f"127.0.0.1:{port}", service=SCORER) as channel:
        with pytest.raises(InvalidArgumentError) as caught:
            await scorer_pb2_grpc.ScorerServiceStub(channel).Similarity(ask, timeout=5)
    await server.stop(0)
    assert caught.value.reason == "INVALID_ARGUMENT"


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(tracing, "TRACER", provider.get_tracer("test"))
    return exporter


async def test_one_trace_goes_through_every_hop(
    start_rig: Any, ask: Any, spans: InMemorySpanExporter
) -> None:
    far = await start_rig()

    async def pass_on(request: Any, _context: Any) -> Any:
        return await far.scorer.Similarity(request)

    near = await start_rig()
    near.handlers.similarity = pass_on
    await near.scorer.Similarity(ask)
    finished = {(s.kind.name, s.context.span_id): s for s in spans.get_finished_spans()}
    assert len({span.context.trace_id for span in finished.values()}) == 1
    assert sorted(kind for kind, _ in finished) == ["CLIENT", "CLIENT", "SERVER", "SERVER"]
    # Each span but the first is the child of another: client, server, client, server.
    parents = {s.parent.span_id for s in finished.values() if s.parent}
    assert len(parents) == 3
    assert far.handlers.trace_parents[0].startswith("00-")


async def test_failed_call_marks_its_spans(
    start_rig: Any, ask: Any, spans: InMemorySpanExporter
) -> None:
    async def boom(_request: Any, _context: Any) -> Any:
        raise ZeroDivisionError

    rig = await start_rig()
    rig.handlers.similarity = boom
    with pytest.raises(DependencyDownError):
        await rig.scorer.Similarity(ask)
    await eventually(lambda: len(spans.get_finished_spans()) == 2)
    statuses = {s.kind.name: s.status.status_code.name for s in spans.get_finished_spans()}
    assert statuses == {"CLIENT": "ERROR", "SERVER": "ERROR"}


async def test_calls_are_measured_by_dependency(start_rig: Any, ask: Any) -> None:
    labels = {
        "dependency": "scorer",
        "method": f"/{SCORER}/Similarity",
        "code": "OK",
    }
    before = REGISTRY.get_sample_value("pellucid_grpc_client_seconds_count", labels) or 0
    rig = await start_rig()
    await rig.scorer.Similarity(ask)
    assert REGISTRY.get_sample_value("pellucid_grpc_client_seconds_count", labels) == before + 1
