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
    # A provider's limit per second is waited for so long, within the gathering share of the turn.
    search_turn_s: float = 12.0
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


# Where no deadline was given: the end of a turn whose model thinks on and on.
LONGEST_TURN_S = 1_800.0
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
        is_strict: The person set it. Otherwise a model that is still to begin is waited for as
            long as the model's own settings say, and the time begins anew with its first word.
    """

    def __init__(self, clock: Clock, total_s: float, *, is_strict: bool = True) -> None:
        self._clock = clock
        self._is_strict = is_strict
        self._begun = clock.monotonic()
        self._ends = self._begun + total_s
        self.total_s = total_s
        self._closing_s = min(CLOSING_S, total_s * CLOSING_SHARE)
        self._answering: asyncio.Timeout | None = None

    @property
    def longest_s(self) -> float:
        """Seconds after which the turn ends, whatever happens in it."""
        return self.total_s if self._is_strict else LONGEST_TURN_S

    def elapsed_s(self) -> float:
        """Seconds since the turn began."""
        return self._clock.monotonic() - self._begun

    def left_s(self) -> float:
        """Seconds until the answer must be complete; never negative."""
        return max(0.0, self._ends - self._closing_s - self._clock.monotonic())

    def stage_s(self, most_s: float) -> float:
        """Seconds for a stage that gathers: its own most, within the gathering share."""
        usable_s = (self.total_s - self._closing_s) * GATHERING_SHARE
        return max(0.0, min(most_s, usable_s - self.elapsed_s()))

    def answer_s(self, most_s: float) -> float:
        """Seconds for a stage of answering: its own most, within the turn."""
        return min(most_s, self.left_s())

    @asynccontextmanager
    async def answering(self) -> AsyncIterator[None]:
        """Bound the enclosed answer by what is left of the turn.

        Raises:
            TimeoutError: The time is up.
        """
        if self._is_strict:
            async with limited(self.left_s()):
                yield
            return
        try:
            async with asyncio.timeout(None) as self._answering:
                yield
        finally:
            self._answering = None

    def begin_anew(self) -> None:
        """The model wrote its first word, or will write none."""
        if self._is_strict:
            return
        self._ends = self._clock.monotonic() + self.total_s
        if self._answering is not None:
            self._answering.reschedule(asyncio.get_running_loop().time() + self.left_s())


@asynccontextmanager
async def limited(seconds: float) -> AsyncIterator[asyncio.Timeout]:
    """Bound the enclosed work here and tell downstream calls how long they have.

    Raises:
        TimeoutError: The time is up.
    """
    with deadline_scope(seconds):
        async with asyncio.timeout(seconds) as timeout:
            yield timeout
