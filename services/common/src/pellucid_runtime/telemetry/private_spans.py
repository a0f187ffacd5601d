"""Spans leave without what people wrote, and those that never arrive are counted.

What people wrote: addresses with queries, error texts, names of clients.

Libraries record these by themselves. What stays is what our own code sets, and of the libraries'
spans the route, the status and the time.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from pellucid_runtime.telemetry.metrics import DROPPED_SPANS

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


class CountingBatches(BatchSpanProcessor):
    """Sends spans in batches; what finds the queue full is dropped by the SDK, and counted here.

    Args:
        exporter: Gets the spans.
        most_waiting: Spans that may wait.
    """

    def __init__(self, exporter: SpanExporter, most_waiting: int) -> None:
        self._waiting = 0
        self._most_waiting = most_waiting
        self._counting = threading.Lock()
        super().__init__(_Leaving(exporter, self._left), max_queue_size=most_waiting)

    def on_end(self, span: ReadableSpan) -> None:
        """Queue the span."""
        if span.context is not None and span.context.trace_flags.sampled:
            with self._counting:
                is_full = self._waiting >= self._most_waiting
                self._waiting += not is_full
            if is_full:
                DROPPED_SPANS.labels("queue").inc()
        super().on_end(span)

    def _left(self, spans: int) -> None:
        with self._counting:
            self._waiting = max(0, self._waiting - spans)


class _Leaving(SpanExporter):
    """Says how many spans left the queue."""

    def __init__(self, exporter: SpanExporter, left: Callable[[int], None]) -> None:
        self._exporter = exporter
        self._left = left

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self._left(len(spans))
        return self._exporter.export(spans)

    def shutdown(self) -> None:
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._exporter.force_flush(timeout_millis)


class PrivateExporter(SpanExporter):
    """Exports through another exporter, and counts what that one cannot send.

    Args:
        exporter: Gets the spans without anything personal.
    """

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Strip and hand on."""
        result = self._exporter.export([stripped(span) for span in spans])
        if result is not SpanExportResult.SUCCESS:
            DROPPED_SPANS.labels("export").inc(len(spans))
        return result

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
