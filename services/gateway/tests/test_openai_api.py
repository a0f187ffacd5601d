"""The OpenAI chat completions face, spoken to with the official client."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import httpx
import openai
import pytest
from api_fakes import (
    ANSWER,
    CALL,
    DECISION,
    RESULT,
    FakeEngine,
    tool_call_events,
    turn_events,
)
from sdk_clients import openai_client
from upstream_fakes import CHUNKS, FakeUpstream

from pellucid_gateway.domain.decision import Action, WebMode
from pellucid_gateway.domain.events import Decided, Failed
from pellucid_gateway.domain.request import CitationStyle, Depth

ALONE = Decided(replace(DECISION, action=Action.ANSWER, queries=()))


@pytest.fixture
async def client(gateway: str) -> AsyncIterator[openai.AsyncOpenAI]:
    async with AsyncExitStack() as stack:
        yield await openai_client(stack, gateway)


MESSAGES: list[Any] = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": [{"type": "text", "text": "What is the toll?"}]},
]


async def test_a_search_is_told_in_openai_words(
    client: openai.AsyncOpenAI, engine: FakeEngine, upstream: FakeUpstream
) -> None:
    reply = await client.chat.completions.create(
        model="pellucid:deep",
        messages=MESSAGES,
        extra_body={"pellucid": {"citation_style": "numeric", "max_results": 4}},
    )

    message = reply.choices[0].message
    assert message.content == ANSWER
    assert message.annotations is not None
    first = message.annotations[0].url_citation
    assert ANSWER[first.start_index : first.end_index].startswith("the toll for cars")
    assert message.tool_calls is None
    assert reply.model == "pellucid:deep"
    assert reply.usage is not None
    assert reply.usage.prompt_tokens == 900
    turn = engine.turns[0]
    assert turn.message == "What is the toll?"
    assert (turn.depth, turn.citation_style) == (Depth.DEEP, CitationStyle.NUMERIC)
    assert turn.options.max_results == 4
    assert turn.model == "m"
    assert upstream.bodies == []


async def test_the_stream_follows_the_safe_recipe(client: openai.AsyncOpenAI) -> None:
    stream = await client.chat.completions.create(
        model="pellucid", messages=MESSAGES, stream=True, stream_options={"include_usage": True}
    )
    chunks = [chunk async for chunk in stream]

    texts = [c.choices[0].delta.content or "" for c in chunks if c.choices]
    assert "".join(texts) == ANSWER
    first_text = next(c for c in chunks if c.choices and c.choices[0].delta.content)
    assert first_text.model_extra is not None
    assert first_text.model_extra["search_results"][0]["title"] == RESULT.sources[0].title
    ends = [c for c in chunks if c.choices and c.choices[0].finish_reason]
    assert [c.choices[0].finish_reason for c in ends] == ["stop"]
    last = ends[0].choices[0].delta
    assert not last.content
    assert last.model_extra is not None
    urls = [a["url_citation"]["url"] for a in last.model_extra["annotations"]]
    assert urls == list(dict.fromkeys(urls))
    assert len(urls) == 2
    assert chunks[-1].choices == []
    assert chunks[-1].usage is not None
    assert all(not c.choices[0].delta.tool_calls for c in chunks if c.choices)


async def test_without_search_the_bytes_of_the_model_are_untouched(
    gateway: str, engine: FakeEngine, upstream: FakeUpstream
) -> None:
    engine.events = [ALONE, *engine.events[1:]]
    body = (
        b'{"model": "m",  "stream": true, "seed": 7, "messages": [{"role":"user","content":"hi"}]}'
    )
    async with httpx.AsyncClient(trust_env=False) as http:
        reply = await http.post(
            f"{gateway}/v1/chat/completions",
            content=body,
            headers={"authorization": "Bearer ours"},
        )

    assert reply.content == b"".join(CHUNKS)
    assert upstream.bodies == [body]
    assert upstream.keys == ["Bearer upstream-key"]


async def test_our_own_options_do_not_reach_the_model(
    gateway: str, engine: FakeEngine, upstream: FakeUpstream
) -> None:
    engine.events = [ALONE]
    body = {
        "model": "pellucid:nosearch",
        "messages": [{"role": "user", "content": "hi"}],
        "pellucid": {"depth": "quick"},
        "tools": [{"type": "function", "function": {"name": "f"}}],
        "my_field": {"kept": True},
    }
    async with httpx.AsyncClient(trust_env=False) as http:
        reply = await http.post(f"{gateway}/v1/chat/completions", json=body)

    assert reply.json()["choices"][0]["message"]["content"] == "plain"
    sent = json.loads(upstream.bodies[0])
    assert sent == {
        "model": "m",
        "messages": body["messages"],
        "tools": body["tools"],
        "my_field": {"kept": True},
    }
    assert engine.turns[0].web_mode is WebMode.OFF


async def test_a_tool_result_goes_to_the_model_alone(
    client: openai.AsyncOpenAI, engine: FakeEngine
) -> None:
    messages: list[Any] = [*MESSAGES, {"role": "tool", "tool_call_id": "1", "content": "42"}]

    reply = await client.chat.completions.create(model="m", messages=messages)

    assert reply.choices[0].message.content == "plain"
    assert engine.turns == []


async def test_search_options_turn_the_search_on(
    client: openai.AsyncOpenAI, engine: FakeEngine
) -> None:
    await client.chat.completions.create(
        model="m",
        messages=MESSAGES,
        web_search_options={
            "search_context_size": "low",
            "user_location": {
                "type": "approximate",
                "approximate": {"country": "FR", "timezone": "Europe/Paris"},
            },
        },
    )

    turn = engine.turns[0]
    assert (turn.web_mode, turn.depth) == (WebMode.ON, Depth.QUICK)
    assert (turn.options.country, turn.time_zone) == ("FR", "Europe/Paris")


async def test_no_external_keeps_the_message_from_an_external_model(
    client: openai.AsyncOpenAI, engine: FakeEngine, upstream: FakeUpstream
) -> None:
    engine.events = [ALONE, *engine.events[1:]]

    await client.chat.completions.create(
        model="m", messages=MESSAGES, extra_headers={"X-Pellucid-Options": '{"no_external": true}'}
    )

    assert upstream.bodies == []


async def test_errors_have_openai_shape(client: openai.AsyncOpenAI, engine: FakeEngine) -> None:
    with pytest.raises(openai.BadRequestError) as caught:
        await client.chat.completions.create(
            model="m", messages=MESSAGES, extra_body={"pellucid": {"depth": "abyss"}}
        )
    assert caught.value.param == "depth"
    assert caught.value.code == "invalid_argument"

    engine.events = [ALONE]
    with pytest.raises(openai.NotFoundError):
        await client.chat.completions.create(model="refused", messages=MESSAGES)

    engine.events = [Failed("OVERLOADED", "Busy.", retryable=True)]
    with pytest.raises(openai.InternalServerError, match="Busy"):
        await client.chat.completions.create(model="m", messages=MESSAGES)
    with pytest.raises(openai.InternalServerError, match="Busy"):
        await client.chat.completions.create(model="m", messages=MESSAGES, stream=True)
    engine.events = [*turn_events()[:11], Failed("OVERLOADED", "Busy.", retryable=True)]
    stream = await client.chat.completions.create(model="m", messages=MESSAGES, stream=True)
    with pytest.raises(openai.APIError, match="Busy"):
        async for _ in stream:
            pass


async def test_a_model_that_breaks_off_leaves_what_it_said_marked_as_partial(
    client: openai.AsyncOpenAI, engine: FakeEngine, upstream: FakeUpstream
) -> None:
    engine.events = [ALONE]
    upstream.breaks = True

    stream = await client.chat.completions.create(model="m", messages=MESSAGES, stream=True)

    chunks = [chunk async for chunk in stream]
    assert chunks[0].choices[0].delta.content == "café "
    assert chunks[-1].choices[0].finish_reason == "length"
    assert (chunks[-1].model_extra or {})["partial"] is True


async def test_models_are_those_of_the_server_and_ours(client: openai.AsyncOpenAI) -> None:
    assert [model.id for model in (await client.models.list()).data] == ["pellucid", "m"]


async def test_without_a_model_the_engine_answers(
    http: httpx.AsyncClient, engine: FakeEngine
) -> None:
    engine.events = [ALONE, *engine.events[1:]]
    reply = await http.post("/v1/chat/completions", json={"messages": MESSAGES})
    models = await http.get("/v1/models")

    assert reply.json()["choices"][0]["message"]["content"] == ANSWER
    assert [model["id"] for model in models.json()["data"]] == ["pellucid"]


@pytest.mark.parametrize(
    "body",
    [{}, {"messages": []}, {"messages": "x"}, {"messages": ["x"]}, {"messages": [{}], "model": 3}],
)
async def test_bad_openai_requests_are_400(http: httpx.AsyncClient, body: dict[str, Any]) -> None:
    reply = await http.post("/v1/chat/completions", json=body)

    assert reply.status_code in {400, 503}
    assert reply.json()["error"]["message"]


async def test_a_search_takes_the_clients_own_conversation_along(
    client: openai.AsyncOpenAI, engine: FakeEngine
) -> None:
    tool: Any = {"type": "function", "function": {"name": "convert", "parameters": {}}}
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    told: list[Any] = [
        {"role": "developer", "content": "Answer in verse."},
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Good day", "name": "bot"},
        {"role": "user", "content": [{"type": "text", "text": "What is the toll?"}, picture]},
    ]
    await client.chat.completions.create(
        model="m",
        messages=told,
        tools=[tool],
        temperature=0.1,
        web_search_options={},
        extra_body={"odd": {"kept": True}, "pellucid": {"depth": "quick"}},
    )

    turn = engine.turns[0]
    assert turn.passthrough is not None
    assert list(turn.passthrough.messages) == told
    assert turn.passthrough.fields == {"tools": [tool], "temperature": 0.1, "odd": {"kept": True}}
    assert turn.message == "What is the toll?"


async def test_calls_of_the_clients_tools_are_passed_on(
    client: openai.AsyncOpenAI, engine: FakeEngine
) -> None:
    engine.events = [turn_events()[0], *tool_call_events()[1:]]
    whole = await client.chat.completions.create(model="m", messages=MESSAGES)
    stream = await client.chat.completions.create(model="m", messages=MESSAGES, stream=True)
    pieces = [
        piece
        async for chunk in stream
        for choice in chunk.choices
        for piece in choice.delta.tool_calls or ()
    ]

    choice = whole.choices[0]
    assert choice.finish_reason == "tool_calls"
    assert choice.message.content is None
    assert choice.message.tool_calls is not None
    assert choice.message.tool_calls[0].to_dict() == CALL
    assert "".join(p.function.arguments or "" for p in pieces if p.function) == '{"amount": 4.2}'


async def test_steps_of_the_search_are_told_as_reasoning(client: openai.AsyncOpenAI) -> None:
    told = []
    for progress in ("reasoning", "none"):
        stream = await client.chat.completions.create(
            model="m",
            messages=MESSAGES,
            stream=True,
            extra_body={"pellucid": {"progress": progress}},
        )
        deltas = [chunk.choices[0].delta.to_dict() async for chunk in stream if chunk.choices]
        told.append("".join(str(delta.get("reasoning_content", "")) for delta in deltas))

    assert told == [
        "Searching the web… Skerry Bridge car toll 2026\nReading 3 pages…\nIs it enough?\n",
        "",
    ]


async def test_an_answer_for_a_program_gets_no_markers(
    client: openai.AsyncOpenAI, engine: FakeEngine
) -> None:
    style = {"pellucid": {"citation_style": "numeric"}}
    await client.chat.completions.create(model="m", messages=MESSAGES, extra_body=style)
    await client.chat.completions.create(
        model="m",
        messages=MESSAGES,
        response_format={"type": "json_object"},
        extra_body=style,
    )

    styles = [turn.citation_style for turn in engine.turns]
    assert styles == [CitationStyle.NUMERIC, CitationStyle.NONE]


async def test_leaving_hangs_up_on_the_model(
    gateway: str, engine: FakeEngine, upstream: FakeUpstream
) -> None:
    engine.events = [ALONE]
    upstream.endless = True
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "hi"}]}
    async with (
        httpx.AsyncClient(trust_env=False) as http,
        http.stream("POST", f"{gateway}/v1/chat/completions", json=body) as reply,
    ):
        await anext(reply.aiter_bytes())
        assert not upstream.left.is_set()

    await asyncio.wait_for(upstream.left.wait(), 10)
