"""The language model client against an OpenAI-compatible server of the test's own."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace

import pytest
from model_server import (
    ASK,
    DONE,
    USAGE,
    StartModel,
    all_of,
    client_of,
    event,
)

from pellucid_runtime.llm.endpoint import open_endpoint
from pellucid_runtime.llm.model import (
    ChatMessage,
    ChatRequest,
    Usage,
)
from pellucid_runtime.llm.openai import OpenAiClient, open_llm
from pellucid_runtime.llm.settings import LlmSettings


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


async def test_a_schema_is_sent_with_the_request(
    start_model: StartModel, stack: AsyncExitStack
) -> None:
    model = await start_model()
    schema = {"type": "object", "properties": {"search": {"type": "boolean"}}}
    model.completes('{"search": true}')
    completion = await (await client_of(stack, model)).complete(replace(ASK, json_schema=schema))
    assert completion.text == '{"search": true}'
    assert completion.host == "127.0.0.1"
    assert model.asked[0]["response_format"]["json_schema"]["schema"] == schema


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
