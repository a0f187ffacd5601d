"""What is told of a model that did not answer."""

from pellucid_gateway.course.ledger import TurnLedger
from pellucid_gateway.turn.result import Found
from pellucid_gateway.vocabulary.request import TurnRequest
from pellucid_runtime.llm.model import LlmCause, LlmError, LlmRejectedError

# The causes for which there is nothing better to say than that it did not answer.
_UNTOLD = frozenset({LlmCause.SERVER_ERROR, LlmCause.BROKE_OFF, LlmCause.MALFORMED})


def notify_failure(
    failure: LlmError | None, request: TurnRequest, found: Found, ledger: TurnLedger
) -> None:
    """Tell why the model did not answer.

    Raises:
        LlmError: The client speaks the model server's API, and gets what that says, where it
            refuses or nothing else can answer.
    """
    if failure is None:
        ledger.notify("model_failed" if found.sources else "model_silent")
        return
    if request.passthrough is not None and (_is_refusal(failure) or not found.sources):
        raise failure
    if failure.cause not in _UNTOLD:
        ledger.notify(f"model_{failure.cause}")
    if found.sources or failure.cause in _UNTOLD:
        ledger.notify("model_failed" if found.sources else "model_silent")


def _is_refusal(failure: LlmError) -> bool:
    return isinstance(failure, LlmRejectedError) or failure.cause is LlmCause.RATE_LIMITED
