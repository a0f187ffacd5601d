"""Takes requests: reuse first, then the cascade; the model first, then coverage."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pellucid_decision.decision import Decision, Query, Written
from pellucid_decision.intent.cascade import Cascade
from pellucid_decision.queries.model_reflection import ModelReflector
from pellucid_decision.queries.reflection import (
    Gathered,
    Judgement,
    NoJudgementError,
    judge_coverage,
)
from pellucid_decision.reuse import DecisionCache
from pellucid_decision.text.conversation import Ask
from pellucid_language.detection import detect_language
from pellucid_runtime.clock import Clock


@dataclass(frozen=True, slots=True)
class DecisionService:
    """Decides and reflects.

    Attributes:
        cascade: Takes new decisions.
        cache: Holds those of the last five minutes.
        clock: Stopwatch.
        observe: Told about each decision, with seconds taken.
        reused: Told about each reuse.
        reflected: Told about each judgement.
        reflector: Asked first; None without a language model.
    """

    cascade: Cascade
    cache: DecisionCache
    clock: Clock
    observe: Callable[[Decision, float], None]
    reused: Callable[[], None]
    reflected: Callable[[Judgement], None] = lambda _: None
    reflector: ModelReflector | None = None

    async def decide(self, ask: Ask) -> Decision:
        """Return the decision, reused when the same was asked in this conversation."""
        known = self.cache.get(ask)
        if known is not None:
            self.reused()
            return known
        begun = self.clock.monotonic()
        decision = await self.cascade.decide(ask)
        self.cache.put(ask, decision)
        self.observe(decision, self.clock.monotonic() - begun)
        return decision

    async def write(self, ask: Ask, known: Sequence[Query]) -> Written:
        """Return what a model adds to the queries of a decision."""
        return await self.cascade.write(ask, known)

    async def reflect(self, gathered: Gathered, language: str) -> Judgement:
        """Return whether what was gathered answers the question."""
        code = language or detect_language(gathered.question, "en")
        own = judge_coverage(gathered, code)
        try:
            judged = await self.reflector.judge(gathered) if self.reflector else None
        except NoJudgementError as error:
            lost = (("llm", "The reasoning model gave no judgement."),)
            judged = replace(own, outbound=error.outbound, degraded=lost)
        judged = judged or own
        self.reflected(judged)
        return judged
