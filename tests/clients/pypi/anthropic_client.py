"""The Anthropic SDK: messages, tools, JSON, counts, models, its errors."""

import json
from typing import Any

import anthropic
from checking import ANSWER, QUESTION, run

ASK: Any = {"model": "m", "max_tokens": 200, "messages": [{"role": "user", "content": QUESTION}]}
SEARCH: Any = {"type": "web_search_20250305", "name": "web_search"}
WEATHER: Any = {
    "name": "get_weather",
    "input_schema": {"type": "object", "properties": {"location": {"type": "string"}}},
}


def client(base: str) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=base, api_key="any", max_retries=0)


def check_a_message(base: str) -> None:
    (block,) = client(base).messages.create(**ASK).content
    assert ANSWER in block.text


def check_the_search_tool(base: str) -> None:
    content = client(base).messages.create(**ASK, tools=[SEARCH]).content
    assert [block.type for block in content[:2]] == ["server_tool_use", "web_search_tool_result"]
    assert any(block.citations for block in content[2:])


def check_a_stream(base: str) -> None:
    with client(base).messages.stream(**ASK) as stream:
        assert ANSWER in stream.get_final_text()


def check_a_tool_of_the_client(base: str) -> None:
    ask: Any = ASK | {"messages": [{"role": "user", "content": "The weather?"}]}
    reply = client(base).messages.create(**ask, tools=[WEATHER])
    assert reply.stop_reason == "tool_use"
    assert reply.content[0].input == {"location": "Paris"}


def check_wanted_json(base: str) -> None:
    ask: Any = ASK | {"messages": [{"role": "user", "content": "Say it."}]}
    schema = {"type": "object", "properties": {"toll": {"type": "string"}}}
    wanted: Any = {"format": {"type": "json_schema", "schema": schema}}
    reply = client(base).messages.create(**ask, output_config=wanted)
    assert json.loads(reply.content[0].text) == {"toll": "4.50"}


def check_counts_and_models(base: str) -> None:
    assert client(base).messages.count_tokens(model="m", messages=ASK["messages"]).input_tokens > 0
    listed = client(base).models.list().data
    assert {model.display_name for model in listed} == {"pellucid", "m"}
    assert client(base).models.retrieve("m").created_at


def check_errors(base: str) -> None:
    for model, kind in (
        ("unknown", anthropic.NotFoundError),
        ("limited", anthropic.RateLimitError),
    ):
        try:
            client(base).messages.create(**ASK | {"model": model})
        except kind as error:
            assert error.request_id
        else:
            raise AssertionError


run(globals())
