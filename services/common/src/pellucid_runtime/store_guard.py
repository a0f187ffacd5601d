"""Keeping trouble with a shared store away from requests.

Every operation has a short limit, which a busy loop of our own does not use up; after a few
failures in a row the store is left alone for a while, so that a dead one costs nothing, and then
asked once to see whether it is back.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Self, TypeVar

from prometheus_client import Counter
from redis.exceptions import RedisError

from pellucid_runtime.breaker import Breaker
from pellucid_runtime.errors import DependencyDownError
from pellucid_runtime.time_limit import within

T = TypeVar("T")

_FAILURES = 3
_FIRST_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 15.0
_SPREAD = 0.2
_MOST_TASKS = 64


class StoreGuard:
    """Bounds operations in time and leaves a failing store alone.

    Args:
        errors: Counts failures by operation.
        monotonic: Seconds that never go back.
    """

    def __init__(self, errors: Counter, monotonic: Callable[[], float]) -> None:
        self._errors = errors
        self._breaker = Breaker(
            monotonic,
            failures_to_open=_FAILURES,
            first_pause_s=_FIRST_PAUSE_S,
            longest_pause_s=_LONGEST_PAUSE_S,
            spread=_SPREAD,
        )

    @property
    def is_resting(self) -> bool:
        """The store is left alone at present."""
        return not self._breaker.passable

    async def run(
        self, operation: str, work: Callable[[], Awaitable[T]], limit_s: float
    ) -> T | None:
        """Return the result; None when the store does not answer in time or is left alone."""
        if not self._breaker.admit():
            return None
        try:
            result = await within(limit_s, work())
        except (DependencyDownError, RedisError, OSError, TimeoutError):
            self._breaker.fail()
            self._errors.labels(operation).inc()
            return None
        except asyncio.CancelledError:
            self._breaker.abandon()
            raise
        self._breaker.succeed()
        return result


class Background:
    """Work that nobody waits for; at most 64 at a time, further ones are dropped and counted.

    An asynchronous context manager: on leaving, what is under way gets a moment to end.

    Args:
        grace_s: That moment in seconds.
        dropped: Told of what is dropped.
    """

    def __init__(self, *, grace_s: float = 0.0, dropped: Callable[[], None] = lambda: None) -> None:
        self._grace_s = grace_s
        self._dropped = dropped
        self._tasks: set[asyncio.Task[Any]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exc: object) -> None:
        if self._tasks:
            _, late = await asyncio.wait(tuple(self._tasks), timeout=self._grace_s)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def start(self, work: Coroutine[Any, Any, Any]) -> bool:
        """Begin; False when there is no room and the work was dropped."""
        if len(self._tasks) >= _MOST_TASKS:
            work.close()
            self._dropped()
            return False
        task = asyncio.create_task(work, name="background")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return True
