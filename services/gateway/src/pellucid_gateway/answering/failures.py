"""Ways in which no answer of a model comes about."""

from pellucid_runtime.errors import ServiceError
from pellucid_runtime.llm.model import LlmError, LlmOutputError


class BrokenAnswerError(Exception):
    """The model broke off within a call of a tool: half a call is worse than none."""


class EmptyAnswerError(LlmOutputError):
    """The model ended without a word."""

    def __init__(self) -> None:
        super().__init__("the model answered nothing")


def cause_of(error: ServiceError) -> str:
    """Cause of a model's failure, or the reason of any other, for the account of the turn."""
    return error.cause if isinstance(error, LlmError) else error.reason
