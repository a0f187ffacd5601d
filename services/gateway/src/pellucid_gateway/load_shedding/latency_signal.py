"""Whether the scorer still answers with time to spare: the sign that comes before scores are lost.

On the way to its limit a scorer answers later and later, and then no longer in time, without the
gateway's own loop being late. Only answers count. Who does not answer at all is as likely dead as
busy, and fewer turns would not help the dead; and one replica of several that refuses costs scores,
which is told, where refused turns would cost answers.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass

from pellucid_gateway.domain.findings import ScoredHit
from pellucid_gateway.domain.ports import Passage, PassageSupport, ScoreCall, ScorerPort
from pellucid_gateway.turn_context.budgets import StageBudgets
from pellucid_runtime.clock import Clock

# Of the time that a call has, what it may use before it counts as slow. At the rate that two cores
# sustain, scores take a tenth of it and hardly one in a hundred three tenths.
SLOW_SHARE = 0.5


class LatencySignal:
    """Counts answers, and those of them that were slow, from one look to the next."""

    def __init__(self) -> None:
        self._answers = self._slow = 0

    def note(self, *, slow: bool) -> None:
        """An answer has come."""
        self._answers += 1
        self._slow += slow

    def take(self) -> float | None:
        """Share of slow answers since the last look, 0 to 1; None when there were no answers."""
        share = self._slow / self._answers if self._answers else None
        self._answers = self._slow = 0
        return share


@dataclass(slots=True, eq=False)
class WatchedScorer:
    """Implements `ports.ScorerPort` by another scorer whose answers are timed.

    Attributes:
        scorer: Does the work.
        latency_signal: Told of what turns wait for.
        budgets: How long it may take.
        clock: Stopwatch.
    """

    scorer: ScorerPort
    _: KW_ONLY
    latency_signal: LatencySignal
    budgets: StageBudgets
    clock: Clock

    async def score(self, call: ScoreCall) -> tuple[ScoredHit, ...]:
        """See `ScorerPort`."""
        with self._watched(self.budgets.score_s):
            return await self.scorer.score(call)

    async def similarities(
        self,
        text: str,
        others: Sequence[str],
        *,
        no_store: bool = False,
        thorough: bool = False,
    ) -> tuple[float, ...]:
        """See `ScorerPort`."""
        with self._watched(self.budgets.similarity_s):
            return await self.scorer.similarities(
                text, others, no_store=no_store, thorough=thorough
            )

    async def support(
        self, claims: Sequence[str], passages: Sequence[Passage]
    ) -> tuple[tuple[PassageSupport, ...], ...]:
        """See `ScorerPort`."""
        with self._watched(self.budgets.support_s):
            return await self.scorer.support(claims, passages)

    @contextmanager
    def _watched(self, within_s: float) -> Iterator[None]:
        begun = self.clock.monotonic()
        yield  # what fails leaves here
        self.latency_signal.note(slow=self.clock.monotonic() - begun > SLOW_SHARE * within_s)
