"""A few turns wait for a place to search, in order and shortly; the rest is refused at once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing
from dataclasses import replace
from typing import Any, cast

import pytest
from api_fakes import FakeEngine

from pellucid_gateway.domain.events import Done, Failed, Progress, ProgressKind, TurnEvent
from pellucid_gateway.domain.request import ChatMessage, Role, TurnRequest
from pellucid_gateway.load_shedding import gated_engine
from pellucid_gateway.load_shedding.adaptive_limit import AdaptiveLimit
from pellucid_gateway.load_shedding.concurrency_limit import Cause, ConcurrencyLimit
from pellucid_gateway.load_shedding.gated_engine import GatedEngine

TURN = TurnRequest(messages=(ChatMessage(Role.USER, "Was kostet die Maut?"),))


@pytest.fixture
def refusals() -> list[Cause]:
    return []


@pytest.fixture
def limit(refusals: list[Cause]) -> ConcurrencyLimit:
    """Room for one search, and for two that wait."""
    return ConcurrencyLimit(
        most_turns=9,
        searches=AdaptiveLimit(least=1, most=1, late_s=60),
        most_lag_s=60,
        most_waiting=2,
        refused=refusals.append,
    )


@pytest.fixture
def gated(engine: FakeEngine, limit: ConcurrencyLimit) -> GatedEngine:
    return GatedEngine(engine, limit)


async def told(gated: GatedEngine, request: TurnRequest = TURN) -> list[TurnEvent]:
    return [event async for event in gated.run(request)]


def steps(events: list[TurnEvent]) -> list[Progress]:
    return [e for e in events if isinstance(e, Progress) and e.kind is ProgressKind.WAITING]


async def waiting(stack: AsyncExitStack, gated: GatedEngine) -> AsyncIterator[TurnEvent]:
    """A turn that was told that it waits."""
    events = gated.run(TURN)
    await stack.enter_async_context(aclosing(cast("Any", events)))
    step = await anext(events)
    assert isinstance(step, Progress)
    return events


async def test_turns_wait_in_order_and_say_so(
    gated: GatedEngine, engine: FakeEngine, limit: ConcurrencyLimit, refusals: list[Cause]
) -> None:
    limit.begin_search()
    turns = [replace(TURN, language=language) for language in ("de", "ko")]
    running = [asyncio.create_task(told(gated, turn)) for turn in turns]
    await asyncio.sleep(0.01)
    assert not engine.turns

    limit.end_search()
    both = await asyncio.gather(*running)

    assert [turn.language for turn in engine.turns] == ["de", "ko"]
    assert ["Viele Suchen" in steps(events)[0].message for events in both] == [True, False]
    assert [type(events[-1]) for events in both] == [Done, Done]
    assert (limit.in_progress, limit.searches, refusals) == (0, 0, [])


async def test_one_more_than_may_wait_is_refused_at_once(
    gated: GatedEngine, engine: FakeEngine, limit: ConcurrencyLimit, refusals: list[Cause]
) -> None:
    limit.begin_search()
    async with AsyncExitStack() as stack:
        for _ in range(2):
            await waiting(stack, gated)
        (failed,) = await told(gated)
        thanks = await told(gated, replace(TURN, messages=(ChatMessage(Role.USER, "Thank you!"),)))

    assert isinstance(failed, Failed)
    assert (failed.reason, failed.retryable) == ("OVERLOADED", True)
    assert isinstance(thanks[-1], Done)
    assert refusals == [Cause.SEARCHES]
    assert (limit.in_progress, len(engine.turns)) == (0, 1)


async def test_who_leaves_the_queue_takes_no_place(
    gated: GatedEngine, engine: FakeEngine, limit: ConcurrencyLimit
) -> None:
    limit.begin_search()
    async with AsyncExitStack() as stack:
        first = await waiting(stack, gated)
        second = await waiting(stack, gated)
        await first.aclose()  # type: ignore[attr-defined]
        limit.end_search()
        assert [event async for event in second if isinstance(event, Done)]

    assert (limit.in_progress, limit.searches, len(engine.turns)) == (0, 0, 1)
    assert not limit.is_full_of_searches()


async def test_waiting_ends_and_counts_against_a_deadline(
    gated: GatedEngine,
    engine: FakeEngine,
    limit: ConcurrencyLimit,
    refusals: list[Cause],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limit.begin_search()
    late = await told(gated, replace(TURN, deadline_ms=60))
    monkeypatch.setattr(gated_engine, "_LONGEST_WAIT_S", 0.02)
    asyncio.get_running_loop().call_later(0.01, limit.end_search)
    in_time = await told(gated, replace(TURN, deadline_ms=9_000))

    assert isinstance(late[-1], Failed)
    assert refusals == [Cause.SEARCHES]
    assert isinstance(in_time[-1], Done)
    assert cast("int", engine.turns[0].deadline_ms) < 9_000
