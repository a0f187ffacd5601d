"""An engine over stand-ins for its ports, and turns for it."""

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from port_fakes import (
    NOW,
    QUESTION,
    FakeDecision,
    FakeEvidence,
    FakeFetcher,
    FakeModel,
    FakeScorer,
    FakeSearch,
)

from pellucid_gateway.domain.events import TurnEvent
from pellucid_gateway.domain.ports import Services
from pellucid_gateway.domain.request import ChatMessage, Role, TurnRequest
from pellucid_gateway.turn.dependencies import Dependencies
from pellucid_gateway.turn.orchestrator import Engine
from pellucid_gateway.turn_context.budgets import StageBudgets, TurnBudget
from pellucid_gateway.turn_context.context import TurnContext
from pellucid_gateway.turn_context.ledger import TurnLedger
from pellucid_gateway.turn_context.plans import DEPTH_PLANS
from pellucid_runtime.clock import Clock, SystemClock


class PinnedNow(SystemClock):
    def now(self) -> datetime:
        return NOW


@dataclass
class Rig:
    """An engine over fakes; replace a part before the first turn."""

    decision: FakeDecision = field(default_factory=FakeDecision)
    search: FakeSearch = field(default_factory=FakeSearch)
    scorer: FakeScorer = field(default_factory=FakeScorer)
    fetcher: FakeFetcher = field(default_factory=FakeFetcher)
    model: FakeModel | None = None
    evidence: FakeEvidence = field(default_factory=FakeEvidence)
    budgets: StageBudgets = field(default_factory=StageBudgets)
    fast_model: str = ""
    judges_citations: bool = False
    redacts_secrets: bool = False

    @property
    def engine(self) -> Engine:
        ids = iter(f"{n:032x}" for n in range(1, 1000))
        services = Services(
            decision=self.decision, search=self.search, scorer=self.scorer, fetcher=self.fetcher
        )
        return Engine(
            Dependencies(
                services=services,
                model=self.model,
                evidence=self.evidence,
                clock=PinnedNow(),
                budgets=self.budgets,
                plans=dict(DEPTH_PLANS),
                knowledge_cutoff=date(2025, 1, 1),
                new_id=lambda: next(ids),
                fast_model=self.fast_model,
                judges_citations=self.judges_citations,
                redacts_secrets=self.redacts_secrets,
            )
        )

    async def events(self, message: str = QUESTION, **options: Any) -> list[TurnEvent]:
        return [event async for event in self.engine.run(turn(message, **options))]


def turn(message: str = QUESTION, **options: Any) -> TurnRequest:
    history = options.pop("history", ())
    return TurnRequest(messages=(*history, ChatMessage(Role.USER, message)), **options)


def course_of(clock: Clock, ledger: TurnLedger, total_s: float = 15.0) -> TurnContext:
    async def ignore(event: TurnEvent) -> None:
        """Nobody listens."""

    budget = TurnBudget(clock, total_s)
    return TurnContext(
        clock=clock, budgets=StageBudgets(), budget=budget, ledger=ledger, send=ignore
    )
