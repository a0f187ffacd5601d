"""Keeping trouble with the shared store away from pages.

Every operation has a short limit, which a busy loop of our own does not use up; after a few
failures in a row the store is left alone for a while, so that a dead one costs nothing, and then
asked once to see whether it is back.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, Self, TypeVar

from redis.exceptions import RedisError

from pellucid_fetcher.metrics import STORE_ERRORS
from pellucid_runtime.breaker import Breaker
from pellucid_runtime.errors import DependencyDownError
from pellucid_runtime.time_limit import within

T = TypeVar("T")

READ_S: Final = 0.030
WRITE_S: Final = 0.100
FILE_S: Final = 0.5  # a file on this machine is shared with nobody, and disks have their moments
_FAILURES: Final = 3
_FIRST_PAUSE_S: Final = 1.0
_LONGEST_PAUSE_S: Final = 15.0
_SPREAD: Final = 0.2
_MOST_WRITES: Final = 64


class StoreGuard:
    """Bounds operations of one kind in time and leaves a failing store alone.

    Args:
        operation: Name in the metric.
        limit_s: Longest operation in seconds.
        monotonic: Seconds that never go back.
    """

    def __init__(self, operation: str, limit_s: float, monotonic: Callable[[], float]) -> None:
        self._operation = operation
        self._limit_s = limit_s
        self._breaker = Breaker(
            monotonic,
            failures_to_open=_FAILURES,
            first_pause_s=_FIRST_PAUSE_S,
            longest_pause_s=_LONGEST_PAUSE_S,
            spread=_SPREAD,
        )

    async def run(self, work: Callable[[], Awaitable[T]]) -> T | None:
        """Return the result; nothing when the store does not answer in time or is left alone."""
        if not self._breaker.admit():
            return None
        try:
            result = await within(self._limit_s, work())
        except (DependencyDownError, RedisError, OSError, TimeoutError):
            self._breaker.fail()
            STORE_ERRORS.labels(self._operation).inc()
            return None
        except asyncio.CancelledError:
            self._breaker.abandon()
            raise
        self._breaker.succeed()
        return result


class Background:
    """Writes that nobody waits for; at most 64 at a time, further ones are dropped and counted.

    An asynchronous context manager: on leaving, what is under way gets a moment to end.
    """

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exc: object) -> None:
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=FILE_S)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def start(self, work: Coroutine[Any, Any, Any]) -> bool:
        """Begin; False when there is no room and the work was dropped."""
        if len(self._tasks) >= _MOST_WRITES:
            work.close()
            STORE_ERRORS.labels("dropped").inc()
            return False
        task = asyncio.create_task(work, name="store-write")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return True
