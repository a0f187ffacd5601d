"""Evidence of 100,000 searching turns keeps to its room, on a Redis of the size deployed."""

import asyncio
import random
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from redis import asyncio as redis

from pellucid_gateway.adapters.evidence_store import KIND, StoredEvidence
from pellucid_gateway.adapters.redis_breaker import RedisBreaker
from pellucid_gateway.adapters.redis_state import RedisState
from pellucid_gateway.domain.state_ports import Entry
from pellucid_gateway.settings import GatewaySettings

pytestmark = [pytest.mark.load, pytest.mark.redis, pytest.mark.timeout(900)]

TURNS = 100_000
PEOPLE = 2_000
WRITERS = 16
# As in deploy/components/redis/state.conf.
MAXMEMORY_MIB = 768
# What is counted of a record is near what it costs; so much more may be true.
SLACK = 1.10
MIB = 1024 * 1024
DAY_S = 86_400
WORDS = [f"{a}{b}" for a in ("lantern", "harbour", "winter", "meadow") for b in range(300)]


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    binary = shutil.which("redis-server")
    assert binary, "tests marked redis need redis-server"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        found = int(probe.getsockname()[1])
    options = [
        "--maxmemory",
        f"{MAXMEMORY_MIB}mb",
        "--maxmemory-policy",
        "noeviction",
        "--save",
        "",
    ]
    running = subprocess.Popen(
        [binary, "--port", str(found), *options], cwd=tmp_path, stdout=subprocess.DEVNULL
    )
    yield found
    running.kill()
    running.wait()


@pytest.fixture
async def state(port: int) -> AsyncIterator[RedisState]:
    url = f"redis://127.0.0.1:{port}/0"
    async with AsyncExitStack() as stack:
        breaker = await stack.enter_async_context(RedisBreaker(url))
        yield await stack.enter_async_context(RedisState(url, breaker))


async def stored_records(state: RedisState, count: int) -> list[bytes]:
    """Records of the shape and length of a turn's evidence, as the gateway stores them."""
    evidence, chance = StoredEvidence(state), random.Random(7)
    found = []
    for n in range(count):
        texts = [" ".join(chance.choices(WORDS, k=60)) for _ in range(33)]
        told = {"schema": 1, "question": texts[0], "sources": texts, "citations": texts[:8]}
        await evidence.save(f"sample{n}", "sampler", told)
        raw = await state.get("sampler", KIND, f"sample{n}")
        assert raw is not None
        found.append(raw)
    return found


async def test_the_evidence_of_100_000_turns_keeps_to_its_room(
    state: RedisState, port: int
) -> None:
    settings = GatewaySettings()
    room_bytes = settings.gateway_evidence_max_mib * MIB
    records = await stored_records(state, 200)
    numbers = iter(range(TURNS))
    begun = time.monotonic()

    async def write() -> None:
        for n in numbers:
            entry = Entry(f"e{n}", records[n % len(records)])
            await state.put(
                f"person{n % PEOPLE}", KIND, entry, ttl_s=30 * DAY_S, room_bytes=room_bytes
            )

    await asyncio.gather(*(write() for _ in range(WRITERS)))
    async with redis.Redis(port=port, decode_responses=True) as server:
        info = await server.info()
        kept = await server.zcard("pellucid:v1:shelf:evidence")
    used_mib = info["used_memory"] / MIB
    size = sum(map(len, records)) / len(records)
    sys.stdout.write(
        f"{TURNS} records of {size / 1000:.1f} kB: {kept} kept, {used_mib:.1f} MiB used of "
        f"{MAXMEMORY_MIB}, room {room_bytes / MIB:.0f}, {time.monotonic() - begun:.0f} s\n"
    )

    assert kept > TURNS / 3, "most of the room holds records"
    assert used_mib <= SLACK * room_bytes / MIB
    assert used_mib < 0.75 * MAXMEMORY_MIB, "StateMemoryHigh stays silent"
    last, first = TURNS - 1, 0
    assert await state.get(f"person{last % PEOPLE}", KIND, f"e{last}") is not None
    assert await state.get(f"person{first}", KIND, f"e{first}") is None
    await state.put("ada", "conversation", Entry("c", b"kept"), ttl_s=60)
    assert await state.get("ada", "conversation", "c") == b"kept"
