"""What is kept and counted after a turn, beside the requests: nobody waits for it to be counted.

The conversation is kept before the turn is told to be over, for a moment at most, so that a
follow-up finds it.
"""

import asyncio
from collections import Counter
from collections.abc import Coroutine
from dataclasses import dataclass

import structlog

from pellucid_gateway.access.caller_access import current_access
from pellucid_gateway.analytics.counting import Counting
from pellucid_gateway.analytics.habits import Habits, Recent
from pellucid_gateway.analytics.learned_trust import LearnedTrust
from pellucid_gateway.analytics.query_log import QueryLog
from pellucid_gateway.analytics.rollups import of_failure, of_passed, of_profile, of_search, of_turn
from pellucid_gateway.analytics.stats_reader import StatsReader
from pellucid_gateway.analytics.turn_log import TurnLog
from pellucid_gateway.conversation.conversations import Conversations
from pellucid_gateway.conversation.memories import Memories
from pellucid_gateway.conversation.source_preferences import SourcePreferences
from pellucid_gateway.domain.events import TurnResult
from pellucid_gateway.domain.passed_on import PassedOn
from pellucid_gateway.domain.request import TurnRequest
from pellucid_gateway.domain.search_outcome import SearchOutcome
from pellucid_gateway.domain.state_ports import State
from pellucid_gateway.metrics import observe_habit
from pellucid_runtime.clock import Clock
from pellucid_runtime.errors import ServiceError

# How long the end of a turn waits for its conversation to be kept.
KEEP_S = 0.1
# Work still going on; what comes on top is left undone.
_MOST_AT_ONCE = 500
# At the end of the process.
_CLOSE_S = 2.0

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What is kept, as the engine and the APIs use it; None: the operator keeps none of it.

    Attributes:
        state: Where all of it is.
        clock: When.
    """

    state: State
    clock: Clock
    counting: Counting
    stats: StatsReader
    habits: Habits
    conversations: Conversations | None
    memories: Memories
    preferences: SourcePreferences
    query_log: QueryLog | None
    turns: TurnLog
    learned: LearnedTrust | None


class Afterwards:
    """Keeps and counts what ended.

    Args:
        kept: Where.
    """

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._going_on: set[asyncio.Task[None]] = set()

    async def turn(self, request: TurnRequest, result: TurnResult) -> None:
        """A turn ended well."""
        counts = of_turn(result) + of_profile(request.options.scoring.profile, result)
        self._count(request.caller, counts)
        keeping = self._begin(self._keep(request, result))
        self._begin(self._note_turn(request, result))
        self._begin(self._kept.turns.note(result))
        if self._kept.learned is not None and result.iterations:
            self._begin(self._kept.learned.note_turn(result))
        if keeping is not None:
            await asyncio.wait({keeping}, timeout=KEEP_S)

    def passed(self, turn: PassedOn) -> None:
        """The model server answered a turn by itself."""
        self._count(turn.caller, of_passed(turn))

    def search(self, caller: str, outcome: SearchOutcome) -> None:
        """A call of a search API ended well."""
        self._count(caller, of_search(outcome))
        if self._kept.query_log is not None:
            self._begin(self._kept.query_log.note(caller, self._kept.clock.now(), outcome))

    def failure(self, reason: str) -> None:
        """A turn ended in an error."""
        self._kept.counting.add(self._kept.clock.now(), of_failure(reason))

    def _count(self, caller: str, counts: Counter[str]) -> None:
        now = self._kept.clock.now()
        self._kept.counting.add(now, counts)
        self._kept.counting.add_usage(caller, now, counts)
        key = current_access().key
        if key is not None:
            self._kept.counting.add_usage(key_owner(key.name), now, counts)

    async def _keep(self, request: TurnRequest, result: TurnResult) -> None:
        conversations = self._kept.conversations
        if conversations is None or not request.caller:
            return
        await conversations.sights.keep(request, result)
        if request.keeps_conversation or request.conversation_id:
            await conversations.keep(request.caller, request, result)

    async def _note_turn(self, request: TurnRequest, result: TurnResult) -> None:
        if not request.caller:
            return
        answered = result.iterations > 0 and bool(result.answer)
        recent = Recent(result.finished_at, result.decision.standalone_question, answered)
        noted = await self._kept.habits.note(request.caller, result.id, recent)
        for bucket, counts in noted.items():
            self._kept.counting.add_to(bucket, counts)
        # The same counts stand in the minute's bucket and the hour's.
        for habit in {habit for counts in noted.values() for habit in counts}:
            observe_habit(habit)
        if result.iterations and self._kept.query_log is not None:
            await self._kept.query_log.note(request.caller, result.finished_at, result)

    def _begin(self, work: Coroutine[None, None, None]) -> asyncio.Task[None] | None:
        if len(self._going_on) >= _MOST_AT_ONCE:
            work.close()
            return None
        task = asyncio.create_task(_undisturbed(work))
        self._going_on.add(task)
        task.add_done_callback(self._going_on.discard)
        return task

    async def close(self) -> None:
        """Let what goes on end, for a moment, and add what was counted."""
        if self._going_on:
            _done, late = await asyncio.wait(tuple(self._going_on), timeout=_CLOSE_S)
            for task in late:
                task.cancel()
        await self._kept.counting.flush()


async def _undisturbed(work: Coroutine[None, None, None]) -> None:
    """A store that is down costs what would have been kept, and nothing else."""
    try:
        await work
    except ServiceError as error:
        log.warning("not_kept", reason=error.reason)


def key_owner(key_name: str) -> str:
    """Owner of what a key used. Names of keys are the operator's words."""
    return f"key-{key_name}"
