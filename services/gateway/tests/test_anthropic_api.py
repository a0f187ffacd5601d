"""The Anthropic Messages face, spoken to with the official client."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import anthropic
import pytest
from api_fakes import ANSWER, CITATIONS, SOURCES, FakeEngine, MakeApp, tool_call_events
from sdk_clients import anthropic_client

from pellucid_gateway.domain.account import Notice
from pellucid_gateway.domain.decision import WebMode
from pellucid_gateway.domain.events import Delta, Failed, Noticed, SourcesReady, Thought, UrlFetched
from pellucid_gateway.domain.request import CitationStyle
from pellucid_runtime.http_server import HttpServer

SEARCH: Any = {"type": "web_search_20250305", "name": "web_search"}
FUNCTION: Any = {"name": "convert", "input_schema": {"type": "object"}}
ASK: Any = {
    "model": "pellucid",
    "max_tokens": 500,
    "messages": [{"role": "user", "content": "What is the toll?"}],
}


@pytest.fixture
async def client(gateway: str) -> AsyncIterator[anthropic.AsyncAnthropic]:
    async with AsyncExitStack() as stack:
        yield await anthropic_client(stack, gateway)


async def finished(client: anthropic.AsyncAnthropic) -> Any:
    """Take a stream to its end."""
    async with client.messages.stream(**ASK) as stream:
        return await stream.get_final_message()


async def test_a_client_with_the_search_tool_is_told_of_the_search(
    client: anthropic.AsyncAnthropic,
) -> None:
    reply = await client.messages.create(**ASK, tools=[SEARCH])

    use, found, *texts = reply.content
    assert use.type == "server_tool_use"
    assert use.input == {"query": "Skerry Bridge car toll 2026"}
    assert found.type == "web_search_tool_result"
    assert found.tool_use_id == use.id
    assert isinstance(found.content, list)
    assert [result.url for result in found.content] == [source.url for source in SOURCES]
    assert "".join(block.text for block in texts if block.type == "text") == ANSWER
    cited = [c for block in texts if block.type == "text" for c in block.citations or ()]
    assert [c.cited_text for c in cited] == [c.cited_text for c in CITATIONS]
    assert {c.type for c in cited} == {"web_search_result_location"}
    assert reply.stop_reason == "end_turn"
    assert reply.usage.server_tool_use is not None
    assert reply.usage.server_tool_use.web_search_requests == 2


async def test_the_stream_builds_the_same_message(client: anthropic.AsyncAnthropic) -> None:
    whole = await client.messages.create(**ASK, tools=[SEARCH])
    async with client.messages.stream(**ASK, tools=[SEARCH]) as stream:
        kinds = [event.type async for event in stream]
        streamed = await stream.get_final_message()

    assert kinds[0] == "message_start"
    assert kinds[-1] == "message_stop"
    for now, then in zip(streamed.content, whole.content, strict=True):
        ignored = {"id", "tool_use_id"}
        assert now.model_dump(exclude=ignored) == then.model_dump(exclude=ignored)
    assert streamed.usage.output_tokens == whole.usage.output_tokens


async def test_a_client_with_the_fetch_tool_is_told_of_the_pages_that_were_named(
    client: anthropic.AsyncAnthropic, engine: FakeEngine
) -> None:
    page = replace(SOURCES[0], facts="The toll for cars rises to 4.20.", user_supplied=True)
    read = UrlFetched(url=page.url, success=True, title="Bridge toll")
    sources = SourcesReady((page,))
    engine.events = [*engine.events[:2], read, sources, *engine.events[-7:]]
    fetch: Any = {"type": "web_fetch_20250910", "name": "web_fetch"}
    whole = await client.messages.create(**ASK, tools=[fetch])
    async with client.messages.stream(**ASK, tools=[fetch]) as stream:
        streamed = await stream.get_final_message()

    for reply in (whole, streamed):
        lost_use, lost, use, found, *texts = reply.content
        assert (lost_use.type, lost_use.name) == ("server_tool_use", "web_fetch")
        assert lost_use.input == {"url": "http://a.localhost/"}
        assert lost.type == found.type == "web_fetch_tool_result"
        assert (lost.tool_use_id, found.tool_use_id) == (lost_use.id, use.id)
        assert lost.content.type == "web_fetch_tool_result_error"
        assert lost.content.error_code == "url_not_accessible"
        assert found.content.type == "web_fetch_result"
        assert found.content.url == page.url
        assert found.content.content.title == "Bridge toll"
        assert found.content.content.source.data == page.facts
        assert "".join(block.text for block in texts if block.type == "text") == ANSWER


async def test_a_client_without_the_tool_gets_one_text(client: anthropic.AsyncAnthropic) -> None:
    reply = await client.messages.create(**ASK)

    (text,) = reply.content
    assert text.type == "text"
    assert text.text == ANSWER
    assert len(text.citations or ()) == len(CITATIONS)


async def test_what_came_back_can_be_sent_again(
    client: anthropic.AsyncAnthropic, engine: FakeEngine
) -> None:
    reply = await client.messages.create(**ASK, tools=[SEARCH])
    again: Any = [
        *ASK["messages"],
        reply.to_param(),
        {
            "role": "user",
            "content": [
                {
                    "type": "image",
                    "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"},
                },
                {"type": "text", "text": "And for bicycles?"},
            ],
        },
    ]
    await client.messages.create(
        model="m",
        max_tokens=9,
        system=[{"type": "text", "text": "Be kind."}],
        messages=again,
        stop_sequences=["END"],
        metadata={"user_id": "u1"},
    )

    client_messages = engine.turns[1].passthrough
    assert client_messages is not None
    assert list(client_messages.messages) == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "What is the toll?"},
        {"role": "assistant", "content": ANSWER},
        {
            "role": "user",
            "content": [
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
                {"type": "text", "text": "And for bicycles?"},
            ],
        },
    ]
    assert client_messages.fields == {"max_tokens": 9, "stop": ["END"], "user": "u1"}


async def test_tools_of_the_client_work_both_ways(
    client: anthropic.AsyncAnthropic, engine: FakeEngine
) -> None:
    engine.events = tool_call_events()
    reply = await client.messages.create(**ASK, tools=[FUNCTION], tool_choice={"type": "any"})
    async with client.messages.stream(**ASK, tools=[FUNCTION]) as stream:
        streamed = await stream.get_final_message()

    for message in (reply, streamed):
        (use,) = message.content
        assert use.type == "tool_use"
        assert (use.id, use.name, use.input) == ("call_1", "convert", {"amount": 4.2})
        assert message.stop_reason == "tool_use"
    first = engine.turns[0].passthrough
    assert first is not None
    assert first.fields["tool_choice"] == "required"

    answer: Any = {"type": "tool_result", "tool_use_id": "call_1", "content": "4.20"}
    history: Any = [*ASK["messages"], reply.to_param(), {"role": "user", "content": [answer]}]
    await client.messages.create(model="m", max_tokens=9, messages=history, tools=[FUNCTION])
    turn = engine.turns[-1]
    assert turn.web_mode is WebMode.OFF
    assert turn.passthrough is not None
    assert [m["role"] for m in turn.passthrough.messages] == ["user", "assistant", "tool"]


async def test_the_search_tool_shapes_the_search(
    client: anthropic.AsyncAnthropic, engine: FakeEngine
) -> None:
    tool: Any = {
        "type": "web_search_20260318",
        "name": "web_search",
        "blocked_domains": ["b.example"],
        "user_location": {"type": "approximate", "country": "FR", "timezone": "Europe/Paris"},
    }
    choice: Any = {"type": "tool", "name": "web_search"}
    await client.messages.create(**ASK, tools=[tool], tool_choice=choice)

    turn = engine.turns[0]
    assert turn.web_mode is WebMode.ON
    assert turn.options.exclude_domains == ("b.example",)
    assert (turn.options.country, turn.time_zone) == ("FR", "Europe/Paris")


async def test_a_lost_search_is_an_error_block(
    client: anthropic.AsyncAnthropic, engine: FakeEngine
) -> None:
    lost = Noticed(Notice("search_unavailable", "The web could not be searched."))
    engine.events = [*engine.events[:3], lost, Delta("I cannot look it up."), engine.events[-1]]
    reply = await client.messages.create(**ASK, tools=[SEARCH])

    found = reply.content[1]
    assert found.type == "web_search_tool_result"
    assert not isinstance(found.content, list)
    assert found.content.error_code == "unavailable"


async def test_failures_are_the_sdks_errors(
    client: anthropic.AsyncAnthropic, engine: FakeEngine
) -> None:
    events = engine.events
    for reason, kind in (
        ("RATE_LIMIT_EXCEEDED", anthropic.RateLimitError),
        ("OVERLOADED", anthropic.OverloadedError),
        ("SEARCH_FAILED", anthropic.ServiceUnavailableError),
        ("DEADLINE_EXCEEDED", anthropic.GatewayTimeoutError),
    ):
        engine.events = [Failed(reason, "Not now.", retryable=True)]
        with pytest.raises(kind, match="Not now"):
            await client.messages.create(**ASK)

    engine.events = [*events[:-1], Failed("OVERLOADED", "Not now.", retryable=True)]
    with pytest.raises(anthropic.APIStatusError, match="Not now"):
        await finished(client)

    wrong: Any = [{"role": "user", "content": [{"type": "hologram"}]}]
    with pytest.raises(anthropic.BadRequestError, match=r"content\[0\]"):
        await client.messages.create(model="m", max_tokens=9, messages=wrong)


async def test_a_refused_key_is_told_in_its_words(make_app: MakeApp) -> None:
    server = HttpServer(make_app(find_key=lambda _: None), "127.0.0.1", 0)
    await server.start()
    async with AsyncExitStack() as stack:
        client = await anthropic_client(stack, f"http://127.0.0.1:{server.port}")
        with pytest.raises(anthropic.AuthenticationError) as caught:
            await client.messages.create(**ASK)
    await server.stop(0)

    assert caught.value.body == {
        "type": "error",
        "error": {"type": "authentication_error", "message": caught.value.body["error"]["message"]},  # type: ignore[index]
        "request_id": None,
    }


async def test_uncited_text_has_no_citations(
    client: anthropic.AsyncAnthropic, engine: FakeEngine
) -> None:
    engine.events = [engine.events[0], Delta("Hello."), engine.events[-1]]
    reply = await client.messages.create(**ASK)

    assert reply.to_dict()["content"] == [{"type": "text", "text": "Hello."}]


@pytest.mark.parametrize("field", ["output_config", "output_format"])
async def test_the_wanted_json_reaches_the_model(
    client: anthropic.AsyncAnthropic, engine: FakeEngine, field: str
) -> None:
    wanted = {"type": "json_schema", "schema": {"type": "object"}}
    body = {field: {"format": wanted} if field == "output_config" else wanted}
    await client.messages.create(**ASK, extra_body=body)

    turn = engine.turns[0]
    assert turn.passthrough is not None
    assert turn.passthrough.fields["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": {"type": "object"}, "strict": True},
    }
    assert turn.citation_style is CitationStyle.NONE


async def test_tools_that_only_the_model_server_may_know_go_on_to_it(
    client: anthropic.AsyncAnthropic, engine: FakeEngine
) -> None:
    tools: Any = [
        {"type": "bash_20250124", "name": "bash"},
        {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"},
        {"type": "memory_20250818", "name": "memory"},
    ]
    await client.messages.create(**ASK, tools=tools)

    turn = engine.turns[0]
    assert turn.passthrough is not None
    assert turn.passthrough.fields["tools"] == tools


async def test_images_of_results_follow_all_results(
    client: anthropic.AsyncAnthropic, engine: FakeEngine
) -> None:
    image = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"},
    }
    uses: Any = [
        {"type": "tool_use", "id": use, "name": "look", "input": {}} for use in ("t1", "t2")
    ]
    results: Any = [
        {"type": "tool_result", "tool_use_id": "t1", "content": [image]},
        {"type": "tool_result", "tool_use_id": "t2", "content": "dark"},
        {"type": "text", "text": "What is it?"},
    ]
    messages: Any = [
        *ASK["messages"],
        {"role": "assistant", "content": uses},
        {"role": "user", "content": results},
    ]
    await client.messages.create(model="m", max_tokens=9, messages=messages)

    passed = engine.turns[0].passthrough
    assert passed is not None
    assert [m["role"] for m in passed.messages] == ["user", "assistant", "tool", "tool", "user"]
    kinds = [part["type"] for part in passed.messages[-1]["content"]]
    assert kinds == ["image_url", "text"]


async def test_what_the_model_thinks_is_a_block_before_its_text(
    client: anthropic.AsyncAnthropic, engine: FakeEngine
) -> None:
    engine.events = [
        engine.events[0],
        Thought("Hm, "),
        Thought("a toll."),
        Delta("It is 4.20."),
        engine.events[-1],
    ]
    whole = await client.messages.create(**ASK)
    async with client.messages.stream(**ASK) as stream:
        streamed = await stream.get_final_message()

    for message in (whole, streamed):
        thought, text = message.content
        assert thought.type == "thinking"
        assert thought.thinking == "Hm, a toll."
        assert thought.signature
        assert text.type == "text"
