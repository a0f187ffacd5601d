"""Receives traces as a collector does, by OTLP over gRPC or HTTP."""

import gzip
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc

GRACE_S = 1.0
# Of installations with `SCHEDULE`; the default of five seconds is long for a test.
SCHEDULE = {"OTEL_BSP_SCHEDULE_DELAY": "500"}
QUIET_S = 3.0


@dataclass(frozen=True)
class Span:
    """One span as it was received.

    Attributes:
        service: `service.name` of its resource.
        name: Its name.
        kind: `SERVER`, `CLIENT` or `INTERNAL`.
        trace_id: 32 hexadecimal digits.
        span_id: 16 of them.
        parent_id: The parent's; empty for a root.
        start_ns: When it began, nanoseconds since 1970.
        end_ns: When it ended.
        attributes: By key.
        resource: The resource's attributes by key.
    """

    service: str
    name: str
    kind: str
    trace_id: str
    span_id: str
    parent_id: str
    start_ns: int
    end_ns: int
    attributes: dict[str, Any]
    resource: dict[str, Any]


@dataclass
class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """Keeps what it receives.

    Attributes:
        url: Address for `OTEL_EXPORTER_OTLP_ENDPOINT`.
        spans: Everything received so far.
        raw: The messages as bytes, to look for what must not be in them.
    """

    url: str = ""
    spans: list[Span] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)

    def settled(self) -> list[Span]:
        """Every span, once none has come for a while."""
        seen, quiet_since = -1, time.monotonic()
        while time.monotonic() - quiet_since < QUIET_S:
            if len(self.spans) != seen:
                seen, quiet_since = len(self.spans), time.monotonic()
            time.sleep(0.1)
        return list(self.spans)

    def Export(self, request: Any, context: Any) -> Any:  # noqa: ARG002, N802 - name and signature of the RPC
        """Take a batch."""
        return self.take(request)

    def take(self, request: Any) -> Any:
        """Keep a batch; returns what the sender is answered."""
        self.raw.append(request.SerializeToString())
        for resource in request.resource_spans:
            told = _attributes(resource.resource.attributes)
            for scope in resource.scope_spans:
                self.spans += [_span(told, span) for span in scope.spans]
        return trace_service_pb2.ExportTraceServiceResponse()


def _span(resource: dict[str, Any], span: Any) -> Span:
    return Span(
        service=resource["service.name"],
        name=span.name,
        kind=span.SpanKind.Name(span.kind).removeprefix("SPAN_KIND_"),
        trace_id=span.trace_id.hex(),
        span_id=span.span_id.hex(),
        parent_id=span.parent_span_id.hex(),
        start_ns=span.start_time_unix_nano,
        end_ns=span.end_time_unix_nano,
        attributes=_attributes(span.attributes),
        resource=resource,
    )


def _attributes(pairs: Any) -> dict[str, Any]:
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in pairs}


@contextmanager
def serve_collector() -> Iterator[Collector]:
    """Serve a collector on a free loopback port."""
    collector = Collector()
    server = grpc.server(ThreadPoolExecutor(4))
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(collector, server)
    collector.url = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    try:
        yield collector
    finally:
        server.stop(GRACE_S).wait()


@contextmanager
def serve_http_collector() -> Iterator[Collector]:
    """Serve a collector that speaks http/protobuf on a free loopback port."""
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Stay silent."""

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            if self.path == "/v1/traces":
                collector.take(trace_service_pb2.ExportTraceServiceRequest.FromString(body))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        collector.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield collector
        finally:
            server.shutdown()
            thread.join()


def tree(spans: Sequence[Span]) -> str:
    """Draw the spans of one trace, each below its parent, with start and length in ms."""
    known = {span.span_id for span in spans}
    first_ns = min(span.start_ns for span in spans)
    lines: list[str] = []

    def draw(parent_id: str | None, depth: int) -> None:
        children = [
            span
            for span in sorted(spans, key=lambda span: (span.start_ns, span.span_id))
            if (span.parent_id not in known if parent_id is None else span.parent_id == parent_id)
        ]
        for span in children:
            at, took = (span.start_ns - first_ns) / 1e6, (span.end_ns - span.start_ns) / 1e6
            name = f"{'  ' * depth}{span.service.removeprefix('pellucid-')} {span.name}"
            lines.append(f"{name:<72} {span.kind.lower():<8} {at:7.1f} {took:8.1f}")
            draw(span.span_id, depth + 1)

    draw(None, 0)
    return "\n".join(lines)
