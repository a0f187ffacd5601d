"""The OpenTelemetry SDK's variables mean here what they mean everywhere."""

import gzip
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from opentelemetry import baggage, trace
from opentelemetry.context import attach, detach
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags

from pellucid_runtime.build import version_of
from pellucid_runtime.settings import ServiceSettings, WrongSettingError, load_settings
from pellucid_runtime.telemetry import tracing

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
METHOD = "/pellucid.scorer.v1.ScorerService/Similarity"


class ScorerSettings(ServiceSettings):
    """Settings of a service that is installed."""


def provider_of(monkeypatch: pytest.MonkeyPatch, **variables: str) -> TracerProvider:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return tracing.tracer_provider(load_settings(ScorerSettings))


def keeps(provider: TracerProvider, *, parent: str = "") -> int:
    """Of a hundred traces, those that are kept; the parent is kept, not kept or there is none."""
    above = None
    if parent:
        flags = TraceFlags(int(parent == "kept"))
        span = NonRecordingSpan(SpanContext(int(TRACE, 16), int(SPAN, 16), True, flags))  # noqa: FBT003 - the library's signature
        above = trace.set_span_in_context(span)
    tracer = provider.get_tracer("test")
    return sum(tracer.start_span("one", above).is_recording() for _ in range(100))


def test_names_and_version(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = provider_of(monkeypatch).resource.attributes
    named = provider_of(
        monkeypatch,
        OTEL_SERVICE_NAME="our-scorer",
        OTEL_RESOURCE_ATTRIBUTES="deployment.environment.name=blue,service.namespace=search",
    ).resource.attributes
    assert plain["service.name"] == "pellucid-scorer"
    assert plain["service.version"] == version_of("scorer") != "unknown"
    assert plain["service.namespace"] == "pellucid"
    assert named["service.name"] == "our-scorer"
    assert named["service.namespace"] == "search"
    assert named["deployment.environment.name"] == "blue"


@pytest.mark.parametrize(
    ("sampler", "argument", "alone", "below_kept", "below_dropped"),
    [
        ("", "", 100, 100, 0),
        ("always_on", "", 100, 100, 100),
        ("always_off", "", 0, 0, 0),
        ("parentbased_always_off", "", 0, 100, 0),
        ("parentbased_traceidratio", "0", 0, 100, 0),
        ("traceidratio", "1", 100, 100, 100),
    ],
)
def test_samplers(  # noqa: PLR0917 - a table's columns
    monkeypatch: pytest.MonkeyPatch,
    sampler: str,
    argument: str,
    alone: int,
    below_kept: int,
    below_dropped: int,
) -> None:
    variables = {"OTEL_TRACES_SAMPLER": sampler, "OTEL_TRACES_SAMPLER_ARG": argument}
    provider = provider_of(monkeypatch, **variables)
    assert keeps(provider) == alone
    assert keeps(provider, parent="kept") == below_kept
    assert keeps(provider, parent="dropped") == below_dropped


def test_a_share_of_traces_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    variables = {"OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.5"}
    assert 20 < keeps(provider_of(monkeypatch, **variables)) < 80


def test_an_unknown_protocol_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")
    with pytest.raises(WrongSettingError, match="OTEL_EXPORTER_OTLP_PROTOCOL"):
        load_settings(ScorerSettings)


def test_the_sdk_can_be_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    assert keeps(provider_of(monkeypatch, OTEL_SDK_DISABLED="true")) == 0


def test_baggage_travels_from_hop_to_hop(monkeypatch: pytest.MonkeyPatch) -> None:
    tracer = TracerProvider(shutdown_on_exit=False).get_tracer("test")
    monkeypatch.setattr(tracing, "TRACER", tracer)
    metadata = [("traceparent", f"00-{TRACE}-{SPAN}-01"), ("baggage", "team=blue")]
    _, context = tracing.start_server_span(METHOD, metadata)
    token = attach(context)
    try:
        assert baggage.get_baggage("team") == "blue"
        _, headers = tracing.start_client_span(METHOD)
    finally:
        detach(token)
    assert headers["baggage"] == "team=blue"
    assert headers["traceparent"].split("-")[1] == TRACE
    assert "baggage" not in tracing.start_client_span(METHOD)[1]


@dataclass
class Sink:
    """An OTLP collector that speaks http/protobuf."""

    url: str = ""
    paths: list[str] = field(default_factory=list)
    services: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    header: str = ""


@pytest.fixture
def sink() -> Iterator[Sink]:
    heard = Sink()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            """Stay silent."""

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            request = trace_service_pb2.ExportTraceServiceRequest.FromString(body)
            heard.paths.append(self.path)
            heard.header = self.headers.get("x-tenant", "")
            for part in request.resource_spans:
                told = {pair.key: pair.value.string_value for pair in part.resource.attributes}
                heard.services.append(told["service.name"])
                heard.names += [s.name for scope in part.scope_spans for s in scope.spans]
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    heard.url = f"http://127.0.0.1:{server.server_address[1]}"
    yield heard
    server.shutdown()
    server.server_close()
    thread.join()


def test_spans_travel_by_http(monkeypatch: pytest.MonkeyPatch, sink: Sink) -> None:
    provider = provider_of(
        monkeypatch,
        OTEL_EXPORTER_OTLP_ENDPOINT=sink.url,
        OTEL_EXPORTER_OTLP_PROTOCOL="http/protobuf",
        OTEL_EXPORTER_OTLP_HEADERS="x-tenant=blue",
        HTTP_PROXY="http://127.0.0.1:1",
    )
    provider.get_tracer("test").start_span("one").end()
    provider.shutdown()
    assert sink.paths == ["/v1/traces"]
    assert sink.services == ["pellucid-scorer"]
    assert sink.names == ["one"]
    assert sink.header == "blue"
