"""The language model client against an OpenAI-compatible server of the test's own."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web

from pellucid_runtime.deadline import deadline_scope
from pellucid_runtime.errors import DeadlineExceededError
from pellucid_runtime.llm import (
    ChatMessage,
    ChatRequest,
    Chunk,
    LlmOutputError,
    LlmRejectedError,
    LlmTimeoutError,
    LlmUnavailableError,
    Usage,
    complete_json,
)
from pellucid_runtime.llm_openai import OpenAiClient, Patience, open_endpoint, open_llm
from pellucid_runtime.llm_settings import LlmSettings

ASK = ChatRequest([ChatMessage("user", "hello")])
Script = Callable[[web.Request, web.StreamResponse], Awaitable[None]]


def event(content: str | None = None, finish: str | None = None, **more: Any) -> bytes:
    choice = {"index": 0, "delta": {"content": content}, "finish_reason": finish}
    body = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    return b"data: " + json.dumps(body | {"choices": [choice]} | more).encode() + b"\n\n"


USAGE = event(choices=[], usage={"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9})
DONE = b"data: [DONE]\n\n"


class ModelServer:
    """Answers as scripted, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.script: Script | None = None
        self.status = 200
        self.body: Any = None
        self.url = ""
        self.ends = asyncio.Event()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(await request.json())
        self.keys.append(request.headers.get("Authorization", ""))
        if self.script is None:
            return web.json_response(self.body, status=self.status)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await self.script(request, response)
        return response

    def streams(self, *pieces: bytes | float) -> None:
        """Send the pieces; a number is a pause in seconds."""

        async def script(_request: web.Request, response: web.StreamResponse) -> None:
            for piece in pieces:
                if isinstance(piece, float):
                    await asyncio.wait({asyncio.create_task(self.ends.wait())}, timeout=piece)
                else:
                    await response.write(piece)

        self.script = script

    def completes(self, text: str) -> None:
        message = {"role": "assistant", "content": text}
        self.body = {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": "m-1",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9},
        }


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as opened:
        yield opened


StartModel = Callable[[], Awaitable[ModelServer]]


@pytest.fixture
async def start_model(stack: AsyncExitStack) -> StartModel:
    async def start() -> ModelServer:
        server = ModelServer()
        app = web.Application()
        app.router.add_post("/v1/chat/completions", server.handle)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        stack.callback(server.ends.set)
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        server.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        return server

    return start


async def client_of(
    stack: AsyncExitStack, *servers: ModelServer, **patience: float
) -> OpenAiClient:
    endpoints = [
        await open_endpoint(
            server.url, lambda number=number: f"key-{number}", f"model-{number}", stack
        )
        for number, server in enumerate(servers)
    ]
    return OpenAiClient(endpoints, Patience(**patience))


async def all_of(client: OpenAiClient, request: ChatRequest = ASK) -> list[Chunk]:
    return [chunk async for chunk in client.stream(request)]


async def read_into(received: list[str], client: OpenAiClient) -> None:
    async for chunk in client.stream(ASK):
        received.append(chunk.text)  # noqa: PERF401 - what came before an error matters


async def test_stream_gives_text_reason_and_usage(
    start_model: StartModel, stack: AsyncExitStack
) -> None:
    model = await start_model()
    model.streams(event("Hel"), event("lo"), event(finish="stop"), USAGE, DONE)
    chunks = await all_of(await client_of(stack, model))
    assert "".join(chunk.text for chunk in chunks) == "Hello"
    assert [c.finish_reason for c in chunks if c.finish_reason] == ["stop"]
    assert chunks[-1].usage == Usage(7, 2)
    assert chunks[0].host == "127.0.0.1"
    assert model.asked[0]["model"] == "model-0"
    assert model.asked[0]["stream_options"] == {"include_usage": True}
    assert model.keys == ["Bearer key-0"]


async def test_usage_is_priced_by_the_model_that_was_asked(
    start_model: StartModel, stack: AsyncExitStack
) -> None:
    model = await start_model()
    model.completes("hi")
    endpoint = await open_endpoint(model.url, str, "big", stack)
    prices = {"big": (3.0, 15.0), "small": (0.5, 1.0)}
    client = OpenAiClient([replace(endpoint, prices=prices)])
    costs = {
        name: (await client.complete(replace(ASK, model=name))).usage
        for name in (None, "small", "x")
    }
    assert costs[None] == Usage(7, 2, (7 * 3 + 2 * 15) / 1e6)
    assert costs["small"] == Usage(7, 2, (7 * 0.5 + 2 * 1) / 1e6)
    assert costs["x"] == costs[None]


async def test_a_new_key_is_used_from_the_next_call_on(
    start_model: StartModel, stack: AsyncExitStack
) -> None:
    model = await start_model()
    model.completes("hi")
    keys = iter(["old", "new"])
    client = OpenAiClient([await open_endpoint(model.url, lambda: next(keys), "m", stack)])
    await client.complete(ASK)
    await client.complete(ASK)
    assert model.keys == ["Bearer old", "Bearer new"]


async def test_split_characters_are_put_together(
    start_model: StartModel, stack: AsyncExitStack
) -> None:
    model = await start_model()
    whole = event("도쿄") + event(finish="stop") + DONE
    raw = whole.replace(b"\\ub3c4\\ucfc4", "도쿄".encode())
    model.streams(*[raw[i : i + 1] for i in range(len(raw))])
    assert (await all_of(await client_of(stack, model)))[0].text == "도쿄"


async def test_completion_passes_its_parameters(
    start_model: StartModel, stack: AsyncExitStack
) -> None:
    model = await start_model()
    model.completes("hi")
    client = await client_of(stack, model)
    request = ChatRequest(
        [ChatMessage("system", "be brief"), ChatMessage("user", "hello")],
        model="other",
        temperature=0.2,
        max_tokens=64,
        extra={"seed": 1},
    )
    answer = await client.complete(request)
    assert (answer.text, answer.finish_reason, answer.usage) == ("hi", "stop", Usage(7, 2))
    assert answer.model == "m-1"
    asked = model.asked[0]
    assert (asked["model"], asked["temperature"], asked["max_tokens"]) == ("other", 0.2, 64)
    assert asked["seed"] == 1
    assert asked["messages"][0] == {"role": "system", "content": "be brief"}


async def test_json_answer_follows_the_schema_and_may_be_fenced(
    start_model: StartModel, stack: AsyncExitStack
) -> None:
    model = await start_model()
    schema = {"type": "object", "properties": {"search": {"type": "boolean"}}}
    model.completes('```json\n{"search": true}\n```')
    value, completion = await complete_json(await client_of(stack, model), ASK, schema)
    assert value == {"search": True}
    assert completion.host == "127.0.0.1"
    assert model.asked[0]["response_format"]["json_schema"]["schema"] == schema


@pytest.mark.parametrize("text", ["sure!", "[1]", "", "{"])
async def test_answer_that_is_no_json_object_is_refused(
    start_model: StartModel, stack: AsyncExitStack, text: str
) -> None:
    model = await start_model()
    model.completes(text)
    with pytest.raises(LlmOutputError):
        await complete_json(await client_of(stack, model), ASK, {})


async def test_slow_first_token_goes_to_the_fallback(
    start_model: StartModel, stack: AsyncExitStack
) -> None:
    slow, quick = await start_model(), await start_model()
    slow.streams(5.0)
    quick.streams(event("ok"), event(finish="stop"), DONE)
    chunks = await all_of(await client_of(stack, slow, quick, first_token_s=0.2))
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
    with deadline_scope(1.0):
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


async def test_stream_without_finish_reason_broke_off(
    start_model: StartModel, stack: AsyncExitStack
) -> None:
    model = await start_model()
    model.streams(event("Hel"))
    with pytest.raises(LlmUnavailableError, match="broke off"):
        await all_of(await client_of(stack, model))


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
    assert (await anext(chunks)).text == "x"
    await chunks.aclose()
    await asyncio.wait_for(closed.wait(), 1)


async def test_tool_calls_pass_through(start_model: StartModel, stack: AsyncExitStack) -> None:
    model = await start_model()
    call = {"index": 0, "id": "c1", "type": "function", "function": {"name": "f", "arguments": "{"}}
    choice = {"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": None}
    model.streams(event(choices=[choice]), event(finish="tool_calls"), DONE)
    chunks = await all_of(await client_of(stack, model))
    assert chunks[0].tool_calls[0]["function"]["name"] == "f"


async def test_proxies_of_the_environment_are_ignored(
    start_model: StartModel, stack: AsyncExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxied = []

    async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        proxied.append(await reader.read(100))
        writer.close()

    server = await asyncio.start_server(proxy, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, address)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    model = await start_model()
    model.completes("direct")
    assert (await (await client_of(stack, model)).complete(ASK)).text == "direct"
    server.close()
    await server.wait_closed()
    assert proxied == []


async def test_settings_decide_whether_there_is_a_model(
    start_model: StartModel, stack: AsyncExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    assert await open_llm(LlmSettings(), stack) is None
    model, fallback = await start_model(), await start_model()
    model.status, model.body = 500, {}
    fallback.completes("from the fallback")
    settings = LlmSettings(
        openai_base_url=model.url,
        openai_api_key="k",
        llm_fallback_base_url=fallback.url,
        llm_fallback_model="small",
    )
    client = await open_llm(settings, stack)
    assert client is not None
    assert (await client.complete(ASK)).text == "from the fallback"
    assert fallback.asked[0]["model"] == "small"
    assert fallback.keys == ["Bearer k"]
    assert "'k'" not in repr(settings)
