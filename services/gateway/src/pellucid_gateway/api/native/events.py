"""Events of a turn as the native faces stream them: public names, and their JSON."""

from collections.abc import Callable, Mapping
from typing import Any

from pellucid_gateway.api.http.whole_turn import failed_problem
from pellucid_gateway.api.native.replies import (
    ChatReply,
    CitationReply,
    DecisionReply,
    Json,
    NoticeReply,
    SourceReply,
    UrlContentReply,
)
from pellucid_gateway.domain.events import (
    Cited,
    Decided,
    Delta,
    Done,
    Failed,
    Noticed,
    Progress,
    ProgressKind,
    ResultsReady,
    SourcesReady,
    TurnEvent,
    UrlFetched,
)
from pellucid_gateway.domain.findings import Source

# What each step of the search carries besides its sentence.
_PROGRESS_FIELDS: Mapping[ProgressKind, Callable[[Progress], Json]] = {
    ProgressKind.WAITING: lambda _step: {},
    ProgressKind.SEARCH_START: lambda step: {"query": step.query},
    ProgressKind.ITERATION: lambda step: {"iteration": step.iteration, "query": step.query},
    ProgressKind.FETCHING: lambda step: {"count": step.count},
    ProgressKind.EXTRACTING: lambda step: {"count": step.count},
    ProgressKind.REFLECTING: lambda step: {"iteration": step.iteration},
    ProgressKind.COMPLETE: lambda step: {"results_count": step.count},
}


def _error_json(failed: Failed) -> Json:
    return failed_problem(failed).document()


def _results_json(query: str, sources: tuple[Source, ...]) -> Json:
    """Results of a forced search; `provider` is the one that found the first result."""
    provider = next((name for source in sources for name in source.providers), None)
    return {
        "query": query,
        "provider": provider,
        "results": [SourceReply.of(source) for source in sources],
    }


def _progress_json(step: Progress) -> Json:
    return {**_PROGRESS_FIELDS[step.kind](step), "message": step.message}


def _sources_json(sources: tuple[Source, ...]) -> Json:
    return {"sources": [SourceReply.of(source) for source in sources]}


_EVENTS: Mapping[type, tuple[str, Callable[[Any], Json]]] = {
    Delta: ("delta", lambda event: {"text": event.text}),
    Cited: ("citation", lambda event: CitationReply.of(event.citation)),
    Decided: ("decision", lambda event: DecisionReply.of(event.decision)),
    UrlFetched: ("url_fetch", UrlContentReply.of),
    Progress: ("", _progress_json),
    ResultsReady: ("web_search_results", lambda event: _results_json(event.query, event.sources)),
    SourcesReady: ("sources", lambda event: _sources_json(event.sources)),
    Noticed: ("notice", lambda event: NoticeReply.of(event.notice)),
    Done: ("done", lambda event: ChatReply.of(event.result)),
    Failed: ("error", _error_json),
}


EVENT_NAMES = (
    *(kind.value for kind in ProgressKind),
    *(name for name, _ in _EVENTS.values() if name),
)


def event_json(event: TurnEvent) -> tuple[str, Json]:
    """Public name and content of one event."""
    name, content = _EVENTS[type(event)]
    return (event.kind.value if isinstance(event, Progress) else name), content(event)
