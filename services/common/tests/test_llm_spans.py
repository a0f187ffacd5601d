"""The span of a model call, by the conventions for generative AI."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from types import SimpleNamespace
from typing import Any

import pytest
from model_server import ASK, DONE, USAGE, ModelServer, client_of, event
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import StatusCode

from pellucid_runtime.llm import observed
from pellucid_runtime.llm.model import LlmError

StartModel = Callable[[], Awaitable[ModelServer]]


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    kept = InMemorySpanExporter()
    provider = TracerProvider(sampler=ALWAYS_ON, shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(kept))
    monkeypatch.setattr(observed, "TRACER", provider.get_tracer("test"))
    yield kept
    provider.shutdown()


async def test_models_and_tokens_stand_in_it(
    start_model: StartModel, stack: AsyncExitStack, spans: InMemorySpanExporter
) -> None:
    server = await start_model()
    client = await client_of(stack, server)
    server.completes("hi")
    await client.complete(ASK)
    server.streams(event("hi"), event(finish="stop"), USAGE, DONE)
    async for _chunk in client.stream(ASK):
        pass

    for span, answered in zip(spans.get_finished_spans(), ("m-1", "m"), strict=True):
        told: Any = span.attributes
        assert told["gen_ai.request.model"] == "model-0"
        assert told["gen_ai.response.model"] == answered
        assert told["gen_ai.provider.name"] == "openai_compatible"
        assert (told["gen_ai.usage.input_tokens"], told["gen_ai.usage.output_tokens"]) == (7, 2)
        assert span.status.status_code is StatusCode.UNSET
        assert "error.type" not in told


@pytest.mark.parametrize(
    ("status", "error", "attempts"),
    [(401, "wrong_key", 1), (503, "server_error", 2)],
)
async def test_a_call_that_fails_is_an_error_with_its_cause(  # noqa: PLR0917 - fixtures and a table
    start_model: StartModel,
    stack: AsyncExitStack,
    spans: InMemorySpanExporter,
    status: int,
    error: str,
    attempts: int,
) -> None:
    server = await start_model()
    server.status, server.body = status, {"error": {"message": "the prompt was: mine"}}
    with pytest.raises(LlmError):
        await (await client_of(stack, server)).complete(ASK)

    assert len(spans.get_finished_spans()) == attempts
    for span in spans.get_finished_spans():
        assert span.status.status_code is StatusCode.ERROR
        assert (span.attributes or {})["error.type"] == error
        assert "mine" not in span.to_json()


def test_what_was_asked_for_is_told(spans: InMemorySpanExporter) -> None:
    served = SimpleNamespace(model="m", host="voyage.example", prices={})
    observed.ModelCall(served, "m", "embeddings").end(observed.OK)
    (span,) = spans.get_finished_spans()
    assert span.name == "embeddings m"
    assert span.attributes is not None
    assert span.attributes["gen_ai.operation.name"] == "embeddings"
