"""Between protobuf messages and domain values; total in both directions."""

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from pellucid.common.v1 import common_pb2 as common
from pellucid.decision.v1 import decision_pb2 as pb

from pellucid_decision import decision as domain
from pellucid_decision.queries.reflection import Extract, Gathered, Judgement
from pellucid_decision.text.conversation import (
    HISTORY_TURNS,
    TURN_CHARACTERS,
    Ask,
    Role,
    Subject,
    Turn,
    WebMode,
)
from pellucid_decision.text.normal import clean
from pellucid_runtime.errors import InvalidArgumentError

_MAX_QUERIES = 3
_MODES = {pb.WEB_MODE_ON: WebMode.ON, pb.WEB_MODE_OFF: WebMode.OFF}
_ROLES = {
    common.ROLE_USER: Role.USER,
    common.ROLE_ASSISTANT: Role.ASSISTANT,
    common.ROLE_SYSTEM: Role.SYSTEM,
    common.ROLE_TOOL: Role.TOOL,
}
_FRESHNESS = {
    domain.Freshness.NONE: common.FRESHNESS_NONE,
    domain.Freshness.DAY: common.FRESHNESS_DAY,
    domain.Freshness.WEEK: common.FRESHNESS_WEEK,
    domain.Freshness.MONTH: common.FRESHNESS_MONTH,
    domain.Freshness.YEAR: common.FRESHNESS_YEAR,
}

_WINDOWS = {number: window for window, number in _FRESHNESS.items()}


def ask_of(request: pb.DecideRequest, *, now: datetime, cutoff: datetime) -> Ask:
    """Read a request.

    Args:
        request: As received; its limits were checked.
        now: The server's instant, for a request without one.
        cutoff: The server's cut-off, for a request without one.

    Raises:
        InvalidArgumentError: The message is blank, the time zone unknown or a time out of range.
    """
    message = clean(request.message)
    if not message:
        raise InvalidArgumentError("message", "must contain something visible")
    zone = _zone(request.time_zone)
    instant = _instant(request, "now") or now
    return Ask(
        message=message,
        now=instant.astimezone(zone),
        cutoff=_instant(request, "knowledge_cutoff") or cutoff,
        history=tuple(
            Turn(
                _ROLES.get(turn.role, Role.USER),
                clean(turn.content[:TURN_CHARACTERS]),
                turn.about_named_page,
            )
            for turn in [*request.earlier, *request.history][-HISTORY_TURNS:]
        ),
        subject=_subject(request.subject) if request.HasField("subject") else None,
        web_mode=_MODES.get(request.web_mode, WebMode.AUTO),
        force_search=request.force_search,
        no_external=request.no_external,
        language=request.language,
        conversation_id=request.conversation_id,
        max_queries=request.max_queries or _MAX_QUERIES,
        max_parts=request.max_parts or _MAX_QUERIES,
        memories=tuple(filter(None, map(clean, request.memories))),
        search_offered=request.search_offered,
    )


def gathered_of(request: pb.ReflectRequest, *, now: datetime) -> Gathered:
    """Read a request for reflection.

    Raises:
        InvalidArgumentError: The question is blank or the time out of range.
    """
    question = clean(request.question)
    if not question:
        raise InvalidArgumentError("question", "must contain something visible")
    return Gathered(
        question=question,
        target_info=tuple(clean(target) for target in request.target_info),
        extracts=tuple(
            Extract(clean(item.title), clean(item.text), _instant(item, "published_at"))
            for item in request.extracts
        ),
        used_queries=tuple(request.used_queries),
        now=_instant(request, "now") or now,
        no_external=request.no_external,
    )


def decide_response(decision: domain.Decision) -> pb.DecideResponse:
    """Write a decision."""
    return pb.DecideResponse(
        decision=_decision(decision),
        degraded=map(_degraded, decision.degraded),
        outbound=[_outbound(item) for item in decision.outbound],
        query_writing=_writing(decision.writing),
    )


def queries_of(request: pb.WriteQueriesRequest) -> tuple[domain.Query, ...]:
    """Read the queries that are searched for."""
    known = ((clean(query.text), query.freshness, query.site) for query in request.queries)
    return tuple(
        domain.Query(text, _WINDOWS.get(freshness, domain.Freshness.NONE), clean(site))
        for text, freshness, site in known
    )


def write_queries_response(written: domain.Written) -> pb.WriteQueriesResponse:
    """Write what a model wrote."""
    return pb.WriteQueriesResponse(
        queries=map(_query, written.queries),
        degraded=map(_degraded, written.degraded),
        outbound=map(_outbound, written.outbound),
    )


def reflect_response(judgement: Judgement) -> pb.ReflectResponse:
    """Write a judgement."""
    return pb.ReflectResponse(
        sufficient=judgement.sufficient,
        missing_aspects=judgement.missing,
        refined_query=judgement.refined_query,
        reasoning=judgement.reasoning,
        confidence=judgement.confidence,
        judge=judgement.judge,
        outbound=[_outbound(item) for item in judgement.outbound],
        degraded=map(_degraded, judgement.degraded),
    )


def _decision(decision: domain.Decision) -> pb.Decision:
    facets, verdict = decision.facets, decision.verdict
    return pb.Decision(
        action=f"ACTION_{decision.action.name}",
        needs_search=decision.needs_search,
        confidence=verdict.confidence,
        stage=f"STAGE_{verdict.stage.name}",
        reason=verdict.reason,
        reason_code=verdict.reason_code,
        signals=[
            pb.Signal(name=signal.name, weight=signal.weight, evidence=signal.evidence)
            for signal in decision.signals
        ],
        standalone_question=decision.standalone_question,
        queries=map(_query, decision.queries),
        fallback_queries=decision.fallback_queries,
        intent=f"INTENT_{facets.intent.name}",
        requires_context=decision.requires_context,
        category=facets.category,
        freshness=_FRESHNESS[facets.freshness],
        recency_days=domain.RECENCY_DAYS[facets.freshness],
        real_time=facets.real_time,
        time_sensitive=facets.time_sensitive,
        target_info=facets.target_info,
        language=decision.language,
        urls=decision.urls,
        ignored_urls=decision.ignored_urls,
        priority=facets.priority,
        deep_research=facets.deep_research,
        site=facets.site,
        topicless=facets.topicless,
        about_answer=decision.about_answer,
    )


def _subject(message: common.SubjectContext) -> Subject:
    return Subject(
        kind=clean(message.kind),
        title=clean(message.title),
        speakers=tuple(clean(name) for name in message.speakers),
        organizations=tuple(clean(name) for name in message.organizations),
        event=clean(message.event),
        description=clean(message.description),
    )


def _query(query: domain.Query) -> pb.Query:
    return pb.Query(text=query.text, freshness=_FRESHNESS[query.freshness], site=query.site)


def _writing(outbound: tuple[domain.Outbound, ...] | None) -> pb.QueryWriting | None:
    return None if outbound is None else pb.QueryWriting(outbound=map(_outbound, outbound))


def _degraded(lost: tuple[str, str]) -> common.Degradation:
    return common.Degradation(component=lost[0], detail=lost[1])


def _outbound(item: domain.Outbound) -> common.OutboundText:
    return common.OutboundText(to=item.to, kind="prompt", text=item.text, redacted=item.redacted)


def _zone(name: str) -> tzinfo:
    if not name:
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidArgumentError(
            "time_zone", "must be an IANA name such as Europe/Paris"
        ) from None


def _instant(message: Message, field: str) -> datetime | None:
    if not message.HasField(field):
        return None
    stamp: Timestamp = getattr(message, field)
    try:
        return stamp.ToDatetime(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise InvalidArgumentError(field, "must be a time between the years 1 and 9999") from None
