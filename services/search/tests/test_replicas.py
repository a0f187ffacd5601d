"""Several replicas of the service over one real Redis."""

import asyncio
import random
import time
from collections import deque
from contextlib import AsyncExitStack
from typing import Any

import pytest
import redis
from pellucid.search.v1 import search_pb2 as pb
from search_provider_fixtures import GOOD

from pellucid_search.adapters.redis_gate import RedisGate
from pellucid_search.adapters.redis_leases import RedisLeases
from pellucid_search.buckets import LocalGate, Rate
from pellucid_search.hits import RateWindow
from pellucid_search.ports import Refusal

pytestmark = [pytest.mark.redis, pytest.mark.usefixtures("loaded_languages")]

KEY = "example-key-0123456789"
CLOCK = "2026-01-01T{}:00Z"


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


@pytest.fixture
def start_replicas(start_service: Any, redis_server: Any) -> Any:
    """Start several replicas that share Redis and nothing else."""

    async def start(count: int = 3, **values: Any) -> list[Any]:
        folders = [redis_server.folder / str(number) for number in range(count)]
        values = {"redis_url": redis_server.url, **values}
        return [await start_service(data_dir=folder, **values) for folder in folders]

    return start


async def test_three_replicas_never_break_a_limit_of_one_request_a_second(
    start_replicas: Any, serve_provider: Any, answer: Any, ask: Any
) -> None:
    """Brave alone: nine queries take their turns, and it answers every one of them itself."""
    limiter = OnePerSecond(answer)
    brave = await serve_provider(limiter)
    replicas = await start_replicas(
        brave_search_api_key=KEY, brave_base_url=brave.url, search_budget_s=30
    )

    answers = await asyncio.gather(
        *(
            replica.Search(ask(*(f"ferry {number} {turn}" for turn in range(3))), timeout=25)
            for number, replica in enumerate(replicas)
        )
    )

    assert limiter.refused == 0
    assert len(brave.requests) == 9
    for found in answers:
        (report,) = found.providers
        assert (report.name, report.status, report.calls) == ("brave", pb.PROVIDER_STATUS_OK, 3)
        assert {f.query_index for hit in found.hits for f in hit.findings} == {0, 1, 2}
        assert list(found.degraded) == []


async def test_a_short_deadline_moves_on_instead_of_waiting_for_a_turn(
    start_replicas: Any, serve_provider: Any, answer: Any, ask: Any
) -> None:
    limiter = OnePerSecond(answer)
    brave = await serve_provider(limiter)
    tavily = await serve_provider(answer(GOOD["tavily"]))
    replicas = await start_replicas(
        brave_search_api_key=KEY, brave_base_url=brave.url,
        tavily_api_key=KEY, tavily_base_url=tavily.url,
    )  # fmt: skip

    started = time.monotonic()
    answers = await asyncio.gather(
        *(
            replica.Search(ask(f"ferry {number} {turn}"), timeout=2)
            for number, replica in enumerate(replicas)
            for turn in range(3)
        )
    )

    assert time.monotonic() - started < 2
    assert limiter.refused == 0
    served = [found for found in answers if found.providers[0].status == pb.PROVIDER_STATUS_OK]
    moved_on = [found for found in answers if found not in served]
    assert 1 <= len(served) == len(brave.requests) <= 3
    assert len(tavily.requests) == len(moved_on) >= 6
    for found in moved_on:
        assert found.hits
        assert [(r.name, r.status) for r in found.providers] == [
            ("brave", pb.PROVIDER_STATUS_RATE_LIMITED),
            ("tavily", pb.PROVIDER_STATUS_OK),
        ]


async def test_five_hundred_identical_cold_requests_are_one_provider_call(
    start_replicas: Any, serve_provider: Any, answer: Any, ask: Any
) -> None:
    provider = await serve_provider(answer(GOOD["searxng"], delay_s=0.3))
    replicas = await start_replicas(searxng_url=provider.url, max_concurrent_rpcs=1000)

    answers = await asyncio.gather(
        *(replicas[turn % 3].Search(ask("island ferry"), timeout=20) for turn in range(500))
    )

    assert len(provider.requests) == 1
    assert {len(found.hits) for found in answers} == {2}
    assert sum(found.from_cache for found in answers) == 499
    assert sum(report.calls for found in answers for report in found.providers) == 1


async def test_popular_queries_are_mostly_served_from_the_cache(
    start_replicas: Any, serve_provider: Any, answer: Any, ask: Any
) -> None:
    """Zipf's law with exponent 1 over 100 queries, 600 searches spread over three replicas."""
    provider = await serve_provider(answer(GOOD["searxng"]))
    replicas = await start_replicas(searxng_url=provider.url, search_rates="searxng=1000/1")
    draw = random.Random(7)
    queries = [f"topic number {rank}" for rank in range(1, 101)]
    wanted = draw.choices(queries, [1 / rank for rank in range(1, 101)], k=600)

    hits = 0
    for first in range(0, len(wanted), 6):
        answers = await asyncio.gather(
            *(
                replicas[turn % 3].Search(ask(query))
                for turn, query in enumerate(wanted[first : first + 6])
            )
        )
        hits += sum(found.from_cache for found in answers)

    assert hits / len(wanted) >= 0.8
    # What one replica has learned none of the others asks again.
    assert len(provider.requests) == len(set(wanted)) == len(wanted) - hits


async def test_a_hot_answer_is_refreshed_once_and_nobody_waits(
    start_replicas: Any, serve_provider: Any, answer: Any, ask: Any
) -> None:
    provider = await serve_provider(answer(GOOD["searxng"]))
    (early,) = await start_replicas(
        1, searxng_url=provider.url, pellucid_clock=CLOCK.format("00:00")
    )
    later = await start_replicas(2, searxng_url=provider.url, pellucid_clock=CLOCK.format("01:05"))
    await early.Search(ask("island ferry"))
    provider.answer = answer(GOOD["searxng"], delay_s=1.0)

    started = time.monotonic()
    answers = await asyncio.gather(
        *(later[turn % 2].Search(ask("island ferry")) for turn in range(60))
    )

    assert time.monotonic() - started < 1.0
    assert all(found.from_cache for found in answers)
    await eventually(lambda: len(provider.requests) == 2)
    await asyncio.sleep(1.2)
    assert (await later[1].Search(ask("island ferry"))).from_cache
    assert len(provider.requests) == 2


async def test_a_dead_asker_is_replaced_within_a_second(
    start_replicas: Any, serve_provider: Any, answer: Any, ask: Any, redis_server: Any
) -> None:
    """The lease of a replica that died while it asked ends by itself."""
    provider = await serve_provider(answer(GOOD["searxng"], delay_s=30))
    dying, living = await start_replicas(2, searxng_url=provider.url)
    asking = asyncio.ensure_future(dying.Search(ask("island ferry"), timeout=20))
    await eventually(lambda: len(provider.requests) == 1)
    with redis.Redis.from_url(redis_server.url) as database:
        (name,) = database.keys("*lease:*")
        # Its process is gone: nothing renews the lease, and its answer never comes.
        database.set(name, b"an owner that is dead", px=900)
    provider.answer = answer(GOOD["searxng"])

    started = time.monotonic()
    found = await living.Search(ask("island ferry"))
    took_s = time.monotonic() - started
    asking.cancel()

    assert found.hits
    assert found.providers[0].status == pb.PROVIDER_STATUS_OK
    assert 0.3 < took_s < 1.5
    assert len(provider.requests) == 2


async def test_only_its_owner_renews_or_ends_a_lease(redis_server: Any, system_clock: Any) -> None:
    async with RedisLeases(redis_server.url, system_clock.monotonic) as store:
        assert await store.acquire("page", "first", ttl_s=0.05)
        await asyncio.sleep(0.1)
        assert not await store.renew("page", "first", ttl_s=5.0)
        assert await store.acquire("page", "second", ttl_s=5.0)

        await store.release("page", "first")

        assert not await store.acquire("page", "third", ttl_s=5.0)
        assert await store.renew("page", "second", ttl_s=5.0)
        await store.release("page", "second")
        assert await store.acquire("page", "third", ttl_s=5.0)


BAD_KEY = {"type": "ErrorResponse", "error": {"code": "SUBSCRIPTION_TOKEN_INVALID"}}
QUOTA = {"type": "ErrorResponse", "error": {"code": "QUOTA_LIMITED"}}


@pytest.mark.parametrize(
    ("status", "body", "headers", "code"),
    [(429, b"", {"Retry-After": "30"}, pb.PROVIDER_ERROR_CODE_RATE),
     (503, b"", {"Retry-After": "30"}, pb.PROVIDER_ERROR_CODE_RATE),
     (422, BAD_KEY, {}, pb.PROVIDER_ERROR_CODE_BAD_KEY),
     (429, QUOTA, {}, pb.PROVIDER_ERROR_CODE_QUOTA)],
    ids=["retry_after", "unavailable", "bad_key", "quota"],
)  # fmt: skip
async def test_what_one_replica_was_told_the_others_know(  # noqa: PLR0917 - fixtures
    status: int, body: Any, headers: dict[str, str], code: int,
    start_replicas: Any, serve_provider: Any, answer: Any, ask: Any, redis_server: Any,
) -> None:  # fmt: skip
    brave = await serve_provider(answer(body, status, headers))
    tavily = await serve_provider(answer(GOOD["tavily"]))
    told, other = await start_replicas(
        2, brave_search_api_key=KEY, brave_base_url=brave.url,
        tavily_api_key=KEY, tavily_base_url=tavily.url, search_rates="brave=100/1",
    )  # fmt: skip
    first = await told.Search(ask("island ferry"))
    with redis.Redis.from_url(redis_server.url) as database:
        await eventually(lambda: _is_told(database))

    second = await other.Search(ask("another harbour"))

    assert len(first.hits) == len(second.hits) == 2
    assert len(brave.requests) == 1
    assert second.providers[0].name == "brave"
    assert (second.providers[0].calls, second.providers[0].error_code) == (0, code)


def _is_told(database: Any) -> bool:
    (bucket,) = database.keys("*bucket:brave:*")
    return bool(database.hexists(bucket, "cool_until") or database.hexists(bucket, "shut_until"))


async def eventually(holds: Any) -> None:
    """Wait up to three seconds for something that happens in the background."""
    for _ in range(300):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not happen")


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

    assert waits == [pytest.approx(at, abs=0.1) for at in (0.0, 1.1, 2.2)]
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
            await eventually(lambda: database.keys("*bucket:brave:old"))

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
