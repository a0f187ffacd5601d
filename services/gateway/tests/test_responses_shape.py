"""A response has every field that clients check, and no items that its client does not know."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import httpx
import jsonschema
import pytest
from api_fakes import ANSWER, RESULT, FakeEngine, MakeApp, tool_call_events, turn_events

from pellucid_gateway.domain.events import Delta, Done, Thought

NULLABLE_TEXT = {"type": ["string", "null"]}
NUMBER = {"type": "number"}
# After the required fields of Open Responses' ResponseResource.
RESPONSE = {
    "type": "object",
    "required": ["id", "object", "status", "model", "output", "error", "incomplete_details"],
    "properties": {
        "object": {"const": "response"},
        "created_at": {"type": "integer"},
        "completed_at": {"type": ["integer", "null"]},
        "status": {"enum": ["in_progress", "completed", "incomplete", "failed"]},
        "previous_response_id": NULLABLE_TEXT,
        "instructions": NULLABLE_TEXT,
        "tool_choice": {"type": ["string", "object"]},
        "truncation": {"enum": ["auto", "disabled"]},
        "parallel_tool_calls": {"type": "boolean"},
        "text": {"type": "object", "required": ["format"]},
        "top_p": NUMBER,
        "temperature": NUMBER,
        "presence_penalty": NUMBER,
        "frequency_penalty": NUMBER,
        "top_logprobs": {"type": "integer"},
        "reasoning": {"type": "object", "required": ["effort", "summary"]},
        "usage": {"type": ["object", "null"]},
        "max_output_tokens": {"type": ["integer", "null"]},
        "max_tool_calls": {"type": ["integer", "null"]},
        "store": {"const": False},
        "background": {"const": False},
        "service_tier": {"type": "string"},
        "metadata": {"type": "object"},
        "safety_identifier": NULLABLE_TEXT,
        "prompt_cache_key": NULLABLE_TEXT,
        "user": NULLABLE_TEXT,
        "tools": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["type", "name", "description", "parameters", "strict"],
            },
        },
        "output": {
            "type": "array",
            "items": {
                "oneOf": [
                    {
                        "required": ["id", "status", "role", "content"],
                        "properties": {"type": {"const": "message"}},
                    },
                    {
                        "required": ["id", "status", "call_id", "name", "arguments"],
                        "properties": {"type": {"const": "function_call"}},
                    },
                    {
                        "required": ["id", "summary"],
                        "properties": {"type": {"const": "reasoning"}},
                    },
                ]
            },
        },
    },
}
RESPONSE["required"] = sorted(RESPONSE["properties"])  # type: ignore[call-overload]

HELLO = [{"type": "message", "role": "user", "content": "Say hello in exactly 3 words."}]
WEATHER = {
    "type": "function",
    "name": "get_weather",
    "description": "Get the current weather for a location",
    "parameters": {"type": "object", "properties": {"location": {"type": "string"}}},
}
PIRATE = {"type": "message", "role": "system", "content": "You are a pirate."}
PICTURE = {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}
ASKED: dict[str, dict[str, Any]] = {
    "basic": {"input": HELLO},
    "text": {"input": "Say hello."},
    "system": {"input": [PIRATE, *HELLO]},
    "tools": {"input": HELLO, "tools": [WEATHER]},
    "image": {
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "What is it?"}, PICTURE]}
        ]
    },
    "turns": {"input": [*HELLO, {"role": "assistant", "content": "Hello to you."}, *HELLO]},
    "nulls": {"input": HELLO, "temperature": None, "tools": None, "text": None, "metadata": None},
}


@pytest.fixture
async def http(make_app: MakeApp) -> AsyncIterator[httpx.AsyncClient]:
    """The faces with a model, without which tools are refused; nothing of it is asked."""
    transport = httpx.ASGITransport(make_app(upstream=SimpleNamespace(internal=True)))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8080") as client:
        yield client


def checked(response: dict[str, Any]) -> None:
    jsonschema.validate(response, RESPONSE)


def events_of(reply: httpx.Response) -> list[dict[str, Any]]:
    lines = [line[6:] for line in reply.text.splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in lines]


async def test_every_response_is_complete_whole_and_as_a_stream(
    http: httpx.AsyncClient, engine: FakeEngine
) -> None:
    for context in (turn_events(), tool_call_events()):
        engine.events = context
        for asked in ASKED.values():
            whole = (await http.post("/v1/responses", json={"model": "m", **asked})).json()
            checked(whole)
            assert whole["completed_at"] >= whole["created_at"]
            stream = {"model": "m", "stream": True, **asked}
            events = events_of(await http.post("/v1/responses", json=stream))
            for event in events:
                if "response" in event:
                    checked(event["response"])
            numbers = [event["sequence_number"] for event in events]
            assert numbers == list(range(len(events)))


async def test_what_was_asked_is_repeated(http: httpx.AsyncClient) -> None:
    asked = {
        "model": "m",
        "input": HELLO,
        "temperature": 0.2,
        "reasoning": {"effort": "low"},
        "text": {"format": {"type": "json_schema", "name": "n", "schema": {}}, "verbosity": "low"},
        "service_tier": "flex",
        "metadata": {"a": "b"},
    }
    reply = (await http.post("/v1/responses", json=asked)).json()

    assert (reply["temperature"], reply["service_tier"]) == (0.2, "flex")
    assert reply["reasoning"] == {"effort": "low", "summary": None}
    assert reply["text"]["format"]["strict"] is False
    assert reply["metadata"] == {"a": "b"}


async def test_only_a_client_that_lists_the_search_is_told_of_it(
    http: httpx.AsyncClient, engine: FakeEngine
) -> None:
    kinds = []
    for tools in ([], [{"type": "web_search"}]):
        body = {"model": "m", "input": "toll?", "tools": tools}
        reply = (await http.post("/v1/responses", json=body)).json()
        kinds.append([item["type"] for item in reply["output"]])
        assert reply["output"][-1]["content"][0]["annotations"]
        stream = await http.post("/v1/responses", json={**body, "stream": True})
        assert ("web_search_call" in stream.text) is bool(tools)

    assert kinds == [["message"], ["web_search_call", "web_search_call", "message"]]
    assert len(engine.turns) == 4


async def test_what_the_model_thinks_is_an_item_before_its_text(
    http: httpx.AsyncClient, engine: FakeEngine
) -> None:
    result = replace(RESULT, citations=(), sources=())
    engine.events = [
        turn_events()[0],
        Thought("Hm, "),
        Thought("a toll."),
        Delta(ANSWER),
        Done(result),
    ]
    body = {"model": "m", "input": "toll?"}
    whole = (await http.post("/v1/responses", json=body)).json()
    events = events_of(await http.post("/v1/responses", json={**body, "stream": True}))

    thinking, message = whole["output"]
    assert thinking["summary"] == [{"type": "summary_text", "text": "Hm, a toll."}]
    assert message["content"][0]["text"] == ANSWER
    kinds = [event["type"] for event in events]
    assert kinds[2:8] == [
        "response.output_item.added",
        "response.reasoning_summary_part.added",
        "response.reasoning_summary_text.delta",
        "response.reasoning_summary_text.delta",
        "response.reasoning_summary_text.done",
        "response.reasoning_summary_part.done",
    ]
    output = events[-1]["response"]["output"]
    assert [item["type"] for item in output] == ["reasoning", "message"]


CODEX_TOOLS: list[Any] = [
    {"type": "function", "name": "shell", "parameters": {"type": "object"}, "strict": False},
    {"type": "namespace", "name": "files", "tools": [{"type": "function", "name": "read"}]},
    {
        "type": "custom",
        "name": "apply_patch",
        "format": {"type": "grammar", "syntax": "lark", "definition": "start: patch"},
    },
    {"type": "mcp", "server_label": "docs"},
    {"type": "web_search", "external_web_access": True},
]


async def test_tools_that_only_the_model_server_may_know_go_on_to_it(
    http: httpx.AsyncClient, engine: FakeEngine
) -> None:
    called = {
        "id": "c1",
        "type": "custom",
        "custom": {"name": "apply_patch", "input": "*** Begin Patch"},
    }
    result = replace(RESULT, answer="", tool_calls=(called,), finish_reason="tool_calls")
    engine.events = [turn_events()[0], Done(result)]
    history = [
        *HELLO,
        {"type": "custom_tool_call", "call_id": "c0", "name": "apply_patch", "input": "*** Begin"},
        {"type": "custom_tool_call_output", "call_id": "c0", "output": "Done."},
        {"role": "user", "content": "And now?"},
    ]
    body = {"model": "m", "input": history, "tools": CODEX_TOOLS, "store": False}
    reply = (await http.post("/v1/responses", json=body)).json()
    stream = events_of(await http.post("/v1/responses", json={**body, "stream": True}))

    passed = engine.turns[0].passthrough
    assert passed is not None
    assert [tool["type"] for tool in passed.fields["tools"]] == [
        "function",
        "namespace",
        "custom",
        "mcp",
    ]
    custom = passed.fields["tools"][2]["custom"]
    assert custom["format"]["grammar"] == {"syntax": "lark", "definition": "start: patch"}
    assert passed.messages[1]["tool_calls"][0]["custom"]["input"] == "*** Begin"
    assert passed.messages[2] == {"role": "tool", "tool_call_id": "c0", "content": "Done."}
    (item,) = reply["output"]
    assert (item["type"], item["call_id"]) == ("custom_tool_call", "c1")
    assert item["input"] == "*** Begin Patch"
    assert "response.custom_tool_call_input.done" in [event["type"] for event in stream]


async def test_images_of_results_follow_all_results(
    http: httpx.AsyncClient, engine: FakeEngine
) -> None:
    calls = [
        {"type": "function_call", "call_id": call, "name": "look", "arguments": "{}"}
        for call in ("c1", "c2")
    ]
    outputs = [
        {"type": "function_call_output", "call_id": "c1", "output": [PICTURE]},
        {"type": "function_call_output", "call_id": "c2", "output": "dark"},
    ]
    body = {"model": "m", "input": [*HELLO, *calls, *outputs]}
    await http.post("/v1/responses", json=body)

    passed = engine.turns[0].passthrough
    assert passed is not None
    assert [message["role"] for message in passed.messages] == [
        "user",
        "assistant",
        "tool",
        "tool",
        "user",
    ]
    assert passed.messages[-1]["content"][0]["type"] == "image_url"
