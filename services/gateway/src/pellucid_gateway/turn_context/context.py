"""What every stage of one turn works with: its clock, its time, its account and its listener."""

from dataclasses import dataclass, field

from pellucid_gateway.domain.events import Send
from pellucid_gateway.turn_context.budgets import StageBudgets, TurnBudget
from pellucid_gateway.turn_context.ledger import TurnLedger
from pellucid_gateway.turn_context.loop_sharing import Rounds
from pellucid_runtime.clock import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnContext:
    """The course of one turn.

    Attributes:
        clock: Present instant and stopwatch.
        budgets: Longest time of each stage.
        budget: The turn's time.
        ledger: The turn's account.
        send: Takes every event but the last.
        rounds: Where long stretches of work wait for their turn, all turns together.
    """

    clock: Clock
    budgets: StageBudgets
    budget: TurnBudget
    ledger: TurnLedger
    send: Send
    rounds: Rounds = field(default_factory=Rounds)
