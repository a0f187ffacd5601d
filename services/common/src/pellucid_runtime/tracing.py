"""OpenTelemetry traces: W3C context on every hop, OTLP export when an endpoint is set.

Without an endpoint nothing is recorded, but trace ids still exist and travel, so that log lines of
one turn can be found in all services.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import grpc
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, ParentBased
from opentelemetry.trace import (
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
)
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from pellucid_runtime.private_spans import PrivateExporter
from pellucid_runtime.settings import ServiceSettings

# Spans waiting for export; beyond it they are dropped, so the collector never slows a call.
_QUEUE_SPANS = 2048
_EXPORT_TIMEOUT_S = 2

# Annotated as text in the exporter, but grpc only accepts a number.
_NO_PROXY: Any = (("grpc.enable_http_proxy", 0),)

# What nearly all callers send; anything else is read by the library.
_TRACEPARENT = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})")
_METHODS_KEPT = 64
_W3C = TraceContextTextMapPropagator()
_IDS = RandomIdGenerator()

# Follows whatever provider is installed later; asking for a tracer per span would be slow.
TRACER = trace.get_tracer("pellucid_runtime")

# Codes that are the server's failure; others are answers that a caller can provoke.
# Source: OpenTelemetry semantic conventions for gRPC, status of server spans.
_SERVER_FAILURES = frozenset(
    {
        grpc.StatusCode.UNKNOWN,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.UNIMPLEMENTED,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DATA_LOSS,
    }
)


class _Unrecorded(trace.Tracer):
    """Makes spans that nobody records: ids, and nothing of the work that a recorded one is.

    A call makes three spans on its way, and what is not done for them is done by no cold processor.
    """

    def start_span(
        self, name: str, context: Context | None = None, *_kind_and_more: Any, **_more: Any
    ) -> Span:
        """A span with an id of its own in the trace of the one above."""
        del name
        above = trace.get_current_span(context).get_span_context()
        trace_id, state = above.trace_id, above.trace_state
        if not above.is_valid:
            trace_id = _IDS.generate_trace_id()
        span_id = _IDS.generate_span_id()
        flags = TraceFlags(TraceFlags.DEFAULT)
        return NonRecordingSpan(SpanContext(trace_id, span_id, False, flags, state))  # noqa: FBT003 - not remote

    def start_as_current_span(self, name: str, *arguments: Any, **more: Any) -> Any:
        """The same, entered."""
        return trace.use_span(self.start_span(name, *arguments, **more))


class _UnrecordedProvider(TracerProvider):
    """Gives everybody the tracer whose spans nobody records."""

    def get_tracer(self, *_name_and_more: Any, **_more: Any) -> trace.Tracer:
        """The one tracer."""
        return _Unrecorded()


def tracer_provider(settings: ServiceSettings) -> TracerProvider:
    """A provider for the process, to be installed and shut down by the caller."""
    resource = Resource.create({"service.name": f"pellucid-{settings.service_name}"})
    endpoint = settings.otel_exporter_otlp_endpoint
    if endpoint is None:
        return _UnrecordedProvider(resource=resource, sampler=ALWAYS_OFF, shutdown_on_exit=False)
    provider = TracerProvider(
        resource=resource, sampler=ParentBased(ALWAYS_ON), shutdown_on_exit=False
    )
    provider.add_span_processor(_batches_to(endpoint))
    return provider


def _batches_to(endpoint: str) -> BatchSpanProcessor:
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

    exporter = OTLPSpanExporter(
        endpoint=endpoint,
        insecure=endpoint.startswith("http://"),
        timeout=_EXPORT_TIMEOUT_S,
        channel_options=_NO_PROXY,
    )
    return BatchSpanProcessor(PrivateExporter(exporter), max_queue_size=_QUEUE_SPANS)


def start_server_span(method: str, metadata: Iterable[tuple[str, str | bytes]]) -> Span:
    """A span for an incoming call, child of the caller's."""
    carrier = {key: value for key, value in metadata if isinstance(value, str)}
    above = caller_context(carrier)
    return TRACER.start_span(method.lstrip("/"), above, SpanKind.SERVER, _attributes(method))


def caller_context(carrier: Mapping[str, str]) -> Context:
    """The caller's span, if its headers name one (W3C trace context; baggage is not carried on)."""
    named = _TRACEPARENT.fullmatch(carrier.get("traceparent", ""))
    if named is None or "tracestate" in carrier:
        return _W3C.extract(dict(carrier))
    trace_id, span_id, flags = (int(digits, 16) for digits in named.groups())
    context = SpanContext(trace_id, span_id, is_remote=True, trace_flags=TraceFlags(flags))
    return trace.set_span_in_context(NonRecordingSpan(context), Context())


def start_client_span(method: str) -> tuple[Span, dict[str, str]]:
    """A span for an outgoing call, and the metadata that makes the callee its child."""
    span = TRACER.start_span(method.lstrip("/"), None, SpanKind.CLIENT, _attributes(method))
    context = span.get_span_context()
    if not context.is_valid:
        return span, {}
    ids = f"{context.trace_id:032x}-{context.span_id:016x}"
    carrier = {"traceparent": f"00-{ids}-{context.trace_flags:02x}"}
    if context.trace_state:
        carrier["tracestate"] = context.trace_state.to_header()
    return span, carrier


@lru_cache(maxsize=_METHODS_KEPT)
def _attributes(method: str) -> dict[str, str]:
    service, _, name = method.lstrip("/").rpartition("/")
    return {"rpc.system": "grpc", "rpc.service": service, "rpc.method": name}


def end_span(span: Span, code: grpc.StatusCode) -> None:
    """Note how the call ended and close the span."""
    span.set_attribute("rpc.grpc.status_code", code.value[0])
    is_client = getattr(span, "kind", None) is SpanKind.CLIENT
    if code in _SERVER_FAILURES or (is_client and code is not grpc.StatusCode.OK):
        span.set_status(Status(StatusCode.ERROR, code.name))
    span.end()


def trace_id(span: Span | None = None) -> str:
    """32 hexadecimal digits; zeros when nothing is traced."""
    return format((span or trace.get_current_span()).get_span_context().trace_id, "032x")


def exemplar() -> dict[str, str] | None:
    """Leads from a histogram's bucket to the trace that was counted in it; None: it is not kept."""
    context = trace.get_current_span().get_span_context()
    return {"trace_id": format(context.trace_id, "032x")} if context.trace_flags.sampled else None
