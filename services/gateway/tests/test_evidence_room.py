"""Evidence keeps to its room, is small, and cannot push limits and conversations out."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from state_fakes import RedisServer

from pellucid_gateway.adapters.evidence_store import KIND, StoredEvidence
from pellucid_gateway.adapters.record_scripts import OVERHEAD_BYTES
from pellucid_gateway.adapters.redis_breaker import RedisBreaker
from pellucid_gateway.adapters.redis_state import RedisState
from pellucid_gateway.adapters.sqlite_state import SqliteState
from pellucid_gateway.domain.state_ports import Entry
from pellucid_runtime.clock import SystemClock
from pellucid_runtime.errors import DependencyDownError, NotFoundError

MIB = 1024 * 1024
# Ten records of 300 bytes each fit, with what they cost besides.
ROOM = 10 * (300 + OVERHEAD_BYTES)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    redis = RedisServer(tmp_path)
    redis.start()
    yield redis
    redis.kill()


@pytest.fixture
async def state(server: RedisServer) -> AsyncIterator[RedisState]:
    async with RedisBreaker(server.url) as breaker, RedisState(server.url, breaker) as opened:
        yield opened


async def put(state: Any, owner: str, name: str, *, size: int = 300, **more: Any) -> None:
    options = {"ttl_s": 60.0, "room_bytes": ROOM} | more
    await state.put(owner, KIND, Entry(name, b"x" * size), **options)


async def present(state: Any, owner: str, names: list[str]) -> list[str]:
    return [name for name in names if await state.get(owner, KIND, name) is not None]


def shelf(server: RedisServer) -> tuple[bytes, bytes]:
    """How many records are counted, and their sum."""
    return server.command("ZCARD", "pellucid:v1:shelf:evidence"), server.command(
        "HGET", "pellucid:v1:shelf:evidence:sizes", "sum"
    )


@pytest.mark.redis
async def test_the_oldest_go_whoever_they_are_of(state: RedisState, server: RedisServer) -> None:
    await put(state, "ada", "old")
    for n in range(12):
        await put(state, "bob", f"b{n}")

    assert await present(state, "ada", ["old"]) == []
    assert await present(state, "bob", [f"b{n}" for n in range(12)]) == [
        f"b{n}" for n in range(2, 12)
    ]
    assert [e.id for e in await state.newest("ada", KIND, 5)] == []
    assert shelf(server) == (b":10\r\n", b"$5\r\n10000\r\n")


@pytest.mark.redis
async def test_a_large_one_takes_the_room_of_several(state: RedisState) -> None:
    for n in range(10):
        await put(state, "ada", f"a{n}")
    await put(state, "ada", "large", size=4300)

    assert len(await present(state, "ada", [f"a{n}" for n in range(10)])) == 5
    assert await present(state, "ada", ["large"]) == ["large"]


@pytest.mark.redis
async def test_what_is_deleted_replaced_or_over_gives_its_room_back(
    state: RedisState, server: RedisServer
) -> None:
    await put(state, "ada", "replaced")
    await put(state, "ada", "replaced", size=80)
    assert shelf(server)[1] == b"$3\r\n780\r\n"
    await put(state, "ada", "deleted")
    assert await state.delete("ada", KIND, "deleted")
    assert shelf(server)[1] == b"$3\r\n780\r\n"
    await put(state, "bob", "one")
    await put(state, "bob", "two")
    assert await state.delete_owner("bob") == 2
    assert shelf(server) == (b":1\r\n", b"$3\r\n780\r\n")
    assert await state.delete_owner("ada") == 1

    await put(state, "ada", "short", ttl_s=0.05)
    await asyncio.sleep(0.1)
    await put(state, "ada", "next")
    assert shelf(server) == (b":1\r\n", b"$4\r\n1000\r\n")


@pytest.mark.redis
async def test_other_kinds_are_not_counted(state: RedisState, server: RedisServer) -> None:
    await state.put("ada", "conversation", Entry("c", b"x" * 9000), ttl_s=60)
    for n in range(15):
        await put(state, "ada", f"a{n}")

    assert await state.get("ada", "conversation", "c") is not None
    assert shelf(server)[0] == b":10\r\n"


async def test_a_file_keeps_to_the_room_as_well(tmp_path: Path) -> None:
    async with SqliteState(tmp_path / "state.sqlite3", SystemClock()) as state:
        for n in range(512):
            await put(state, "ada", f"a{n}", room_bytes=10 * 500)
        names = [f"a{n}" for n in range(512)]
        assert await present(state, "ada", names) == names[-10:]


def record(words: random.Random) -> dict[str, Any]:
    """Of the shape and length of a turn's evidence, in words of our own."""
    text = [" ".join(words.choices(VOCABULARY, k=60)) for _ in range(24)]
    return {"schema": 1, "question": text[0], "sources": text, "citations": text[:8]}


VOCABULARY = [f"{a}{b}" for a in ("lantern", "harbour", "winter", "meadow") for b in range(300)]


@pytest.mark.redis
async def test_a_record_is_kept_compressed_and_read_back(state: RedisState) -> None:
    evidence = StoredEvidence(state)
    told = record(random.Random(7))
    await evidence.save("e1", "ada", told)

    raw = await state.get("ada", KIND, "e1")
    assert raw is not None
    assert len(raw) < 0.5 * len(orjson.dumps(told))
    assert await evidence.load("e1", "ada") == told


@pytest.mark.redis
async def test_records_of_the_release_before_are_read_and_garbage_is_not(
    state: RedisState,
) -> None:
    evidence = StoredEvidence(state)
    await state.put("ada", KIND, Entry("plain", json.dumps({"schema": 1}).encode()), ttl_s=60)
    assert await evidence.load("plain", "ada") == {"schema": 1}

    for wrong in (b"garbage", b"x\x9cgarbage", b"[1]", b"{"):
        await state.put("ada", KIND, Entry("wrong", wrong), ttl_s=60)
        with pytest.raises(NotFoundError):
            await evidence.load("wrong", "ada")


@pytest.mark.redis
async def test_a_full_server_of_evidence_is_no_trouble_of_the_rest(
    state: RedisState, tmp_path: Path
) -> None:
    apart = RedisServer(tmp_path, arguments=("--maxmemory", "1"))
    apart.start()
    try:
        async with RedisBreaker(apart.url) as breaker, RedisState(apart.url, breaker) as full:
            with pytest.raises(DependencyDownError):
                await StoredEvidence(full).save("e", "ada", {"schema": 1})
        await state.put("ada", "conversation", Entry("c", b"kept"), ttl_s=60)
        assert await state.get("ada", "conversation", "c") == b"kept"
    finally:
        apart.kill()
