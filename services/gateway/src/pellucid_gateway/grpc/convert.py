"""Requests of gateway.v1 as the engine sees them. Pure and total.

The runtime has already refused unknown enum numbers and fields beyond their limits; what remains
is meaning: an UNSPECIFIED enum is the documented default.
"""

from datetime import UTC
from enum import StrEnum
from typing import Any, TypeVar

from google.protobuf.timestamp_pb2 import Timestamp
from pellucid.common.v1 import common_pb2
from pellucid.gateway.v1 import gateway_pb2

from pellucid_gateway.domain.decision import WebMode
from pellucid_gateway.domain.findings import Routing, SafeSearch
from pellucid_gateway.domain.limits import MESSAGES
from pellucid_gateway.domain.request import (
    ChatMessage,
    CitationStyle,
    Depth,
    Role,
    ScoringOptions,
    SearchOptions,
    SubjectContext,
    TurnRequest,
)
from pellucid_language.text import clean
from pellucid_runtime.errors import InvalidArgumentError

W = TypeVar("W", bound=StrEnum)


def word(kind: type[W], message: Any, field: str, default: W) -> W:
    """The domain word of an enum field; the names differ only by the proto's prefix."""
    number = getattr(message, field)
    descriptor = message.DESCRIPTOR.fields_by_name[field].enum_type
    name = descriptor.values_by_number[number].name
    unspecified = descriptor.values_by_number[0].name
    prefix = unspecified.removesuffix("UNSPECIFIED")
    return default if number == 0 else kind[name.removeprefix(prefix)]


def turn_request(request: gateway_pb2.ChatRequest, deadline_ms: int | None) -> TurnRequest:
    """Translate one chat.

    Raises:
        InvalidArgumentError: The last message is not the person's, or is blank.
    """
    messages = tuple(_message(message) for message in request.messages)
    _check(messages)
    return TurnRequest(
        messages=messages,
        conversation_id=request.conversation_id,
        caller=request.user_id,
        web_mode=word(WebMode, request, "web_mode", WebMode.AUTO),
        force_search=request.force_search,
        depth=word(Depth, request, "depth", Depth.STANDARD),
        citation_style=word(CitationStyle, request, "citation_style", CitationStyle.NATURAL),
        language=request.language,
        time_zone=request.time_zone,
        options=_options(request),
        model=request.model,
        deadline_ms=deadline_ms,
        subject=_subject(request.subject) if request.HasField("subject") else None,
        memories=tuple(clean(memory) for memory in request.memories),
    )


def _check(messages: tuple[ChatMessage, ...]) -> None:
    if not messages or len(messages) > MESSAGES:
        raise InvalidArgumentError("messages", f"1 to {MESSAGES} messages")
    if messages[-1].role is not Role.USER:
        raise InvalidArgumentError("messages", "must end with a user message")
    if not messages[-1].content.strip():
        raise InvalidArgumentError(f"messages[{len(messages) - 1}].content", "must not be empty")


def _message(message: common_pb2.Message) -> ChatMessage:
    return ChatMessage(word(Role, message, "role", Role.USER), clean(message.content))


def _options(request: gateway_pb2.ChatRequest) -> SearchOptions:
    routing = word(Routing, request, "routing", Routing.PRIMARY_THEN_FALLBACK)
    return SearchOptions(
        recency_days=request.recency_days,
        site=request.site,
        country=request.country,
        include_domains=tuple(request.include_domains),
        exclude_domains=tuple(request.exclude_domains),
        max_results=request.max_results,
        safe_search=word(SafeSearch, request, "safe_search", SafeSearch.MODERATE),
        routing=routing,
        providers=tuple(request.providers),
        scoring=_scoring(request.scoring),
        no_external=request.no_external,
    )


def _scoring(scoring: gateway_pb2.ScoringOptions) -> ScoringOptions:
    weights = scoring.weights
    return ScoringOptions(
        profile=scoring.profile,
        weights=(weights.semantic, weights.trust, weights.freshness, weights.quality)
        if scoring.HasField("weights")
        else None,
        threshold=scoring.threshold if scoring.HasField("threshold") else None,
    )


def _subject(subject: common_pb2.SubjectContext) -> SubjectContext:
    return SubjectContext(
        kind=subject.kind,
        title=clean(subject.title),
        speakers=tuple(clean(name) for name in subject.speakers),
        organizations=tuple(clean(name) for name in subject.organizations),
        event=clean(subject.event),
        description=clean(subject.description),
        published_at=_moment(subject.published_at) if subject.HasField("published_at") else None,
    )


def _moment(timestamp: Timestamp) -> Any:
    return timestamp.ToDatetime(tzinfo=UTC)
