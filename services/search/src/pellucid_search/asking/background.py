"""Work that nobody waits for, held so that it is neither lost nor left behind."""

import asyncio
from collections.abc import Coroutine
from typing import Any

_MOST_TASKS = 64


class Background:
    """Tasks in the background; at most 64, further ones are dropped."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, Any]) -> bool:
        """Begin work; False when there is no room for it."""
        if len(self._tasks) >= _MOST_TASKS:
            work.close()
            return False
        task = asyncio.create_task(work, name="background")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return True

    async def close(self) -> None:
        """Cancel what is left and wait for it."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
