"""Time and amount that a turn may use, by depth (the table of depths).

It decides how long each stage may take within the whole; it does not run anything.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any

from pellucid_gateway.vocabulary.request import Depth
from pellucid_runtime.clock import Clock
from pellucid_runtime.rpc.deadline import deadline_scope


@dataclass(frozen=True, slots=True, kw_only=True)
class DepthPlan:
    """One row of the table of depths.

    Attributes:
        queries: Most queries on one thing in the first round.
        parts: Most things asked in one message that get a query each.
        rounds: Most rounds of search; one more follows when nothing fits.
        pages: Most pages read per round, `pages_at_once` at a time.
        sources: Most sources shown to the model.
        source_tokens: Tokens of passages per source; what one does not need goes to the others.
        added_tokens: Tokens that sources and their rules may add to the prompt.
        answer_tokens: Cap of one piece of the answer.
        continuations: How often an answer that hits the length limit is continued.
        extracts: A model finds the telling sentences of each page read.
        prompt_chars: Characters of the prompt beyond which history is left out.
        total_s: Whole turn.
    """

    queries: int
    parts: int
    rounds: int
    pages: int
    pages_at_once: int
    sources: int
    source_tokens: int
    added_tokens: int
    answer_tokens: int
    continuations: int
    extracts: bool
    prompt_chars: int
    total_s: float


DEPTH_PLANS: Mapping[Depth, DepthPlan] = MappingProxyType(
    {
        Depth.QUICK: DepthPlan(
            queries=1,
            parts=1,
            rounds=1,
            pages=0,
            pages_at_once=1,
            sources=3,
            source_tokens=80,
            added_tokens=600,
            answer_tokens=150,
            continuations=1,
            extracts=False,
            prompt_chars=3_000,
            total_s=10.0,
        ),
        Depth.STANDARD: DepthPlan(
            queries=2,
            parts=3,
            rounds=1,
            pages=3,
            pages_at_once=3,
            sources=4,
            source_tokens=200,
            added_tokens=1_200,
            answer_tokens=400,
            continuations=2,
            extracts=False,
            prompt_chars=8_000,
            total_s=15.0,
        ),
        Depth.LEAN: DepthPlan(
            queries=2,
            parts=3,
            rounds=1,
            pages=3,
            pages_at_once=3,
            sources=3,
            source_tokens=60,
            added_tokens=500,
            answer_tokens=400,
            continuations=2,
            extracts=False,
            prompt_chars=4_000,
            total_s=15.0,
        ),
        Depth.DEEP: DepthPlan(
            queries=3,
            parts=3,
            rounds=3,
            pages=3,
            pages_at_once=2,
            sources=8,
            source_tokens=400,
            added_tokens=4_000,
            answer_tokens=1_000,
            continuations=3,
            extracts=True,
            prompt_chars=20_000,
            total_s=60.0,
        ),
    }
)


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
    # A second opinion on the open claims of one sentence, which waits for it.
    opinion_s: float = 0.6
    first_token_s: float = 10.0
    idle_s: float = 20.0
    evidence_s: float = 0.2


_MOST_SECONDS = 600.0
_MOST_COUNT = 100_000


def plans_with(
    changes: Mapping[str, Mapping[str, float]], *, lean: bool = False
) -> Mapping[Depth, DepthPlan]:
    """The table of depths with changed cells; with `lean` its row stands for the standard one too.

    Raises:
        ValueError: A depth or a column does not exist, or a value is out of its range.
    """
    unknown = set(changes) - {depth.value for depth in Depth}
    if unknown:
        raise ValueError(f"no such depth: {', '.join(sorted(unknown))}")
    plans = {
        depth: replace(plan, **_cells(plan, changes.get(depth.value, {})))
        for depth, plan in DEPTH_PLANS.items()
    }
    return plans | {Depth.STANDARD: plans[Depth.LEAN]} if lean else plans


def _cells(plan: DepthPlan, changes: Mapping[str, float]) -> dict[str, Any]:
    types = {field.name: type(getattr(plan, field.name)) for field in fields(plan)}
    cells: dict[str, Any] = {}
    for name, value in changes.items():
        if name not in types or not 0 <= value <= _MOST_COUNT:
            raise ValueError(f"{name}: no such column, or not between 0 and {_MOST_COUNT}")
        cells[name] = types[name](value)
    return cells


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
