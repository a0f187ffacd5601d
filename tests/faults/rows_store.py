"""Rows 12 to 20: Redis gone, killed, slow, full, garbled, read-only, wiped; herds and hot keys."""

import asyncio
import time

from redis import asyncio as redis
from redis import exceptions as redis_errors

from faults.rows_services import kill
from rig.fault_table import row, row_of_tests
from rig.history import Kind
from rig.proxy import Toxics
from rig.trial import Trial

_SEARCH = "services/search/tests/test_redis_faults.py"
_LIMITS = "services/gateway/tests/test_limits.py"
_SHARED = "services/fetcher/tests/test_shared_state.py"
_HERDS = "services/search/tests/test_replicas.py"
# More whole turns at once than this are refused on two cores.
_HERD = 12


def redis_of(trial: Trial) -> "redis.Redis":
    """A connection past the proxies."""
    return redis.Redis(port=trial.site.port("redis"))


@row(
    12,
    "Redis gone at the start",
    "all services start, become ready and answer completely",
    tests=(
        f"{_SEARCH}::test_a_redis_that_is_gone_at_the_start_is_done_without_and_used_when_it_comes",
        f"{_LIMITS}::test_without_redis_nobody_is_unlimited_and_somebody_gets_in",
    ),
)
async def no_redis_at_start(trial: Trial) -> None:
    services = ("search", "fetcher", "gateway")
    await kill(trial, "redis")
    begun = time.monotonic()
    await trial.site.restart(*services)
    trial.restarted.update(services)
    trial.promise(f"ready after {time.monotonic() - begun:.0f} s without Redis", kept=True)
    async with trial.asking():
        await trial.fault()
        trial.promise_no_failure()
        await trial.mend("redis")
        await trial.recover()
        await trial.promise_used_again("store")


@row(
    13,
    "Redis killed under load",
    "no failure, no repeated waiting; each replica allows its share",
    tests=(
        f"{_SEARCH}::test_a_killed_redis_costs_no_answer_and_no_tax",
        f"{_SEARCH}::test_after_a_kill_the_share_of_the_limit_goes_on",
        f"{_LIMITS}::test_neither_the_failure_nor_its_end_gives_the_limit_out_twice",
    ),
)
async def redis_killed(trial: Trial) -> None:
    async with trial.asking():
        await kill(trial, "redis")
        await trial.fault()
        trial.promise_no_failure()
        _promise_no_tax(trial)
        await trial.mend("redis")
        await trial.recover()
        await trial.promise_used_again("store")


def _promise_no_tax(trial: Trial) -> None:
    now, bound = trial.median_s("fault", Kind.SEARCH), trial.bound_s(Kind.SEARCH)
    trial.promise_time(f"median {now * 1000:.0f} ms, at most {bound * 1000:.0f} ms", now <= bound)


@row(
    14,
    "Redis slow (200 ms an operation)",
    "reads time out early, writes are asynchronous; no repeated waiting",
    tests=(
        "services/search/tests/test_slow_redis.py",
        "services/gateway/tests/test_redis_breaker.py",
        f"{_SHARED}::test_a_slow_store_is_not_waited_for",
    ),
)
async def redis_slow(trial: Trial) -> None:
    async with trial.asking():
        edges = [trial.site.proxies[name] for name in ("gateway-redis", "services-redis")]
        for proxy in edges:
            proxy.poison(Toxics(latency_s=0.2, jitter_s=0.02))
        await trial.fault()
        held = sum(proxy.counters.delayed for proxy in edges)
        trial.occurred(f"{held} answers held back 200 ms", held)
        trial.promise_no_failure()
        _promise_no_tax(trial)
        for proxy in edges:
            proxy.heal()
        await trial.recover()


@row(
    15,
    "Redis full (writes refused)",
    "reads continue, refused writes are counted, answers are complete",
    tests=(
        f"{_SEARCH}::test_a_full_redis_is_still_read_and_its_refusals_are_counted",
        f"{_SHARED}::test_a_full_store_is_still_read",
        f"{_LIMITS}::test_a_redis_that_refuses_to_write_counts_as_down",
    ),
)
async def redis_full(trial: Trial) -> None:
    async with redis_of(trial) as direct, trial.asking():
        await direct.config_set("maxmemory-policy", "noeviction")
        await direct.config_set("maxmemory", "1")
        await trial.fault()
        try:
            refused = not await direct.set("probe", b"x" * 4096)
        except redis_errors.OutOfMemoryError:
            refused = True
        trial.occurred("a write was refused", refused)
        trial.promise_no_failure()
        await direct.config_set("maxmemory", "0")
        await trial.recover()
        await trial.promise_used_again("store")


@row(
    16,
    "Redis returns garbage",
    "ignored and removed; answers are complete",
    tests=(
        f"{_SEARCH}::test_garbage_in_the_cache_is_forgotten",
        f"{_SEARCH}::test_a_bucket_of_garbage_is_forgotten_and_keeps_the_limit",
        f"{_SHARED}::test_rubbish_in_the_store_is_thrown_away",
        (
            "services/gateway/tests/test_kept_api.py"
            "::test_records_of_another_release_or_of_nobody_are_looked_past"
        ),
    ),
)
async def redis_garbage(trial: Trial) -> None:
    async with redis_of(trial) as direct, trial.asking():
        trial.load.phase = "fault"
        spoilt = 0
        end = time.monotonic() + trial.pace.fault_s
        while time.monotonic() < end:
            spoilt += await _spoil(direct)
            await asyncio.sleep(0.2)
        trial.occurred(f"{spoilt} values overwritten", spoilt)
        trial.promise_no_failure()
        await direct.flushall()
        await trial.recover()


async def _spoil(direct: "redis.Redis") -> int:
    """Random bytes instead of every value, whatever kind it is; lifetimes stay."""
    spoilt = 0
    async for key in direct.scan_iter(count=500):
        await direct.set(key, b"\x80\x04\x95garbage\xff", keepttl=True)
        spoilt += 1
    return spoilt


@row(
    17,
    "Redis turns into a read-only replica",
    "treated as down; used again when it accepts writes",
    tests=(
        f"{_SEARCH}::test_a_readonly_replica_is_treated_as_down",
        f"{_SEARCH}::test_a_redis_that_answers_only_errors_is_left_alone",
    ),
)
async def redis_readonly(trial: Trial) -> None:
    async with redis_of(trial) as direct, trial.asking():
        await direct.execute_command("REPLICAOF", "127.0.0.1", "1")
        role = (await direct.info("replication"))["role"]
        trial.occurred(f"its role is {role}", role == "slave")
        await trial.fault()
        trial.promise_no_failure()
        _promise_no_tax(trial)
        await direct.execute_command("REPLICAOF", "NO", "ONE")
        await trial.recover()
        await trial.promise_used_again("store")


@row(
    18,
    "Redis wiped (FLUSHALL)",
    "one call per new answer, no thundering herd; answers are complete",
    tests=(f"{_SEARCH}::test_a_wiped_redis_is_filled_again_without_a_second_burst",),
)
async def redis_wiped(trial: Trial) -> None:
    async with redis_of(trial) as direct, trial.asking():
        await direct.flushall()
        trial.load.phase = "fault"
        await trial.fault(trial.pace.fault_s / 2)
        await direct.flushall()
        await trial.fault(trial.pace.fault_s / 2)
        trial.occurred("wiped twice", seen=True)
        trial.promise_no_failure()
        await trial.recover()


@row(
    19,
    "500 same queries at once, cold",
    "one provider call and one fetch per address over all replicas; a dead leader is replaced",
    tests=(
        f"{_HERDS}::test_five_hundred_identical_cold_requests_are_one_provider_call",
        f"{_HERDS}::test_a_dead_asker_is_replaced_within_a_second",
        f"{_SHARED}::test_one_fetch_for_an_address_over_all_replicas",
        f"{_SHARED}::test_when_its_reader_dies_another_takes_over",
    ),
)
async def herd(trial: Trial) -> None:
    """Some whole turns here; five hundred searches in the named test."""
    trial.spares_chat = False
    async with trial.asking():
        site = trial.site
        question = f"Who is the current CEO of {next(trial.companies)} Cells?"
        since = time.monotonic()
        trial.load.phase = "fault"
        asked = [trial.load.ask(0, since, message=question) for _ in range(_HERD)]
        await asyncio.gather(*asked)
        company = question.removeprefix("Who is the current CEO of ").removesuffix(" Cells?")
        mine = [query for at, query in site.brave.asked if at >= since and company in query]
        pages = [path for path in site.pages.asked if company.lower() in path]
        trial.occurred(f"{_HERD} turns at once", len(asked) == _HERD)
        again = len(mine) - len(set(mine))
        trial.promise(f"{len(mine)} provider calls for {len(set(mine))} queries", again == 0)
        said = f"{len(pages)} fetches of {len(set(pages))} pages"
        trial.promise_time(said, len(pages) == len(set(pages)))
        trial.promise_no_failure()
        await trial.recover()


row_of_tests(
    20,
    "a hot key runs out under load",
    "the old answer is served, one refresh runs, no request waits",
    tests=(f"{_HERDS}::test_a_hot_answer_is_refreshed_once_and_nobody_waits",),
)
