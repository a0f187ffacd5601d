"""Second tries for slow calls, within a budget."""

import asyncio

import pytest

from pellucid_runtime.rpc.hedging import HedgeBudget, hedged


class Calls:
    """Makes calls that take the given times and then answer or fail."""

    def __init__(self, *plans: tuple[float, str | Exception]) -> None:
        self.plans = list(plans)
        self.made = 0
        self.cancelled = 0

    async def __call__(self) -> str:
        seconds, result = self.plans[self.made]
        self.made += 1
        try:
            await self.spend(seconds)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if isinstance(result, Exception):
            raise result
        return result

    async def spend(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class Overlapping(Calls):
    """The first call's time begins with the second call, however busy the machine is."""

    def __init__(self, *plans: tuple[float, str | Exception]) -> None:
        super().__init__(*plans)
        self.is_second_made = asyncio.Event()

    async def spend(self, seconds: float) -> None:
        if self.made == len(self.plans):
            self.is_second_made.set()
        await self.is_second_made.wait()
        await super().spend(seconds)


async def test_quick_call_is_not_repeated() -> None:
    calls = Calls((0, "a"))
    assert await hedged(calls, after_s=0.05, budget=HedgeBudget("t")) == "a"
    assert calls.made == 1


async def test_slow_call_is_overtaken_and_cancelled() -> None:
    calls = Calls((10, "slow"), (0, "quick"))
    assert await hedged(calls, after_s=0.02, budget=HedgeBudget("t")) == "quick"
    assert (calls.made, calls.cancelled) == (2, 1)


async def test_a_second_slow_call_is_overtaken_by_a_third_where_that_is_allowed() -> None:
    calls = Calls((10, "slow"), (10, "slow too"), (0, "quick"))
    assert await hedged(calls, after_s=0.02, budget=HedgeBudget("t"), most=3) == "quick"
    assert (calls.made, calls.cancelled) == (3, 2)


async def test_first_may_still_win() -> None:
    calls = Overlapping((0.05, "first"), (10, "second"))
    assert await hedged(calls, after_s=0.02, budget=HedgeBudget("t")) == "first"
    assert calls.cancelled == 1


async def test_failure_before_the_hedge_is_not_repeated() -> None:
    calls = Calls((0, ValueError("down")))
    with pytest.raises(ValueError, match="down"):
        await hedged(calls, after_s=0.05, budget=HedgeBudget("t"))
    assert calls.made == 1


async def test_failure_of_one_leaves_it_to_the_other() -> None:
    calls = Overlapping((0.05, "first"), (0, ValueError()))
    assert await hedged(calls, after_s=0.02, budget=HedgeBudget("t")) == "first"


async def test_both_fail() -> None:
    calls = Overlapping((0.05, KeyError("first")), (0.8, KeyError("second")))
    with pytest.raises(KeyError, match="second"):
        await hedged(calls, after_s=0.02, budget=HedgeBudget("t"))
    assert calls.made == 2


async def test_budget_bounds_the_share_of_extra_calls() -> None:
    budget = HedgeBudget("t", ratio=0.1, burst=2)
    made = 0
    for _ in range(50):
        calls = Calls((0.004, "a"), (10, "b"))
        assert await hedged(calls, after_s=0.001, budget=budget) == "a"
        made += calls.made
    assert 50 < made <= 50 + 2 + 5


async def test_cancelling_the_caller_cancels_both() -> None:
    calls = Calls((10, "a"), (10, "b"))
    task = asyncio.create_task(hedged(calls, after_s=0.01, budget=HedgeBudget("t")))
    async with asyncio.timeout(10):
        while calls.made < 2:  # noqa: ASYNC110 - a fake counts its calls
            await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert calls.cancelled == 2
