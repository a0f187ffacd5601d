"""What a person is told where no provider could be asked."""

import math

from pellucid_gateway.domain.errors import SearchLoss, loss_of, retry_after
from pellucid_gateway.turn_context.ledger import TurnLedger

# Where a provider does not say how long its limit lasts.
_USUAL_WAIT_S = 30.0


def notify_loss(ledger: TurnLedger, *, has_results: bool, has_subject: bool = False) -> None:
    """Tell why the web could not be searched, and what there is instead.

    Args:
        ledger: Of the turn, with the providers' reports.
        has_results: The local index or the cache found something.
        has_subject: There is something else to answer from.
    """
    loss = loss_of(ledger.providers)
    if loss is SearchLoss.BUDGET and has_results:
        ledger.notify("budget_reached")
        return
    if loss is SearchLoss.OUTAGE and has_subject and not has_results:
        ledger.notify("subject_only")
        return
    if loss is not SearchLoss.OUTAGE or not has_results:
        wait_s = retry_after(ledger.providers) or _USUAL_WAIT_S
        ledger.notify(loss.value, seconds=str(math.ceil(wait_s)))
    if has_results:
        ledger.notify("web_unavailable")
