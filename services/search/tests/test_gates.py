"""Limits in this process and in Redis behave alike."""

import asyncio
import time
from contextlib import AsyncExitStack
from typing import Any

import pytest
import redis

from pellucid_search.adapters import redis_gate
from pellucid_search.adapters.redis_gate import RedisGate
from pellucid_search.asking.buckets import LocalGate, Rate
from pellucid_search.hits import RateWindow
from pellucid_search.ports import Refusal

pytestmark = pytest.mark.redis


@pytest.fixture(params=["local", "redis"])
async def gate(request: pytest.FixtureRequest, redis_server: Any, system_clock: Any) -> Any:
    rates = {"slow": Rate(1, 1.0), "fast": Rate(100, 1.0)}
    if request.param == "local":
        yield LocalGate(rates, system_clock.monotonic)
        return
    async with RedisGate(redis_server.url, rates, system_clock.monotonic) as shared:
        yield shared


async def test_both_gates_space_calls(gate: Any) -> None:
    waits = [(await gate.reserve("slow", max_wait_s=5.0)).wait_s for _ in range(3)]

    # A busy machine may spend some of the time between two questions.
    assert all(at - 0.8 < wait < at + 0.1 for wait, at in zip(waits, (0, 1.1, 2.2), strict=True))
    assert (await gate.reserve("slow", max_wait_s=0.5)).refusal is Refusal.RATE


async def test_time_in_which_our_own_loop_is_busy_is_not_blamed_on_redis(
    redis_server: Any, system_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_gate, "_LIMIT_S", 0.1)
    async with RedisGate(redis_server.url, {"x": Rate(1)}, system_clock.monotonic) as gate:
        await gate.reserve("x", max_wait_s=0)
        with redis.Redis.from_url(redis_server.url) as database:

            def asked() -> int:
                return int(database.info("commandstats")["cmdstat_evalsha"]["calls"])

            before = asked()
            database.client_pause(60)
            asking = asyncio.create_task(gate.reserve("x", max_wait_s=0))
            await asyncio.sleep(0.02)
            time.sleep(0.3)  # noqa: ASYNC251 - the loop is to be busy

            assert (await asking).refusal is Refusal.RATE
            assert asked() == before + 1, "booked twice, it would cost two places"


async def test_both_gates_learn_from_headers(gate: Any) -> None:
    await gate.observe("fast", [RateWindow(2, 0, 1.0, 1.0), RateWindow(2000, 0, 3600.0, 2_592_000)])

    assert (await gate.reserve("fast", max_wait_s=0.5)).refusal is Refusal.QUOTA
    assert (await gate.standing("fast")).remaining_long == 0


async def test_both_gates_cool_down(gate: Any) -> None:
    await gate.cool("fast", 2.0)

    assert (await gate.reserve("fast", max_wait_s=0.5)).refusal is Refusal.COOLING
    assert 1.0 < (await gate.reserve("fast", max_wait_s=5.0)).wait_s <= 2.1


async def test_both_gates_let_unknown_providers_pass(gate: Any) -> None:
    assert await gate.standing("new") == await gate.standing("other")
    assert (await gate.reserve("new", max_wait_s=0.0)).refusal is None


async def test_a_new_key_starts_afresh(redis_server: Any, system_clock: Any) -> None:
    async with AsyncExitStack() as stack:
        old, twin, new = [
            await stack.enter_async_context(
                RedisGate(redis_server.url, {}, system_clock.monotonic, accounts={"brave": account})
            )
            for account in ("old", "old", "new")
        ]
        await old.shut("brave", 60.0, Refusal.BAD_KEY)
        with redis.Redis.from_url(redis_server.url) as database:
            for _ in range(300):
                if database.keys("*bucket:brave:old"):
                    break
                await asyncio.sleep(0.01)

        assert (await twin.reserve("brave", max_wait_s=0)).refusal is Refusal.BAD_KEY
        assert (await new.reserve("brave", max_wait_s=0)).refusal is None


@pytest.mark.parametrize(("limit", "replicas"), [(20, 3), (20, 1), (1, 4), (7, 7), (100, 30)])
async def test_without_redis_the_replicas_together_keep_the_limit(
    limit: int, replicas: int, clock: Any
) -> None:
    """Also after a provider's headers have told the limit anew."""
    gates = [
        RedisGate("unix:///nowhere.sock", {"x": Rate(1)}, clock.monotonic, replicas=replicas)
        for _ in range(replicas)
    ]
    went = 0
    for gate in gates:
        await gate.observe("x", [RateWindow(limit, limit, 1.0, 1.0)])
    for _ in range(20 * 10):
        for gate in gates:
            went += (await gate.reserve("x", max_wait_s=0)).refusal is None
        clock.advance(0.1)

    # Twenty seconds; each replica may begin with one call at once.
    assert 20 * limit / 3 <= went <= 20 * limit + replicas
    for gate in gates:
        await gate.__aexit__()
