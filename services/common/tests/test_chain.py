"""What every call passes on its way to the handler, and what comes back when it fails."""

import asyncio
import json
import logging
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from pellucid.common.v1.error_reason_pb2 import ErrorReason
from pellucid.gateway.v1 import gateway_pb2, gateway_pb2_grpc
from pellucid.scorer.v1 import scorer_pb2 as scorer
from pellucid.scorer.v1 import scorer_pb2_grpc
from prometheus_client import REGISTRY

from pellucid_runtime.errors import (
    DeadlineExceededError,
    DependencyDownError,
    InvalidArgumentError,
    NotFoundError,
    OverloadedError,
    PreconditionError,
    RateLimitedError,
    ServiceError,
)
from pellucid_runtime.health import Health
from pellucid_runtime.rpc.admission import Admission
from pellucid_runtime.rpc.chain import Chain, standard_stages
from pellucid_runtime.rpc.status import CODE_OF
from pellucid_runtime.settings import ServiceSettings
from pellucid_runtime.telemetry.metrics import SERVER_IN_FLIGHT, SERVER_SECONDS

METHOD = "/pellucid.scorer.v1.ScorerService/Similarity"
SECRET = "the user's own words"


def raising(error: BaseException) -> Any:
    async def handler(_request: Any, _context: Any) -> Any:
        raise error

    return handler


def stream_raising(error: BaseException) -> Any:
    async def handler(_request: Any, _context: Any) -> Any:
        raise error
        yield

    return handler


async def read_into(received: list[Any], call: Any) -> None:
    async for event in call:
        received.append(event)  # noqa: PERF401 - what came before an error matters


async def details_of(target: str, ask: Any) -> tuple[grpc.aio.AioRpcError, dict[str, Any]]:
    """The raw error as any gRPC client sees it, with its details by type."""
    async with grpc.aio.insecure_channel(target) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await scorer_pb2_grpc.ScorerServiceStub(channel).Similarity(ask, timeout=5)
    trailers = dict(caught.value.trailing_metadata())
    status = status_pb2.Status.FromString(trailers["grpc-status-details-bin"])
    details: dict[str, Any] = {"trailers": trailers}
    for packed in status.details:
        for kind in (
            error_details_pb2.ErrorInfo,
            error_details_pb2.BadRequest,
            error_details_pb2.RetryInfo,
        ):
            if packed.Is(kind.DESCRIPTOR):
                details[kind.DESCRIPTOR.name] = kind.FromString(packed.value)
    return caught.value, details


def test_stages_stand_in_the_documented_order() -> None:
    chain = Chain(standard_stages(1.0, Admission(1), Health()))
    assert chain.names == (
        "tracing",
        "request_log",
        "metrics",
        "errors",
        "deadline",
        "admission",
        "validation",
    )


def subclasses(of: type[ServiceError]) -> set[type[ServiceError]]:
    return {of}.union(*(subclasses(cls) for cls in of.__subclasses__()))


def test_every_error_has_a_reason_of_the_contract_and_a_code() -> None:
    for cls in subclasses(ServiceError):
        assert f"ERROR_REASON_{cls.reason}" in ErrorReason.keys()  # noqa: SIM118 - no mapping
        assert cls.kind in CODE_OF


def counted(code: str) -> float:
    """Calls that ended with a code."""
    labels = {"method": METHOD, "code": code}
    return REGISTRY.get_sample_value("pellucid_grpc_server_seconds_count", labels) or 0


async def becomes(number: float, code: str) -> None:
    """The caller has its answer a moment before the server has counted it."""
    async with asyncio.timeout(5):
        while counted(code) != number:  # noqa: ASYNC110 - a counter tells nobody
            await asyncio.sleep(0.01)


async def test_server_runs_the_standard_chain(start_rig: Any, ask: Any) -> None:
    """Each stage leaves its trace on one refused call: the order is not only a list of names."""
    rig = await start_rig(admission=Admission(1))
    before = counted("INVALID_ARGUMENT")
    with pytest.raises(InvalidArgumentError):
        await rig.scorer.Similarity(scorer.SimilarityRequest())
    await becomes(before + 1, "INVALID_ARGUMENT")  # metrics are outside errors
    assert rig.handlers.calls == 0  # validation is before the handler
    assert rig.server._admission.in_progress == 0  # and inside admission, which let go again
    await rig.scorer.Similarity(ask)


async def test_invalid_argument_carries_field_and_limit(start_rig: Any, ask: Any) -> None:
    rig = await start_rig()
    rig.handlers.similarity = raising(InvalidArgumentError("others[1]", "at most 3 words"))
    error, details = await details_of(rig.server.target, ask)
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert details["ErrorInfo"].reason == "INVALID_ARGUMENT"
    assert details["ErrorInfo"].domain == "pellucid"
    assert details["ErrorInfo"].metadata == {"field": "others[1]", "limit": "at most 3 words"}
    (violation,) = details["BadRequest"].field_violations
    assert (violation.field, violation.description) == ("others[1]", "at most 3 words")


async def test_overload_carries_retry_info_and_pushback(start_rig: Any, ask: Any) -> None:
    rig = await start_rig()
    rig.handlers.similarity = raising(OverloadedError("encode", 0.25))
    error, details = await details_of(rig.server.target, ask)
    assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert details["RetryInfo"].retry_delay.ToMilliseconds() == 250
    assert details["trailers"]["grpc-retry-pushback-ms"] == "250"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NotFoundError("profile:x"), grpc.StatusCode.NOT_FOUND),
        (RateLimitedError("too many", retry_after_s=3), grpc.StatusCode.RESOURCE_EXHAUSTED),
        (DependencyDownError("scorer"), grpc.StatusCode.UNAVAILABLE),
        (DeadlineExceededError("search"), grpc.StatusCode.DEADLINE_EXCEEDED),
        (PreconditionError("API_KEY_INVALID", "no key"), grpc.StatusCode.FAILED_PRECONDITION),
    ],
)
async def test_errors_keep_their_kind_reason_and_metadata_over_the_wire(
    start_rig: Any, ask: Any, error: ServiceError, code: grpc.StatusCode
) -> None:
    rig = await start_rig()
    rig.handlers.similarity = raising(error)
    raw, _ = await details_of(rig.server.target, ask)
    assert raw.code() is code
    with pytest.raises(type(error)) as caught:
        await rig.scorer.Similarity(ask)
    assert caught.value.reason == error.reason
    assert caught.value.metadata == error.metadata
    assert caught.value.retry_after_s == error.retry_after_s


@pytest.mark.parametrize("kind", ["unary", "stream"])
async def test_text_of_unknown_exceptions_reaches_neither_caller_nor_log(
    start_rig: Any, ask: Any, chat: Any, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    rig = await start_rig()
    rig.handlers.similarity = raising(ValueError(SECRET))
    rig.handlers.chat = stream_raising(ValueError(SECRET))
    async with grpc.aio.insecure_channel(rig.server.target) as channel:
        unary = scorer_pb2_grpc.ScorerServiceStub(channel).Similarity(ask)
        stream = gateway_pb2_grpc.GatewayServiceStub(channel).Chat(chat)
        call = unary if kind == "unary" else read_into([], stream)
        with caplog.at_level(logging.DEBUG), pytest.raises(grpc.aio.AioRpcError) as caught:
            await call
        (stream if kind == "unary" else unary).cancel()
    assert caught.value.code() is grpc.StatusCode.INTERNAL
    assert caught.value.details() == "internal error"
    assert SECRET not in repr(caught.value)
    assert SECRET not in caplog.text


async def test_caller_takes_a_defect_of_the_server_for_a_lost_dependency(
    start_rig: Any, ask: Any
) -> None:
    rig = await start_rig()
    rig.handlers.similarity = raising(ZeroDivisionError())
    with pytest.raises(DependencyDownError) as caught:
        await rig.scorer.Similarity(ask)
    assert caught.value.metadata == {"dependency": "scorer"}


async def test_code_given_to_abort_by_a_handler_is_kept(start_rig: Any, ask: Any) -> None:
    async def abort(_request: Any, context: Any) -> Any:
        await context.abort(grpc.StatusCode.ALREADY_EXISTS, "twice")

    rig = await start_rig()
    rig.handlers.similarity = abort
    before = counted("ALREADY_EXISTS")
    async with grpc.aio.insecure_channel(rig.server.target) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await scorer_pb2_grpc.ScorerServiceStub(channel).Similarity(ask)
    assert caught.value.code() is grpc.StatusCode.ALREADY_EXISTS
    await becomes(before + 1, "ALREADY_EXISTS")


async def test_streaming_passes_the_same_chain(start_rig: Any, chat: Any) -> None:
    rig = await start_rig()
    assert len([event async for event in rig.gateway.Chat(chat)]) == 3
    chat.messages[0].role = 99
    with pytest.raises(InvalidArgumentError) as caught:
        _ = [event async for event in rig.gateway.Chat(chat)]
    assert caught.value.metadata["field"] == "messages[0].role"


async def test_error_in_the_middle_of_a_stream_is_typed_after_what_was_sent(
    start_rig: Any, chat: Any
) -> None:
    async def two_then_full(_request: Any, _context: Any) -> Any:
        yield gateway_pb2.ChatResponse()
        yield gateway_pb2.ChatResponse()
        raise OverloadedError("answers", 1.0)

    rig = await start_rig()
    rig.handlers.chat = two_then_full
    received: list[Any] = []
    with pytest.raises(OverloadedError):
        await read_into(received, rig.gateway.Chat(chat))
    assert len(received) == 2


async def test_caller_that_leaves_a_stream_ends_the_handler_and_every_stage(
    start_rig: Any, chat: Any
) -> None:
    left = asyncio.Event()

    async def endless(_request: Any, _context: Any) -> Any:
        try:
            while True:
                yield gateway_pb2.ChatResponse()
                await asyncio.sleep(0.005)
        finally:
            left.set()

    rig = await start_rig(admission=Admission(1))
    rig.handlers.chat = endless
    call = rig.gateway.Chat(chat)
    async for _ in call:
        break
    call.cancel()
    await asyncio.wait_for(left.wait(), 10)
    gauge = SERVER_IN_FLIGHT.labels("/pellucid.gateway.v1.GatewayService/Chat")
    async with asyncio.timeout(10):
        while rig.server._admission.in_progress or gauge._value.get():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_full_server_refuses_at_once_and_still_answers_probes(
    start_rig: Any, ask: Any
) -> None:
    release, both_inside = asyncio.Event(), asyncio.Barrier(3)

    async def wait(_request: Any, _context: Any) -> Any:
        await both_inside.wait()
        await release.wait()
        return scorer.SimilarityResponse()

    rig = await start_rig(admission=Admission(2))
    rig.handlers.similarity = wait
    inside = [asyncio.ensure_future(rig.scorer.Similarity(ask)) for _ in range(2)]
    await asyncio.wait_for(both_inside.wait(), 5)
    began = asyncio.get_running_loop().time()
    with pytest.raises(OverloadedError) as caught:
        await rig.scorer.Similarity(ask)
    assert asyncio.get_running_loop().time() - began < 5
    assert caught.value.retry_after_s == 0.1
    async with grpc.aio.insecure_channel(rig.server.target) as channel:
        probe = await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest())
    assert probe.status == health_pb2.HealthCheckResponse.SERVING
    release.set()
    await asyncio.gather(*inside)


async def reflected(target: str) -> list[str]:
    async with grpc.aio.insecure_channel(target) as channel:
        call = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo(timeout=5)
        await call.write(reflection_pb2.ServerReflectionRequest(list_services=""))
        await call.done_writing()
        answer = await call.read()
    return [service.name for service in answer.list_services_response.service]


async def test_reflection_answers_only_where_it_is_switched_on(start_rig: Any) -> None:
    on = await start_rig(with_settings=ServiceSettings(grpc_reflection=True))
    assert "pellucid.scorer.v1.ScorerService" in await reflected(on.server.target)
    off = await start_rig()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await reflected(off.server.target)
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_canonical_line_has_what_is_needed_and_no_user_text(
    start_rig: Any, ask: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    from pellucid_runtime.telemetry.logs import configure_logging

    configure_logging(ServiceSettings(log_format="json"))
    rig = await start_rig()
    ask.text = SECRET
    await rig.scorer.Similarity(ask, timeout=5)
    rig.handlers.similarity = raising(NotFoundError("profile:x"))
    with pytest.raises(NotFoundError):
        await rig.scorer.Similarity(ask, timeout=5)
    text = ""
    async with asyncio.timeout(5):  # the caller has its error before the line is written
        while text.count("\n") < 2:
            await asyncio.sleep(0.01)
            text += capfd.readouterr().err
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["event"] for line in lines] == ["rpc", "rpc"]
    good, bad = lines
    assert good["code"] == "OK"
    assert good["method"] == METHOD.lstrip("/")
    assert good["service"] == "service"
    assert len(good["trace_id"]) == 32
    assert 0 < good["remaining_ms"] <= 5050  # grpc rounds timeouts up
    assert good["ms"] >= 0
    assert (bad["code"], bad["reason"]) == ("NOT_FOUND", "NOT_FOUND")
    assert SECRET not in text


async def test_latency_is_counted_by_method_and_code(start_rig: Any, ask: Any) -> None:
    rig = await start_rig()
    ok = SERVER_SECONDS.labels(METHOD, "OK")
    before = ok._sum.get()
    await rig.scorer.Similarity(ask)
    assert ok._sum.get() > before


async def test_reason_and_class_survive_one_more_hop(start_rig: Any, ask: Any) -> None:
    """A service may let an error of its dependency pass: its caller sees the same reason."""
    far = await start_rig()
    far.handlers.similarity = raising(OverloadedError("encode", 0.2))

    async def pass_on(request: Any, _context: Any) -> Any:
        return await far.scorer.Similarity(request)

    near = await start_rig()
    near.handlers.similarity = pass_on
    with pytest.raises(ServiceError) as caught:
        await near.scorer.Similarity(ask)
    assert isinstance(caught.value, OverloadedError)
    assert caught.value.metadata == {"queue": "encode"}
