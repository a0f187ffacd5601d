"""Several replicas of the service over one real Redis."""

import asyncio
import random
import time
from collections import deque
from typing import Any

import pytest
import redis
from pellucid.search.v1 import search_pb2 as pb
from search_provider_fixtures import GOOD

from pellucid_search.adapters.redis_gate import RedisGate
from pellucid_search.buckets import LocalGate, Rate
from pellucid_search.hits import RateWindow
from pellucid_search.ports import Refusal

pytestmark = pytest.mark.redis

KEY = "example-key-0123456789"


class OnePerSecond:
    """A Brave that refuses a second request within a second of the last one."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer
        self._times: deque[float] = deque()
        self.refused = 0

    def __call__(self, request: Any) -> Any:
        if self._times and request.at - self._times[-1] < 1.0:
            self.refused += 1
            error = {"type": "ErrorResponse", "error": {"code": "RATE_LIMITED"}}
            return self._answer(error, 429)
        self._times.append(request.at)
        headers = {
            "X-RateLimit-Limit": "1, 15000", "X-RateLimit-Policy": "1;w=1, 15000;w=2592000",
            "X-RateLimit-Remaining": "0, 14000", "X-RateLimit-Reset": "1, 1000000",
        }  # fmt: skip
        return self._answer(GOOD["brave"], 200, headers)


async def test_three_replicas_never_break_a_limit_of_one_request_a_second(
    start_service: Any,
    serve_provider: Any,
    answer: Any,
    ask: Any,
    redis_server: Any,
) -> None:
    limiter = OnePerSecond(answer)
    brave = await serve_provider(limiter)
    tavily = await serve_provider(answer(GOOD["tavily"]))
    replicas = [
        await start_service(
            redis_url=redis_server.url, data_dir=redis_server.folder / str(number),
            brave_search_api_key=KEY, brave_base_url=brave.url,
            tavily_api_key=KEY, tavily_base_url=tavily.url,
        )
        for number in range(3)
    ]  # fmt: skip

    calls = [
        replica.Search(ask(f"ferry {number} {turn}"))
        for number, replica in enumerate(replicas)
        for turn in range(3)
    ]
    answers = await asyncio.gather(*calls)

    assert limiter.refused == 0
    assert 1 <= len(brave.requests) <= 4
    assert all(found.hits for found in answers)


async def test_five_hundred_identical_cold_requests_are_one_provider_call(
    start_service: Any,
    serve_provider: Any,
    answer: Any,
    ask: Any,
    redis_server: Any,
) -> None:
    provider = await serve_provider(answer(GOOD["searxng"], delay_s=0.3))
    replicas = [
        await start_service(
            redis_url=redis_server.url, data_dir=redis_server.folder / str(number),
            searxng_url=provider.url, max_concurrent_rpcs=1000,
        )
        for number in range(3)
    ]  # fmt: skip

    answers = await asyncio.gather(
        *(replicas[turn % 3].Search(ask("island ferry"), timeout=20) for turn in range(500))
    )

    assert len(provider.requests) == 1
    assert {len(found.hits) for found in answers} == {2}


async def test_popular_queries_are_mostly_served_from_the_cache(
    start_service: Any, serve_provider: Any, answer: Any, ask: Any, redis_server: Any
) -> None:
    """Zipf's law with exponent 1 over 100 queries, 600 searches."""
    provider = await serve_provider(answer(GOOD["searxng"]))
    client = await start_service(
        redis_url=redis_server.url, searxng_url=provider.url, search_rates="searxng=1000/1"
    )
    draw = random.Random(7)
    queries = [f"topic number {rank}" for rank in range(1, 101)]
    wanted = draw.choices(queries, [1 / rank for rank in range(1, 101)], k=600)

    hits = 0
    for query in wanted:
        hits += (await client.Search(ask(query))).from_cache

    assert hits / len(wanted) >= 0.8
    assert len(provider.requests) == len(wanted) - hits


async def test_a_dead_asker_is_replaced_within_a_second(
    start_service: Any, serve_provider: Any, answer: Any, ask: Any, redis_server: Any
) -> None:
    """The lease of a replica that died ends by itself."""
    provider = await serve_provider(answer(GOOD["searxng"]))
    client = await start_service(redis_url=redis_server.url, searxng_url=provider.url)
    await client.Search(ask("island ferry"))
    with redis.Redis.from_url(redis_server.url) as database:
        (name,) = database.keys("*answers:answer:*")
        database.delete(name)
        database.set(name.replace(b"answers:answer:", b"answers:asking:answer:"), b"1", px=900)

    started = time.monotonic()
    found = await client.Search(ask("island ferry"))

    assert found.hits
    assert 0.5 < time.monotonic() - started < 1.5
    assert len(provider.requests) == 2


@pytest.fixture(
    params=[("CONFIG", "SET", "maxmemory", "1"), ("FLUSHALL",), ("CLIENT", "PAUSE", "400", "ALL")],
    ids=["full", "wiped", "slow"],
)
def trouble(request: pytest.FixtureRequest, redis_server: Any) -> Any:
    return lambda: redis_server.command(*request.param)


async def test_trouble_with_redis_costs_no_answer(
    trouble: Any, start_service: Any, serve_provider: Any, answer: Any, redis_server: Any
) -> None:
    provider = await serve_provider(answer(GOOD["searxng"]))
    client = await start_service(redis_url=redis_server.url, searxng_url=provider.url)
    await client.Search(pb.SearchRequest(queries=[pb.SearchQuery(text="before")]))
    trouble()

    requests = [pb.SearchRequest(queries=[pb.SearchQuery(text=f"after {n}")]) for n in range(5)]
    answers = [await client.Search(request) for request in requests]

    assert all(found.hits for found in answers)


async def test_a_killed_redis_costs_no_answer_and_no_tax(
    start_service: Any, serve_provider: Any, answer: Any, ask: Any, redis_server: Any
) -> None:
    provider = await serve_provider(answer(GOOD["searxng"]))
    client = await start_service(
        redis_url=redis_server.url, searxng_url=provider.url, search_rates="searxng=1000/1"
    )
    await client.Search(ask("before"))
    redis_server.kill()
    for turn in range(12):
        assert (await client.Search(ask(f"opening {turn}"))).hits

    started = time.monotonic()
    answers = [await client.Search(ask(f"after {turn}")) for turn in range(10)]

    assert all(found.hits for found in answers)
    assert (time.monotonic() - started) / 10 < 0.05


async def test_garbage_in_redis_is_forgotten(
    start_service: Any, serve_provider: Any, answer: Any, ask: Any, redis_server: Any
) -> None:
    provider = await serve_provider(answer(GOOD["searxng"]))
    client = await start_service(redis_url=redis_server.url, searxng_url=provider.url)
    await client.Search(ask("island ferry"))
    redis_server.command("EVAL", '"for _,k in ipairs(redis.call(\'keys\',\'*answer:*\'))do '
                         'redis.call(\'set\',k,\'garbage\')end"', "0")  # fmt: skip

    found = await client.Search(ask("island ferry"))

    assert found.hits
    assert found.providers[0].status == pb.PROVIDER_STATUS_OK
    assert len(provider.requests) == 2


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

    assert waits == [pytest.approx(at, abs=0.1) for at in (0.0, 1.05, 2.1)]
    assert (await gate.reserve("slow", max_wait_s=0.5)).refusal is Refusal.RATE


async def test_both_gates_learn_from_headers(gate: Any) -> None:
    await gate.observe("fast", [RateWindow(2, 0, 1.0, 1.0), RateWindow(2000, 0, 3600.0, 2_592_000)])

    assert (await gate.reserve("fast", max_wait_s=0.5)).refusal is Refusal.QUOTA
    assert (await gate.standing("fast")).remaining_long == 0


async def test_both_gates_cool_down(gate: Any) -> None:
    await gate.cool("fast", 2.0)

    assert (await gate.reserve("fast", max_wait_s=0.5)).refusal is Refusal.COOLING
    assert (await gate.reserve("fast", max_wait_s=5.0)).wait_s == pytest.approx(2.0, abs=0.2)


async def test_both_gates_let_unknown_providers_pass(gate: Any) -> None:
    assert await gate.standing("new") == await gate.standing("other")
    assert (await gate.reserve("new", max_wait_s=0.0)).refusal is None
