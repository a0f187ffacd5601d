"""Spans leave without what people wrote: addresses with queries, error texts, names of clients.

Libraries record these by themselves. What stays is what our own code sets, and of the libraries'
spans the route, the status and the time.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

# Paths hold ids that clients chose, queries hold what people looked for; the route says enough.
_PERSONAL = frozenset(
    {
        "url.path",
        "url.query",
        "url.full",
        "user_agent.original",
        "client.address",
        "exception.message",
        "exception.stacktrace",
    }
)
# Libraries whose spans are named by what a client sent, and the name that they get instead.
_RENAMED = {"mcp-python-sdk": "mcp"}


class PrivateExporter(SpanExporter):
    """Exports through another exporter.

    Args:
        exporter: Gets the spans without anything personal.
    """

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Strip and hand on."""
        return self._exporter.export([stripped(span) for span in spans])

    def shutdown(self) -> None:
        """Close the exporter."""
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Send what waits."""
        return self._exporter.force_flush(timeout_millis)


def stripped(span: ReadableSpan) -> ReadableSpan:
    """The span without anything personal."""
    scope = span.instrumentation_scope
    name = _RENAMED.get(scope.name) if scope is not None else None
    return ReadableSpan(
        name=name or span.name,
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes={} if name else _without(span.attributes),
        events=[
            Event(event.name, _without(event.attributes), event.timestamp) for event in span.events
        ],
        links=span.links,
        kind=span.kind,
        status=span.status,
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=scope,
    )


def _without(attributes: Mapping[str, Any] | None) -> dict[str, Any]:
    return {key: value for key, value in (attributes or {}).items() if key not in _PERSONAL}
