"""The engine behind the limit of concurrent turns."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, ExitStack, aclosing, nullcontext
from dataclasses import replace
from functools import partial
from typing import Any, cast

from pellucid_gateway.domain.decision import Action
from pellucid_gateway.domain.engine import EngineLayer, TurnEngine
from pellucid_gateway.domain.events import (
    Decided,
    Delta,
    Done,
    Failed,
    Progress,
    ProgressKind,
    ResultsReady,
    SourcesReady,
    TurnEvent,
)
from pellucid_gateway.domain.notices import wording_for
from pellucid_gateway.domain.request import SearchCommand, TurnRequest
from pellucid_gateway.domain.search_outcome import SearchOutcome
from pellucid_gateway.load_shedding.concurrency_limit import ConcurrencyLimit, is_admitted
from pellucid_gateway.question.plain_messages import is_plain
from pellucid_language.detection import detect_language
from pellucid_runtime.errors import OverloadedError

# In a queue for a place to search, and of a deadline at most this share.
_LONGEST_WAIT_S = 5.0
_LONGEST_WAIT_SHARE = 1 / 3

_GATHERING = frozenset({Action.SEARCH, Action.FETCH})
_ENDED = (ResultsReady, Done, Failed)
# From then on a turn without sources does not search, unless a decision says otherwise.
_SETTLED = (Decided, Delta)


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

    def queue_up(self) -> "asyncio.Future[None]":
        """The same, once the place is done.

        Raises:
            OverloadedError: There is no room to wait.
        """
        place = self._concurrency_limit.queue_up()
        self._ends = partial(self._concurrency_limit.leave_queue, place)
        return place

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


class GatedEngine(EngineLayer):
    """The engine behind a turnstile; turns that an API has let in already are not asked again.

    Args:
        engine: What is guarded.
        concurrency_limit: Lets in.
    """

    def __init__(self, engine: TurnEngine, concurrency_limit: ConcurrencyLimit) -> None:
        super().__init__(engine)
        self._concurrency_limit = concurrency_limit

    async def run(self, request: TurnRequest) -> AsyncIterator[TurnEvent]:
        """Pass the events on; a single Failed when there is no room, and none comes in time."""
        plain = is_plain(request.message)
        with ExitStack() as held:
            try:
                held.enter_context(self._place(plain=plain))
                search = held.enter_context(_SearchInHand(self._concurrency_limit))
                if plain:
                    search.decide()
                elif not (place := search.queue_up()).done():
                    yield _waiting(request, self._concurrency_limit.waiting_s)
                    request = await self._in_turn(request, place)
            except OverloadedError as error:
                yield Failed(error.reason, error.message, retryable=True)
                return
            async with aclosing(cast("Any", self._engine.run(request))) as events:
                async for event in events:
                    search.note(event)
                    yield event

    async def search(self, command: SearchCommand) -> SearchOutcome:
        """Pass on.

        Raises:
            OverloadedError: There is no room.
        """
        with self._place(), _SearchInHand(self._concurrency_limit) as search:
            search.begin()
            return await self._engine.search(command)

    async def _in_turn(self, request: TurnRequest, place: "asyncio.Future[None]") -> TurnRequest:
        """Wait for a place to search; the request with what is left of its deadline.

        Raises:
            OverloadedError: There was none in time.
        """
        now = asyncio.get_running_loop().time
        begun, longest_s = now(), _LONGEST_WAIT_S
        if request.deadline_ms is not None:
            longest_s = min(longest_s, _LONGEST_WAIT_SHARE * request.deadline_ms / 1000)
        await asyncio.wait({place}, timeout=longest_s)
        if not place.done():
            raise self._concurrency_limit.refusal()
        if request.deadline_ms is None:
            return request
        return replace(request, deadline_ms=request.deadline_ms - int(1000 * (now() - begun)))

    def _place(self, *, plain: bool = False) -> AbstractContextManager[None]:
        """A place in the count, unless an API holds one for this work."""
        return nullcontext() if is_admitted() else self._concurrency_limit.held(plain=plain)


def _waiting(request: TurnRequest, seconds: int) -> Progress:
    language = request.language or detect_language(request.message)
    message = wording_for(language).progress(ProgressKind.WAITING.value, seconds=seconds)
    return Progress(kind=ProgressKind.WAITING, message=message)
