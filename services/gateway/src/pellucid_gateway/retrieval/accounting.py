"""What a search adds to the account of its turn."""

from pellucid_gateway.domain.findings import ProviderStatus
from pellucid_gateway.domain.ports import SearchAnswer
from pellucid_gateway.retrieval.gathered import nobody_answered
from pellucid_gateway.turn_context.ledger import TurnLedger


def account(answer: SearchAnswer, ledger: TurnLedger) -> None:
    """Note who was asked and with what, what it cost and what was lost."""
    ledger.report_providers(answer.providers)
    ledger.merge_losses(answer.degraded)
    ledger.sent_out(answer.outbound)
    ledger.searched_for(answer.queries)
    ledger.linked(answer.entities)
    calls = sum(report.calls for report in answer.providers)
    ledger.use(searches=calls, cost_micro_usd=answer.cost_micro_usd)
    if any(report.status is ProviderStatus.BUDGET for report in answer.providers):
        ledger.lose("budget", "the providers' budget is spent")
        if answer.hits:
            ledger.notify("budget_reached")
    if nobody_answered(answer):
        ledger.lose("search", "no provider answered")
