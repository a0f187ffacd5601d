"""Who may call a provider next when all want to at once: callers by turns, each in its own order.

A caller with many queries waits behind its own, not the others behind it. Whoever is at the front
takes the next place of the provider's bucket, so that no place is booked for somebody who leaves.
"""

import asyncio
import math
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pellucid_search.ports import Pace, Refusal, Reservation


class Line:
    """Those who wait for one provider on this replica."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._is_taken = False
        self._last = ""

    @property
    def is_free(self) -> bool:
        """Nobody is at the front, and nobody waits."""
        return not self._is_taken and not self._waiting

    def ahead_of(self, caller: str) -> int:
        """Return how many go before a newcomer of a caller, the one at the front included."""
        own = len(self._waiting.get(caller, ()))
        others = (len(queue) for name, queue in self._waiting.items() if name != caller)
        return int(self._is_taken) + own + sum(min(own + 1, queue) for queue in others)

    @asynccontextmanager
    async def front(self, caller: str) -> AsyncIterator[None]:
        """Wait until it is the caller's turn; hold the front until the block ends."""
        if self.is_free:
            self._is_taken, self._last = True, caller
        else:
            await self._stand(caller)
        try:
            yield
        finally:
            self._is_taken = False
            self._call_next()

    async def _stand(self, caller: str) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(caller, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled() or not turn.done():
                self._leave(caller, turn)
            else:  # called to the front and cancelled in the same moment
                self._is_taken = False
                self._call_next()
            raise

    def _leave(self, caller: str, turn: asyncio.Future[None]) -> None:
        queue = self._waiting.get(caller, deque())
        if turn in queue:
            queue.remove(turn)
        if not queue:
            self._waiting.pop(caller, None)

    def _call_next(self) -> None:
        while self._waiting:
            turn = self._next_turn()
            if not turn.done():
                self._is_taken = True
                turn.set_result(None)
                return

    def _next_turn(self) -> asyncio.Future[None]:
        """Take out the turn of the caller who was served longest ago; it goes behind the others."""
        if len(self._waiting) > 1 and next(iter(self._waiting)) == self._last:
            self._waiting.move_to_end(self._last)
        self._last, queue = self._waiting.popitem(last=False)
        turn = queue.popleft()
        if queue:
            self._waiting[self._last] = queue
        return turn


def in_words(pace: Pace, place: Reservation) -> str:
    """Say which limit refused a call: the provider's own, or that it asked to be left alone.

    >>> in_words(Pace(1, 1.0, 1.1), Reservation(7.7, Refusal.RATE))
    'its limit of 1 in 1 s is reached; the next call may go in 8 s'
    """
    wait = f"the next call may go in {math.ceil(place.wait_s)} s"
    if place.refusal is Refusal.COOLING or pace.limit <= 0:
        return f"it asked for a pause; {wait}"
    return f"its limit of {pace.limit} in {pace.period_s:g} s is reached; {wait}"
