"""Trace ids travel whether or not somebody records spans."""

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from pellucid_runtime.settings import ServiceSettings
from pellucid_runtime.telemetry import tracing

METHOD = "/pellucid.scorer.v1.ScorerService/Similarity"
TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


@pytest.fixture(params=["recorded", "unrecorded"])
def tracer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> trace.Tracer:
    recorded = TracerProvider(sampler=ALWAYS_ON, shutdown_on_exit=False)
    unrecorded = tracing.tracer_provider(ServiceSettings())
    provider = recorded if request.param == "recorded" else unrecorded
    tracer = provider.get_tracer("test")
    monkeypatch.setattr(tracing, "TRACER", tracer)
    return tracer


def test_a_call_goes_on_in_the_trace_of_its_caller(tracer: trace.Tracer) -> None:
    served, _ = tracing.start_server_span(METHOD, [("traceparent", f"00-{TRACE}-{SPAN}-01")])
    with trace.use_span(served):
        made, headers = tracing.start_client_span(METHOD)
        with tracer.start_as_current_span("inside") as inside:
            pass

    assert {tracing.trace_id(span) for span in (served, made, inside)} == {TRACE}
    assert len({span.get_span_context().span_id for span in (served, made, inside)}) == 3
    assert int(SPAN, 16) != served.get_span_context().span_id
    assert headers["traceparent"].split("-")[1:3] == [
        TRACE,
        f"{made.get_span_context().span_id:016x}",
    ]


def test_what_begins_here_has_a_trace_of_its_own(tracer: trace.Tracer) -> None:
    one, other = (tracer.start_span("turn") for _ in range(2))

    assert one.get_span_context().is_valid
    assert one.get_span_context().trace_id != other.get_span_context().trace_id


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"traceparent": f"00-{TRACE}-{SPAN}-01"},
        {"traceparent": f"00-{TRACE}-{SPAN}-00"},
        {"traceparent": f"00-{TRACE}-{SPAN}-01", "tracestate": "shop=1,desk=2"},
        {"traceparent": f"  00-{TRACE}-{SPAN}-01 "},
        {"traceparent": f"01-{TRACE}-{SPAN}-01-more"},
        {"traceparent": f"00-{TRACE}-{SPAN}-01-more"},
        {"traceparent": f"00-{'0' * 32}-{SPAN}-01"},
        {"traceparent": f"00-{TRACE}-{'0' * 16}-01"},
        {"traceparent": f"ff-{TRACE}-{SPAN}-01"},
        {"traceparent": "nonsense"},
    ],
)
def test_a_caller_is_read_as_the_library_reads_it(headers: dict[str, str]) -> None:
    ours = trace.get_current_span(tracing.caller_context(headers)).get_span_context()
    theirs = TraceContextTextMapPropagator().extract(headers)

    assert ours.is_valid is trace.get_current_span(theirs).get_span_context().is_valid
    if ours.is_valid:
        assert ours == trace.get_current_span(theirs).get_span_context()


def test_the_state_of_a_trace_travels(tracer: trace.Tracer) -> None:
    metadata = [("traceparent", f"00-{TRACE}-{SPAN}-01"), ("tracestate", "shop=1")]
    with trace.use_span(tracing.start_server_span(METHOD, metadata)[0]):
        _, headers = tracing.start_client_span(METHOD)

    assert headers["tracestate"] == "shop=1"
    del tracer
