"""Between protobuf messages and domain values; total in both directions."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from google.protobuf.message import Message
from pellucid.common.v1 import common_pb2 as common
from pellucid.decision.v1 import decision_pb2 as pb

from pellucid_decision import decision as domain
from pellucid_decision.queries.reflection import Gathered, Judgement
from pellucid_decision.text.conversation import (
    HISTORY_TURNS,
    TURN_CHARACTERS,
    Ask,
    Role,
    Subject,
    Turn,
)
from pellucid_decision.text.normal import clean
from pellucid_runtime.errors import InvalidArgumentError
from pellucid_runtime.rpc.messages import instant, member, read, write

_MAX_QUERIES = 3


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
    return read(
        Ask,
        request,
        message=message,
        now=(instant(request, "now") or now).astimezone(zone),
        cutoff=instant(request, "knowledge_cutoff") or cutoff,
        history=tuple(
            Turn(
                member(Role, turn, "role") or Role.USER,
                clean(turn.content[:TURN_CHARACTERS]),
                turn.about_named_page,
            )
            for turn in [*request.earlier, *request.history][-HISTORY_TURNS:]
        ),
        subject=read(Subject, request.subject, clean) if request.HasField("subject") else None,
        max_queries=request.max_queries or _MAX_QUERIES,
        max_parts=request.max_parts or _MAX_QUERIES,
        memories=tuple(filter(None, map(clean, request.memories))),
    )


def gathered_of(request: pb.ReflectRequest, *, now: datetime) -> Gathered:
    """Read a request for reflection.

    Raises:
        InvalidArgumentError: The question is blank or the time out of range.
    """
    question = clean(request.question)
    if not question:
        raise InvalidArgumentError("question", "must contain something visible")
    now = instant(request, "now") or now
    return read(Gathered, request, clean, question=question, now=now)


def decide_response(decision: domain.Decision) -> pb.DecideResponse:
    """Write a decision."""
    facets, verdict = decision.facets, decision.verdict
    recency_days = domain.RECENCY_DAYS[facets.freshness]
    return pb.DecideResponse(
        decision=write(pb.Decision, decision, facets, verdict, recency_days=recency_days),
        degraded=map(_degraded, decision.degraded),
        outbound=map(_outbound, decision.outbound),
        query_writing=_writing(decision.writing),
    )


def queries_of(request: pb.WriteQueriesRequest) -> tuple[domain.Query, ...]:
    """Read the queries that are searched for."""
    return tuple(read(domain.Query, query, clean) for query in request.queries)


def write_queries_response(written: domain.Written) -> pb.WriteQueriesResponse:
    """Write what a model wrote."""
    return write(pb.WriteQueriesResponse, written, **_account(written))


def reflect_response(judgement: Judgement) -> pb.ReflectResponse:
    """Write a judgement."""
    return write(
        pb.ReflectResponse, judgement, missing_aspects=judgement.missing, **_account(judgement)
    )


def _account(told: domain.Written | Judgement) -> Mapping[str, Sequence[Message]]:
    return {
        "degraded": [_degraded(lost) for lost in told.degraded],
        "outbound": [_outbound(text) for text in told.outbound],
    }


def _writing(outbound: tuple[domain.Outbound, ...] | None) -> pb.QueryWriting | None:
    return None if outbound is None else pb.QueryWriting(outbound=map(_outbound, outbound))


def _degraded(lost: tuple[str, str]) -> common.Degradation:
    return common.Degradation(component=lost[0], detail=lost[1])


def _outbound(item: domain.Outbound) -> common.OutboundText:
    return write(common.OutboundText, item, kind="prompt")


def _zone(name: str) -> tzinfo:
    if not name:
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidArgumentError(
            "time_zone", "must be an IANA name such as Europe/Paris"
        ) from None
