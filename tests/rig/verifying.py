"""Runs one planted answer through the gateway's citation verifier."""

from dataclasses import dataclass

from pellucid_gateway.budgets import StageBudgets, TurnBudget
from pellucid_gateway.citations import CitationVerifier
from pellucid_gateway.course import Course
from pellucid_gateway.ledger import TurnLedger
from pellucid_gateway.notices import wording_for
from pellucid_gateway.ports import ScorerPort
from pellucid_gateway.request import CitationStyle
from pellucid_gateway.support import SupportJudge
from pellucid_gateway.turn import TurnEvent
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


async def verified(case: Planted, scorer: ScorerPort) -> Verified:
    """Check one planted answer."""
    clock = SystemClock()
    ledger = TurnLedger(clock, wording_for(case.language))
    course = Course(
        clock=clock,
        budgets=StageBudgets(support_s=_TURN_S),
        budget=TurnBudget(clock, _TURN_S),
        ledger=ledger,
        send=_ignore,
    )
    judge = SupportJudge(
        case.sources, scorer=scorer, course=course, question="", language=case.language
    )
    verifier = CitationVerifier(case.sources, judge=judge, style=CitationStyle.NATURAL)
    async for _ in verifier.feed(case.text):
        pass
    async for _ in verifier.finish():
        pass
    return Verified(verifier.answer, frozenset(c.source for c in verifier.citations))
