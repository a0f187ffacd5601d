"""A provider's limit is waited for in a fair line, and what is refused says which limit it was."""

import asyncio
import statistics
from dataclasses import replace
from typing import Any

import pytest
from pellucid.search.v1 import search_pb2 as pb
from search_provider_fixtures import GOOD
from search_provider_refusals import BRAVE_HEADERS, brave_error
from test_waiting import HITS, QUERY, Slow

from pellucid_runtime.store_guard import Background
from pellucid_search.asking.answering import Answering
from pellucid_search.asking.buckets import LocalGate, Rate
from pellucid_search.asking.ledger import Ledger
from pellucid_search.asking.line import Line
from pellucid_search.asking.planning import Plan
from pellucid_search.asking.provider_client import ProviderClient, ProviderLimits
from pellucid_search.asking.provider_request import ProviderRequest
from pellucid_search.asking.relay import Relay
from pellucid_search.asking.write_behind import WriteBehind
from pellucid_search.errors import BadKeyError, RateError
from pellucid_search.hits import ProviderReply
from pellucid_search.providers.registry import ProviderSpec
from pellucid_search.query import ProviderQuery
from pellucid_search.reports import ProviderRun, ProviderStatus
from rig.virtual_time import VirtualClock, in_virtual_time

# One second of the story lasts so long here.
SECOND = 0.1
PLAN = Plan(("x",))
# Of each person.
TURNS = 10


class OnePerSecond(Slow):
    """Refuses a call within a second of the one before."""

    def __init__(self, clock: Any) -> None:
        super().__init__(0.2 * SECOND)
        self.clock, self.free_at, self.refused = clock, 0.0, 0

    async def ask(self, query: ProviderQuery, *, timeout_s: float) -> ProviderReply:
        now = self.clock.monotonic()
        if now < self.free_at:
            self.refused += 1
            raise RateError("slow down", retry_after_s=self.free_at - now)
        self.free_at = now + SECOND
        return await super().ask(query, timeout_s=timeout_s)


@pytest.fixture
def system_clock() -> VirtualClock:
    """The clock of the stories, in which no load of the machine makes anybody late."""
    return VirtualClock()


@pytest.fixture
def relay_over(system_clock: Any, counters: Any, memory_cache: Any) -> Any:
    """Return a relay over one provider `x` of one call a second, and its desk."""

    def make(engine: Any) -> tuple[Relay, ProviderClient]:
        gate = LocalGate({"x": Rate(1, SECOND)}, system_clock.monotonic)
        ledger = Ledger(counters, budget_micro_usd=10**9, providers=("x",))
        limits = ProviderLimits(timeout_s=2.5)
        provider_client = ProviderClient(
            ProviderSpec("x"), engine, gate, ledger, system_clock, limits
        )
        background = Background()
        cache = WriteBehind(memory_cache, background)
        answering = Answering({"x": provider_client}, cache, system_clock, background)
        return Relay(answering, system_clock), provider_client

    return make


def provider_request(
    clock: Any, text: str, caller: str, *, own_s: float = 3, wait_s: float = 9
) -> ProviderRequest:
    now = clock.monotonic()
    query = replace(QUERY, text=text)
    until, latest = now + own_s * SECOND, now + (own_s + wait_s) * SECOND
    return ProviderRequest(query, 0, until, caller, latest=latest)


@in_virtual_time
async def test_ten_people_with_ten_turns_each_share_one_call_a_second(
    relay_over: Any, system_clock: Any, capsys: Any
) -> None:
    engine = OnePerSecond(system_clock)
    relay, _ = relay_over(engine)
    took: list[float] = []

    async def turns(person: int) -> list[ProviderRun]:
        runs = []
        for turn in range(TURNS):
            started = system_clock.monotonic()
            asked = provider_request(system_clock, f"query {person} {turn}", f"person {person}")
            runs += await relay.carry_out(PLAN, asked)
            took.append((system_clock.monotonic() - started) / SECOND)
            await asyncio.sleep(10 * SECOND)  # reads the answer
        return runs

    people = await asyncio.gather(*(turns(person) for person in range(10)))

    runs = [run for each in people for run in each]
    answered = [run for run in runs if run.answered]
    with capsys.disabled():
        print(  # noqa: T201 - the figures are the point
            f"\n{len(answered)} of {len(runs)} turns with results, after "
            f"{statistics.median(took):.1f} s (median), {max(took):.1f} s (longest); "
            f"{engine.refused} calls came too soon"
        )
    assert len(runs) == 10 * TURNS
    assert len(answered) >= 6 * TURNS
    assert min(sum(run.answered for run in each) for each in people) >= 4
    for run in runs:
        assert run.answered or (run.error_code == "rate" and run.retry_after_s > 0), run
        assert run.answered or "limit of 1 in 0.1 s" in run.detail or run.detail == "slow down"


@in_virtual_time
async def test_who_would_wait_too_long_is_told_at_once_which_limit_it_is(
    relay_over: Any, system_clock: Any
) -> None:
    relay, _ = relay_over(OnePerSecond(system_clock))
    asking = [
        asyncio.create_task(relay.carry_out(PLAN, provider_request(system_clock, f"q{i}", f"p{i}")))
        for i in range(8)
    ]
    await asyncio.sleep(0.2 * SECOND)
    started = system_clock.monotonic()

    (run,) = await relay.carry_out(PLAN, provider_request(system_clock, "late", "p9", wait_s=0))

    assert system_clock.monotonic() - started < 2 * SECOND
    assert (run.status, run.error_code) == (ProviderStatus.RATE_LIMITED, "rate")
    assert run.detail.startswith("its limit of 1 in 0.1 s is reached; the next call may go in ")
    assert run.retry_after_s > 3 * SECOND
    assert all(each.answered for (each,) in await asyncio.gather(*asking))


@in_virtual_time
async def test_who_asks_much_waits_behind_itself(relay_over: Any, system_clock: Any) -> None:
    relay, _ = relay_over(OnePerSecond(system_clock))
    order: list[str] = []

    async def ask(caller: str, index: int) -> None:
        await relay.carry_out(
            PLAN, provider_request(system_clock, f"{caller} {index}", caller, wait_s=30)
        )
        order.append(caller)

    greedy = [asyncio.create_task(ask("greedy", index)) for index in range(6)]
    await asyncio.sleep(0.1 * SECOND)
    modest = [asyncio.create_task(ask(name, 0)) for name in ("one", "two")]
    await asyncio.gather(*greedy, *modest)

    assert {"one", "two"} <= set(order[:5])


@in_virtual_time
async def test_the_same_question_of_many_people_is_asked_once_and_waits_with_its_asker(
    relay_over: Any, system_clock: Any
) -> None:
    engine = OnePerSecond(system_clock)
    relay, _ = relay_over(engine)
    others = [
        asyncio.create_task(relay.carry_out(PLAN, provider_request(system_clock, f"q{i}", f"p{i}")))
        for i in range(6)
    ]
    await asyncio.sleep(0.1 * SECOND)
    same = await asyncio.gather(
        *(relay.carry_out(PLAN, provider_request(system_clock, "same", f"s{i}")) for i in range(4))
    )
    await asyncio.gather(*others)

    assert all(run.hits == HITS for (run,) in same)
    assert sum(run.calls > 0 for (run,) in same) == 1
    assert engine.calls == 7


@in_virtual_time
async def test_time_in_line_is_none_of_the_calls_own(relay_over: Any, system_clock: Any) -> None:
    """Two seconds in line and one of its own: more than the two that it has for itself."""
    engine = OnePerSecond(system_clock)
    relay, _ = relay_over(engine)
    first = asyncio.create_task(relay.carry_out(PLAN, provider_request(system_clock, "a", "a")))
    await asyncio.sleep(0)
    second = asyncio.create_task(relay.carry_out(PLAN, provider_request(system_clock, "b", "b")))
    await asyncio.sleep(0)
    engine.seconds = 0.9 * SECOND

    (run,) = await relay.carry_out(PLAN, provider_request(system_clock, "c", "c", own_s=1.6))

    assert run.answered
    assert run.waited_s > SECOND
    await asyncio.gather(first, second)


@in_virtual_time
async def test_what_those_before_learnt_holds_for_who_stands_in_line(
    relay_over: Any, system_clock: Any
) -> None:
    relay, _ = relay_over(Slow(0.5 * SECOND, BadKeyError("no")))

    runs = await asyncio.gather(
        *(relay.carry_out(PLAN, provider_request(system_clock, f"q{i}", f"p{i}")) for i in range(4))
    )

    assert sum(run.calls for (run,) in runs) == 1
    assert all(run.lost and not run.answered for (run,) in runs)
    assert {run.detail for (run,) in runs} <= {
        "no", "its key was rejected earlier", "circuit breaker open after failures",
    }  # fmt: skip


async def test_who_leaves_the_line_holds_nobody_up() -> None:
    line, served = Line(), []

    async def stand(name: str) -> None:
        async with line.front(name):
            served.append(name)
            await asyncio.sleep(0.01)

    async with line.front("a"):
        tasks = {name: asyncio.create_task(stand(name)) for name in ("b", "c", "d")}
        await asyncio.sleep(0)
        assert line.ahead_of("e") == 4
        tasks["b"].cancel()
        await asyncio.wait({tasks["b"]})
        assert line.ahead_of("e") == 3
    tasks["c"].cancel()  # called to the front in this moment
    await asyncio.wait(set(tasks.values()))

    assert served == ["d"]
    assert line.is_free


async def test_ten_people_at_once_get_results_or_the_true_reason(
    start_service: Any, serve_provider: Any, answer: Any, ask: Any
) -> None:
    last = [0.0]

    def brave_of_one_per_second(request: Any) -> Any:
        early, last[0] = request.at - last[0] < 1.0, request.at
        limited = brave_error("RATE_LIMITED")
        return answer(limited if early else GOOD["brave"], 429 if early else 200, BRAVE_HEADERS)

    brave = await serve_provider(brave_of_one_per_second)
    client = await start_service(
        search_providers="brave",
        brave_search_api_key="k" * 20,
        brave_base_url=brave.url,
        search_wait_s=3,
    )

    people = [client.Search(ask(f"query {i}", caller_hash=f"p{i}"), timeout=30) for i in range(10)]
    found = await asyncio.gather(*people)

    assert sum(len(each.hits) == 2 for each in found) >= 2
    refused = [each.providers[0] for each in found if not each.hits]
    # On a busy machine a call of the line may also be too late.
    late = [one for one in refused if one.error_code == pb.PROVIDER_ERROR_CODE_TIMEOUT]
    for report in [one for one in refused if one not in late]:
        assert report.status == pb.PROVIDER_STATUS_RATE_LIMITED
        assert report.error_code == pb.PROVIDER_ERROR_CODE_RATE
        assert "limit" in report.detail
        assert report.retry_after_s > 0
