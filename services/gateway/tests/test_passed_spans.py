"""A model call that passes through untouched is traced and counted as every other."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import SpanKind, StatusCode
from prometheus_client import REGISTRY
from test_model_connection import CHUNKED, END, Script, served

from pellucid_gateway.adapters.model_server import KeptModelServer
from pellucid_runtime.llm import observed
from pellucid_runtime.llm.model import LlmTimeoutError, LlmUnavailableError

USAGE = {"prompt_tokens": 3000, "completion_tokens": 500}
WHOLE = json.dumps({"model": "m-2026", "choices": [], "usage": USAGE}).encode()
TOLD = b'data: {"model": "m-2026", "choices": [], "usage": %s}\n\n' % json.dumps(USAGE).encode()
STREAM = CHUNKED + b"".join(
    b"%x\r\n%s\r\n" % (len(piece), piece)
    for piece in (
        b'data: {"choices": [{"delta": {"content": "Hi"}}]}\n\n',
        TOLD,
        b"data: [DONE]\n\n",
    )
)
COUNTS = {
    "calls": ("pellucid_llm_calls_total", {"outcome": "ok"}),
    "prompt": ("pellucid_llm_tokens_total", {"direction": "prompt"}),
    "completion": ("pellucid_llm_tokens_total", {"direction": "completion"}),
    "usd": ("pellucid_llm_cost_usd_total", {}),
    "begun": ("pellucid_llm_first_token_seconds_count", {}),
}


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    kept = InMemorySpanExporter()
    provider = TracerProvider(sampler=ALWAYS_ON, shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(kept))
    monkeypatch.setattr(observed, "TRACER", provider.get_tracer("test"))
    yield kept
    provider.shutdown()


def counts() -> dict[str, float]:
    return {
        what: REGISTRY.get_sample_value(name, {"model": "house", **labels}) or 0.0
        for what, (name, labels) in COUNTS.items()
    }


def whole(body: bytes, status: str = "200 OK") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    return f"{head}\r\n\r\n".encode() + body


def only(spans: InMemorySpanExporter) -> ReadableSpan:
    (span,) = spans.get_finished_spans()
    return span


def failed_with(span: ReadableSpan, error: str) -> None:
    assert span.attributes is not None
    assert span.attributes["error.type"] == span.attributes["pellucid.outcome"] == error
    assert span.status.status_code is StatusCode.ERROR


async def take(model: KeptModelServer) -> bytes:
    reply = await model.complete(b"{}", "m")
    body = bytearray()
    if not reply.is_stream:
        return await reply.read()
    await reply.pour(body.extend)
    return bytes(body)


@pytest.mark.parametrize(
    ("told", "streams"), [(whole(WHOLE), 0), (STREAM + END, 1)], ids=["whole", "stream"]
)
async def test_a_call_is_told_with_its_models_its_tokens_and_its_cost(
    spans: InMemorySpanExporter, told: bytes, streams: int
) -> None:
    before = counts()
    async with served(Script([[told]]), prices={"m": (1.0, 4.0)}) as model:
        assert b"m-2026" in await take(model)

    span = only(spans)
    assert (span.name, span.kind) == ("chat m", SpanKind.CLIENT)
    assert span.status.status_code is StatusCode.UNSET
    assert dict(span.attributes or {}) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai_compatible",
        "gen_ai.request.model": "m",
        "gen_ai.response.model": "m-2026",
        "gen_ai.usage.input_tokens": 3000,
        "gen_ai.usage.output_tokens": 500,
        "pellucid.outcome": "ok",
        "server.address": "127.0.0.1",
    }
    gained = {what: round(now - before[what], 9) for what, now in counts().items()}
    assert gained == {
        "calls": 1,
        "prompt": 3000,
        "completion": 500,
        "usd": 0.005,
        "begun": streams,
    }


@pytest.mark.parametrize(
    ("status", "error"),
    [
        ("404 Not Found", "unknown_model"),
        ("429 Too Many Requests", "rate_limited"),
        ("503 Service Unavailable", "server_error"),
    ],
)
async def test_a_refusal_is_passed_on_and_an_error_of_the_span(
    spans: InMemorySpanExporter, status: str, error: str
) -> None:
    async with served(Script([[whole(b"{}", status)]])) as model:
        assert await take(model) == b"{}"
    failed_with(only(spans), error)


async def test_a_reply_that_breaks_off_is_an_error_of_the_span(spans: InMemorySpanExporter) -> None:
    async with served(Script([[STREAM]], closes=True)) as model:
        with pytest.raises(LlmUnavailableError):
            await take(model)
    failed_with(only(spans), "broke_off")


async def test_a_server_that_does_not_begin_is_an_error_of_the_span(
    spans: InMemorySpanExporter,
) -> None:
    async with served(Script([[b""]], pause_s=0.5), first_byte_s=0.05) as model:
        with pytest.raises(LlmTimeoutError):
            await model.complete(b"{}", "m")
    failed_with(only(spans), "too_slow")


async def test_a_client_that_leaves_is_no_error(spans: InMemorySpanExporter) -> None:
    arrived = asyncio.Event()

    def see(_piece: bytes) -> None:
        arrived.set()

    async with served(Script([[STREAM, END]], pause_s=0.5)) as model:
        reply = await model.complete(b"{}", "m")
        pouring = asyncio.create_task(reply.pour(see))
        await arrived.wait()
        pouring.cancel()
        await asyncio.wait({pouring})

    attributes: Any = only(spans).attributes
    assert attributes["pellucid.outcome"] == "cancelled"
    assert attributes["gen_ai.usage.output_tokens"] == 500, "what had arrived was counted"
    assert only(spans).status.status_code is StatusCode.UNSET


async def test_a_reply_that_nobody_wants_ends_its_span(spans: InMemorySpanExporter) -> None:
    async with served(Script([[STREAM, END]])) as model:
        (await model.complete(b"{}", "m")).hang_up()
    assert (only(spans).attributes or {})["pellucid.outcome"] == "cancelled"


async def test_a_list_of_models_is_no_chat(spans: InMemorySpanExporter) -> None:
    async with served(Script([[whole(b'{"data": [{"id": "m"}]}')]])) as model:
        assert await model.models() == [{"id": "m"}]
    assert spans.get_finished_spans() == ()
