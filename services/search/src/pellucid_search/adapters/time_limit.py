"""A time limit that blames the other side only: time in which this process was busy hardly counts.

With one loop for everything, an answer that has arrived may wait behind other work for longer than
the whole limit. A plain timeout would then give up a store that is quite well.
"""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")

# Whatever happens in one slice, the answer gets the others; opening a connection takes some turns.
_SLICES = 8


async def within(limit_s: float, work: Awaitable[T]) -> T:
    """Return the result of some work.

    Args:
        limit_s: Seconds after which it is given up, if the loop is not busy.
        work: What to wait for; it is cancelled when it is given up.

    Raises:
        TimeoutError: It took too long.
    """
    task = asyncio.ensure_future(work)
    try:
        for _ in range(_SLICES):
            await asyncio.wait({task}, timeout=limit_s / _SLICES)
            if task.done():
                return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
    raise TimeoutError
