"""One contract of records and rollups, on SQLite and on Redis."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from redis.exceptions import MaxConnectionsError
from state_fakes import RedisServer, well_again

from pellucid_gateway.adapters import redis_state
from pellucid_gateway.adapters.redis_breaker import RedisBreaker
from pellucid_gateway.adapters.redis_state import RedisState
from pellucid_gateway.adapters.sqlite_state import SqliteState
from pellucid_gateway.domain.state_ports import Entry
from pellucid_runtime import sqlite_file
from pellucid_runtime.clock import SystemClock
from pellucid_runtime.errors import DependencyDownError
from pellucid_runtime.redis_client import open_redis

STORES = ["sqlite", pytest.param("redis", marks=pytest.mark.redis)]


@pytest.fixture
def redis_server(tmp_path: Path) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path)
    server.start()
    yield server
    server.kill()


@pytest.fixture(params=STORES)
async def state(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Any]:
    # A busy machine answers late.
    monkeypatch.setattr(redis_state, "_TIMEOUT_S", 10.0)
    monkeypatch.setattr(sqlite_file, "_TIMEOUT_S", 10.0)
    if request.param == "redis":
        url = request.getfixturevalue("redis_server").url
        async with RedisBreaker(url) as breaker, RedisState(url, breaker) as on_redis:
            yield on_redis
    else:
        async with SqliteState(tmp_path / "state.sqlite3", SystemClock()) as in_a_file:
            yield in_a_file


async def put(state: Any, owner: str, kind: str, *ids: str, **more: Any) -> None:
    for entry_id in ids:
        entry = Entry(entry_id, f"{owner} {entry_id}".encode())
        await state.put(owner, kind, entry, **({"ttl_s": 60.0} | more))


async def test_records_are_an_owners_own(state: Any) -> None:
    await put(state, "ada", "memory", "m1")

    assert await state.get("ada", "memory", "m1") == b"ada m1"
    assert await state.get("bob", "memory", "m1") is None
    assert await state.get("ada", "evidence", "m1") is None
    assert not await state.delete("bob", "memory", "m1")
    assert await state.delete("ada", "memory", "m1")
    assert not await state.delete("ada", "memory", "m1")


async def test_the_newest_come_first_and_the_oldest_go(state: Any) -> None:
    await put(state, "ada", "memory", "a", "b", "c", most=3)
    await put(state, "ada", "memory", "a", most=3)
    assert [e.id for e in await state.newest("ada", "memory", 10)] == ["a", "c", "b"]

    await put(state, "ada", "memory", "d", most=3)
    assert [e.id for e in await state.newest("ada", "memory", 10)] == ["d", "a", "c"]
    assert [e.id for e in await state.newest("ada", "memory", 1)] == ["d"]
    assert await state.get("ada", "memory", "b") is None


async def test_records_end_with_their_lifetime(state: Any) -> None:
    await put(state, "ada", "memory", "short", ttl_s=0.05)
    await put(state, "ada", "memory", "long")
    await asyncio.sleep(0.1)

    assert await state.get("ada", "memory", "short") is None
    assert [e.id for e in await state.newest("ada", "memory", 10)] == ["long"]
    assert not await state.delete("ada", "memory", "short")


async def test_everything_of_an_owner_can_go_at_once(state: Any) -> None:
    await put(state, "ada", "memory", "m1", "m2")
    await put(state, "ada", "turns/c1", "t1")
    await put(state, "bob", "memory", "m1")

    assert await state.delete_kind("ada", "turns/c1") == 1
    assert await state.delete_owner("ada") == 2
    assert await state.delete_owner("ada") == 0
    assert await state.newest("ada", "memory", 10) == ()
    assert await state.get("bob", "memory", "m1") == b"bob m1"


async def test_sums_add_up_and_end(state: Any) -> None:
    await state.add({"m1": {"searches": 2, "turns": 3}, "m2": {"searches": 1}}, ttl_s=60.0)
    await state.add({"m1": {"searches": 5}}, ttl_s=60.0)
    await state.add({"m3": {"searches": 9}}, ttl_s=0.05)
    await asyncio.sleep(0.1)

    assert await state.read(["m1", "m2", "m3", "m4"]) == (
        {"searches": 7, "turns": 3},
        {"searches": 1},
        {},
        {},
    )
    await state.delete_buckets(["m1"])
    assert await state.read(["m1", "m2"]) == ({}, {"searches": 1})


async def test_parallel_additions_are_all_counted(state: Any) -> None:
    await asyncio.gather(*(state.add({"m": {"n": 1}}, ttl_s=60.0) for _ in range(50)))

    assert await state.read(["m"]) == ({"n": 50},)


@pytest.mark.redis
async def test_a_dead_redis_is_reported_and_found_again(redis_server: RedisServer) -> None:
    url = redis_server.url
    async with RedisBreaker(url) as breaker, RedisState(url, breaker) as state:
        await put(state, "ada", "memory", "m1")
        redis_server.kill()
        with pytest.raises(DependencyDownError):
            await state.get("ada", "memory", "m1")
        redis_server.start()
        await well_again(breaker)

        assert await state.newest("ada", "memory", 5) == ()
        await put(state, "ada", "memory", "m2")
        assert await state.get("ada", "memory", "m2") == b"ada m2"


async def test_much_at_once_waits_for_its_turn(state: Any) -> None:
    ids = [f"e{number}" for number in range(300)]

    await asyncio.gather(*(put(state, "ada", "memory", entry) for entry in ids))
    kept = await asyncio.gather(*(state.get("ada", "memory", entry) for entry in ids))

    assert kept == [f"ada {entry}".encode() for entry in ids]


@pytest.mark.redis
async def test_who_finds_no_free_connection_waits_and_is_told_in_time(
    redis_server: RedisServer,
) -> None:
    redis: Any = open_redis(redis_server.url, timeout_s=1.0, most_connections=1)
    pool = redis.connection_pool
    try:
        held = await pool.get_connection()
        asking = asyncio.create_task(redis.get("a"))
        await asyncio.sleep(0.02)
        waited = not asking.done()
        await pool.release(held)
        answer = await asking

        held = await pool.get_connection()
        with pytest.raises(MaxConnectionsError):
            await redis.get("a")
        await pool.release(held)
    finally:
        await redis.aclose()

    assert waited
    assert answer is None
