"""Metrics by OTLP: the numbers that Prometheus reads, where the SDK's variables ask for them."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import grpc
import pytest
from opentelemetry.proto.collector.metrics.v1 import (
    metrics_service_pb2,
    metrics_service_pb2_grpc,
)
from opentelemetry.sdk.resources import Resource
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from pellucid_runtime.settings import ServiceSettings, WrongSettingError, load_settings
from pellucid_runtime.telemetry.metrics import FAILED_METRIC_EXPORTS
from pellucid_runtime.telemetry.otlp_metrics import as_otlp, push_metrics


class ScorerSettings(ServiceSettings):
    """Settings of a service that is installed."""


@dataclass
class Sink(metrics_service_pb2_grpc.MetricsServiceServicer):
    """A collector."""

    received: list[Any] = field(default_factory=list)

    def Export(self, request: Any, context: Any) -> Any:  # noqa: ARG002, N802 - the RPC's
        """Take a batch."""
        self.received.append(request)
        return metrics_service_pb2.ExportMetricsServiceResponse()

    def names(self) -> set[str]:
        return {
            metric.name
            for request in self.received
            for resource in request.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }

    def services(self) -> set[str]:
        return {
            pair.value.string_value
            for request in self.received
            for resource in request.resource_metrics
            for pair in resource.resource.attributes
            if pair.key == "service.name"
        }


@pytest.fixture(name="over_grpc")
def over_grpc_fixture() -> Iterator[tuple[Sink, str]]:
    sink = Sink()
    server = grpc.server(ThreadPoolExecutor(2))
    metrics_service_pb2_grpc.add_MetricsServiceServicer_to_server(sink, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield sink, f"http://127.0.0.1:{port}"
    server.stop(0).wait()


@pytest.fixture(name="over_http")
def over_http_fixture() -> Iterator[tuple[Sink, str]]:
    sink = Sink()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.path == "/v1/metrics":
                request = metrics_service_pb2.ExportMetricsServiceRequest.FromString(body)
                sink.received.append(request)
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield sink, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def settings_of(monkeypatch: pytest.MonkeyPatch, **variables: str) -> ScorerSettings:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return load_settings(ScorerSettings)


@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
async def test_a_collector_gets_what_prometheus_reads(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, protocol: str
) -> None:
    sink, url = request.getfixturevalue("over_grpc" if protocol == "grpc" else "over_http")
    settings = settings_of(
        monkeypatch,
        OTEL_EXPORTER_OTLP_ENDPOINT=url,
        OTEL_EXPORTER_OTLP_PROTOCOL=protocol,
        OTEL_METRICS_EXPORTER="otlp",
        OTEL_METRIC_EXPORT_INTERVAL="1000",
        OTEL_SERVICE_NAME="our-scorer",
    )
    async with AsyncExitStack() as stack:
        push_metrics(settings, stack)
        async with asyncio.timeout(20):
            while not sink.received:  # noqa: ASYNC110 - another thread receives
                await asyncio.sleep(0.05)
        regular = len(sink.received)

    assert {"pellucid_event_loop_lag_seconds", "pellucid_grpc_server_seconds"} <= sink.names()
    assert sink.services() == {"our-scorer"}
    assert len(sink.received) > regular  # the last state, at the end


@pytest.mark.parametrize(
    ("exporter", "sends"),
    [
        ("", False),
        ("none", False),
        ("prometheus", False),
        ("prometheus,otlp", True),
        ("otlp, prometheus", True),
    ],
)
def test_only_otlp_is_sent(monkeypatch: pytest.MonkeyPatch, exporter: str, *, sends: bool) -> None:
    """Prometheus reads /metrics in any case; the SDK's name for that asks for nothing more."""
    url = "http://collector.example:4317"
    variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": url, "OTEL_METRICS_EXPORTER": exporter}

    assert settings_of(monkeypatch, **variables).pushes_metrics is sends
    assert not settings_of(monkeypatch, OTEL_SDK_DISABLED="true").pushes_metrics


@pytest.mark.parametrize("exporter", ["statsd", "otlp,console", "prometheus;otlp"])
def test_an_unknown_exporter_stops_the_start_with_a_clear_message(
    monkeypatch: pytest.MonkeyPatch, exporter: str
) -> None:
    with pytest.raises(
        WrongSettingError, match=r"OTEL_METRICS_EXPORTER.*must be otlp, prometheus or none"
    ):
        settings_of(monkeypatch, OTEL_METRICS_EXPORTER=exporter)


async def test_an_absent_collector_is_counted_and_harms_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = settings_of(
        monkeypatch,
        OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:1",
        OTEL_METRICS_EXPORTER="otlp",
        OTEL_EXPORTER_OTLP_TIMEOUT="1",
    )
    before = FAILED_METRIC_EXPORTS._value.get()
    async with AsyncExitStack() as stack:
        push_metrics(settings, stack)

    assert FAILED_METRIC_EXPORTS._value.get() == before + 1


def test_each_kind_of_instrument_is_translated() -> None:
    registry = CollectorRegistry()
    Counter("seen_total", "Seen.", ("kind",), registry=registry).labels("a").inc(3)
    Gauge("open_doors", "Open.", registry=registry).set(2)
    took = Histogram("took_seconds", "Took.", ("way",), buckets=(1, 2), registry=registry)
    for value in (0.5, 1.5, 1.7, 9):
        took.labels("x").observe(value)

    (told,) = as_otlp(registry, Resource({}), begun=1, now=2).resource_metrics
    metrics = {metric.name: metric.data for metric in told.scope_metrics[0].metrics}

    (seen,) = metrics["seen"].data_points
    assert (seen.value, seen.attributes, metrics["seen"].is_monotonic) == (3, {"kind": "a"}, True)
    assert metrics["open_doors"].data_points[0].value == 2
    (spread,) = metrics["took_seconds"].data_points
    assert (spread.count, spread.bucket_counts) == (4, [1, 2, 1])
    assert spread.explicit_bounds == [1, 2]
    assert spread.sum == pytest.approx(12.7)
    assert spread.attributes == {"way": "x"}
