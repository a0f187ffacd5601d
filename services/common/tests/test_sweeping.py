"""Connections that a crowd opened are closed after it, and a sweep runs only while it is wanted."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from pellucid_runtime import redis_client
from pellucid_runtime.redis_client import MOST_CONNECTIONS, open_redis
from pellucid_runtime.sweeping import Sweeper

CROWD = 20


@pytest.fixture
def short_idleness(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_client, "IDLE_S", 0.1)


async def _connected(redis: Any, wanted: Callable[[int], bool], within_s: float = 10.0) -> int:
    """Connections that the server sees, as soon as they are as wanted."""
    end = asyncio.get_running_loop().time() + within_s
    while True:
        connected = int((await redis.info("clients"))["connected_clients"])
        if wanted(connected) or asyncio.get_running_loop().time() > end:
            return connected
        await asyncio.sleep(0.05)


async def _crowd(redis: Any) -> None:
    """Callers that all wait for an answer at the same time."""
    await asyncio.gather(*(redis.blpop([f"nothing:{n}"], timeout=0.2) for n in range(CROWD)))


@pytest.mark.redis
@pytest.mark.usefixtures("short_idleness")
async def test_what_a_crowd_opened_is_given_back_again_and_again(redis_server: Any) -> None:
    redis = open_redis(redis_server.url, timeout_s=5.0)
    observer = open_redis(redis_server.url, timeout_s=5.0, most_connections=1)
    for _ in range(3):
        crowd = asyncio.create_task(_crowd(redis))
        assert await _connected(observer, lambda n: n > CROWD) == CROWD + 1
        await crowd
        assert await _connected(observer, lambda n: n == 2) == 2, "one is kept for the next caller"
    assert await redis.ping()
    await redis.aclose()
    await observer.aclose()


@pytest.mark.redis
@pytest.mark.usefixtures("short_idleness")
async def test_what_is_in_use_all_the_time_is_left_alone(redis_server: Any) -> None:
    redis = open_redis(redis_server.url, timeout_s=5.0)
    observer = open_redis(redis_server.url, timeout_s=5.0, most_connections=1)
    opened = int((await observer.info("stats"))["total_connections_received"])
    for _ in range(8):
        await asyncio.gather(*(redis.blpop([f"nothing:{n}"], timeout=0.05) for n in range(5)))

    received = int((await observer.info("stats"))["total_connections_received"])
    assert received - opened == 5 <= MOST_CONNECTIONS
    await redis.aclose()
    await observer.aclose()


async def test_a_sweep_runs_until_nothing_is_left_and_again_when_woken() -> None:
    left, swept = 2, asyncio.Event()

    async def sweep() -> bool:
        nonlocal left
        left -= 1
        if left == 0:
            swept.set()
        return left > 0

    sweeper = Sweeper(sweep, 0.01)
    sweeper.wake()
    sweeper.wake()
    await asyncio.wait_for(swept.wait(), 10)
    await asyncio.sleep(0.05)
    assert left == 0

    left = 1
    swept.clear()
    sweeper.wake()
    await asyncio.wait_for(swept.wait(), 10)
    sweeper.wake()
    await sweeper.close()
    await asyncio.sleep(0.05)
    assert left == 0


async def test_what_ends_after_the_end_begins_no_further_sweep() -> None:
    swept = asyncio.Event()

    async def sweep() -> bool:
        swept.set()
        return False

    sweeper = Sweeper(sweep, 0.01)
    sweeper.wake()
    await sweeper.close()
    sweeper.wake()
    await asyncio.sleep(0.05)

    assert not swept.is_set()
