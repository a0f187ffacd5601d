"""Limits: the arithmetic of a window, this process alone, and all replicas over Redis."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from state_fakes import RedisServer

from pellucid_gateway.access.local_limits import LocalLimiter, LocalWindows
from pellucid_gateway.adapters.redis_breaker import RedisBreaker
from pellucid_gateway.adapters.redis_scripts import RedisScripts
from pellucid_gateway.adapters.shared_limits import SharedLimiter
from pellucid_gateway.domain.rates import SLICES, Counted, Rate, Take, has_room, wait_s
from pellucid_runtime.clock import Clock, FixedClock, SystemClock
from rig.sample import often

DAY = Rate("day", 100, 86_400)
MINUTE = Rate("minute", 10, 60)


@settings(max_examples=often(200))
@given(
    st.dictionaries(st.integers(0, SLICES), st.integers(1, 30)),
    st.floats(0, 2.49),
    st.integers(1, 100),
)
def test_after_the_wait_there_is_room_and_not_before(
    by_age: dict[int, int], elapsed_s: float, limit: int
) -> None:
    rate = Rate("r", limit, 60)
    counted = Counted(by_age, elapsed_s)
    wait = wait_s(counted, rate)

    assert (wait == 0) == has_room(counted, rate)
    assert has_room(_later(counted, wait + 0.01, rate), rate)
    if wait > 0.02:
        assert not has_room(_later(counted, wait - 0.01, rate), rate)


def _later(counted: Counted, seconds: float, rate: Rate) -> Counted:
    passed, elapsed_s = divmod(counted.elapsed_s + seconds, rate.slice_s)
    older = {age + int(passed): count for age, count in counted.by_age.items()}
    return Counted({age: n for age, n in older.items() if age <= SLICES}, elapsed_s)


@settings(max_examples=often(100), deadline=None)
@given(
    st.lists(st.floats(0, 40).map(lambda s: s * s / 40), max_size=120),
    st.integers(1, 20),
    st.floats(0, 60),
)
def test_no_window_ever_holds_more_than_the_limit(
    pauses: list[float], limit: int, begun_s: float
) -> None:
    clock = FixedClock()
    clock.advance(begun_s)
    windows, take = LocalWindows(clock), [Take(Rate("r", limit, 60), "ada")]
    allowed: list[float] = []
    for pause in pauses:
        clock.advance(pause)
        now = clock.monotonic()
        recent = sum(now - at < 60 for at in allowed)
        # A take may count for one slice more than its minute.
        least = sum(now - at <= 60 * (1 + 1 / SLICES) for at in allowed)
        if windows.take(take).allowed:
            allowed.append(now)
            assert recent < limit
        else:
            assert least >= limit


def test_whoever_comes_about_the_end_of_a_minute_gets_no_more() -> None:
    """With an estimate from two counters 62 of the 80 were let in."""
    rate = Rate("address", 60, 60)
    clock = FixedClock()
    clock.advance(60 - clock.monotonic() % 60 - 3.2)
    windows = LocalWindows(clock)
    allowed = 0
    for _ in range(80):
        allowed += windows.take([Take(rate, "ada")]).allowed
        clock.advance(0.08)

    assert allowed == 60


def test_a_window_slides() -> None:
    clock = FixedClock()
    clock.advance(60 - clock.monotonic() % 60)
    windows = LocalWindows(clock)
    take = [Take(MINUTE, "ada")]
    early = [windows.take(take).allowed for _ in range(4)]
    clock.advance(30.0)
    late = [windows.take(take).allowed for _ in range(8)]
    clock.advance(30.0)
    at_once = windows.take(take)
    clock.advance(2.5)
    soon = [windows.take(take).allowed for _ in range(6)]

    assert (early.count(True), late.count(True)) == (4, 6)
    assert not at_once.allowed
    assert at_once.reset_s == pytest.approx(2.5)
    assert soon.count(True) == 4


def test_of_several_full_windows_the_longest_wait_is_told() -> None:
    windows = LocalWindows(FixedClock())
    takes = [Take(Rate("minute", 1, 60), "ada"), Take(Rate("day", 1, 86_400), "ada")]
    windows.take(takes)

    said = windows.take(takes)

    assert not said.allowed
    assert said.rate.name == "day"
    assert said.reset_s > 60 * 60 * 24


def test_all_windows_or_none_and_the_tightest_is_told() -> None:
    windows = LocalWindows(FixedClock())
    both = [Take(DAY, "ada"), Take(MINUTE, "desk")]
    for _ in range(10):
        said = windows.take(both)
    refused = windows.take(both)
    other = windows.take([Take(DAY, "ada")])

    assert (said.rate.name, said.remaining) == ("minute", 0)
    assert not refused.allowed
    assert other.remaining == 100 - 11


def test_a_replica_gives_out_its_share_and_what_others_allowed_counts() -> None:
    windows = LocalWindows(FixedClock(), replicas=3)
    take = [Take(DAY, "ada")]
    for _ in range(20):
        windows.note(take)

    assert [windows.take(take).allowed for _ in range(20)].count(True) == 13


async def test_places_are_given_back_by_their_owner_or_by_time() -> None:
    clock = FixedClock()
    limiter = LocalLimiter(clock)
    first = await limiter.acquire("ada", 2, 60.0)
    second = await limiter.acquire("ada", 2, 60.0)
    assert first is not None
    assert second is not None
    assert await limiter.acquire("ada", 2, 60.0) is None

    await limiter.release("ada", "somebody-elses")
    assert await limiter.acquire("ada", 2, 60.0) is None
    await limiter.release("ada", first)
    assert await limiter.acquire("ada", 2, 60.0) is not None
    clock.advance(61.0)
    assert await limiter.acquire("ada", 2, 60.0) is not None


async def test_without_a_shared_store_one_process_keeps_the_whole_limit() -> None:
    limiter = LocalLimiter(SystemClock())
    said = [(await limiter.take([Take(MINUTE, "ada")])).allowed for _ in range(12)]

    assert said.count(True) == 10


@dataclass
class Replicas:
    """Three gateways' limiters on one Redis."""

    server: RedisServer
    clocks: list[FixedClock]
    limiters: list[SharedLimiter]

    async def admitted(self, rate: Rate, subject: str, each: int) -> int:
        """How many of `each` parallel callers on every replica are let in."""
        takes = [
            limiter.take([Take(rate, subject)]) for limiter in self.limiters for _ in range(each)
        ]
        return sum(said.allowed for said in await asyncio.gather(*takes))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    running = RedisServer(tmp_path)
    running.start()
    yield running
    running.kill()


async def limiter_on(server: RedisServer, clock: Clock, stack: AsyncExitStack) -> SharedLimiter:
    """One gateway's limiter of three, closed with the stack."""
    breaker = await stack.enter_async_context(RedisBreaker(server.url))
    scripts = await stack.enter_async_context(RedisScripts(server.url, breaker))
    return SharedLimiter(scripts, LocalLimiter(clock, 3))


@pytest.fixture
async def replicas(server: RedisServer) -> AsyncIterator[Replicas]:
    async with AsyncExitStack() as stack:
        clocks = [FixedClock() for _ in range(3)]
        limiters = [await limiter_on(server, clock, stack) for clock in clocks]
        yield Replicas(server, clocks, limiters)


@pytest.mark.redis
async def test_six_hundred_callers_on_three_replicas_share_one_limit(replicas: Replicas) -> None:
    assert 100 <= await replicas.admitted(DAY, "ada", 200) <= 101
    assert await replicas.admitted(DAY, "ada", 5) == 0
    assert await replicas.admitted(DAY, "bob", 5) == 15


@pytest.mark.redis
async def test_a_wrong_clock_changes_nothing(replicas: Replicas) -> None:
    first = await replicas.admitted(MINUTE, "ada", 2)
    replicas.clocks[0].advance(600.0)
    second = await replicas.admitted(MINUTE, "ada", 20)

    assert first + second == 10


@pytest.mark.redis
async def test_no_window_holds_more_than_the_limit_over_replicas(replicas: Replicas) -> None:
    loop = asyncio.get_running_loop()
    rate = Rate("short", 10, 2)
    asked_s: list[float] = []
    answered_s: list[float] = []
    async with asyncio.timeout(20):
        for n in itertools.count():
            asked = loop.time()
            said = await replicas.limiters[n % 3].take([Take(rate, "ada")])
            if said.allowed:
                asked_s.append(asked)
                answered_s.append(loop.time())
            if len(asked_s) > 2 * rate.limit:
                break
            await asyncio.sleep(0.03)

    spans = zip(asked_s, answered_s[rate.limit :], strict=False)
    assert min(last - first for first, last in spans) >= rate.window_s - 0.001


@pytest.mark.redis
async def test_without_redis_nobody_is_unlimited_and_somebody_gets_in(replicas: Replicas) -> None:
    replicas.server.kill()

    admitted = await replicas.admitted(DAY, "ada", 200)
    again = await replicas.admitted(DAY, "ada", 200)

    assert 90 <= admitted <= 110
    assert again == 0


@pytest.mark.redis
async def test_neither_the_failure_nor_its_end_gives_the_limit_out_twice(
    replicas: Replicas,
) -> None:
    before = await replicas.admitted(DAY, "ada", 20)
    replicas.server.kill()
    while_down = await replicas.admitted(DAY, "ada", 200)
    replicas.server.start()  # empty: its memory died with it
    await asyncio.sleep(0.8)  # seen to be back
    after = await replicas.admitted(DAY, "ada", 200)

    assert before == 60
    assert before + while_down <= 110
    assert before + while_down + after <= 200


@pytest.mark.redis
async def test_places_of_a_killed_gateway_come_back_with_their_lease(replicas: Replicas) -> None:
    killed, living, _ = replicas.limiters
    held = [await killed.acquire("ada", 10, 1.5) for _ in range(10)]
    refused = await living.acquire("ada", 10, 1.5)
    await asyncio.sleep(1.6)
    healed = await living.acquire("ada", 10, 5.0)
    assert healed is not None
    await killed.release("ada", str(held[0]))  # a late word of the killed one takes nobody's place
    places = [await living.acquire("ada", 2, 5.0) for _ in range(2)]

    assert None not in held
    assert refused is None
    assert [place is None for place in places] == [False, True]


@pytest.mark.redis
@pytest.mark.parametrize("trouble", ["full", "read only"])
async def test_a_redis_that_refuses_to_write_counts_as_down(tmp_path: Path, trouble: str) -> None:
    arguments: Any = {"full": ["--maxmemory", "1", "--maxmemory-policy", "noeviction"]}
    server = RedisServer(tmp_path, arguments=arguments.get(trouble, ()))
    server.start()
    try:
        if trouble == "read only":
            server.command("REPLICAOF", "127.0.0.1", "1")
        async with AsyncExitStack() as stack:
            limiter = await limiter_on(server, SystemClock(), stack)
            said = [(await limiter.take([Take(DAY, "ada")])).allowed for _ in range(60)]
    finally:
        server.kill()

    assert said.count(True) == 33


@pytest.mark.redis
async def test_a_silent_redis_is_waited_for_once(replicas: Replicas) -> None:
    assert replicas.server.process is not None
    replicas.server.process.send_signal(19)
    begun = asyncio.get_running_loop().time()
    for _ in range(50):
        await replicas.limiters[0].take([Take(DAY, "ada")])
    took_s = asyncio.get_running_loop().time() - begun

    # Waited for by each it would be 7 s.
    assert took_s < 4.0
