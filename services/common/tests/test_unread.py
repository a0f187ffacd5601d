"""Calls that are refused before their requests are read."""

import asyncio
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from pellucid.gateway.v1 import gateway_pb2, gateway_pb2_grpc
from pellucid.scorer.v1 import scorer_pb2 as scorer
from pellucid.scorer.v1 import scorer_pb2_grpc
from prometheus_client import REGISTRY
from structlog.testing import capture_logs

from pellucid_runtime.errors import OverloadedError
from pellucid_runtime.rpc import unread
from rig.waiting import eventually

METHOD = "/pellucid.scorer.v1.ScorerService/Similarity"
CHAT = "/pellucid.gateway.v1.GatewayService/Chat"
UNREADABLE = b"\xff" * 200_000
"""No message at all, and more than a connection takes before the server asks for more."""


def refuses(method: str) -> OverloadedError | None:
    return OverloadedError("encode", 0.25) if method in (METHOD, CHAT) else None


def refused_so_far() -> float:
    labels = {"method": METHOD, "code": "RESOURCE_EXHAUSTED"}
    return REGISTRY.get_sample_value("pellucid_grpc_server_seconds_count", labels) or 0.0


async def test_a_call_is_refused_without_reading_it(start_rig: Any) -> None:
    rig = await start_rig(refuses=refuses)
    before = refused_so_far()
    async with grpc.aio.insecure_channel(rig.server.target) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await channel.unary_unary(METHOD)(UNREADABLE, timeout=5)
        probe = health_pb2_grpc.HealthStub(channel)
        assert (await probe.Check(health_pb2.HealthCheckRequest())).status
    assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert dict(refused.value.trailing_metadata())["grpc-retry-pushback-ms"] == "250"
    await eventually(lambda: refused_so_far() == before + 1)
    assert rig.handlers.calls == 0


async def test_callers_of_the_runtime_get_the_typed_error(start_rig: Any, ask: Any) -> None:
    rig = await start_rig(refuses=refuses)
    with pytest.raises(OverloadedError) as refused:
        await rig.scorer.Similarity(ask)
    assert refused.value.metadata == {"queue": "encode"}
    assert refused.value.retry_after_s == 0.25


async def test_streams_are_refused_too_and_other_methods_are_let_in(start_rig: Any) -> None:
    rig = await start_rig(refuses=lambda method: refuses(method) if method == CHAT else None)
    async with grpc.aio.insecure_channel(rig.server.target) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            async for _ in gateway_pb2_grpc.GatewayServiceStub(channel).Chat(
                gateway_pb2.ChatRequest(), timeout=5
            ):
                pass
        stub = scorer_pb2_grpc.ScorerServiceStub(channel)
        with pytest.raises(grpc.aio.AioRpcError) as read:
            await stub.Similarity(scorer.SimilarityRequest(), timeout=5)
    assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert read.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_lines_about_them_are_few_and_tell_how_many_there_were(
    start_rig: Any, ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unread, "LINES_APART_S", 3600)
    rig = await start_rig(refuses=refuses)

    async def refused() -> None:
        with pytest.raises(OverloadedError):
            await rig.scorer.Similarity(ask)

    before = refused_so_far()
    with capture_logs() as lines:
        await asyncio.gather(*(refused() for _ in range(9)))
        await eventually(lambda: refused_so_far() == before + 9)
        monkeypatch.setattr(unread, "LINES_APART_S", 0.0)
        await refused()
        await eventually(lambda: lines[-1].get("unread_calls") == 9)
    told = [line["unread_calls"] for line in lines if "unread_calls" in line]
    assert told == [1, 9]
