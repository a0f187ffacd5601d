"""The Perplexity faces, spoken to with the official client."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import perplexity
import pytest
from api_fakes import ANSWER, SOURCES, FakeEngine
from sdk_clients import perplexity_client

from pellucid_gateway.domain.decision import WebMode
from pellucid_gateway.domain.events import Failed
from pellucid_gateway.domain.request import CitationStyle, Depth

URLS = [source.url for source in SOURCES]
ASK: Any = {"model": "sonar", "messages": [{"role": "user", "content": "What is the toll?"}]}


@pytest.fixture
async def client(gateway: str) -> AsyncIterator[perplexity.AsyncPerplexity]:
    async with AsyncExitStack() as stack:
        yield await perplexity_client(stack, gateway)


async def test_a_completion_has_citations_at_the_top(
    client: perplexity.AsyncPerplexity, engine: FakeEngine
) -> None:
    reply: Any = await client.chat.completions.create(
        **ASK,
        search_domain_filter=["a.example", "-b.example"],
        search_recency_filter="week",
        web_search_options={"search_context_size": "low"},
        return_related_questions=True,
    )

    assert reply.choices[0].message.content == ANSWER
    assert reply.citations == URLS
    assert [result.url for result in reply.search_results] == URLS
    assert reply.search_results[0].date == "2026-03-04"
    assert reply.usage.num_search_queries == 2
    assert reply.usage.search_context_size == "low"
    turn = engine.turns[0]
    assert (turn.web_mode, turn.depth) == (WebMode.ON, Depth.QUICK)
    assert turn.citation_style is CitationStyle.NUMERIC
    assert turn.options.include_domains == ("a.example",)
    assert turn.options.exclude_domains == ("b.example",)
    assert turn.options.recency_days == 7
    assert turn.passthrough is not None
    assert turn.passthrough.fields == {}


async def test_the_stream_ends_complete(client: perplexity.AsyncPerplexity) -> None:
    stream: Any = await client.chat.completions.create(**ASK, stream=True)
    chunks = [chunk async for chunk in stream]

    assert "".join(chunk.choices[0].delta.content for chunk in chunks) == ANSWER
    assert all(chunk.citations == URLS for chunk in chunks)
    assert {chunk.status for chunk in chunks[:-1]} == {"PENDING"}
    last = chunks[-1]
    assert (last.status, last.type) == ("COMPLETED", "end_of_stream")
    assert last.choices[0].finish_reason == "stop"
    assert last.choices[0].message.content == ANSWER
    assert last.usage.completion_tokens == 40


async def test_search_can_be_switched_off_or_left_to_the_decision(
    client: perplexity.AsyncPerplexity, engine: FakeEngine
) -> None:
    await client.chat.completions.create(**ASK, disable_search=True)
    await client.chat.completions.create(**ASK, enable_search_classifier=True)

    assert [turn.web_mode for turn in engine.turns] == [WebMode.OFF, WebMode.AUTO]


async def test_search_answers_results(
    client: perplexity.AsyncPerplexity, engine: FakeEngine
) -> None:
    reply = await client.search.create(
        query=["toll", "bridge toll"], max_results=2, country="FR", search_recency_filter="day"
    )

    assert [result.url for result in reply.results] == URLS[:2]
    assert reply.results[0].snippet == SOURCES[0].snippet
    assert [command.query for command in engine.commands] == ["toll", "bridge toll"]
    assert not engine.commands[0].ranked
    assert (engine.commands[0].options.country, engine.commands[0].options.recency_days) == (
        "FR",
        1,
    )


async def test_failures_are_the_sdks_errors(
    client: perplexity.AsyncPerplexity, engine: FakeEngine
) -> None:
    with pytest.raises(perplexity.BadRequestError, match="query"):
        await client.search.create(query=" ")
    events = engine.events
    engine.events = [Failed("RATE_LIMIT_EXCEEDED", "Too many.", retryable=True)]
    with pytest.raises(perplexity.RateLimitError):
        await client.chat.completions.create(**ASK)

    engine.events = [*events[:11], Failed("OVERLOADED", "Busy.", retryable=True)]
    stream: Any = await client.chat.completions.create(**ASK, stream=True)
    with pytest.raises(perplexity.APIError, match="Busy"):
        async for _ in stream:
            pass
