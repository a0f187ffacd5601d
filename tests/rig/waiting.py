"""Waiting for what comes about after the answer that it belongs to: lines, counts, spans."""

import asyncio
from collections.abc import Callable


async def eventually(condition: Callable[[], object], within_s: float = 30.0) -> None:
    """Return once something is so.

    Raises:
        TimeoutError: It did not come about in time.
    """
    async with asyncio.timeout(within_s):
        while not condition():  # noqa: ASYNC110 - what is looked at tells nobody
            await asyncio.sleep(0.01)
