"""The dependencies of every turn."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date

from pellucid_gateway.domain.answer_model import AnswerModel
from pellucid_gateway.domain.events import Send
from pellucid_gateway.domain.ports import EvidenceStore, Services
from pellucid_gateway.domain.request import Depth, Role, TurnRequest
from pellucid_gateway.domain.standing import Standings, WithoutStandings
from pellucid_gateway.domain.state_ports import SearchQuota, WithoutQuota
from pellucid_gateway.turn.turn_redaction import private_values, redacting
from pellucid_gateway.turn_context.budgets import StageBudgets, TurnBudget
from pellucid_gateway.turn_context.context import TurnContext
from pellucid_gateway.turn_context.ledger import TurnLedger
from pellucid_gateway.turn_context.loop_sharing import Rounds
from pellucid_gateway.turn_context.plans import DepthPlan
from pellucid_language.pii.gate import GATE
from pellucid_runtime.clock import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """What every turn depends on.

    Attributes:
        model: None when no language model is configured.
        new_id: Makes an unguessable id.
        quota: Searching turns that a person may make.
        standings: Source preferences of a person.
        redacts_secrets: Prompts of the native API to an external model show no secrets.
        fast_model: Name of the model for single pages; empty means the answer model.
        judges_citations: A model judges citations: the fast one, else the one that answers.
        rounds: Shares the event loop between the CPU-bound work of all turns.
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
    standings: Standings = field(default_factory=WithoutStandings)
    fast_model: str = ""
    redacts_secrets: bool = False
    judges_citations: bool = True
    rounds: Rounds = field(default_factory=Rounds)

    @property
    def cutoff_month(self) -> str:
        """The month of the knowledge cutoff, for people: `2025-01`."""
        return f"{self.knowledge_cutoff:%Y-%m}"

    def for_turn(self, request: TurnRequest) -> "Dependencies":
        """Wrap the services so that nothing private in the request is passed on to them."""
        return replace(self, services=redacting(self.services, private_values(request)))

    def model_for(self, request: TurnRequest) -> AnswerModel | None:
        """The model that may answer this request; with `no_external` only an internal one."""
        outside = self.model is not None and bool(self.model.receiver)
        return None if request.no_external and outside else self.model

    def judge_of(self, model: AnswerModel) -> str:
        """Name of the model that judges claims; empty where none does."""
        return (self.fast_model or model.name) if self.judges_citations else ""

    def new_marker(self) -> str:
        """A random word that delimits the quoted data of a prompt."""
        return self.new_id()[-8:]

    def hidden(self, request: TurnRequest) -> tuple[str, ...]:
        """Secrets in the person's messages, if an external model may not see them."""
        hides = self.redacts_secrets and self.model is not None and bool(self.model.receiver)
        said = (m.content for m in request.messages if m.role is Role.USER)
        return GATE.private(said) if hides else ()

    def context(self, budget: TurnBudget, ledger: TurnLedger, send: Send) -> TurnContext:
        """The context that the stages of one turn share."""
        return TurnContext(
            clock=self.clock,
            budgets=self.budgets,
            budget=budget,
            ledger=ledger,
            send=send,
            rounds=self.rounds,
        )
