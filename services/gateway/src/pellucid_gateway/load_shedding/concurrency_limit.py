"""How many turns may be in hand, and what happens to one more: it is refused before any work.

A turn that waits for its turn only learns when its time is up that there was none; a refused one
can go elsewhere at once. Two bounds, because two things run out. Streams of answers cost memory and
little else, so many may be open. Searches in hand (from the decision until the sources are there)
keep processors busy here and in four services, so few are; where they are too many, all of them are
late together and none is whole. How many that is follows the lag of the event loop and how slow the
scorer is. Whoever is
interactive finds room that whatever works in the background (faces that only search) does not. A
message that plainly needs no search finds it whatever is searched for others.
"""

import asyncio
import statistics
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, aclosing, contextmanager, nullcontext
from contextvars import ContextVar
from enum import StrEnum
from typing import Any, cast

from pellucid_gateway.domain.decision import Action, Decision
from pellucid_gateway.domain.engine import TurnEngine
from pellucid_gateway.domain.events import (
    Decided,
    Delta,
    Done,
    Failed,
    ResultsReady,
    SearchOutcome,
    SourcesReady,
    TurnEvent,
)
from pellucid_gateway.domain.findings import PageContent
from pellucid_gateway.domain.request import SearchCommand, TurnRequest
from pellucid_gateway.load_shedding.adaptive_limit import WINDOW_S, AdaptiveLimit
from pellucid_gateway.load_shedding.latency_signal import LatencySignal
from pellucid_gateway.question.plain_messages import is_plain
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

_GATHERING = frozenset({Action.SEARCH, Action.FETCH})
_ENDED = (ResultsReady, Done, Failed)
# From then on a turn without sources does not search, unless a decision says otherwise.
_SETTLED = (Decided, Delta)

_admitted: ContextVar[bool] = ContextVar("pellucid_turn_admitted", default=False)


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
        settled: Callable[[int], None] = lambda _bound: None,
        latency_signal: LatencySignal | None = None,
    ) -> None:
        super().__init__(most_turns, queue=Cause.TURNS.value, retry_after_s=RETRY_AFTER_S)
        self._most_turns = most_turns
        self._bound = searches
        self._most_lag_s = most_lag_s
        self._refused = refused
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
            self._refused(cause)
            raise OverloadedError(cause.value, RETRY_AFTER_S)
        with super().permit():
            yield

    def _full(self, share: float, *, plain: bool) -> Cause | None:
        if self.in_progress >= self._most_turns * share:
            return Cause.TURNS
        most_lag_s = self._most_lag_s
        if self.is_full_of_searches(share):
            # It was full, even where the parts of searches in hand do not add up to the bound.
            self._most_in_window = max(self._most_in_window, float(self._bound.searches))
            if not plain:
                return Cause.SEARCHES
            most_lag_s = min(most_lag_s, _MOST_LAG_OF_PLAIN_S)
        return Cause.LAG if self._lag_s > most_lag_s else None

    @property
    def _in_hand(self) -> float:
        """Searches, with what may become one and what is left of those that have their sources."""
        return self._searches + self._deciding + _OF_A_SEARCH * self._answers

    def begin_deciding(self) -> None:
        """Note that a turn is here of which nobody knows yet whether it searches."""
        self._deciding += 1
        self._note_fullest()

    def end_deciding(self) -> None:
        """Note that it is known, or that the turn has ended."""
        self._deciding -= 1

    def begin_search(self) -> None:
        """Note that a turn searches from now on."""
        self._searches += 1
        self._note_fullest()

    def end_search(self) -> None:
        """Note that it has its sources, or has ended."""
        self._searches -= 1

    def begin_answer(self) -> None:
        """Note that a turn has its sources and answers from them."""
        self._answers += 1

    def end_answer(self) -> None:
        """Note that it has ended."""
        self._answers -= 1

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


class _SearchInHand(AbstractContextManager["_SearchInHand"]):
    """How far one turn is with what it searches, told by its events."""

    def __init__(self, concurrency_limit: ConcurrencyLimit) -> None:
        self._concurrency_limit = concurrency_limit
        self._ends: Callable[[], None] | None = None
        self._has_sources = False

    def decide(self) -> None:
        """It may come to search."""
        self._concurrency_limit.begin_deciding()
        self._ends = self._concurrency_limit.end_deciding

    def begin(self) -> None:
        """It searches from now on."""
        self.end()
        self._concurrency_limit.begin_search()
        self._ends = self._concurrency_limit.end_search

    def answer(self) -> None:
        """It answers from sources from now on."""
        self.end()
        self._has_sources = True
        self._concurrency_limit.begin_answer()
        self._ends = self._concurrency_limit.end_answer

    def end(self) -> None:
        """It has what it searched for, does not search, or has ended."""
        if self._ends is not None:
            self._ends()
            self._ends = None

    def note(self, event: TurnEvent) -> None:
        """Follow the turn."""
        if isinstance(event, Decided) and event.decision.action in _GATHERING:
            self.begin()
        elif isinstance(event, SourcesReady):
            self.answer()
        elif isinstance(event, _ENDED if self._has_sources else (*_SETTLED, *_ENDED)):
            self.end()

    def __exit__(self, *_exc: object) -> None:
        self.end()


class GatedEngine:
    """The engine behind a turnstile; turns that a face has let in already are not asked again.

    Args:
        engine: What is guarded.
        concurrency_limit: Lets in.
    """

    def __init__(self, engine: TurnEngine, concurrency_limit: ConcurrencyLimit) -> None:
        self._engine = engine
        self._concurrency_limit = concurrency_limit

    async def run(self, request: TurnRequest) -> AsyncIterator[TurnEvent]:
        """Pass the events on; a single Failed when there is no room."""
        with ExitStack() as held:
            try:
                held.enter_context(self._place(plain=is_plain(request.message)))
            except OverloadedError as error:
                yield Failed(error.reason, error.message, retryable=True)
                return
            search = held.enter_context(_SearchInHand(self._concurrency_limit))
            search.decide()
            async with aclosing(cast("Any", self._engine.run(request))) as events:
                async for event in events:
                    search.note(event)
                    yield event

    async def decide(self, request: TurnRequest) -> Decision:
        """Pass on."""
        return await self._engine.decide(request)

    async def search(self, command: SearchCommand) -> SearchOutcome:
        """Pass on.

        Raises:
            OverloadedError: There is no room.
        """
        with self._place(), _SearchInHand(self._concurrency_limit) as search:
            search.begin()
            return await self._engine.search(command)

    async def fetch(
        self,
        urls: Sequence[str],
        *,
        no_external: bool = False,
        max_chars: int = 0,
        offset: int | None = None,
        links: bool = False,
    ) -> tuple[PageContent, ...]:
        """Pass on."""
        return await self._engine.fetch(
            urls, no_external=no_external, max_chars=max_chars, offset=offset, links=links
        )

    def _place(self, *, plain: bool = False) -> AbstractContextManager[None]:
        """A place in the count, unless a face holds one for this work."""
        return nullcontext() if _admitted.get() else self._concurrency_limit.held(plain=plain)
