"""Spans leave without what people wrote."""

import threading
from typing import Any

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from prometheus_client import REGISTRY

from pellucid_runtime.telemetry.private_spans import CountingBatches, PrivateExporter


def test_route_status_and_time_stay_and_the_rest_goes() -> None:
    kept = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(PrivateExporter(kept)))
    attributes = {"http.route": "/v1/{id}", "url.path": "/v1/mine", "url.query": "q=mine"}
    with provider.get_tracer("web").start_as_current_span("GET", attributes=attributes) as span:
        span.record_exception(ValueError("mine"))
    provider.get_tracer("mcp-python-sdk").start_span("tools/mine", attributes={"a": "mine"}).end()
    provider.shutdown()

    web, mcp = kept.get_finished_spans()
    assert dict(web.attributes or {}) == {"http.route": "/v1/{id}"}
    assert [dict(event.attributes or {})["exception.type"] for event in web.events] == [
        "ValueError"
    ]
    assert (mcp.name, dict(mcp.attributes or {})) == ("mcp", {})
    assert web.end_time is not None
    assert "mine" not in f"{web.to_json()}{mcp.to_json()}"


class Collector(InMemorySpanExporter):
    """Answers as told, once it is let."""

    def __init__(self, result: SpanExportResult) -> None:
        super().__init__()
        self.result = result
        self.let = threading.Event()

    def export(self, spans: Any) -> SpanExportResult:
        self.let.wait(10)
        super().export(spans)
        return self.result


def dropped(cause: str) -> float:
    return REGISTRY.get_sample_value("pellucid_dropped_spans_total", {"cause": cause}) or 0.0


def send(processor: CountingBatches, spans: int) -> None:
    provider = TracerProvider(sampler=ALWAYS_ON, shutdown_on_exit=False)
    provider.add_span_processor(processor)
    for _ in range(spans):
        provider.get_tracer("test").start_span("one").end()


def test_spans_that_find_the_queue_full_are_counted() -> None:
    collector = Collector(SpanExportResult.SUCCESS)
    before = dropped("queue")
    processor = CountingBatches(PrivateExporter(collector), 1000)
    send(processor, 2500)  # more than the queue and one batch on its way
    collector.let.set()
    processor.shutdown()
    assert dropped("queue") - before == 2500 - len(collector.get_finished_spans())
    assert dropped("queue") - before >= 2500 - 1000 - 512


def test_spans_that_the_collector_does_not_take_are_counted() -> None:
    collector = Collector(SpanExportResult.FAILURE)
    collector.let.set()
    before = dropped("export")
    processor = CountingBatches(PrivateExporter(collector), 1000)
    send(processor, 10)
    processor.shutdown()
    assert dropped("export") - before == 10


def test_spans_that_arrive_are_not() -> None:
    collector = Collector(SpanExportResult.SUCCESS)
    collector.let.set()
    before = dropped("export") + dropped("queue")
    processor = CountingBatches(PrivateExporter(collector), 1000)
    send(processor, 10)
    processor.shutdown()
    assert len(collector.get_finished_spans()) == 10
    assert dropped("export") + dropped("queue") == before
