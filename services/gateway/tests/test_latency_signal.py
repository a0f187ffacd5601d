"""Slow answers of the scorer are told; silence and faults are not."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from port_fakes import FakeScorer

from pellucid_gateway.domain.ports import Passage, PassageSupport, ScoreCall
from pellucid_gateway.load_shedding.latency_signal import SLOW_SHARE, LatencySignal, WatchedScorer
from pellucid_gateway.turn_context.budgets import StageBudgets
from pellucid_runtime.clock import SystemClock
from pellucid_runtime.errors import DependencyDownError, OverloadedError, ServiceError

BUDGETS = replace(StageBudgets(), score_s=1.0, support_s=1.0, similarity_s=1.0)
CALL = ScoreCall(
    question="toll",
    hits=(),
    now=datetime(2026, 11, 21, tzinfo=UTC),
    max_results=5,
    max_per_domain=2,
)


class Stopwatch(SystemClock):
    """Stands until it is moved."""

    now_s = 0.0

    def monotonic(self) -> float:
        return self.now_s


class TimedScorer(FakeScorer):
    """Takes its time, or fails."""

    def __init__(self, clock: Stopwatch) -> None:
        super().__init__()
        self._clock = clock
        self.takes_s = 0.0
        self.error: ServiceError | TimeoutError | None = None

    async def score(self, call: ScoreCall) -> tuple[()]:  # type: ignore[override]
        del call
        self._clock.now_s += self.takes_s
        if self.error:
            raise self.error
        return ()

    async def support(
        self, claims: Sequence[str], passages: Sequence[Passage]
    ) -> tuple[tuple[PassageSupport, ...], ...]:
        await self.score(CALL)
        return await super().support(claims, passages)

    async def similarities(
        self, text: str, others: Sequence[str], *, no_store: bool = False, thorough: bool = False
    ) -> tuple[float, ...]:
        await self.score(CALL)
        return await super().similarities(text, others, no_store=no_store, thorough=thorough)


@pytest.fixture
def latency_signal() -> LatencySignal:
    return LatencySignal()


@pytest.fixture
def scorer() -> TimedScorer:
    return TimedScorer(Stopwatch())


@pytest.fixture
def watched(scorer: TimedScorer, latency_signal: LatencySignal) -> WatchedScorer:
    return WatchedScorer(
        scorer, latency_signal=latency_signal, budgets=BUDGETS, clock=scorer._clock
    )


async def test_the_share_of_slow_answers_since_the_last_look(
    scorer: TimedScorer, watched: WatchedScorer, latency_signal: LatencySignal
) -> None:
    for takes_s in (0.1, SLOW_SHARE - 0.01, SLOW_SHARE + 0.01):
        scorer.takes_s = takes_s
        await watched.score(CALL)
    await watched.support(["A toll"], [Passage("1", "A toll")])

    assert latency_signal.take() == 0.5
    assert latency_signal.take() is None


@pytest.mark.parametrize(
    "error", [DependencyDownError("scorer"), OverloadedError("scorer", 0.1), TimeoutError()]
)
async def test_who_does_not_answer_says_nothing_of_the_load(
    scorer: TimedScorer,
    watched: WatchedScorer,
    latency_signal: LatencySignal,
    error: ServiceError | TimeoutError,
) -> None:
    scorer.error, scorer.takes_s = error, 2.0
    with pytest.raises(type(error)):
        await watched.score(CALL)

    assert latency_signal.take() is None


async def test_likeness_that_a_turn_waits_for_is_watched(
    scorer: TimedScorer, watched: WatchedScorer, latency_signal: LatencySignal
) -> None:
    scorer.takes_s = SLOW_SHARE + 0.01
    await watched.similarities("a toll", ["a bridge"])

    assert latency_signal.take() == 1.0
