"""Language models that are slow, cut off, broken or gone."""

import asyncio
from contextlib import AsyncExitStack

import pytest
from aiohttp import web
from model_server import (
    ASK,
    DONE,
    StartModel,
    all_of,
    client_of,
    event,
    read_into,
)

from pellucid_runtime.errors import DeadlineExceededError
from pellucid_runtime.llm import endpoint
from pellucid_runtime.llm.endpoint import open_endpoint
from pellucid_runtime.llm.model import (
    LlmOutputError,
    LlmRejectedError,
    LlmTimeoutError,
    LlmUnavailableError,
)
from pellucid_runtime.llm.openai import OpenAiClient
from pellucid_runtime.rpc.deadline import deadline_scope


async def test_slow_first_token_goes_to_the_fallback(
    start_model: StartModel, stack: AsyncExitStack
) -> None:
    slow, quick = await start_model(), await start_model()
    slow.streams(5.0)
    quick.streams(event("ok"), event(finish="stop"), DONE)
    chunks = await all_of(await client_of(stack, slow, quick, first_token_s=1.0))
    assert chunks[0].text == "ok"
    assert quick.asked[0]["model"] == "model-1"
    assert quick.keys == ["Bearer key-1"]


async def test_two_slow_endpoints_are_a_timeout(
    start_model: StartModel, stack: AsyncExitStack
) -> None:
    first, second = await start_model(), await start_model()
    first.streams(5.0)
    second.streams(5.0)
    with pytest.raises(LlmTimeoutError) as caught:
        await all_of(await client_of(stack, first, second, first_token_s=0.1))
    assert caught.value.reason == "LLM_FAILED"


async def test_first_endpoint_takes_at_most_half_of_the_time(
    start_model: StartModel, stack: AsyncExitStack
) -> None:
    """Its patience is longer than the deadline, and yet the fallback still gets its chance."""
    slow, quick = await start_model(), await start_model()
    slow.streams(5.0)
    quick.streams(event("ok"), event(finish="stop"), DONE)
    client = await client_of(stack, slow, quick, first_token_s=10)
    with deadline_scope(2.0):
        assert (await all_of(client))[0].text == "ok"


async def test_stream_that_stalls_after_text_is_not_tried_again(
    start_model: StartModel, stack: AsyncExitStack
) -> None:
    stalls, other = await start_model(), await start_model()
    stalls.streams(event("Hel"), 5.0)
    received: list[str] = []
    client = await client_of(stack, stalls, other, idle_s=0.1)
    with pytest.raises(LlmTimeoutError):
        await read_into(received, client)
    assert received == ["Hel"]
    assert other.asked == []


async def test_stream_that_is_cut_is_an_error_and_no_silent_end(
    start_model: StartModel, stack: AsyncExitStack
) -> None:
    model = await start_model()

    async def cut(request: web.Request, response: web.StreamResponse) -> None:
        await response.write(event("Hel"))
        request.transport.abort()

    model.script = cut
    received: list[str] = []
    client = await client_of(stack, model)
    with pytest.raises(LlmUnavailableError):
        await read_into(received, client)
    assert received == ["Hel"]


@pytest.mark.parametrize("end", [b"", DONE])
async def test_a_stream_that_ends_in_order_is_complete_without_a_finish_reason(
    start_model: StartModel, stack: AsyncExitStack, end: bytes
) -> None:
    model = await start_model()
    model.streams(event("Hel"), event("lo"), end)
    chunks = await all_of(await client_of(stack, model))
    assert "".join(chunk.text for chunk in chunks) == "Hello"


async def test_momentary_failure_of_a_single_endpoint_is_tried_once_more(
    start_model: StartModel, stack: AsyncExitStack
) -> None:
    model = await start_model()
    model.status, model.body = 503, {"error": {"message": "busy"}}
    client = await client_of(stack, model)
    with pytest.raises(LlmUnavailableError):
        await all_of(client)
    assert len(model.asked) == 2
    with pytest.raises(LlmUnavailableError):
        await client.complete(ASK)
    assert len(model.asked) == 4


async def test_refusal_is_final_at_one_endpoint_and_not_at_two(
    start_model: StartModel, stack: AsyncExitStack
) -> None:
    strict, other = await start_model(), await start_model()
    strict.status, strict.body = 401, {"error": {"message": "bad key: hello"}}
    with pytest.raises(LlmRejectedError) as caught:
        await all_of(await client_of(stack, strict))
    assert len(strict.asked) == 1
    assert "hello" not in str(caught.value)  # endpoints like to quote what they refuse
    other.completes("fine")
    assert (await (await client_of(stack, strict, other)).complete(ASK)).text == "fine"


@pytest.mark.parametrize(
    "garbage",
    [
        b"data: {not json\n\n",
        b"data: \xff\xfe\n\n",
        b'data: {"choices": 7}\n\n',
        b'data: {"choices": [{"delta": null}]}\n\n',
        b'data: {"choices": [{"delta": {"content": 7}}]}\n\n',
        b'data: {"error": {"message": "no"}}\n\n',
        b"data: 7\n\n",
        b"x" * 1_100_000,
        b"<html>hello</html>",
        b"",
    ],
)
async def test_garbage_is_a_typed_error(
    start_model: StartModel, stack: AsyncExitStack, garbage: bytes
) -> None:
    model = await start_model()
    model.streams(garbage)
    with pytest.raises((LlmOutputError, LlmUnavailableError)):
        await all_of(await client_of(stack, model))


async def test_garbage_instead_of_a_completion_is_a_typed_error(
    start_model: StartModel, stack: AsyncExitStack
) -> None:
    model = await start_model()
    for body in ({}, [], "text", {"choices": []}, {"choices": [{"message": None}]}):
        model.body = body
        with pytest.raises(LlmOutputError):
            await (await client_of(stack, model)).complete(ASK)


async def test_endpoint_that_does_not_exist(stack: AsyncExitStack, free_port: int) -> None:
    endpoint = await open_endpoint(f"http://127.0.0.1:{free_port}/v1", str, "m", stack)
    began = asyncio.get_running_loop().time()
    with pytest.raises(LlmUnavailableError):
        await OpenAiClient([endpoint]).complete(ASK)
    assert asyncio.get_running_loop().time() - began < 2


async def test_deadline_is_stronger_than_patience(
    start_model: StartModel, stack: AsyncExitStack
) -> None:
    model = await start_model()
    model.streams(event("Hel"), 5.0)
    client = await client_of(stack, model)
    with deadline_scope(0.3), pytest.raises(DeadlineExceededError):
        await all_of(client)


async def test_leaving_early_closes_the_connection(
    start_model: StartModel, stack: AsyncExitStack
) -> None:
    closed = asyncio.Event()
    model = await start_model()

    async def endless(_request: web.Request, response: web.StreamResponse) -> None:
        try:
            while True:
                await response.write(event("x"))
                await asyncio.sleep(0.01)
        finally:
            closed.set()

    model.script = endless
    chunks = (await client_of(stack, model)).stream(ASK)
    await anext(chunks)
    await chunks.aclose()
    await asyncio.wait_for(closed.wait(), 10)


async def test_an_endless_reply_is_not_read_to_its_end(
    start_model: StartModel, stack: AsyncExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "MOST_BYTES", 1000)
    model = await start_model()
    model.completes("word " * 1000)
    with pytest.raises(LlmOutputError):
        await (await client_of(stack, model)).complete(ASK)
