"""Several replicas of the service over one real Redis."""

import asyncio
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from pellucid.search.v1 import search_pb2 as pb
from replica_process import ReplicaProcess, open_stub
from search_provider_fixtures import GOOD

from pellucid_runtime import store
from pellucid_search.adapters import guarded_store, redis_leases
from pellucid_search.adapters.redis_leases import RedisLeases

pytestmark = [pytest.mark.redis, pytest.mark.usefixtures("loaded_languages", "patience_with_redis")]

KEY = "example-key-0123456789"
CLOCK = "2026-01-01T{}:00Z"


class OnePerSecond:
    """A Brave that refuses what is ahead of one request for each second since `begin`.

    A call that a busy machine held back after it was let go is no breach, nor is the next one.
    """

    def __init__(self, answer: Any) -> None:
        self._answer = answer
        self._begun = 0.0
        self._answered = 0
        self.refused = 0

    def begin(self) -> None:
        self._begun = asyncio.get_running_loop().time()

    def __call__(self, request: Any) -> Any:
        if request.at - self._begun < self._answered:
            self.refused += 1
            error = {"type": "ErrorResponse", "error": {"code": "RATE_LIMITED"}}
            return self._answer(error, 429)
        self._answered += 1
        headers = {
            "X-RateLimit-Limit": "1, 15000", "X-RateLimit-Policy": "1;w=1, 15000;w=2592000",
            "X-RateLimit-Remaining": "0, 14000", "X-RateLimit-Reset": "1, 1000000",
        }  # fmt: skip
        return self._answer(GOOD["brave"], 200, headers)


@pytest.fixture
def patience_with_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for it: a busy machine answers late, and replicas would each go on alone."""
    for module in (store, guarded_store, redis_leases):
        for limit in {"_TIMEOUT_S", "READ_S", "COUNT_S", "WRITE_S"} & vars(module).keys():
            monkeypatch.setattr(module, limit, 10.0)


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
    limiter.begin()

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

    limiter.begin()
    started = time.monotonic()
    answers = await asyncio.gather(
        *(
            replica.Search(ask(f"ferry {number} {turn}"), timeout=4)
            for number, replica in enumerate(replicas)
            for turn in range(3)
        )
    )

    assert time.monotonic() - started < 4
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
    start_replicas: Any, serve_provider: Any, answer: Any, ask: Any, redis_server: Any
) -> None:
    provider = await serve_provider(answer(GOOD["searxng"]))
    (early,) = await start_replicas(
        1, searxng_url=provider.url, pellucid_clock=CLOCK.format("00:00")
    )
    later = await start_replicas(2, searxng_url=provider.url, pellucid_clock=CLOCK.format("01:05"))
    await early.Search(ask("island ferry"))
    may_answer = asyncio.Event()

    async def slowly(_request: Any) -> Any:
        await may_answer.wait()
        return answer(GOOD["searxng"])

    provider.answer = slowly

    # The provider does not answer before all of them have been.
    answers = await asyncio.gather(
        *(later[turn % 2].Search(ask("island ferry")) for turn in range(60))
    )

    assert all(found.from_cache for found in answers)
    await eventually(lambda: len(provider.requests) == 2)
    may_answer.set()
    with redis.Redis.from_url(redis_server.url) as database:
        await eventually(lambda: not database.keys("*lease:*"))
    assert (await later[1].Search(ask("island ferry"))).from_cache
    assert len(provider.requests) == 2


@pytest.fixture
def replica_process(tmp_path: Path) -> Iterator[ReplicaProcess]:
    replica = ReplicaProcess(tmp_path)
    yield replica
    replica.kill()


async def test_a_dead_asker_is_replaced_within_a_second(  # noqa: PLR0917 - fixtures
    start_replicas: Any, serve_provider: Any, answer: Any, ask: Any, redis_server: Any,
    replica_process: ReplicaProcess,
) -> None:  # fmt: skip
    """Its process is killed while another replica waits for its answer."""
    provider = await serve_provider(answer(GOOD["searxng"], delay_s=30))
    (living,) = await start_replicas(1, searxng_url=provider.url, search_budget_s=15)
    target = await asyncio.to_thread(
        replica_process.start, REDIS_URL=redis_server.url, SEARXNG_URL=provider.url,
        SEARCH_BUDGET_S="15",
    )  # fmt: skip
    dying, channel = open_stub(target)
    asking = asyncio.ensure_future(dying.Search(ask("island ferry"), timeout=14))
    await eventually(lambda: len(provider.requests) == 1)
    waiting = asyncio.ensure_future(living.Search(ask("island ferry"), timeout=14))
    await asyncio.sleep(1.2)
    # Longer than a lease lives: it is renewed for as long as its holder lives.
    assert len(provider.requests) == 1

    provider.answer = answer(GOOD["searxng"])
    replica_process.kill()
    killed_at = asyncio.get_running_loop().time()
    with redis.Redis.from_url(redis_server.url) as database:
        (name,) = database.keys("*lease:*")
        assert 0 < database.pttl(name) <= 800
    found = await waiting
    await asyncio.gather(asking, return_exceptions=True)
    await channel.close()

    assert found.hits
    assert found.providers[0].status == pb.PROVIDER_STATUS_OK
    assert len(provider.requests) == 2
    # The promise is a second; the rest is left to a busy machine.
    assert provider.requests[1].at - killed_at < 5.0


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
    """Wait up to ten seconds for something that happens in the background."""
    for _ in range(1000):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not happen")
