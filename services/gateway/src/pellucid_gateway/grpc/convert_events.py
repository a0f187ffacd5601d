"""What the engine tells, as messages of gateway.v1. Pure and total."""

from collections.abc import Callable, Iterable
from typing import Any

from pellucid.decision.v1 import decision_pb2
from pellucid.gateway.v1 import gateway_pb2 as pb

from pellucid_gateway.domain.decision import Decision
from pellucid_gateway.domain.events import (
    Cited,
    Decided,
    Delta,
    Done,
    Failed,
    Noticed,
    Progress,
    ResultsReady,
    SourcesReady,
    TurnEvent,
    TurnResult,
    UrlFetched,
)
from pellucid_gateway.domain.findings import Source
from pellucid_runtime.rpc.messages import write


def decision_message(decision: Decision) -> decision_pb2.Decision:
    """One decision."""
    return write(decision_pb2.Decision, decision)


def _sources(sources: Iterable[Source]) -> pb.Sources:
    return pb.Sources(sources=map(_source, sources))


def _source(source: Source) -> pb.Source:
    return write(pb.Source, source, relevance_score=source.relevance)


def _result(result: TurnResult) -> pb.ChatResult:
    return write(pb.ChatResult, result, sources=map(_source, result.sources))


_BUILDERS: dict[type, Callable[[Any], pb.ChatResponse]] = {
    Decided: lambda e: write(pb.ChatResponse, e),
    UrlFetched: lambda e: write(pb.ChatResponse, url_fetch=e),
    Progress: lambda e: write(pb.ChatResponse, progress=e),
    ResultsReady: lambda e: pb.ChatResponse(sources=_sources(e.sources)),
    SourcesReady: lambda e: pb.ChatResponse(sources=_sources(e.sources)),
    Noticed: lambda e: write(pb.ChatResponse, e),
    Delta: lambda e: write(pb.ChatResponse, delta=e),
    Cited: lambda e: write(pb.ChatResponse, e),
    Done: lambda e: pb.ChatResponse(done=_result(e.result)),
    Failed: lambda e: write(pb.ChatResponse, error=e),
}


def event_message(event: TurnEvent) -> pb.ChatResponse:
    """One event of the stream."""
    return _BUILDERS[type(event)](event)
