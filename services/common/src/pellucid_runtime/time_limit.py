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
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(None) as limit:
        slices = _SLICES
        timer: asyncio.TimerHandle

        def end_slice() -> None:
            nonlocal slices, timer
            slices -= 1
            if slices:
                timer = loop.call_later(limit_s / _SLICES, end_slice)
            else:
                limit.reschedule(loop.time())

        timer = loop.call_later(limit_s / _SLICES, end_slice)
        try:
            return await work
        finally:
            timer.cancel()
