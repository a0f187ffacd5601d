"""A search face searches what it was given, letter by letter; context and history are read by."""

from typing import Any

import httpx
import pytest
from api_fakes import FakeEngine
from port_fakes import search_decision
from turn_fakes import Rig

from pellucid_gateway.domain.decision import WebMode
from pellucid_gateway.domain.request import (
    ChatMessage,
    Role,
    SearchCommand,
    SubjectContext,
)

QUERIES = (
    "x",
    "R",
    '"exact phrase here"',
    "ferry OR pier",
    "harbour -site:reddit.com",
    "why is it?!  two  spaces",
)


@pytest.mark.parametrize("query", QUERIES)
async def test_a_query_leaves_as_it_came(query: str) -> None:
    rig = Rig()
    outcome = await rig.engine.search(SearchCommand(query=query, verbatim=True))

    assert outcome.queries == (query,)
    assert rig.decision.calls == []


async def test_a_long_query_ends_with_a_word() -> None:
    words = " ".join(f"harbour{n}" for n in range(60))
    outcome = await Rig().engine.search(SearchCommand(query=words, verbatim=True))

    (query,) = outcome.queries
    assert len(query) <= 200
    assert words.startswith(f"{query} ")


async def test_with_context_or_history_the_query_is_understood() -> None:
    decision = search_decision()
    rig = Rig()
    await rig.engine.search(
        SearchCommand(
            query="related news",
            messages=(ChatMessage(Role.USER, "Tell me of the Skerry Bridge."),),
            subject=SubjectContext(title="Bridge opening"),
        )
    )

    (call,) = rig.decision.calls
    assert call.history[0].content == "Tell me of the Skerry Bridge."
    assert call.subject == SubjectContext(title="Bridge opening")
    assert rig.search.calls[0].queries == decision.queries


@pytest.mark.parametrize(
    ("more", "verbatim"),
    [
        ({}, True),
        ({"context": {"title": "Bridge opening"}}, False),
        ({"messages": [{"role": "user", "content": "The bridge?"}]}, False),
    ],
)
async def test_the_native_api_is_literal_unless_there_is_something_to_read_by(
    http: httpx.AsyncClient, engine: FakeEngine, more: dict[str, Any], *, verbatim: bool
) -> None:
    await http.post("/v1/search", json={"query": "ferry OR pier", **more})

    (command,) = engine.commands
    assert (command.query, command.verbatim) == ("ferry OR pier", verbatim)


async def test_claude_codes_search_is_one(http: httpx.AsyncClient, engine: FakeEngine) -> None:
    tool = {"type": "web_search_20250305", "name": "web_search", "max_uses": 8}
    said = "Perform a web search for the query: Rust 1.92 release notes"
    body = {"model": "m", "max_tokens": 99, "messages": [{"role": "user", "content": said}]}
    await http.post("/v1/messages", json={**body, "tools": [tool]})
    await http.post("/v1/messages", json=body)

    with_tool, without = engine.turns
    assert with_tool.message == "Rust 1.92 release notes"
    assert (with_tool.verbatim, with_tool.web_mode) == (True, WebMode.ON)
    assert with_tool.passthrough is not None
    assert with_tool.passthrough.messages[-1]["content"] == said
    assert (without.message, without.verbatim) == (said, False)


async def test_a_turn_that_is_literal_asks_nobody_what_to_search() -> None:
    rig = Rig()
    await rig.events("Rust 1.92 release notes", verbatim=True)

    assert rig.decision.calls == []
    assert [query.text for query in rig.search.calls[0].queries] == ["Rust 1.92 release notes"]
