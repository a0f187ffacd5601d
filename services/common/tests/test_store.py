"""One contract, two adapters; and a Redis that dies in use."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, closing
from pathlib import Path
from typing import Any

import pytest
import uvloop

from pellucid_runtime.clock import FixedClock
from pellucid_runtime.errors import DependencyDownError
from pellucid_runtime.listener import StartError
from pellucid_runtime.settings import ServiceSettings
from pellucid_runtime.store import RedisStore, SqliteStore, Store, open_store


@pytest.fixture(params=["sqlite", pytest.param("redis", marks=pytest.mark.redis)])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    if request.param == "sqlite":
        opened: SqliteStore | RedisStore = SqliteStore(tmp_path / "a.sqlite3", namespace="n")
    else:
        opened = RedisStore(request.getfixturevalue("redis_server").url, namespace="n")
    async with opened:
        yield opened


async def test_absent_key_has_no_value(store: Store) -> None:
    assert await store.get("k") is None
    assert await store.delete("k") is False


async def test_value_comes_back_byte_for_byte(store: Store) -> None:
    value = bytes(range(256))
    await store.set("k", value)
    assert await store.get("k") == value


async def test_set_replaces_value_and_lifetime(store: Store) -> None:
    await store.set("k", b"old", ttl_s=0.05)
    await store.set("k", b"new")
    await asyncio.sleep(0.1)
    assert await store.get("k") == b"new"


async def test_delete_forgets(store: Store) -> None:
    await store.set("k", b"v")
    assert await store.delete("k") is True
    assert await store.get("k") is None


async def test_value_expires(store: Store) -> None:
    await store.set("k", b"v", ttl_s=1.0)
    assert await store.get("k") == b"v"
    await asyncio.sleep(1.1)
    assert await store.get("k") is None
    assert await store.delete("k") is False


async def test_set_if_absent_keeps_the_first(store: Store) -> None:
    assert await store.set_if_absent("k", b"first") is True
    assert await store.set_if_absent("k", b"second") is False
    assert await store.get("k") == b"first"


async def test_set_if_absent_takes_the_place_of_an_expired_one(store: Store) -> None:
    assert await store.set_if_absent("k", b"first", ttl_s=0.05) is True
    await asyncio.sleep(0.1)
    assert await store.set_if_absent("k", b"second") is True
    assert await store.get("k") == b"second"


async def test_only_one_of_many_sets_if_absent(store: Store) -> None:
    kept = await asyncio.gather(*[store.set_if_absent("k", b"%d" % i) for i in range(20)])
    assert sum(kept) == 1


async def test_counter_counts_from_zero_and_loses_nothing(store: Store) -> None:
    await asyncio.gather(*[store.incr("c") for _ in range(50)])
    assert await store.incr("c", 5) == 55
    assert await store.incr("c", -55) == 0
    assert await store.get("c") == b"0"


async def test_counter_is_a_fixed_window(store: Store) -> None:
    assert await store.incr("c", ttl_s=1.5) == 1
    await asyncio.sleep(0.8)
    assert await store.incr("c", ttl_s=1.5) == 2
    await asyncio.sleep(0.8)
    assert await store.incr("c", ttl_s=1.5) == 1


async def test_namespaces_are_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite3"
    async with SqliteStore(path, namespace="a") as a, SqliteStore(path, namespace="b") as b:
        await a.set("k", b"v")
        assert await b.get("k") is None


async def test_sqlite_survives_a_restart(tmp_path: Path) -> None:
    async with SqliteStore(tmp_path / "deep" / "a.sqlite3") as store:
        await store.set("k", b"v", ttl_s=60)
    async with SqliteStore(tmp_path / "deep" / "a.sqlite3") as store:
        assert await store.get("k") == b"v"


async def test_sqlite_removes_what_expired(tmp_path: Path) -> None:
    clock = FixedClock()
    async with SqliteStore(tmp_path / "a.sqlite3", clock=clock) as store:
        for number in range(300):
            await store.set(f"k{number}", b"v", ttl_s=10)
        clock.advance(11)
        for number in range(300):
            await store.set(f"n{number}", b"v", ttl_s=10)
        (count,) = (await store._db.execute_fetchall("SELECT count(*) FROM entries_v1"))[0]
    assert count <= 300 + 256


async def test_sqlite_that_cannot_be_written_is_a_lost_dependency(tmp_path: Path) -> None:
    async with SqliteStore(tmp_path / "a.sqlite3") as store:
        await store._db.execute("DROP TABLE entries_v1")
        with pytest.raises(DependencyDownError):
            await store.get("k")
        with pytest.raises(DependencyDownError) as caught:
            await store.set("k", b"v")
    assert caught.value.metadata == {"dependency": "store"}


async def test_sqlite_is_read_while_another_process_writes(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite3"
    async with SqliteStore(path) as store:
        await store.set("k", b"old")
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            other.execute("UPDATE entries_v1 SET value = x'6e6577'")
            assert await store.get("k") == b"old"
            with pytest.raises(DependencyDownError):
                await store.set("k", b"mine")
            other.execute("COMMIT")
        assert await store.get("k") == b"new"


async def test_settings_choose_the_adapter(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        local = await open_store(ServiceSettings(data_dir=tmp_path), stack, "n")
        shared = await open_store(ServiceSettings(redis_url="redis://a.example"), stack, "n")
        split = ServiceSettings(redis_url="redis://a.example", redis_cache_url="redis://b.example")
        cache = await open_store(split, stack, "n", is_cache=True)
    assert isinstance(local, SqliteStore)
    assert (tmp_path / "service.sqlite3").exists()
    assert isinstance(shared, RedisStore)
    assert isinstance(cache, RedisStore)
    assert cache._redis.connection_pool.connection_kwargs["host"] == "b.example"


async def test_folder_that_cannot_be_used_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    async with AsyncExitStack() as stack:
        with pytest.raises(StartError, match="DATA_DIR"):
            await open_store(ServiceSettings(data_dir=tmp_path / "file" / "deep"), stack, "n")


async def test_file_that_is_no_database_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "service.sqlite3").write_text("no database " * 100)
    threads = set(threading.enumerate())
    async with AsyncExitStack() as stack:
        with pytest.raises(StartError, match=r"service\.sqlite3 cannot be opened.*DATA_DIR"):
            await open_store(ServiceSettings(data_dir=tmp_path), stack, "n")
    for thread in set(threading.enumerate()) - threads:
        thread.join(1)
        assert not thread.is_alive()


@pytest.mark.redis
async def test_redis_killed_in_use_fails_quickly_and_recovers(redis_server: Any) -> None:
    async with RedisStore(redis_server.url) as store:
        await store.set("k", b"v")
        redis_server.kill()
        for operation in (
            lambda: store.get("k"),
            lambda: store.set("k", b"v"),
            lambda: store.set_if_absent("k", b"v"),
            lambda: store.delete("k"),
            lambda: store.incr("c"),
        ):
            began = asyncio.get_running_loop().time()
            with pytest.raises(DependencyDownError) as caught:
                await operation()
            assert asyncio.get_running_loop().time() - began < 1.5
            assert caught.value.metadata == {"dependency": "store"}
        redis_server.start()
        await store.set("k", b"again")
        assert await store.get("k") == b"again"


@pytest.mark.redis
def test_a_connection_reset_while_it_is_written_to_is_a_lost_one(redis_server: Any) -> None:
    """On uvloop, which the services run on, and which raises `RuntimeError` then."""

    async def reset_and_read() -> bytes | None:
        async with RedisStore(redis_server.url) as store:
            await store.set("k", b"v")
            pool = store._redis.connection_pool
            for connection in pool._available_connections:
                connection._writer.transport.abort()
            return await store.get("k")

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert runner.run(reset_and_read()) == b"v"


async def test_redis_that_accepts_and_never_answers_fails_quickly() -> None:
    connections = 0

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        await reader.read()
        writer.close()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with RedisStore(f"redis://127.0.0.1:{port}") as store:
        began = asyncio.get_running_loop().time()
        with pytest.raises(DependencyDownError):
            await store.incr("c")
        assert asyncio.get_running_loop().time() - began < 2.5
    assert connections == 1, "what may have arrived is not said twice: it would count twice"
    server.close()
    await server.wait_closed()
