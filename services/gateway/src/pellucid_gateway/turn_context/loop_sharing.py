"""Long stretches of work take turns, so that one round of the event loop stays short.

Each sentence of an answer is checked in one stretch of a millisecond or two. Where forty answers
have one ready, everything else would come after all of them: a refusal, a decision, the scores of a
turn that has half a second for them. Here so much of it runs in a round, the rest in the next ones.
What is let wait is the text of answers, which has time; nothing is done less often or in another
order within an answer.
"""

import asyncio
import time
from collections import deque

# Three or four rounds pass until a request is read and answered. A check of one sentence takes one
# to two milliseconds.
MOST_S = 0.002
# Stretches that are woken for a round; most are far shorter than a check of a sentence.
_WOKEN = 8


class Rounds:
    """Shares the event loop between stretches of work and everything else. For one loop.

    Args:
        most_s: Seconds of a round after which no further stretch begins in it.
    """

    def __init__(self, most_s: float = MOST_S) -> None:
        self._most_s = most_s
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._is_on = False
        self._begun_s = 0.0
        self._begun_here = self._woken = 0

    async def turn(self) -> None:
        """Wait for a round with time for a stretch; at once where nobody else has one."""
        if not self._is_on:
            self._begin()
        while self._begun_here and time.perf_counter() - self._begun_s > self._most_s:
            waiter = asyncio.get_running_loop().create_future()
            self._waiting.append(waiter)
            await waiter
        self._begun_here += 1

    def _begin(self) -> None:
        self._is_on = True
        self._begun_here = 0
        self._begun_s = time.perf_counter()
        asyncio.get_running_loop().call_soon(self._end)

    def _end(self) -> None:
        """The loop has come round: whatever else was ready has run."""
        # Those woken by the round before come after this, so that round is theirs.
        goes_on = self._begun_here or self._woken or self._waiting
        self._is_on = False
        self._woken = 0
        if not goes_on:
            return
        self._begin()
        while self._waiting and self._woken < _WOKEN:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(None)
                self._woken += 1
