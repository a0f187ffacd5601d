"""Nobody waits longer than its own time, whoever began the work; and what is learned on the way."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from pellucid_runtime.breaker import FAILURES_TO_OPEN, BreakerState
from pellucid_runtime.errors import DependencyDownError
from pellucid_runtime.store_guard import Background
from pellucid_search.adapters.guarded_store import GuardedCounters
from pellucid_search.asking.answering import Answering
from pellucid_search.asking.buckets import LocalGate
from pellucid_search.asking.ledger import Ledger
from pellucid_search.asking.planning import Plan
from pellucid_search.asking.provider_client import ProviderClient, ProviderLimits
from pellucid_search.asking.provider_request import ProviderRequest
from pellucid_search.asking.relay import Relay
from pellucid_search.asking.write_behind import WriteBehind
from pellucid_search.errors import RateError
from pellucid_search.hits import ProviderReply, RateWindow, RawHit
from pellucid_search.ports import Refusal
from pellucid_search.providers.registry import ProviderSpec
from pellucid_search.query import ProviderQuery
from pellucid_search.reports import ProviderRun, ProviderStatus

QUERY = ProviderQuery("island ferry", datetime(2026, 1, 3, tzinfo=UTC))
HITS = (RawHit("https://example.com/", "One", "text"),)


class Slow:
    """Answers after some seconds; counts."""

    def __init__(self, seconds: float, error: Exception | None = None) -> None:
        self.seconds, self.error, self.calls = seconds, error, 0

    def wording(self, query: ProviderQuery) -> str:
        return query.text

    async def ask(self, query: ProviderQuery, *, timeout_s: float) -> ProviderReply:
        assert query.text
        assert timeout_s > 0
        self.calls += 1
        await asyncio.sleep(self.seconds)
        if self.error:
            raise self.error
        return ProviderReply(HITS)


class Lingering(Slow):
    """Takes a moment to be cancelled."""

    async def ask(self, query: ProviderQuery, *, timeout_s: float) -> ProviderReply:
        try:
            return await super().ask(query, timeout_s=timeout_s)
        finally:
            await asyncio.sleep(0.03)


@pytest.fixture
def build(system_clock: Any, counters: Any, memory_cache: Any) -> Any:
    """Return the answering over one provider `x`, and its desk."""

    def make(engine: Any, **limits: Any) -> tuple[Answering, ProviderClient]:
        ledger = Ledger(counters, budget_micro_usd=10**9, providers=("x",))
        gate = LocalGate({}, system_clock.monotonic)
        spec = ProviderSpec("x")
        provider_client = ProviderClient(
            spec, engine, gate, ledger, system_clock, ProviderLimits(**limits)
        )
        background = Background()
        cache = WriteBehind(memory_cache, background)
        return Answering({"x": provider_client}, cache, system_clock, background), provider_client

    return make


def provider_request(clock: Any, seconds: float) -> ProviderRequest:
    return ProviderRequest(QUERY, 0, clock.monotonic() + seconds)


async def test_who_joins_in_leaves_when_its_own_time_is_up(build: Any, system_clock: Any) -> None:
    answering, _ = build(Slow(1.0))
    leader, joiner = ProviderRun("x", 0), ProviderRun("x", 0)
    leading = asyncio.create_task(answering.ask("x", provider_request(system_clock, 10.0), leader))
    await asyncio.sleep(0.01)

    await answering.ask("x", provider_request(system_clock, 0.1), joiner)

    assert not leading.done()
    assert (joiner.status, joiner.error_code) == (ProviderStatus.FAILED, "timeout")
    await leading
    assert leader.status is ProviderStatus.OK


async def test_who_has_more_time_than_the_one_it_joined_asks_again(
    build: Any, system_clock: Any
) -> None:
    engine = Slow(0.4)
    answering, _ = build(engine)
    leader, joiner = ProviderRun("x", 0), ProviderRun("x", 0)
    leading = asyncio.create_task(answering.ask("x", provider_request(system_clock, 0.1), leader))
    await asyncio.sleep(0.01)

    await answering.ask("x", provider_request(system_clock, 5.0), joiner)

    await leading
    assert leader.error_code == "timeout"
    assert (joiner.status, joiner.hits) == (ProviderStatus.OK, HITS)
    assert engine.calls == 2


async def test_a_full_room_is_waited_for_no_longer_than_there_is_time(
    build: Any, system_clock: Any
) -> None:
    _, provider_client = build(Slow(1.0), concurrency=1)
    first, second = ProviderRun("x", 0), ProviderRun("x", 0)
    working = asyncio.create_task(
        provider_client.ask(ProviderRequest(QUERY, 0, system_clock.monotonic() + 10), first)
    )
    await asyncio.sleep(0.01)

    await provider_client.ask(ProviderRequest(QUERY, 0, system_clock.monotonic() + 0.1), second)

    assert not working.done()
    assert (second.status, second.error_code, second.calls) == (ProviderStatus.FAILED, "timeout", 0)
    await working
    await provider_client.ask(ProviderRequest(QUERY, 0, system_clock.monotonic() + 3), second)
    assert second.status is ProviderStatus.OK


async def test_room_is_left_to_those_who_can_still_be_answered(
    build: Any, system_clock: Any
) -> None:
    engine = Slow(0.4)
    _, provider_client = build(engine, concurrency=1)
    await provider_client.ask(
        ProviderRequest(QUERY, 0, system_clock.monotonic() + 3), ProviderRun("x", 0)
    )
    first, late, second = (ProviderRun("x", 0) for _ in range(3))
    working = asyncio.create_task(
        provider_client.ask(ProviderRequest(QUERY, 0, system_clock.monotonic() + 3), first)
    )
    await asyncio.sleep(0.01)

    # The one that has no time for a usual answer once there is room gives its place up before.
    waiting = asyncio.create_task(
        provider_client.ask(ProviderRequest(QUERY, 0, system_clock.monotonic() + 0.5), late)
    )
    await asyncio.sleep(0.01)
    await provider_client.ask(ProviderRequest(QUERY, 0, system_clock.monotonic() + 5), second)
    await asyncio.gather(working, waiting)

    assert (late.status, late.calls) == (ProviderStatus.FAILED, 0)
    assert (first.status, second.status) == (ProviderStatus.OK, ProviderStatus.OK)
    assert engine.calls == 3


async def test_too_many_calls_of_our_own_are_not_taken_for_a_provider_in_trouble(
    build: Any, system_clock: Any
) -> None:
    many = FAILURES_TO_OPEN
    _, provider_client = build(Slow(1.1), concurrency=many, slow_s=1.0)

    def begin(seconds: float) -> asyncio.Task[None]:
        until = system_clock.monotonic() + seconds
        return asyncio.create_task(
            provider_client.ask(ProviderRequest(QUERY, 0, until), ProviderRun("x", 0))
        )

    await asyncio.gather(*(begin(0.05) for _ in range(many)))
    assert provider_client.breaker.state is BreakerState.CLOSED

    answered, waiting = [begin(10) for _ in range(many)], [begin(10) for _ in range(many)]
    await asyncio.gather(*answered)
    await asyncio.sleep(0.1)
    for task in waiting:
        task.cancel()
    await asyncio.wait(waiting)
    assert provider_client.breaker.state is BreakerState.CLOSED


@pytest.mark.parametrize(
    ("slower", "status", "is_loss"),
    [("second", ProviderStatus.SKIPPED, False), ("first", ProviderStatus.FAILED, True)],
)
async def test_who_was_asked_as_well_is_no_loss_when_the_first_answers_after_all(
    slower: str, status: ProviderStatus, is_loss: Any, system_clock: Any, build: Any
) -> None:
    answering, provider_client = build(Slow(30.0 if slower == "first" else 0.5))
    other = Lingering(30.0 if slower == "second" else 0.0)
    answering.provider_clients = {
        "first": provider_client,
        "second": replace(provider_client, engine=other),
    }
    relay = Relay(answering, system_clock, hedge_default_s=0.1)

    runs = await relay.carry_out(Plan(("first", "second")), provider_request(system_clock, 20))
    await asyncio.sleep(0.1)

    told = {run.provider: (run.status, run.lost, run.calls) for run in runs}
    assert told.pop(slower) == (status, is_loss, 1)
    assert [outcome for outcome, *_ in told.values()] == [ProviderStatus.OK]


async def test_asking_all_ends_in_time_even_when_looking_up_hangs(
    build: Any, system_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering, _ = build(Slow(0.0))

    async def hang(*_: Any) -> None:
        await asyncio.sleep(5)

    monkeypatch.setattr(Answering, "recall", hang)
    started = system_clock.monotonic()
    plan = Plan(("x",), together=True)
    runs = await Relay(answering, system_clock).carry_out(plan, provider_request(system_clock, 0.1))

    assert system_clock.monotonic() - started < 4.0
    assert [(run.status, run.error_code, run.lost) for run in runs] == [
        (ProviderStatus.FAILED, "timeout", True)
    ]


async def test_limits_are_read_from_refusals_too(build: Any, system_clock: Any) -> None:
    windows = [RateWindow(5, 0, 30.0, 1.0), RateWindow(100, 0, 900.0, 2_592_000.0)]
    error = RateError("slow down", retry_after_s=0.0, windows=windows)
    _, provider_client = build(Slow(0.0, error))

    await provider_client.ask(
        ProviderRequest(QUERY, 0, system_clock.monotonic() + 1), ProviderRun("x", 0)
    )

    standing = await provider_client.gate.standing("x")
    assert (standing.remaining_short, standing.remaining_long) == (0, 0)
    assert (await provider_client.gate.reserve("x", max_wait_s=1)).refusal is Refusal.QUOTA


class Flaky:
    """A store that can be away."""

    def __init__(self, counters: Any) -> None:
        self.counters, self.is_away = counters, False

    async def incr(self, key: str, by: int, *, ttl_s: float) -> int:
        if self.is_away:
            raise DependencyDownError("store")
        return int(await self.counters.add(key, by, ttl_s=ttl_s))

    async def get(self, key: str) -> bytes | None:
        if self.is_away:
            raise DependencyDownError("store")
        return str(await self.counters.read(key)).encode()


async def test_what_is_spent_while_the_store_is_away_is_booked_when_it_is_back(
    counters: Any, clock: Any
) -> None:
    store = Flaky(counters)
    guarded = GuardedCounters(store, clock.monotonic)  # type: ignore[arg-type]
    assert await guarded.add("spent", 5, ttl_s=60) == 5

    store.is_away = True
    assert [await guarded.add("spent", 5, ttl_s=60) for _ in range(3)] == [10, 15, 20]
    assert await guarded.read("spent") == 20
    store.is_away = False
    clock.advance(10)

    assert await guarded.add("spent", 1, ttl_s=60) == 21
    assert await guarded.read("spent") == 21
