"""The time that a call is given: announced, enforced, and shrinking from hop to hop."""

import asyncio
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2
from pellucid.scorer.v1 import scorer_pb2 as scorer
from pellucid.scorer.v1 import scorer_pb2_grpc

from pellucid_runtime.errors import DeadlineExceededError
from pellucid_runtime.rpc.deadline import deadline_scope, remaining_s
from pellucid_runtime.settings import ServiceSettings


async def test_handler_sees_the_callers_deadline_and_is_stopped_by_it(
    start_rig: Any, ask: Any
) -> None:
    seen: list[float | None] = []
    ended = asyncio.Event()

    async def too_slow(_request: Any, _context: Any) -> Any:
        seen.append(remaining_s())
        try:
            await asyncio.sleep(30)
        finally:
            ended.set()

    rig = await start_rig()
    rig.handlers.similarity = too_slow
    with pytest.raises(DeadlineExceededError):
        await rig.scorer.Similarity(ask, timeout=1.0)
    await asyncio.wait_for(ended.wait(), 10)
    assert seen[0] is not None
    assert 0 < seen[0] <= 1.05  # grpc rounds timeouts up


async def test_call_without_deadline_gets_the_default(start_rig: Any, ask: Any) -> None:
    async def too_slow(_request: Any, _context: Any) -> Any:
        await asyncio.sleep(30)

    rig = await start_rig(with_settings=ServiceSettings(default_deadline_s=0.1))
    rig.handlers.similarity = too_slow
    error, details = await details_of_default(rig.server.target, ask)
    assert error.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert details == {"stage": "Similarity"}


async def details_of_default(target: str, ask: Any) -> Any:
    async with grpc.aio.insecure_channel(target) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await scorer_pb2_grpc.ScorerServiceStub(channel).Similarity(ask)
    trailers = dict(caught.value.trailing_metadata())
    status = status_pb2.Status.FromString(trailers["grpc-status-details-bin"])
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    return caught.value, dict(info.metadata)


async def test_timeout_of_the_handlers_own_is_a_defect_and_not_the_deadline(
    start_rig: Any, ask: Any
) -> None:
    async def late(_request: Any, _context: Any) -> Any:
        raise TimeoutError

    rig = await start_rig()
    rig.handlers.similarity = late
    async with grpc.aio.insecure_channel(rig.server.target) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await scorer_pb2_grpc.ScorerServiceStub(channel).Similarity(ask, timeout=5)
    assert caught.value.code() is grpc.StatusCode.INTERNAL


async def test_deadline_travels_over_two_hops_and_shrinks(start_rig: Any, ask: Any) -> None:
    """The caller gives A three seconds; A spends some of it; B must see less than what A saw."""
    at_a: list[float] = []
    at_b: list[float] = []

    async def b(_request: Any, _context: Any) -> Any:
        at_b.append(remaining_s() or 0)
        return scorer.SimilarityResponse()

    far = await start_rig()
    far.handlers.similarity = b

    async def a(request: Any, _context: Any) -> Any:
        at_a.append(remaining_s() or 0)
        await asyncio.sleep(0.2)
        return await far.scorer.Similarity(request)  # no timeout is passed along

    near = await start_rig()
    near.handlers.similarity = a
    await near.scorer.Similarity(ask, timeout=3.0)
    assert at_a[0] <= 3.1  # grpc rounds timeouts up
    assert 0.5 < at_b[0] <= at_a[0] - 0.15


async def test_too_short_a_rest_fails_without_dialling(start_rig: Any, ask: Any) -> None:
    rig = await start_rig()
    with deadline_scope(0.001), pytest.raises(DeadlineExceededError) as caught:
        await rig.scorer.Similarity(ask)
    assert caught.value.metadata == {"stage": "scorer"}
    assert rig.handlers.calls == 0
