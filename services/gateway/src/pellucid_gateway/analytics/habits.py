"""What people do after an answer: ask the same again, go on, or leave.

A retry is a question more than 0.9 similar to one of the last ten minutes by the same caller. An
answer to a search is followed when the caller says anything within half an hour; what is not
followed is abandoned.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from pellucid_gateway.analytics.rollups import hour_bucket, minute_bucket
from pellucid_gateway.domain.ports import ScorerPort
from pellucid_gateway.domain.shelf import Shelf
from pellucid_gateway.domain.state_ports import Records
from pellucid_gateway.turn_context.budgets import limited
from pellucid_runtime.errors import ServiceError

RETRY_WITHIN = timedelta(minutes=10)
FOLLOWED_WITHIN = timedelta(minutes=30)
SAME_QUESTION = 0.9
KIND = "recent"
_FIELDS = frozenset({"at", "question", "answered", "followed"})
_MOST_RECENT = 5
# Nobody waits for this.
_SIMILARITY_S = 1.0


@dataclass(frozen=True, slots=True)
class Recent:
    """A turn of the last half hour; `answered` when it searched and answered."""

    at: datetime
    question: str
    answered: bool
    followed: bool = False


class Habits:
    """Notices retries and followed answers.

    Args:
        records: Keeps the last turns of a caller for half an hour.
        scorer: Compares questions.
    """

    def __init__(self, records: Records, scorer: ScorerPort) -> None:
        ttl_s = FOLLOWED_WITHIN.total_seconds()
        self._shelf = Shelf(records, KIND, ttl_s, _MOST_RECENT, _FIELDS)
        self._scorer = scorer

    async def note(self, caller: str, turn_id: str, turn: Recent) -> dict[str, Counter[str]]:
        """Remember a turn; returns what to add to which bucket.

        Args:
            caller: Who asked.
            turn_id: Makes the entry's id.
            turn: The turn that ended.
        """
        recent = [(name, _read(kept)) for name, kept in await self._shelf.newest(caller)]
        counts: dict[str, Counter[str]] = {}
        await self._note_followed(caller, recent[:1], turn, counts)
        asked = [r.question for _, r in recent if turn.at - r.at <= RETRY_WITHIN]
        if await self._is_retry(turn.question, asked):
            _add(counts, turn.at, "retries")
        await self._put(caller, turn_id, turn)
        return counts

    async def _note_followed(
        self,
        caller: str,
        newest: Sequence[tuple[str, Recent]],
        turn: Recent,
        counts: dict[str, Counter[str]],
    ) -> None:
        """Count the answer before as followed, in the minute in which it was given."""
        for entry_id, before in newest:
            in_time = turn.at - before.at <= FOLLOWED_WITHIN
            if before.answered and not before.followed and in_time:
                _add(counts, before.at, "followed")
                await self._put(caller, entry_id, replace(before, followed=True))

    async def _is_retry(self, question: str, asked: Sequence[str]) -> bool:
        if not asked:
            return False
        try:
            async with limited(_SIMILARITY_S):
                near = await self._scorer.similarities(question, asked)
        except (ServiceError, TimeoutError):
            return question in asked
        return max(near) > SAME_QUESTION

    async def _put(self, caller: str, entry_id: str, turn: Recent) -> None:
        await self._shelf.put(caller, entry_id, asdict(turn) | {"at": turn.at.isoformat()})


def _add(counts: dict[str, Counter[str]], at: datetime, field: str) -> None:
    for bucket in (minute_bucket(at), hour_bucket(at)):
        counts.setdefault(bucket, Counter())[field] += 1


def _read(kept: Mapping[str, Any]) -> Recent:
    return Recent(**{**kept, "at": datetime.fromisoformat(kept["at"])})
