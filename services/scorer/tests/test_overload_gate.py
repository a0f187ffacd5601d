"""Which calls are refused, read or unread: no room, too late, room made by those who left."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from pellucid_runtime.errors import OverloadedError
from pellucid_runtime.rpc.deadline import deadline_scope
from pellucid_scorer.encoding import overload_gate
from pellucid_scorer.encoding.batching import Batcher
from pellucid_scorer.encoding.embedding import Embedder
from pellucid_scorer.encoding.overload_gate import FORGOTTEN_AFTER_S, READ_APART_S, RUN

CALL = 60
"""Texts of a call; of 4 tokens each, in a queue of 1,000 tokens."""


def texts(caller: str, count: int = CALL) -> list[str]:
    return [" ".join(f"{caller}{number}w{word}" for word in range(4)) for number in range(count)]


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - what is awaited has no event
            await asyncio.sleep(0.001)


class Time:
    """A clock that a test moves."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Time:
    monkeypatch.setattr(overload_gate, "monotonic", clock := Time())
    return clock


@pytest.fixture
async def waiting(
    embedder: Embedder, encoder: Any, batcher: Batcher
) -> AsyncIterator[list["asyncio.Task[Any]"]]:
    """Calls that fill the queue, while the model stands still."""
    encoder.gate.clear()
    tasks = []
    for name in "abcd":
        tasks.append(asyncio.create_task(embedder.embed(texts(name))))
        await until(lambda: batcher.unfinished_tokens == 4 * CALL * len(tasks))
    await until(lambda: batcher.queued_tokens == 3 * 4 * CALL)
    yield tasks
    encoder.gate.set()
    await asyncio.gather(*tasks, return_exceptions=True)


async def find_no_room(embedder: Embedder, times: int = RUN) -> None:
    for number in range(times):
        with pytest.raises(OverloadedError):
            await embedder.embed(texts(f"n{number}x"))


@pytest.mark.usefixtures("waiting")
async def test_calls_are_refused_unread_after_a_run_that_found_no_room(
    embedder: Embedder, clock: Time, observer: Any
) -> None:
    await find_no_room(embedder, RUN - 1)
    assert embedder.refusal() is None
    await find_no_room(embedder, 1)
    refused = embedder.refusal()
    assert refused is not None
    assert (refused.retry_after_s or 0) > 0
    assert observer.refusals == RUN + 1, "counted as any other"
    clock.now += READ_APART_S
    assert embedder.refusal() is None, "now and then one is read"
    await find_no_room(embedder, 1)
    assert embedder.refusal() is not None


@pytest.mark.usefixtures("clock")
async def test_room_opens_the_gate(embedder: Embedder, encoder: Any, waiting: list[Any]) -> None:
    await find_no_room(embedder)
    encoder.gate.set()
    await asyncio.gather(*waiting)
    assert embedder.refusal() is None


@pytest.mark.usefixtures("waiting", "clock")
async def test_a_call_that_needs_no_room_opens_the_gate(embedder: Embedder) -> None:
    await find_no_room(embedder)
    joined = asyncio.create_task(embedder.embed(texts("b")))
    await asyncio.sleep(0)
    assert embedder.refusal() is None
    await find_no_room(embedder, RUN - 1)
    assert embedder.refusal() is None, "a run of its own"
    joined.cancel()
    await asyncio.gather(joined, return_exceptions=True)


@pytest.mark.usefixtures("waiting")
async def test_an_overload_of_long_ago_is_forgotten(embedder: Embedder, clock: Time) -> None:
    await find_no_room(embedder)
    clock.now += FORGOTTEN_AFTER_S + 1
    await find_no_room(embedder, 1)
    assert embedder.refusal() is None


async def test_callers_that_leave_make_room_at_once(
    embedder: Embedder, waiting: list[Any], batcher: Batcher, encoder: Any
) -> None:
    await find_no_room(embedder, 1)
    before = batcher.queued_tokens
    waiting[-1].cancel()
    await asyncio.gather(waiting[-1], return_exceptions=True)
    assert batcher.queued_tokens <= before - 4 * CALL
    last = asyncio.create_task(embedder.embed(texts("last")))
    await until(lambda: encoder.tokenized == 5 * CALL)
    encoder.gate.set()
    assert (await last).vectors.shape == (CALL, 16)
    await until(lambda: batcher.unfinished_tokens == 0)


async def queue_up(embedder: Embedder, encoder: Any, batcher: Batcher) -> "asyncio.Task[Any]":
    """Return a call of which half has to wait, while the model stands still."""
    encoder.gate.clear()
    call = asyncio.create_task(embedder.embed(texts("waiting", 2 * CALL)))
    await until(lambda: batcher.unfinished_tokens == 2 * 4 * CALL)
    await until(lambda: 0 < batcher.queued_tokens < 2 * 4 * CALL)
    return call


async def test_what_would_come_too_late_is_refused_unread(
    embedder: Embedder, encoder: Any, batcher: Batcher
) -> None:
    encoder.seconds_per_batch = 0.01
    await embedder.embed(texts("measured"))
    waiting = await queue_up(embedder, encoder, batcher)
    tokenized = encoder.tokenized
    with deadline_scope(0.001), pytest.raises(OverloadedError):
        async with asyncio.timeout(10):
            await embedder.embed(texts("hurried", 10))
    assert encoder.tokenized == tokenized
    with deadline_scope(600.0):
        call = asyncio.create_task(embedder.embed(texts("patient", 10)))
    await until(lambda: encoder.tokenized == tokenized + 10)
    encoder.gate.set()
    assert (await call).vectors.shape == (10, 16)
    await waiting


async def test_small_batches_tell_nothing_of_how_long_the_queue_takes(
    embedder: Embedder, encoder: Any, batcher: Batcher
) -> None:
    encoder.seconds_per_batch = 0.2
    await embedder.embed(texts("small", 1))  # 20 tokens a second, if that told anything
    encoder.seconds_per_batch = 0.0
    waiting = await queue_up(embedder, encoder, batcher)
    with deadline_scope(20.0):
        call = asyncio.create_task(embedder.embed(texts("later", 10)))
    await until(lambda: encoder.tokenized == 2 * CALL + 11 or call.done())
    encoder.gate.set()
    assert (await call).vectors.shape == (10, 16)
    await waiting
