"""Events of a turn as the native APIs stream them: public names, and their JSON."""

from collections.abc import Callable, Mapping
from typing import Any

from pellucid_gateway.api.http.whole_turn import failed_problem
from pellucid_gateway.api.native import replies
from pellucid_gateway.domain import events
from pellucid_gateway.domain.findings import Source

# What each step of the search carries besides its sentence.
_PROGRESS_FIELDS: Mapping[events.ProgressKind, Callable[[events.Progress], replies.Json]] = {
    events.ProgressKind.WAITING: lambda _step: {},
    events.ProgressKind.SEARCH_START: lambda step: {"query": step.query},
    events.ProgressKind.ITERATION: lambda step: {"iteration": step.iteration, "query": step.query},
    events.ProgressKind.FETCHING: lambda step: {"count": step.count},
    events.ProgressKind.EXTRACTING: lambda step: {"count": step.count},
    events.ProgressKind.REFLECTING: lambda step: {"iteration": step.iteration},
    events.ProgressKind.COMPLETE: lambda step: {"results_count": step.count},
}


def _error_json(failed: events.Failed) -> replies.Json:
    return failed_problem(failed).document()


def _results_json(query: str, sources: tuple[Source, ...]) -> replies.Json:
    """Results of a forced search; `provider` is the one that found the first result."""
    provider = next((name for source in sources for name in source.providers), None)
    return {
        "query": query,
        "provider": provider,
        "results": [replies.SourceReply.of(source) for source in sources],
    }


def _progress_json(step: events.Progress) -> replies.Json:
    return {**_PROGRESS_FIELDS[step.kind](step), "message": step.message}


def _sources_json(sources: tuple[Source, ...]) -> replies.Json:
    return {"sources": [replies.SourceReply.of(source) for source in sources]}


_EVENTS: Mapping[type, tuple[str, Callable[[Any], replies.Json]]] = {
    events.Delta: ("delta", lambda event: {"text": event.text}),
    events.Cited: ("citation", lambda event: replies.CitationReply.of(event.citation)),
    events.Decided: ("decision", lambda event: replies.DecisionReply.of(event.decision)),
    events.UrlFetched: ("url_fetch", replies.UrlContentReply.of),
    events.Progress: ("", _progress_json),
    events.ResultsReady: (
        "web_search_results",
        lambda event: _results_json(event.query, event.sources),
    ),
    events.SourcesReady: ("sources", lambda event: _sources_json(event.sources)),
    events.Noticed: ("notice", lambda event: replies.NoticeReply.of(event.notice)),
    events.Done: ("done", lambda event: replies.ChatReply.of(event.result)),
    events.Failed: ("error", _error_json),
}


EVENT_NAMES = (
    *(kind.value for kind in events.ProgressKind),
    *(name for name, _ in _EVENTS.values() if name),
)


def event_json(event: events.TurnEvent) -> tuple[str, replies.Json]:
    """Public name and content of one event."""
    name, content = _EVENTS[type(event)]
    return (event.kind.value if isinstance(event, events.Progress) else name), content(event)
