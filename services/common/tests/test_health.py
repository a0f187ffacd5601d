"""Readiness over grpc.health.v1, and what callers make of it."""

import asyncio
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from prometheus_client import CollectorRegistry

from pellucid_runtime.errors import DependencyDownError
from pellucid_runtime.health import LIVE, Health
from pellucid_runtime.telemetry.probes import ProbeServer

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


async def check(target: str, service: str = "") -> int:
    async with grpc.aio.insecure_channel(target) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        answer = await stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=2)
        return answer.status


def test_ready_means_every_component_is() -> None:
    health = Health()
    assert health.ready
    model, index = health.component("model"), health.component("index", ready=True)
    assert not health.ready
    model.set_ready()
    assert health.ready
    index.set_not_ready()
    assert not health.ready
    assert health.components == {"model": True, "index": False}


def test_shutdown_overrides_components() -> None:
    health = Health()
    health.component("model").set_ready()
    health.enter_graceful_shutdown()
    assert not health.ready


async def test_status_flips_with_the_components_while_liveness_stays(start_rig: Any) -> None:
    rig = await start_rig()
    model = rig.health.component("model")
    target = rig.server.target
    assert await check(target) == NOT_SERVING
    assert await check(target, "pellucid.scorer.v1.ScorerService") == NOT_SERVING
    assert await check(target, LIVE) == SERVING
    model.set_ready()
    assert await check(target) == SERVING
    assert await check(target, "pellucid.scorer.v1.ScorerService") == SERVING


async def test_unknown_service_is_not_found(start_rig: Any) -> None:
    rig = await start_rig()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await check(rig.server.target, "nobody.v1.Nothing")
    assert caught.value.code() is grpc.StatusCode.NOT_FOUND


async def test_watch_tells_each_change_and_ends_with_the_server(start_rig: Any) -> None:
    rig = await start_rig()
    model = rig.health.component("model", ready=True)
    async with grpc.aio.insecure_channel(rig.server.target) as channel:
        watch = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest())
        assert (await watch.read()).status == SERVING
        model.set_not_ready()
        assert (await watch.read()).status == NOT_SERVING
        model.set_ready()
        assert (await watch.read()).status == SERVING
        began = asyncio.get_running_loop().time()
        await rig.server.stop(grace_s=5)
        assert asyncio.get_running_loop().time() - began < 4


async def test_channel_sends_nothing_to_a_server_that_is_not_ready(
    start_rig: Any, ask: Any
) -> None:
    rig = await start_rig()
    model = rig.health.component("model", ready=True)
    await rig.scorer.Similarity(ask)
    model.set_not_ready()
    await until(rig, ask, refused=True)
    calls = rig.handlers.calls
    with pytest.raises(DependencyDownError):
        await rig.scorer.Similarity(ask, timeout=5)
    assert rig.handlers.calls == calls
    model.set_ready()
    await until(rig, ask, refused=False)


async def until(rig: Any, ask: Any, *, refused: bool) -> None:
    """The client has been told of the server's state."""
    async with asyncio.timeout(10):
        while await _is_refused(rig, ask) is not refused:  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.02)


async def _is_refused(rig: Any, ask: Any) -> bool:
    try:
        await rig.scorer.Similarity(ask, timeout=5)
    except DependencyDownError:
        return True
    return False


def _status(port: int, path: str) -> int:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


@pytest.fixture
def probes() -> Iterator[tuple[ProbeServer, Health]]:
    health = Health()
    server = ProbeServer("127.0.0.1", 0, ready=lambda: health.ready, registry=CollectorRegistry())
    yield server, health
    server.close()


async def test_probes_over_http(probes: tuple[ProbeServer, Health]) -> None:
    server, health = probes
    model = health.component("model")
    assert await asyncio.to_thread(_status, server.port, "/readyz") == 503
    assert await asyncio.to_thread(_status, server.port, "/livez") == 200
    model.set_ready()
    assert await asyncio.to_thread(_status, server.port, "/readyz") == 200
    assert await asyncio.to_thread(_status, server.port, "/metrics") == 200
    assert await asyncio.to_thread(_status, server.port, "/secrets") == 404


async def test_a_stuck_loop_is_not_alive(
    probes: tuple[ProbeServer, Health], monkeypatch: pytest.MonkeyPatch
) -> None:
    server, _ = probes
    monkeypatch.setattr("pellucid_runtime.telemetry.probes._STUCK_AFTER_S", 0.05)
    await asyncio.sleep(0.1)
    assert await asyncio.to_thread(_status, server.port, "/livez") == 503
    monkeypatch.setattr("pellucid_runtime.telemetry.probes._STUCK_AFTER_S", 30)
    server.note_alive()
    assert await asyncio.to_thread(_status, server.port, "/livez") == 200
