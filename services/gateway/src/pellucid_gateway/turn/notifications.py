"""Notices for a turn that did not go as requested.

On the decision, a failed search, a model that did not answer.
"""

import math

from pellucid_gateway.domain.attachment import is_attachment
from pellucid_gateway.domain.decision import Decision, WebMode
from pellucid_gateway.domain.errors import SearchLoss, loss_of, retry_after
from pellucid_gateway.domain.request import TurnRequest
from pellucid_gateway.question.fallback_decision import find_urls
from pellucid_gateway.turn_context.ledger import TurnLedger
from pellucid_runtime.llm.model import LlmCause, LlmError, LlmRejectedError

# If a provider does not say how long its limit lasts.
_USUAL_WAIT_S = 30.0
# Causes without a more specific notice than that the model did not answer.
_UNTOLD = frozenset({LlmCause.SERVER_ERROR, LlmCause.BROKE_OFF, LlmCause.MALFORMED})


def notify_decision(decision: Decision, request: TurnRequest, ledger: TurnLedger) -> None:
    """Say which requests of the person are not fulfilled."""
    if ledger.lost("decision"):
        ledger.notify("simple_decision")
    if decision.ignored_urls and request.web_mode is not WebMode.OFF:
        ledger.notify("urls_ignored", urls=", ".join(decision.ignored_urls))
    addresses = [url for url in find_urls(request.message) if not is_attachment(url)]
    if request.web_mode is WebMode.OFF and addresses:
        ledger.notify("web_off")
    if decision.needs_search and request.quota_spent:
        ledger.notify("rate_limited")
    if request.force_search and (decision.topicless or not decision.needs_search):
        ledger.notify("chat_instead")


def notify_gaps(
    ledger: TurnLedger, *, is_lost: bool, has_results: bool, has_subject: bool = False, cutoff: str
) -> None:
    """Say why a search returned nothing, or less than usual.

    Args:
        ledger: Of the turn, with the providers' reports.
        is_lost: No provider answered.
        has_results: There are results; of a failed search from the local index or the cache.
        has_subject: The answer can use the conversation's subject instead.
        cutoff: The month of the model's knowledge cutoff.
    """
    if is_lost:
        _notify_loss(ledger, has_results=has_results, has_subject=has_subject)
    elif not has_results:
        ledger.notify("nothing_found", cutoff=cutoff)


def _notify_loss(ledger: TurnLedger, *, has_results: bool, has_subject: bool) -> None:
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


def notify_failure(
    failure: LlmError, request: TurnRequest, ledger: TurnLedger, *, has_sources: bool
) -> None:
    """Say why the model did not answer, if the sources can answer instead.

    Raises:
        LlmError: They cannot, or the request was passed through, so that the client gets the model
            server's refusal.
    """
    if request.passthrough is not None and (_is_refusal(failure) or not has_sources):
        raise failure
    told = "model_silent" if failure.cause in _UNTOLD else f"model_{failure.cause}"
    if not has_sources:
        sentence = ledger.wording.notice(told)
        raise LlmError(sentence, cause=failure.cause, retry_after_s=failure.retry_after_s)
    if told != "model_silent":
        ledger.notify(told)
    ledger.notify("model_failed")


def _is_refusal(failure: LlmError) -> bool:
    return isinstance(failure, LlmRejectedError) or failure.cause is LlmCause.RATE_LIMITED
