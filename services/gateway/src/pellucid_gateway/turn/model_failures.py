"""What is told of a model that did not answer."""

from pellucid_gateway.domain.request import TurnRequest
from pellucid_gateway.turn.result import Findings
from pellucid_gateway.turn_context.ledger import TurnLedger
from pellucid_runtime.llm.model import LlmCause, LlmError, LlmRejectedError

# The causes for which there is nothing better to say than that it did not answer.
_UNTOLD = frozenset({LlmCause.SERVER_ERROR, LlmCause.BROKE_OFF, LlmCause.MALFORMED})


def notify_failure(
    failure: LlmError, request: TurnRequest, found: Findings, ledger: TurnLedger
) -> None:
    """Tell why the model did not answer, where the sources answer in its place.

    Raises:
        LlmError: They cannot, or the client speaks the model server's API and gets what that says
            as it refuses.
    """
    if request.passthrough is not None and (_is_refusal(failure) or not found.sources):
        raise failure
    told = "model_silent" if failure.cause in _UNTOLD else f"model_{failure.cause}"
    if not found.sources:
        sentence = ledger.wording.notice(told)
        raise LlmError(sentence, cause=failure.cause, retry_after_s=failure.retry_after_s)
    if told != "model_silent":
        ledger.notify(told)
    ledger.notify("model_failed")


def _is_refusal(failure: LlmError) -> bool:
    return isinstance(failure, LlmRejectedError) or failure.cause is LlmCause.RATE_LIMITED
