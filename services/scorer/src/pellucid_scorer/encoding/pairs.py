"""Pairs of texts to a model that reads them together, within the caller's time."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import Executor

from pellucid_runtime.rpc.deadline import remaining_s
from pellucid_scorer.ports import PairModel, Shares

MARGIN_S = 0.05
"""Kept of a caller's time for the way back."""
MOST_WAITING = 2
"""Calls at a time; a further one would come too late, and is answered without the model."""


class PairReader:
    """Rates the pairs of many callers, one call after the other.

    Args:
        model: The model.
        executor: A thread of its own.
        most_s: Longest time that a call waits for it.
    """

    def __init__(self, model: PairModel, *, executor: Executor, most_s: float) -> None:
        self._model = model
        self._executor = executor
        self._most_s = most_s
        self._waiting = 0

    @property
    def name(self) -> str:
        """Of the model."""
        return self._model.name

    async def rate(self, pairs: Sequence[tuple[str, str]]) -> Shares | None:
        """Return float32[n] in [0, 1]; None when they would come too late."""
        left_s = remaining_s()
        within_s = self._most_s if left_s is None else min(self._most_s, left_s - MARGIN_S)
        if within_s <= 0 or self._waiting >= MOST_WAITING:
            return None
        loop = asyncio.get_running_loop()
        work = loop.run_in_executor(self._executor, self._model.rate, list(pairs))
        self._waiting += 1
        work.add_done_callback(self._settle)
        done, _ = await asyncio.wait({work}, timeout=within_s)
        if not done:
            work.cancel()
            return None
        return work.result()

    def _settle(self, work: "asyncio.Future[Shares]") -> None:
        self._waiting -= 1
        if not work.cancelled():
            work.exception()
