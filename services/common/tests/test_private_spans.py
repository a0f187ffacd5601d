"""Spans leave without what people wrote."""

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from pellucid_runtime.private_spans import PrivateExporter


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
