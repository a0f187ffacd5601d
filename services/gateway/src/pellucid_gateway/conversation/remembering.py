"""The engine with a memory: what a person said before goes in, what happened is kept.

It also asks whether the caller may go on (suspicion, the key's budget and providers). Whatever of
this is lost, the turn goes on without it.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any, cast

from pellucid_gateway.access.abuse import AbuseGate
from pellucid_gateway.access.caller_access import current_access
from pellucid_gateway.analytics.counting import usage_bucket
from pellucid_gateway.analytics.rollups import day_of
from pellucid_gateway.conversation.afterwards import Afterwards, Kept, key_owner
from pellucid_gateway.conversation.conversations import Recalled
from pellucid_gateway.conversation.page_sights import has_changed, wall_of
from pellucid_gateway.domain.engine import EngineLayer, TurnEngine
from pellucid_gateway.domain.errors import BudgetSpentError, failed_by
from pellucid_gateway.domain.events import Decided, Done, Failed, TurnEvent
from pellucid_gateway.domain.limits import MESSAGES
from pellucid_gateway.domain.ports import ScorerPort
from pellucid_gateway.domain.request import SearchCommand, SearchOptions, TurnRequest
from pellucid_gateway.domain.search_outcome import SearchOutcome
from pellucid_gateway.turn_context.budgets import limited
from pellucid_runtime.errors import DeniedError, ServiceError

# What a turn waits for its past; the store answers in a millisecond or is in trouble.
RECALL_S = 0.25
_MOST_MEMORIES = 20


class RememberingEngine(EngineLayer):
    """Implements `engine.TurnEngine` around another one.

    Args:
        engine: Runs the turns.
        kept: Conversations and memories, and what a key has cost.
        scorer: Compares memories.
        gate: Asks suspicious callers for a challenge.
        afterwards: Keeps what happened.
    """

    def __init__(
        self,
        engine: TurnEngine,
        *,
        kept: Kept,
        scorer: ScorerPort,
        gate: AbuseGate,
        afterwards: Afterwards,
    ) -> None:
        super().__init__(engine)
        self._kept = kept
        self._scorer = scorer
        self._gate = gate
        self._afterwards = afterwards

    async def run(self, request: TurnRequest) -> AsyncIterator[TurnEvent]:
        """Answer one message; see `engine.TurnEngine`."""
        try:
            request = await self._prepared(request)
        except ServiceError as error:
            self._afterwards.failure(error.reason)
            yield failed_by(error)
            return
        async with self._remembering(request) as prepared:
            if prepared.let_in is not None and prepared.recall is None:
                prepared.let_in()
            async for event in self._told(prepared):
                yield event

    @asynccontextmanager
    async def _remembering(self, request: TurnRequest) -> AsyncIterator[TurnRequest]:
        """The request with its memories looked for beside the turn; without any nothing begins."""
        if not request.caller or self._kept.memories.has_none(request.caller):
            yield request
            return
        looking = asyncio.create_task(self._memories(request), name="memories")
        try:
            yield replace(request, recall=lambda: asyncio.shield(looking))
        finally:
            looking.cancel()
            await asyncio.wait({looking})

    async def _told(self, request: TurnRequest) -> AsyncGenerator[TurnEvent]:
        async with aclosing(cast("Any", self._engine.run(request))) as events:
            async for event in events:
                await self._note(request, event)
                if isinstance(event, Decided) and request.recall is not None:
                    yield replace(event, remembers=bool(await request.recall()))
                else:
                    yield event

    async def _prepared(self, request: TurnRequest) -> TurnRequest:
        """The request with its past, checked.

        Raises:
            ServiceError: The caller may not go on.
        """
        past = await self._let_through(request)
        options = _allowed(request.options)
        spent = request.quota_spent or await self._budget_spent() is not None
        whole = replace(
            request,
            messages=(*past.messages, *request.messages)[-MESSAGES:],
            earlier=request.earlier or past.earlier,
            options=options,
            quota_spent=spent,
        )
        known = await self._sights(whole)
        if not known:
            return whole
        return replace(
            whole, has_changed=partial(has_changed, known), walled=partial(wall_of, known)
        )

    async def _sights(self, request: TurnRequest) -> Mapping[str, str]:
        """What is known of pages that were read in this conversation before."""
        kept = self._kept.conversations
        if kept is None or not request.caller:
            return {}
        try:
            async with limited(RECALL_S):
                return await kept.sights.recall(request)
        except (ServiceError, TimeoutError):
            return {}

    async def _let_through(self, request: TurnRequest) -> Recalled:
        """The conversation so far of a caller who may go on.

        Raises:
            ServiceError: The caller may not.
        """
        check = self._gate.check(request.caller, request.message)
        if not request.conversation_id:
            await check
            return Recalled()
        checked, recalled = await asyncio.gather(
            check, self._recalled(request), return_exceptions=True
        )
        for lost in (checked, recalled):
            if isinstance(lost, BaseException):
                raise lost
        return cast("Recalled", recalled)

    async def _recalled(self, request: TurnRequest) -> Recalled:
        """The conversation so far; a client that sends its history itself knows best."""
        kept = self._kept.conversations
        if kept is None or not request.conversation_id or not request.caller:
            return Recalled()
        try:
            async with limited(RECALL_S):
                past = await kept.recall(request.caller, request.conversation_id)
        except (ServiceError, TimeoutError):
            return Recalled()
        return past if len(request.messages) == 1 else replace(past, messages=())

    async def _memories(self, request: TurnRequest) -> tuple[str, ...]:
        """Those that came with the request, then those that are kept and fit; usually none."""
        memories = await self._found(request)
        if request.let_in is not None and not memories:
            request.let_in()
        return memories

    async def _found(self, request: TurnRequest) -> tuple[str, ...]:
        recall = self._kept.memories.recall
        try:
            async with limited(RECALL_S):
                found = await recall(request.caller, request.message, self._scorer)
        except (ServiceError, TimeoutError):
            found = ()
        return tuple(dict.fromkeys((*request.memories, *found)))[:_MOST_MEMORIES]

    async def _budget_spent(self) -> float | None:
        """The key's budget of the day if it is spent, in US dollars; None when it is not."""
        key = current_access().key
        if key is None or key.budget_usd is None:
            return None
        bucket = usage_bucket(key_owner(key.name), day_of(self._kept.clock.now()))
        try:
            (used,) = await self._kept.state.rollups.read([bucket])
        except ServiceError:
            return None
        spent = used.get("cost_micro_usd", 0) >= key.budget_usd * 1_000_000
        return key.budget_usd if spent else None

    async def _note(self, request: TurnRequest, event: TurnEvent) -> None:
        if isinstance(event, Done):
            await self._afterwards.turn(request, event.result)
        elif isinstance(event, Failed):
            self._afterwards.failure(event.reason)
            await self._gate.note_failure(request.caller)

    async def search(self, command: SearchCommand) -> SearchOutcome:
        """Search and rank without an answer; see `engine.TurnEngine`.

        Raises:
            ServiceError: As there, and when the caller may not go on.
        """
        await self._gate.check(command.caller, command.query)
        budget_usd = await self._budget_spent()
        if budget_usd is not None:
            raise BudgetSpentError(budget_usd)
        allowed = replace(command, options=_allowed(command.options))
        try:
            outcome = await self._engine.search(allowed)
        except ServiceError as error:
            self._afterwards.failure(error.reason)
            await self._gate.note_failure(command.caller)
            raise
        self._afterwards.search(command.caller, outcome)
        return outcome


def _allowed(options: SearchOptions) -> SearchOptions:
    """The options within the providers of the key.

    Raises:
        DeniedError: The request names a provider that the key may not use.
    """
    key = current_access().key
    if key is None or not key.providers:
        return options
    for name in options.providers:
        if name not in key.providers:
            raise DeniedError(f"provider:{name}")
    return replace(options, providers=options.providers or key.providers)
