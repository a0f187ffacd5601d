"""Without descriptors a process refuses calls and is not ready, and is again when it has some."""

import asyncio
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from pellucid.scorer.v1 import scorer_pb2_grpc

from pellucid_runtime.descriptors import are_free, watch_descriptors
from pellucid_runtime.health import Health


@contextmanager
def no_descriptor_left() -> Iterator[None]:
    """This process may open nothing more while the enclosed part runs."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = os.open(os.devnull, os.O_RDONLY)
    os.close(lowest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def open_now() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


async def changed_to(health: Health, *, ready: bool) -> bool:
    """Whether the readiness becomes so within ten seconds."""
    for _ in range(500):
        if health.ready is ready:
            return True
        await asyncio.sleep(0.02)
    return False


def test_looking_leaves_nothing_open() -> None:
    before = open_now()
    assert are_free()
    with no_descriptor_left():
        assert not are_free()
    assert open_now() == before


async def test_calls_are_refused_and_readiness_is_lost_until_there_are_some(
    start_rig: Any, ask: Any
) -> None:
    rig = await start_rig()
    watching = asyncio.create_task(watch_descriptors(rig.health))
    async with grpc.aio.insecure_channel(rig.server.target) as channel:
        stub: Any = scorer_pb2_grpc.ScorerServiceStub(channel)
        await stub.Similarity(ask, timeout=5)
        with no_descriptor_left():
            assert await changed_to(rig.health, ready=False)
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await stub.Similarity(ask, timeout=5)
        assert await changed_to(rig.health, ready=True)
        await stub.Similarity(ask, timeout=5)
    watching.cancel()

    assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert rig.handlers.calls == 2
