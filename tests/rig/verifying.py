"""Runs one planted answer through the gateway's citation verifier."""

from collections.abc import Sequence
from dataclasses import dataclass

from pellucid_gateway.domain.events import TurnEvent
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.domain.notices import wording_for
from pellucid_gateway.domain.ports import ScorerPort
from pellucid_gateway.domain.request import CitationStyle
from pellucid_gateway.turn_context.budgets import StageBudgets, TurnBudget
from pellucid_gateway.turn_context.context import TurnContext
from pellucid_gateway.turn_context.ledger import TurnLedger
from pellucid_gateway.verification.judge import SupportJudge
from pellucid_gateway.verification.judgement import SecondOpinion
from pellucid_gateway.verification.stream import CitationVerifier
from pellucid_runtime.clock import SystemClock
from rig.planted import Planted

_TURN_S = 60.0


@dataclass(frozen=True, slots=True)
class Verified:
    """The answer as sent, and the numbers of the sources that it cites."""

    answer: str
    cited: frozenset[int]


async def _ignore(event: TurnEvent) -> None:
    """Nobody listens."""


def judge_of(
    sources: Sequence[Source],
    scorer: ScorerPort,
    language: str,
    opinion: SecondOpinion | None = None,
) -> SupportJudge:
    """The gateway's judge of claims about some sources, with all the time that it wants."""
    clock = SystemClock()
    context = TurnContext(
        clock=clock,
        budgets=StageBudgets(support_s=_TURN_S),
        budget=TurnBudget(clock, _TURN_S),
        ledger=TurnLedger(clock, wording_for(language)),
        send=_ignore,
    )
    return SupportJudge(
        sources,
        scorer=scorer,
        context=context,
        question="",
        language=language,
        opinion=opinion,
    )


async def verified(
    case: Planted, scorer: ScorerPort, opinion: SecondOpinion | None = None
) -> Verified:
    """Check one planted answer; with an opinion it decides what words leave open."""
    judge = judge_of(case.sources, scorer, case.language, opinion)
    verifier = CitationVerifier(case.sources, judge=judge, style=CitationStyle.NATURAL)
    async for _ in verifier.feed(case.text):
        pass
    async for _ in verifier.finish():
        pass
    return Verified(verifier.answer, frozenset(c.source for c in verifier.citations))
