"""Single flight: callers that want the same thing at the same time share one piece of work."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

T = TypeVar("T")


class Flights(Generic[T]):
    """Work in progress by key. A caller that leaves does not end the work of the others."""

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[T]] = {}
        self._waiting: dict[str, int] = {}

    def is_airborne(self, key: str) -> bool:
        """Tell whether somebody works on it already."""
        return key in self._tasks

    async def join(self, key: str, work: Callable[[], Awaitable[T]]) -> T:
        """Return the result of the work in progress, or begin it.

        Raises:
            Exception: Whatever the work raises, to every caller.
        """
        if key not in self._tasks:
            task = asyncio.create_task(_run(work), name="flight")
            self._tasks[key] = task
            self._waiting[key] = 0
            task.add_done_callback(lambda done: self._land(key, done))
        with self.aboard(key) as task:
            return await asyncio.shield(task)

    @contextmanager
    def aboard(self, key: str) -> Iterator[asyncio.Task[T]]:
        """Count among those who wait for the work in progress, which is not theirs to cancel.

        Raises:
            KeyError: Nobody works on it.
        """
        task = self._tasks[key]
        self._waiting[key] += 1
        try:
            yield task
        finally:
            self._leave(key, task)

    def _leave(self, key: str, task: asyncio.Task[T]) -> None:
        if self._tasks.get(key) is not task:
            return
        self._waiting[key] -= 1
        if self._waiting[key] == 0 and not task.done():
            # Nobody waits any more: a later caller must not join what is being cancelled.
            self._land(key, task)
            task.cancel()

    def _land(self, key: str, task: asyncio.Task[T]) -> None:
        if self._tasks.get(key) is task:
            del self._tasks[key]
            del self._waiting[key]


async def _run(work: Callable[[], Awaitable[T]]) -> T:
    return await work()
