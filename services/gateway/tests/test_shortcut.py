"""Completions go around the framework; nobody can tell but by the time."""

from collections.abc import Iterator

import httpx
import pytest
from api_fakes import FakeEngine
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from pellucid_gateway.api.http import shortcut

PATH = "/v1/chat/completions"
ASKED = {"model": "m", "messages": [{"role": "user", "content": "What is the toll?"}]}
TRACE = "0af7651916cd43dd8448eb211c80319c"


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    kept = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(kept))
    monkeypatch.setattr(shortcut, "_TRACER", provider.get_tracer("test"))
    yield kept
    provider.shutdown()


async def test_a_request_is_one_span_of_the_callers_trace(
    http: httpx.AsyncClient, spans: InMemorySpanExporter
) -> None:
    trace = {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}
    assert (await http.post(PATH, json=ASKED, headers=trace)).status_code == 200
    assert (await http.post(PATH, content=b"{", headers=trace)).status_code == 400

    good, wrong = spans.get_finished_spans()
    assert good.name == f"POST {PATH}"
    assert good.kind is SpanKind.SERVER
    assert f"{good.context.trace_id:032x}" == TRACE
    assert dict(good.attributes or {}) == {
        "http.request.method": "POST",
        "http.route": PATH,
        "http.response.status_code": 200,
    }
    assert (wrong.attributes or {})["http.response.status_code"] == 400
    assert wrong.status.status_code is StatusCode.UNSET


async def test_a_defect_tells_nothing_and_is_an_error_of_the_span(
    http: httpx.AsyncClient,
    engine: FakeEngine,
    spans: InMemorySpanExporter,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(_request: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(engine, "run", broken)
    reply = await http.post(PATH, json=ASKED)

    assert reply.status_code == 500
    assert "secret" not in reply.text
    assert reply.json()["error"]["message"]
    (span,) = spans.get_finished_spans()
    assert span.status.status_code is StatusCode.ERROR
    assert not span.events


async def test_other_methods_are_refused_as_on_every_path(http: httpx.AsyncClient) -> None:
    reply = await http.get(PATH)

    assert reply.status_code == 405
    assert "method" in reply.json()["error"]["message"].lower()
