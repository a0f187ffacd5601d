"""Buckets of histograms lead to traces, but only to those that are kept."""

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON
from prometheus_client import CollectorRegistry, Histogram
from prometheus_client.openmetrics.exposition import generate_latest

from pellucid_runtime.telemetry.tracing import exemplar


def test_a_bucket_names_the_trace_that_is_kept() -> None:
    registry = CollectorRegistry()
    seconds = Histogram("turn_seconds", "Of a test.", registry=registry)
    provider = TracerProvider(sampler=ALWAYS_ON, shutdown_on_exit=False)
    with provider.get_tracer("test").start_as_current_span("turn") as span:
        seconds.observe(0.2, exemplar())
    provider.shutdown()

    trace_id = format(span.get_span_context().trace_id, "032x")
    assert f'# {{trace_id="{trace_id}"}} 0.2' in generate_latest(registry).decode()


def test_a_trace_that_nobody_keeps_is_not_named() -> None:
    provider = TracerProvider(sampler=ALWAYS_OFF, shutdown_on_exit=False)
    with provider.get_tracer("test").start_as_current_span("turn"):
        assert exemplar() is None
    assert exemplar() is None
    provider.shutdown()
