"""OpenTelemetry traces: W3C context on every hop, OTLP export when an endpoint is set.

Without an endpoint nothing is recorded, but trace ids still exist and travel, so that log lines of
one turn can be found in all services.
"""

import os
import re
import uuid
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib import import_module
from typing import Any, Literal

import grpc
from opentelemetry import baggage, propagate, trace
from opentelemetry.context import Context
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.trace import (
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
)

from pellucid_runtime.build import version_of
from pellucid_runtime.settings import ServiceSettings
from pellucid_runtime.telemetry.private_spans import CountingBatches, PrivateExporter

# Spans waiting for export, the SDK's own default; beyond it they are dropped and counted, so the
# collector never slows a call.
_QUEUE_SPANS = 2048
_EXPORT_TIMEOUT_S = 2

# Annotated as text in the exporter, but grpc only accepts a number.
_NO_PROXY = (("grpc.enable_http_proxy", 0),)

# What nearly all callers send; anything else is read by the library.
_TRACEPARENT = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})")
_METHODS_KEPT = 64
# W3C's two, whose headers are written and read here where they are plain: a turn has a dozen calls.
_IS_USUAL = os.environ.get("OTEL_PROPAGATORS") in {None, "", "tracecontext,baggage"}
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
    """A provider for the process, to be installed and shut down by the caller.

    What is no setting of ours the SDK reads itself: `OTEL_SERVICE_NAME`, `OTEL_TRACES_SAMPLER`,
    `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_BSP_*`, `OTEL_EXPORTER_OTLP_HEADERS`, `…_CERTIFICATE`,
    `…_COMPRESSION`, `…_TIMEOUT`.
    """
    resource = resource_of(settings)
    if settings.otel_exporter_otlp_endpoint is None or settings.otel_sdk_disabled:
        return _UnrecordedProvider(resource=resource, sampler=ALWAYS_OFF, shutdown_on_exit=False)
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    most_waiting = int(os.environ.get("OTEL_BSP_MAX_QUEUE_SIZE") or _QUEUE_SPANS)
    exporter = PrivateExporter(otlp_exporter(settings, "trace"))
    provider.add_span_processor(CountingBatches(exporter, most_waiting))
    return provider


def resource_of(settings: ServiceSettings) -> Resource:
    """Who sends the spans; what the environment says of it comes first."""
    own = {
        "service.name": f"pellucid-{settings.service_name}",
        "service.namespace": "pellucid",
        "service.version": version_of(settings.service_name),
        "service.instance.id": str(uuid.uuid4()),
    }
    return Resource.create(own).merge(OTELResourceDetector().detect())


def otlp_exporter(settings: ServiceSettings, signal: Literal["trace", "metric"]) -> Any:
    """What sends spans or metrics to the collector of the settings.

    Its module is imported here and not at the top: it is slow to import, and most need none.
    """
    endpoint = settings.otel_exporter_otlp_endpoint or ""
    is_grpc = settings.otel_exporter_otlp_protocol == "grpc"
    package = f"opentelemetry.exporter.otlp.proto.{'grpc' if is_grpc else 'http'}"
    module = import_module(f"{package}.{signal}_exporter")
    make = module.OTLPSpanExporter if signal == "trace" else module.OTLPMetricExporter
    timeout_s = None if os.environ.get("OTEL_EXPORTER_OTLP_TIMEOUT") else _EXPORT_TIMEOUT_S
    if is_grpc:
        return make(endpoint=endpoint, timeout=timeout_s, channel_options=_NO_PROXY)
    session = import_module("requests").Session()
    session.trust_env = False  # proxies are explicit settings
    address = f"{endpoint.rstrip('/')}/v1/{signal}s"
    return make(endpoint=address, timeout=timeout_s, session=session)


def start_server_span(
    method: str, metadata: Iterable[tuple[str, str | bytes]]
) -> tuple[Span, Context]:
    """A span for an incoming call, child of the caller's, and the context to serve it in."""
    carrier = {key: value for key, value in metadata if isinstance(value, str)}
    above = caller_context(carrier)
    span = TRACER.start_span(method.lstrip("/"), above, SpanKind.SERVER, _attributes(method))
    return span, trace.set_span_in_context(span, above)


def caller_context(carrier: Mapping[str, str]) -> Context:
    """The caller's span and baggage, if its headers name them, as `OTEL_PROPAGATORS` says."""
    named = _TRACEPARENT.fullmatch(carrier.get("traceparent", ""))
    is_plain = named is not None and "tracestate" not in carrier and "baggage" not in carrier
    if named is None or not is_plain or not _IS_USUAL:
        return propagate.extract(dict(carrier), Context())
    trace_id, span_id, flags = (int(digits, 16) for digits in named.groups())
    context = SpanContext(trace_id, span_id, is_remote=True, trace_flags=TraceFlags(flags))
    return trace.set_span_in_context(NonRecordingSpan(context), Context())


def start_client_span(method: str) -> tuple[Span, dict[str, str]]:
    """A span for an outgoing call, and the metadata that makes the callee its child."""
    span = TRACER.start_span(method.lstrip("/"), None, SpanKind.CLIENT, _attributes(method))
    context = span.get_span_context()
    if not context.is_valid:
        return span, {}
    if context.trace_state or not _IS_USUAL or baggage.get_all():
        carrier: dict[str, str] = {}
        propagate.inject(carrier, trace.set_span_in_context(span))
        return span, carrier
    ids = f"{context.trace_id:032x}-{context.span_id:016x}"
    return span, {"traceparent": f"00-{ids}-{context.trace_flags:02x}"}


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
