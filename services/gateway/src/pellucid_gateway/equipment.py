"""What every turn works with, and the one step that all of them begin with: the decision."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date

from pellucid_gateway.budgets import DepthPlan, StageBudgets, TurnBudget, limited
from pellucid_gateway.course import Course
from pellucid_gateway.decision import Decision
from pellucid_gateway.event_stream import Send
from pellucid_gateway.fallback_decision import decide_by_rule
from pellucid_gateway.gathering import Services
from pellucid_gateway.ledger import TurnLedger
from pellucid_gateway.ports import (
    AnswerModel,
    DecideCall,
    EvidenceStore,
    SearchQuota,
    WithoutQuota,
)
from pellucid_gateway.request import Depth, TurnRequest
from pellucid_gateway.rounds import Rounds
from pellucid_runtime.clock import Clock
from pellucid_runtime.errors import ServiceError

HISTORY_MESSAGES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Equipment:
    """What every turn works with.

    Attributes:
        model: None when no language model is configured.
        new_id: Makes an unguessable id.
        quota: Searching turns that a person may make.
        fast_model: Name of the model for single pages; empty means the answer model.
        rounds: Where long stretches of work of all turns wait for their turn.
    """

    services: Services
    model: AnswerModel | None
    evidence: EvidenceStore
    clock: Clock
    budgets: StageBudgets
    plans: Mapping[Depth, DepthPlan]
    knowledge_cutoff: date
    new_id: Callable[[], str]
    quota: SearchQuota = field(default_factory=WithoutQuota)
    fast_model: str = ""
    rounds: Rounds = field(default_factory=Rounds)

    @property
    def cutoff_month(self) -> str:
        """Where the model's own knowledge ends, for people: `2025-01`."""
        return f"{self.knowledge_cutoff:%Y-%m}"

    def course(self, budget: TurnBudget, ledger: TurnLedger, send: Send) -> Course:
        """The course of one turn with this equipment."""
        return Course(
            clock=self.clock,
            budgets=self.budgets,
            budget=budget,
            ledger=ledger,
            send=send,
            rounds=self.rounds,
        )


async def decide(
    request: TurnRequest, equipment: Equipment, budget: TurnBudget, ledger: TurnLedger
) -> Decision:
    """Ask the decision service, or the gateway's own rule when it is lost."""
    call = DecideCall(
        message=request.message,
        history=request.messages[:-1][-HISTORY_MESSAGES:],
        now=equipment.clock.now(),
        web_mode=request.web_mode,
        subject=request.subject,
        force_search=request.force_search,
        no_external=request.no_external,
        time_zone=request.time_zone,
        language=request.language,
        conversation_id=request.conversation_id,
        max_queries=equipment.plans[request.depth].queries,
    )
    try:
        with ledger.timed("decision"):
            async with limited(budget.stage_s(equipment.budgets.decision_s)):
                answer = await equipment.services.decision.decide(call)
    except (ServiceError, TimeoutError) as error:
        ledger.lose_by("decision", error)
        return decide_by_rule(request)
    ledger.merge_losses(answer.degraded)
    ledger.sent_out(answer.outbound)
    return answer.decision
