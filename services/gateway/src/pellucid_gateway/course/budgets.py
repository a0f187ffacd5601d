"""Time that a turn may use: how long each stage may take within the whole."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields

from pellucid_runtime.clock import Clock
from pellucid_runtime.rpc.deadline import deadline_scope


@dataclass(frozen=True, slots=True, kw_only=True)
class StageBudgets:
    """Longest time of each stage in seconds; every one is a setting."""

    decision_s: float = 1.8
    search_s: float = 3.0
    score_s: float = 0.5
    page_s: float = 8.0
    # Once a page is there, the others get this long: one slow page must not hold the answer.
    page_grace_s: float = 1.0
    similarity_s: float = 1.0
    reflect_s: float = 5.0
    extract_s: float = 10.0
    # What a summary that is not ready at the end of the answer is still waited for.
    summary_wait_s: float = 1.5
    support_s: float = 0.5
    # The judge's word on the claims of a piece of the answer.
    opinion_s: float = 0.9
    first_token_s: float = 10.0
    idle_s: float = 20.0
    evidence_s: float = 0.2


_MOST_SECONDS = 600.0


def budgets_with(changes: Mapping[str, float]) -> StageBudgets:
    """The stages' longest times with changes, in seconds.

    Raises:
        ValueError: A stage does not exist, or a time is not more than 0 and at most 600.
    """
    known = {field.name for field in fields(StageBudgets)}
    for name, seconds in changes.items():
        if name not in known or not 0 < seconds <= _MOST_SECONDS:
            raise ValueError(f"{name}: no such stage, or not above 0 and at most {_MOST_SECONDS}")
    return StageBudgets(**changes)


# Share of the whole turn that gathering may use; the rest is for the answer.
GATHERING_SHARE = 0.6
# Time kept back so that the last event leaves before the deadline.
CLOSING_S = 0.25
# The closing time of a very short deadline is at most this share of it.
CLOSING_SHARE = 0.2


class TurnBudget:
    """The clock of one turn.

    Args:
        clock: Stopwatch.
        total_s: Whole turn in seconds, more than 0.
    """

    def __init__(self, clock: Clock, total_s: float) -> None:
        self._clock = clock
        self._begun = clock.monotonic()
        self.total_s = total_s
        self._closing_s = min(CLOSING_S, total_s * CLOSING_SHARE)

    def elapsed_s(self) -> float:
        """Seconds since the turn began."""
        return self._clock.monotonic() - self._begun

    def left_s(self) -> float:
        """Seconds until the answer must be complete; never negative."""
        return max(0.0, self.total_s - self._closing_s - self.elapsed_s())

    def stage_s(self, most_s: float) -> float:
        """Seconds for a stage that gathers: its own most, within the gathering share."""
        usable_s = (self.total_s - self._closing_s) * GATHERING_SHARE
        return max(0.0, min(most_s, usable_s - self.elapsed_s()))

    def answer_s(self, most_s: float) -> float:
        """Seconds for a stage of answering: its own most, within the turn."""
        return min(most_s, self.left_s())


@asynccontextmanager
async def limited(seconds: float) -> AsyncIterator[asyncio.Timeout]:
    """Bound the enclosed work here and tell downstream calls how long they have.

    Raises:
        TimeoutError: The time is up.
    """
    with deadline_scope(seconds):
        async with asyncio.timeout(seconds) as timeout:
            yield timeout
