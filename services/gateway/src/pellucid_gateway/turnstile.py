"""How many turns may be in hand, and what happens to one more: it is refused before any work.

A turn that waits for its turn only learns when its time is up that there was none; a refused one
can go elsewhere at once. Two bounds, because two things run out. Streams of answers cost memory and
little else, so many may be open. Searches in hand (from the decision until the sources are there)
keep processors busy here and in four services, so few are; where they are too many, all of them are
late together and none is whole. Whoever is interactive finds room that whatever works in the
background (faces that only search) does not.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, aclosing, contextmanager, nullcontext
from contextvars import ContextVar
from enum import StrEnum
from typing import Any, cast

from pellucid_gateway.decision import Action, Decision
from pellucid_gateway.engine import TurnEngine
from pellucid_gateway.findings import PageContent
from pellucid_gateway.request import SearchCommand, TurnRequest
from pellucid_gateway.turn import (
    Decided,
    Delta,
    Done,
    Failed,
    ResultsReady,
    SearchOutcome,
    SourcesReady,
    TurnEvent,
)
from pellucid_runtime.admission import Admission
from pellucid_runtime.errors import OverloadedError

# About what a search takes; by then there is room again.
RETRY_AFTER_S = 1.0
# Background work is refused from this share of a bound on.
BACKGROUND_SHARE = 0.75
_LAG_PERIOD_S = 0.05
# Share of the lag before that still counts when the loop has just come round in time.
_LAG_KEPT = 0.8

_GATHERING = frozenset({Action.SEARCH, Action.FETCH})
_GATHERED = (SourcesReady, ResultsReady, Delta, Done, Failed)

_admitted: ContextVar[bool] = ContextVar("pellucid_turn_admitted", default=False)


class Cause(StrEnum):
    """What there is no room for; a label of the metric."""

    TURNS = "turns"
    SEARCHES = "searches"
    LAG = "lag"


class Turnstile(Admission):
    """Fail-fast permits for turns. Only to be used from the event loop's thread.

    Args:
        most_turns: Turns in progress, streams of answers included.
        most_searches: Turns that search or read and have no sources yet.
        most_lag_s: How late the event loop may run its timers, in seconds.
        refused: Told why a turn was refused.
    """

    def __init__(
        self,
        *,
        most_turns: int,
        most_searches: int,
        most_lag_s: float,
        refused: Callable[[Cause], None],
    ) -> None:
        super().__init__(most_turns, queue=Cause.TURNS.value, retry_after_s=RETRY_AFTER_S)
        self._most_turns = most_turns
        self._most_searches = most_searches
        self._most_lag_s = most_lag_s
        self._refused = refused
        self._searches = 0
        self._lag_s = 0.0

    @property
    def searches(self) -> int:
        """Searches in hand."""
        return self._searches

    @contextmanager
    def permit(self, share: float = 1.0) -> Iterator[None]:
        """Count the enclosed work, with everything that it starts, as one turn.

        Args:
            share: Of both bounds, that may be in use already.

        Raises:
            OverloadedError: There is no room; nothing was begun.
        """
        with self.held(share):
            token = _admitted.set(True)
            try:
                yield
            finally:
                _admitted.reset(token)

    @contextmanager
    def held(self, share: float = 1.0) -> Iterator[None]:
        """The same for work whose context is not its own, as that of a generator.

        Raises:
            OverloadedError: There is no room; nothing was begun.
        """
        cause = self._full(share)
        if cause is not None:
            self._refused(cause)
            raise OverloadedError(cause.value, RETRY_AFTER_S)
        with super().permit():
            yield

    def _full(self, share: float) -> Cause | None:
        if self.in_progress >= self._most_turns * share:
            return Cause.TURNS
        if self._searches >= self._most_searches * share:
            return Cause.SEARCHES
        return Cause.LAG if self._lag_s > self._most_lag_s else None

    def begin_search(self) -> None:
        """Note that a turn searches from now on."""
        self._searches += 1

    def end_search(self) -> None:
        """Note that it has its sources, or has ended."""
        self._searches -= 1

    async def watch_lag(self) -> None:
        """Measure how late the loop is, for as long as the service runs."""
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + _LAG_PERIOD_S
            await asyncio.sleep(_LAG_PERIOD_S)
            self._lag_s = max(loop.time() - due, self._lag_s * _LAG_KEPT)


class _SearchInHand(AbstractContextManager["_SearchInHand"]):
    """Whether one turn is searching, told by its events."""

    def __init__(self, turnstile: Turnstile) -> None:
        self._turnstile = turnstile
        self._is_on = False

    def begin(self) -> None:
        """It searches from now on."""
        if not self._is_on:
            self._is_on = True
            self._turnstile.begin_search()

    def end(self) -> None:
        """It has what it searched for, or has ended."""
        if self._is_on:
            self._is_on = False
            self._turnstile.end_search()

    def note(self, event: TurnEvent) -> None:
        """Follow the turn."""
        if isinstance(event, Decided) and event.decision.action in _GATHERING:
            self.begin()
        elif isinstance(event, _GATHERED):
            self.end()

    def __exit__(self, *_exc: object) -> None:
        self.end()


class GatedEngine:
    """The engine behind a turnstile; turns that a face has let in already are not asked again.

    Args:
        engine: What is guarded.
        turnstile: Lets in.
    """

    def __init__(self, engine: TurnEngine, turnstile: Turnstile) -> None:
        self._engine = engine
        self._turnstile = turnstile

    async def run(self, request: TurnRequest) -> AsyncIterator[TurnEvent]:
        """Pass the events on; a single Failed when there is no room."""
        with ExitStack() as held:
            try:
                held.enter_context(self._place())
            except OverloadedError as error:
                yield Failed(error.reason, error.message, retryable=True)
                return
            search = held.enter_context(_SearchInHand(self._turnstile))
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
        with self._place(), _SearchInHand(self._turnstile) as search:
            search.begin()
            return await self._engine.search(command)

    async def fetch(
        self, urls: Sequence[str], *, no_external: bool = False, max_chars: int = 0
    ) -> tuple[PageContent, ...]:
        """Pass on."""
        return await self._engine.fetch(urls, no_external=no_external, max_chars=max_chars)

    def _place(self) -> AbstractContextManager[None]:
        """A place in the count, unless a face holds one for this work."""
        return nullcontext() if _admitted.get() else self._turnstile.held()
