"""Requests of gateway.v1 as the engine sees them. Pure and total.

The runtime has already refused unknown enum numbers and fields beyond their limits; what remains
is meaning: an UNSPECIFIED enum is the documented default.
"""

from pellucid.gateway.v1 import gateway_pb2

from pellucid_gateway.domain.limits import MESSAGES
from pellucid_gateway.domain.request import (
    WEIGHTS,
    ChatMessage,
    Role,
    ScoringOptions,
    SearchOptions,
    TurnRequest,
)
from pellucid_language.text import clean
from pellucid_runtime.errors import InvalidArgumentError
from pellucid_runtime.rpc.messages import member, read


def turn_request(request: gateway_pb2.ChatRequest, deadline_ms: int | None) -> TurnRequest:
    """Translate one chat.

    Raises:
        InvalidArgumentError: The last message is not the person's, or is blank.
    """
    messages = tuple(
        ChatMessage(member(Role, message, "role") or Role.USER, clean(message.content))
        for message in request.messages
    )
    _check(messages)
    options = read(SearchOptions, request, scoring=_scoring(request.scoring))
    return read(
        TurnRequest,
        request,
        clean,
        messages=messages,
        caller=request.user_id,
        options=options,
        deadline_ms=deadline_ms,
    )


def _check(messages: tuple[ChatMessage, ...]) -> None:
    if not messages or len(messages) > MESSAGES:
        raise InvalidArgumentError("messages", f"1 to {MESSAGES} messages")
    if messages[-1].role is not Role.USER:
        raise InvalidArgumentError("messages", "must end with a user message")
    if not messages[-1].content.strip():
        raise InvalidArgumentError(f"messages[{len(messages) - 1}].content", "must not be empty")


def _scoring(scoring: gateway_pb2.ScoringOptions) -> ScoringOptions:
    weights = tuple(getattr(scoring.weights, name) for name in WEIGHTS)
    return read(ScoringOptions, scoring, weights=weights if scoring.HasField("weights") else None)
