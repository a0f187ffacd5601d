"""Further tries for calls that are slower than usual, within a budget.

Helps against one slow replica. Without a budget it would double the load exactly when everything
is slow; so extra calls may only be a share of all calls.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from pellucid_runtime.telemetry.metrics import HEDGES

T = TypeVar("T")

# Share of extra calls: grpc's own design for hedging throttles at about one in ten as well.
DEFAULT_RATIO = 0.1
DEFAULT_BURST = 10.0


class HedgeBudget:
    """Earns a part of an extra call with every call, up to a bound.

    Args:
        name: Label of the metric.
        ratio: Extra calls per call, 0 to 1.
        burst: Most extra calls that can be saved up; also what there is at the start.
    """

    def __init__(
        self, name: str, *, ratio: float = DEFAULT_RATIO, burst: float = DEFAULT_BURST
    ) -> None:
        self.name = name
        self._ratio = ratio
        self._burst = burst
        self._saved = burst

    def earn(self) -> None:
        """Note that a call was made."""
        self._saved = min(self._burst, self._saved + self._ratio)

    def spend(self) -> bool:
        """Take one extra call; False when there is none."""
        if self._saved < 1:
            return False
        self._saved -= 1
        HEDGES.labels(self.name).inc()
        return True


async def hedged(
    call_factory: Callable[[], Awaitable[T]], *, after_s: float, budget: HedgeBudget, most: int = 2
) -> T:
    """Make a call, and once more when it has not answered in time; the first answer wins.

    Only for calls that may be made twice. The losers are cancelled and awaited. When one fails, the
    other ones' outcome counts; a call that fails before `after_s` is not repeated.

    Args:
        call_factory: Makes one call.
        after_s: Seconds to wait for each; its usual 95th percentile is a good choice.
        budget: Shared by all calls of this kind.
        most: Calls in all. The second may meet the same silent replica, since the calls of others
            lie between; the third hardly ever does.

    Raises:
        Exception: What the last failing call raised.
    """
    budget.earn()
    calls = {_started(call_factory)}
    try:
        await asyncio.wait(calls, timeout=after_s, return_when=asyncio.FIRST_COMPLETED)
        while len(calls) < most and not _any_done(calls) and budget.spend():
            calls.add(_started(call_factory))
            await asyncio.wait(calls, timeout=after_s, return_when=asyncio.FIRST_COMPLETED)
        return await _first_success(calls)
    finally:
        await _abandon(calls)


def _started(call_factory: Callable[[], Awaitable[T]]) -> asyncio.Task[T]:
    async def call() -> T:
        return await call_factory()

    return asyncio.create_task(call())


def _any_done(calls: set[asyncio.Task[T]]) -> bool:
    return any(call.done() for call in calls)


async def _first_success(calls: set[asyncio.Task[T]]) -> T:
    pending = set(calls)
    while True:
        done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
        succeeded = [call for call in done if call.exception() is None]
        if succeeded or not pending:
            return (succeeded or list(done))[0].result()


async def _abandon(calls: set[asyncio.Task[T]]) -> None:
    losers = [call for call in calls if call.cancel()]
    if losers:
        await asyncio.wait(losers)
    for call in calls:
        if not call.cancelled():
            call.exception()  # seen, so that asyncio does not report it as lost
