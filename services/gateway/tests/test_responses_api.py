"""The OpenAI Responses face, spoken to with the official client."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import openai
import pytest
from api_fakes import (
    ANSWER,
    CITATIONS,
    SOURCES,
    FakeEngine,
    forced_events,
    tool_call_events,
    turn_events,
)
from sdk_clients import openai_client

from pellucid_gateway.domain.decision import WebMode
from pellucid_gateway.domain.events import Failed
from pellucid_gateway.domain.request import Depth

SEARCH: Any = {"type": "web_search"}
FUNCTION: Any = {"type": "function", "name": "convert", "parameters": {"type": "object"}}


@pytest.fixture
async def client(gateway: str) -> AsyncIterator[openai.AsyncOpenAI]:
    async with AsyncExitStack() as stack:
        yield await openai_client(stack, gateway)


async def test_a_response_has_the_search_and_the_cited_text(client: openai.AsyncOpenAI) -> None:
    reply = await client.responses.create(
        model="pellucid",
        input="What is the toll?",
        tools=[SEARCH],
        include=["web_search_call.action.sources"],
    )

    assert reply.status == "completed"
    assert reply.output_text == ANSWER
    opened, search, message = reply.output
    assert opened.type == "web_search_call"
    assert opened.action.type == "open_page"
    assert search.type == "web_search_call"
    assert search.action.type == "search"
    assert search.action.queries == ["Skerry Bridge car toll 2026", "Skerry Bridge toll news"]
    assert [source.url for source in search.action.sources or ()] == [s.url for s in SOURCES]
    assert message.type == "message"
    part = message.content[0]
    assert part.type == "output_text"
    noted = part.annotations[0]
    assert noted.type == "url_citation"
    assert ANSWER[noted.start_index : noted.end_index].startswith("the toll for cars")
    assert len(part.annotations) == len(CITATIONS)
    assert reply.usage is not None
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (900, 40)


async def test_the_stream_builds_the_same_response(client: openai.AsyncOpenAI) -> None:
    async with client.responses.stream(
        model="pellucid", input="What is the toll?", tools=[SEARCH]
    ) as stream:
        events = [event async for event in stream]
        final = await stream.get_final_response()

    kinds = [event.type for event in events]
    for earlier, later in (
        ("response.created", "response.in_progress"),
        ("response.web_search_call.in_progress", "response.web_search_call.searching"),
        ("response.web_search_call.searching", "response.web_search_call.completed"),
        ("response.web_search_call.completed", "response.output_text.delta"),
        ("response.output_text.delta", "response.output_text.annotation.added"),
        ("response.output_text.annotation.added", "response.output_text.done"),
        ("response.content_part.done", "response.completed"),
    ):
        assert kinds.index(earlier) < kinds.index(later)
    numbers = [event.sequence_number for event in events]
    assert numbers == sorted(set(numbers))
    assert final.output_text == ANSWER
    assert [item.type for item in final.output] == ["web_search_call", "web_search_call", "message"]


async def test_the_whole_conversation_reaches_the_model_unchanged(
    client: openai.AsyncOpenAI, engine: FakeEngine
) -> None:
    image = "data:image/png;base64,AAAA"
    await client.responses.create(
        model="m",
        instructions="Be kind.",
        input=[
            {"role": "user", "content": "Convert it."},
            {"type": "function_call", "call_id": "c1", "name": "convert", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "4.20"},
            {
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "And this?"},
                    {"type": "input_image", "image_url": image, "detail": "low"},
                ],
            },
        ],
        tools=[FUNCTION],
        tool_choice="auto",
        max_output_tokens=99,
        reasoning={"effort": "low"},
    )

    client_messages = engine.turns[0].passthrough
    assert client_messages is not None
    assert list(client_messages.messages) == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Convert it."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "convert", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "4.20"},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "And this?"},
                {"type": "image_url", "image_url": {"url": image, "detail": "low"}},
            ],
        },
    ]
    assert client_messages.fields == {
        "tools": [
            {
                "type": "function",
                "function": {"name": "convert", "parameters": {"type": "object"}},
            }
        ],
        "tool_choice": "auto",
        "max_completion_tokens": 99,
        "reasoning_effort": "low",
    }
    assert engine.turns[0].message == "And this?"


async def test_the_search_tool_shapes_the_search(
    client: openai.AsyncOpenAI, engine: FakeEngine
) -> None:
    tool: Any = {
        "type": "web_search_2025_08_26",
        "filters": {"allowed_domains": ["a.example"]},
        "search_context_size": "low",
        "user_location": {"type": "approximate", "country": "FR", "timezone": "Europe/Paris"},
    }
    await client.responses.create(model="m", input="toll?", tools=[tool])
    await client.responses.create(
        model="m", input="toll?", tools=[tool], tool_choice={"type": "web_search_preview"}
    )

    first, second = engine.turns
    assert first.options.include_domains == ("a.example",)
    assert (first.options.country, first.time_zone) == ("FR", "Europe/Paris")
    assert (first.web_mode, first.depth) == (WebMode.AUTO, Depth.QUICK)
    assert second.web_mode is WebMode.ON


async def test_calls_of_the_clients_tools_come_through(
    client: openai.AsyncOpenAI, engine: FakeEngine
) -> None:
    engine.events = tool_call_events()
    reply = await client.responses.create(model="m", input="Convert 4.2", tools=[FUNCTION])
    async with client.responses.stream(model="m", input="x", tools=[FUNCTION]) as stream:
        async for _ in stream:
            pass
        streamed = await stream.get_final_response()

    for response in (reply, streamed):
        (call,) = response.output
        assert call.type == "function_call"
        assert (call.call_id, call.name, call.arguments) == ("call_1", "convert", '{"amount": 4.2}')


async def test_a_tools_result_is_for_the_model_alone(
    client: openai.AsyncOpenAI, engine: FakeEngine
) -> None:
    await client.responses.create(
        model="m",
        input=[
            {"role": "user", "content": "Convert it."},
            {"type": "function_call_output", "call_id": "c1", "output": "4.20"},
        ],
        tools=[FUNCTION],
    )

    assert engine.turns[0].web_mode is WebMode.OFF
    assert engine.turns[0].message == "Convert it."


async def test_a_forced_search_lists_its_results(
    client: openai.AsyncOpenAI, engine: FakeEngine
) -> None:
    engine.events = forced_events()
    reply = await client.responses.create(
        model="m", input="toll", extra_body={"pellucid": {"force_search": True}}
    )

    assert SOURCES[0].url in reply.output_text
    assert engine.turns[0].force_search


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"input": "x", "previous_response_id": "resp_1"}, "previous_response_id"),
        ({"input": "x", "background": True}, "background"),
        (
            {"input": [{"role": "user", "content": [{"type": "input_audio"}]}]},
            "input[0].content[0]",
        ),
        ({"input": [{"type": "strange"}]}, "input[0].type"),
        ({"input": [3]}, "input[0]"),
        ({}, "messages"),
    ],
)
async def test_what_is_not_offered_is_refused_by_name(
    client: openai.AsyncOpenAI, body: dict[str, Any], field: str
) -> None:
    with pytest.raises(openai.BadRequestError) as caught:
        await client.post("/responses", body={"model": "m", **body}, cast_to=object)
    assert caught.value.param == field


async def test_failures_are_the_sdks_errors(client: openai.AsyncOpenAI, engine: FakeEngine) -> None:
    engine.events = [Failed("RATE_LIMIT_EXCEEDED", "Too many.", retryable=True)]
    with pytest.raises(openai.RateLimitError, match="Too many"):
        await client.responses.create(model="m", input="x")

    engine.events = [*turn_events()[:11], *engine.events]
    stream = await client.responses.create(model="m", input="x", stream=True)
    last = [event async for event in stream][-1]
    assert last.type == "response.failed"
    assert last.response.error is not None
    assert last.response.error.code == "rate_limit_exceeded"
