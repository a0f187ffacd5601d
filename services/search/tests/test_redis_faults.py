"""Redis in trouble, each trouble seen to have happened: the search service goes on."""

import asyncio
import time
from collections.abc import AsyncIterator
from statistics import median
from typing import Any

import pytest
import redis
from pellucid.search.v1 import search_pb2 as pb
from search_provider_fixtures import GOOD

from pellucid_search.adapters.redis_gate import RedisGate
from pellucid_search.asking.buckets import Rate
from pellucid_search.metrics import STORE_ERRORS
from pellucid_search.ports import Refusal

pytestmark = [pytest.mark.redis, pytest.mark.usefixtures("loaded_languages")]


@pytest.fixture
def patience_with_the_store() -> None:
    """The service's own limits hold here."""


async def stored(redis_server: Any) -> None:
    """Wait until an answer has been written, which no search waits for."""
    async with asyncio.timeout(10):
        while "answer:" not in redis_server.command("KEYS", "*answer:*"):  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@pytest.fixture
def serve_searxng(start_service: Any, serve_provider: Any, answer: Any, redis_server: Any) -> Any:
    """Start the service over one free provider and Redis; return both."""

    async def start(url: str = redis_server.url) -> Any:
        provider = await serve_provider(answer(GOOD["searxng"]))
        client = await start_service(
            redis_url=url, searxng_url=provider.url, search_rates="searxng=1000/1"
        )
        return client, provider

    return start


def store_errors() -> float:
    return sum(
        sample.value
        for metric in STORE_ERRORS.collect()
        for sample in metric.samples
        if sample.name.endswith("_total")
    )


async def test_a_redis_that_is_gone_at_the_start_is_done_without_and_used_when_it_comes(
    serve_searxng: Any, ask: Any, redis_server: Any
) -> None:
    redis_server.kill()
    client, provider = await serve_searxng()

    for turn in range(8):
        assert (await client.Search(ask(f"island ferry {turn}"))).hits
    states = await client.ListProviders(pb.ListProvidersRequest())
    assert len(provider.requests) == 8
    assert states.providers[0].enabled

    redis_server.start()
    came_back = False
    for _ in range(100):
        came_back = came_back or (await client.Search(ask("island ferry"))).from_cache
        await asyncio.sleep(0 if came_back else 0.1)
    assert came_back


async def test_a_full_redis_is_still_read_and_its_refusals_are_counted(
    serve_searxng: Any, ask: Any, redis_server: Any
) -> None:
    client, provider = await serve_searxng()
    await client.Search(ask("known before"))
    await stored(redis_server)
    redis_server.command("CONFIG", "SET", "maxmemory", "1")
    counted = store_errors()

    for turn in range(8):
        assert (await client.Search(ask(f"after {turn}"))).hits
        assert (await client.Search(ask("known before"))).from_cache

    assert redis_server.errors("OOM") >= 5
    assert store_errors() - counted >= 5
    assert len(provider.requests) == 9


async def test_a_wiped_redis_is_filled_again_without_a_second_burst(
    serve_searxng: Any, ask: Any, redis_server: Any, system_clock: Any
) -> None:
    client, provider = await serve_searxng()
    await client.Search(ask("island ferry"))
    async with RedisGate(redis_server.url, {"x": Rate(20)}, system_clock.monotonic) as gate:
        before = [(await gate.reserve("x", max_wait_s=0)).refusal for _ in range(30)]
        await stored(redis_server)
        redis_server.command("FLUSHALL")
        assert redis_server.keys == 0
        after = [(await gate.reserve("x", max_wait_s=0)).refusal for _ in range(30)]

    found = await asyncio.gather(*(client.Search(ask("island ferry")) for _ in range(40)))

    assert before.count(None) + after.count(None) <= 2 * 20
    assert all(answer.hits for answer in found)
    assert len(provider.requests) == 2


async def test_a_paused_redis_costs_no_answer(
    serve_searxng: Any, ask: Any, redis_server: Any
) -> None:
    client, provider = await serve_searxng()
    await client.Search(ask("before"))
    counted = store_errors()
    redis_server.command("CLIENT", "PAUSE", "1500", "ALL")

    answers = [await client.Search(ask(f"after {turn}")) for turn in range(5)]

    assert all(found.hits for found in answers)
    assert store_errors() > counted
    assert len(provider.requests) == 6


async def test_a_killed_redis_costs_no_answer_and_no_tax(
    serve_searxng: Any, ask: Any, redis_server: Any
) -> None:
    client, provider = await serve_searxng()
    await client.Search(ask("before"))
    counted = store_errors()
    redis_server.kill()
    for turn in range(12):
        assert (await client.Search(ask(f"opening {turn}"))).hits
    opened = store_errors()

    answers, times = [], []
    for turn in range(10):
        started = time.monotonic()
        answers.append(await client.Search(ask(f"after {turn}")))
        times.append(time.monotonic() - started)

    assert opened - counted >= 5
    assert all(found.hits for found in answers)
    assert len(provider.requests) == 23
    # Left alone: of ten searches with some operations each, at most a probe or two was tried.
    assert store_errors() - opened <= 5
    assert median(times) < 0.1


async def test_after_a_kill_the_share_of_the_limit_goes_on(
    redis_server: Any, system_clock: Any
) -> None:
    limits = {"x": Rate(40, 1.0)}
    async with RedisGate(redis_server.url, limits, system_clock.monotonic, replicas=4) as gate:
        assert (await gate.reserve("x", max_wait_s=0)).refusal is None
        redis_server.kill()
        started = time.monotonic()
        went = 0
        while time.monotonic() - started < 1.0:
            went += (await gate.reserve("x", max_wait_s=0)).refusal is None
            await asyncio.sleep(0.005)

    assert 1 <= went <= 10


async def test_a_readonly_replica_is_treated_as_down(
    serve_searxng: Any, ask: Any, redis_server: Any
) -> None:
    client, provider = await serve_searxng()
    await client.Search(ask("known before"))
    await stored(redis_server)
    redis_server.command("REPLICAOF", "127.0.0.1", "1")

    for turn in range(8):
        assert (await client.Search(ask(f"after {turn}"))).hits
    assert (await client.Search(ask("known before"))).from_cache

    assert redis_server.errors("READONLY") >= 5
    assert len(provider.requests) == 9


@pytest.mark.parametrize(
    "said", [b"-LOADING Redis is loading the dataset in memory", b"-MOVED 1 127.0.0.1:1",
             b"-MASTERDOWN Link with MASTER is down", b"$9999999999", b"?nonsense"],
    ids=["loading", "moved", "master_down", "huge", "no_redis"],
)  # fmt: skip
async def test_a_redis_that_answers_only_errors_is_left_alone(
    said: bytes, only_says: Any, serve_searxng: Any, ask: Any
) -> None:
    server = await only_says(said + b"\r\n")
    client, provider = await serve_searxng(server.url)
    for turn in range(8):
        assert (await client.Search(ask(f"opening {turn}"))).hits
    assert server.answers >= 5
    answered = server.answers

    for turn in range(10):
        assert (await client.Search(ask(f"after {turn}"))).hits

    assert server.answers - answered <= 10
    assert len(provider.requests) == 18


class OnlySays:
    """A server that gives one answer to whatever it is sent."""

    def __init__(self, said: bytes) -> None:
        self.said, self.answers, self.url = said, 0, ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await reader.read(65_536):
                self.answers += 1
                writer.write(self.said)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()


@pytest.fixture
async def only_says() -> AsyncIterator[Any]:
    servers: list[asyncio.Server] = []

    async def start(said: bytes) -> OnlySays:
        speaker = OnlySays(said)
        server = await asyncio.start_server(speaker.serve, "127.0.0.1", 0)
        servers.append(server)
        speaker.url = f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        return speaker

    yield start
    for server in servers:
        server.close()
    await asyncio.sleep(0)


GARBAGE = {
    "string": ("SET", "garbage"),
    "list": ("RPUSH", "garbage"),
    "fields": ("HSET", "empty_at", "x", "limit", "-1", "period", "0", "cool_until", "1e300",
               "shut_until", "nan", "long_remaining", "inf"),
}  # fmt: skip


@pytest.mark.parametrize("kind", GARBAGE)
async def test_a_bucket_of_garbage_is_forgotten_and_keeps_the_limit(
    kind: str, redis_server: Any, system_clock: Any
) -> None:
    command, *values = GARBAGE[kind]
    with redis.Redis.from_url(redis_server.url) as database:
        async with RedisGate(redis_server.url, {"x": Rate(1)}, system_clock.monotonic) as gate:
            await gate.reserve("x", max_wait_s=0)
            (name,) = database.keys("*bucket:x:*")
            database.delete(name)
            database.execute_command(command, name, *values)
            counted = store_errors()

            first = await gate.reserve("x", max_wait_s=0)
            second = await gate.reserve("x", max_wait_s=0)

            assert (first.refusal, second.refusal) == (None, Refusal.RATE)
            assert database.type(name) == b"hash"
            assert store_errors() == counted


async def test_garbage_in_the_cache_is_forgotten(
    serve_searxng: Any, ask: Any, redis_server: Any
) -> None:
    client, provider = await serve_searxng()
    await client.Search(ask("island ferry"))
    await asyncio.sleep(0.1)
    with redis.Redis.from_url(redis_server.url) as database:
        (name,) = database.keys("*answer:*")
        older = b'{"schema": 0, "hits": []}'
        for garbage in (b"\x80\x04garbage", older, b"\xff" * 1000):
            database.set(name, garbage)

            found = await client.Search(ask("island ferry"))
            await asyncio.sleep(0.1)

            assert found.providers[0].status == pb.PROVIDER_STATUS_OK
            assert database.get(name) not in {garbage, None}
    assert len(provider.requests) == 4
