"""Looking after what stands idle, again and again, while there is something to look after."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import Context


class Sweeper:
    """Calls a sweep every few seconds until the sweep says that nothing is left to do.

    Args:
        sweep: Gives back what has stood idle; tells whether it wants to be called again.
        every_s: Seconds between two calls, and before the first.
    """

    def __init__(self, sweep: Callable[[], Awaitable[bool]], every_s: float) -> None:
        self._sweep = sweep
        self._every_s = every_s
        self._task: asyncio.Task[None] | None = None
        self._is_closed = False

    def wake(self) -> None:
        """Tell that something may stand idle from now on; who comes after the end is too late."""
        if not self._is_closed and (self._task is None or self._task.done()):
            # Outlives the request that happened to come first, so nothing of it goes along.
            self._task = asyncio.create_task(self._run(), name="sweeper", context=Context())

    async def close(self) -> None:
        """End; no sweep runs afterwards."""
        self._is_closed = True
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _run(self) -> None:
        wanted = True
        while wanted:
            await asyncio.sleep(self._every_s)
            wanted = await self._sweep()
