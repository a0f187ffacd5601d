"""How many turns may be in hand, and what happens to one more: it is refused before any work.

A turn that waits in a long queue only learns when its time is up that there was no room; a refused
one can go elsewhere at once. So a few wait, shortly: those of some people who press Enter in the
same moment. Two bounds, because two things run out. Streams of answers cost memory and
little else, so many may be open. Searches in hand (from the decision until the sources are there)
keep processors busy here and in four services, so few are; where they are too many, all of them are
late together and none is whole. How many that is follows the lag of the event loop and how slow the
scorer is. Interactive turns find room that background work (APIs that only search) does not. A
message that plainly needs no search finds it whatever is searched for others.
"""

import asyncio
import statistics
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum

from pellucid_gateway.load_shedding.adaptive_limit import WINDOW_S, AdaptiveLimit
from pellucid_gateway.load_shedding.latency_signal import LatencySignal
from pellucid_runtime.errors import OverloadedError
from pellucid_runtime.rpc.admission import Admission

# About what a search takes; by then there is room again.
RETRY_AFTER_S = 1.0
# Background work is refused from this share of a bound on.
BACKGROUND_SHARE = 0.75
_LAG_PERIOD_S = 0.02
# While so few turns are in hand and the loop is in time, it is looked at less often: each look
# wakes a processor.
_FEW_TURNS = 4
_CALM_PERIOD_S = 0.1
# Share of the lag before that still counts when the loop has just come round in time.
_LAG_KEPT = 0.9
# An answer whose citations are checked, as a part of a search: by processor time it is the greater
# half of a turn, over three to four times as many seconds.
_OF_A_SEARCH = 1 / 3
# While searches are refused, turns that need none are let in as long as the loop is not later: they
# are cheap, but not for nothing.
_MOST_LAG_OF_PLAIN_S = 0.2

_admitted: ContextVar[bool] = ContextVar("pellucid_turn_admitted", default=False)


def is_admitted() -> bool:
    """Whether the work in progress is counted already."""
    return _admitted.get()


class Cause(StrEnum):
    """What there is no room for; a label of the metric."""

    TURNS = "turns"
    SEARCHES = "searches"
    LAG = "lag"


class ConcurrencyLimit(Admission):
    """Fail-fast permits for turns. Only to be used from the event loop's thread.

    Args:
        most_turns: Turns in progress, streams of answers included.
        searches: Bound of the turns that search or read and have no sources yet.
        most_lag_s: How late the event loop may run its timers, in seconds.
        refused: Told why a turn was refused.
        most_waiting: Interactive turns that wait for a place to search.
        settled: Told of the bound of searches once a window.
        latency_signal: How slow the scorer is.
    """

    def __init__(
        self,
        *,
        most_turns: int,
        searches: AdaptiveLimit,
        most_lag_s: float,
        refused: Callable[[Cause], None],
        most_waiting: int = 0,
        settled: Callable[[int], None] = lambda _bound: None,
        latency_signal: LatencySignal | None = None,
    ) -> None:
        super().__init__(most_turns, queue=Cause.TURNS.value, retry_after_s=RETRY_AFTER_S)
        self._most_turns = most_turns
        self._bound = searches
        self._most_lag_s = most_lag_s
        self._refused = refused
        self._most_waiting = most_waiting
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._settled = settled
        self._latency_signal = latency_signal or LatencySignal()
        self._searches = self._deciding = self._answers = 0
        self._lag_s = self._most_in_window = 0.0

    @property
    def searches(self) -> int:
        """Searches in hand."""
        return self._searches

    def is_full_of_searches(self, share: float = 1.0) -> bool:
        """Whether one more search would be too many, if so much of the bound may be in use."""
        in_hand = self._in_hand if self._bound.has_fallen else self._searches
        return in_hand >= self._bound.searches * share

    @contextmanager
    def permit(self, share: float = 1.0, *, plain: bool = False) -> Iterator[None]:
        """Count the enclosed work, with everything that it starts, as one turn.

        Args:
            share: Of both bounds, that may be in use already.
            plain: It plainly needs no search, so their bound does not matter.

        Raises:
            OverloadedError: There is no room; nothing was begun.
        """
        with self.held(share, plain=plain):
            token = _admitted.set(True)
            try:
                yield
            finally:
                _admitted.reset(token)

    @contextmanager
    def held(self, share: float = 1.0, *, plain: bool = False) -> Iterator[None]:
        """The same for work whose context is not its own, as that of a generator.

        Raises:
            OverloadedError: There is no room; nothing was begun.
        """
        cause = self._full(share, plain=plain)
        if cause is not None:
            raise self.refusal(cause)
        with super().permit():
            yield

    def _full(self, share: float, *, plain: bool) -> Cause | None:
        if self.in_progress >= self._most_turns * share:
            return Cause.TURNS
        most_lag_s = self._most_lag_s
        if self.is_full_of_searches(share):
            # It was full, even where the parts of searches in hand do not add up to the bound.
            self._most_in_window = max(self._most_in_window, float(self._bound.searches))
            if plain:
                most_lag_s = min(most_lag_s, _MOST_LAG_OF_PLAIN_S)
            elif share < 1 or len(self._waiting) >= self._most_waiting:
                return Cause.SEARCHES
        return Cause.LAG if self._lag_s > most_lag_s else None

    @property
    def _in_hand(self) -> float:
        """Searches, with what may become one and what is left of those that have their sources."""
        return self._searches + self._deciding + _OF_A_SEARCH * self._answers

    @property
    def waiting_s(self) -> int:
        """About how long whoever came last waits for a place to search, in seconds."""
        return 1 + int(RETRY_AFTER_S * len(self._waiting) / self._bound.searches)

    def queue_up(self) -> "asyncio.Future[None]":
        """Take a place that is done, and counts as deciding, as soon as there is room.

        Raises:
            OverloadedError: There is no room to wait either.
        """
        place = asyncio.get_running_loop().create_future()
        if not self._waiting and not self.is_full_of_searches():
            self.begin_deciding()
            place.set_result(None)
        elif len(self._waiting) < self._most_waiting:
            self._waiting.append(place)
        else:
            raise self.refusal()
        return place

    def leave_queue(self, place: "asyncio.Future[None]") -> None:
        """Give a place up, whether it was waited for or had."""
        if place in self._waiting:
            self._waiting.remove(place)
        else:
            self.end_deciding()

    def refusal(self, cause: Cause = Cause.SEARCHES) -> OverloadedError:
        """What a refused turn is told; counts it."""
        self._refused(cause)
        return OverloadedError(cause.value, RETRY_AFTER_S)

    def _let_waiting_in(self) -> None:
        while self._waiting and not self.is_full_of_searches():
            self.begin_deciding()
            self._waiting.popleft().set_result(None)

    def _wake_queue(self) -> None:
        """Look whether there is room once the turn that ends something has begun what follows."""
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._let_waiting_in)

    def begin_deciding(self) -> None:
        """Note that a turn is here of which nobody knows yet whether it searches."""
        self._deciding += 1
        self._note_fullest()

    def end_deciding(self) -> None:
        """Note that it is known, or that the turn has ended."""
        self._deciding -= 1
        self._wake_queue()

    def begin_search(self) -> None:
        """Note that a turn searches from now on."""
        self._searches += 1
        self._note_fullest()

    def end_search(self) -> None:
        """Note that it has its sources, or has ended."""
        self._searches -= 1
        self._wake_queue()

    def begin_answer(self) -> None:
        """Note that a turn has its sources and answers from them."""
        self._answers += 1

    def end_answer(self) -> None:
        """Note that it has ended."""
        self._answers -= 1
        self._wake_queue()

    def _note_fullest(self) -> None:
        self._most_in_window = max(self._most_in_window, self._in_hand)

    async def watch_lag(self) -> None:
        """Measure how late the loop is, for as long as the service runs."""
        loop = asyncio.get_running_loop()
        while True:
            lags = []
            end = loop.time() + WINDOW_S
            while loop.time() < end:
                period_s = _CALM_PERIOD_S if self._is_calm else _LAG_PERIOD_S
                due = loop.time() + period_s
                await asyncio.sleep(period_s)
                lags.append(loop.time() - due)
                self._lag_s = max(lags[-1], self._lag_s * _LAG_KEPT)
            self._settle(statistics.median(lags))

    @property
    def _is_calm(self) -> bool:
        return self.in_progress <= _FEW_TURNS and self._lag_s < _LAG_PERIOD_S

    def _settle(self, lag_s: float) -> None:
        self._bound.settle(
            lag_s, most_in_hand=self._most_in_window, slow=self._latency_signal.take()
        )
        self._most_in_window = self._in_hand
        self._settled(self._bound.searches)
        self._let_waiting_in()
