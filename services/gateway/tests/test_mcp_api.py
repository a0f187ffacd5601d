"""/mcp, spoken to with the official client."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from api_fakes import ANSWER, RESULT, FakeEngine, MakeApp
from mcp import Client

from pellucid_gateway.domain.events import Failed
from pellucid_gateway.domain.request import Depth
from pellucid_runtime.errors import PreconditionError
from pellucid_runtime.http_server import HttpServer


@pytest.fixture
async def address(make_app: MakeApp) -> AsyncIterator[str]:
    server = HttpServer(make_app(), "127.0.0.1", 0)
    await server.start()
    yield f"http://127.0.0.1:{server.port}/mcp"
    await server.stop(0)


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
async def test_the_tools_are_described(address: str, mode: str) -> None:
    """Clients that say hello first, and clients that do not."""
    async with Client(address, mode=mode) as client:
        tools = (await client.list_tools()).tools

        assert [tool.name for tool in tools] == [
            "web_search", "web_fetch", "web_answer", "search", "fetch",
        ]  # fmt: skip
        for tool in tools:
            assert tool.description
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint
            assert "context" not in tool.input_schema["properties"]
            for field in tool.input_schema["properties"].values():
                assert field["description"]


async def test_a_search_answers_scored_results(address: str, engine: FakeEngine) -> None:
    async with Client(address) as client:
        reply = await client.call_tool("web_search", {"query": "toll", "max_results": 3})

        assert not reply.is_error
        assert reply.structured_content is not None
        assert reply.structured_content["results"][0]["relevance_score"] == 0.78
        assert json.loads(reply.content[0].text) == reply.structured_content  # type: ignore[union-attr]
        assert engine.commands[0].options.max_results == 3
        assert engine.commands[0].ranked
        assert engine.commands[0].caller


async def test_an_answer_carries_its_citations(address: str, engine: FakeEngine) -> None:
    async with Client(address) as client:
        reply = await client.call_tool("web_answer", {"question": "toll?", "depth": "quick"})

        assert reply.structured_content is not None
        assert reply.structured_content["answer"] == ANSWER
        assert len(reply.structured_content["citations"]) == 2
        assert engine.turns[0].depth is Depth.QUICK


async def test_search_and_fetch_speak_the_connectors_words(address: str) -> None:
    async with Client(address) as client:
        found = (await client.call_tool("search", {"query": "toll"})).structured_content
        assert found is not None
        assert found["results"][0] == {
            "id": RESULT.sources[0].url,
            "title": RESULT.sources[0].title,
            "url": RESULT.sources[0].url,
        }

        page = (await client.call_tool("fetch", {"id": "http://a.localhost/"})).structured_content
        assert page is not None
        assert page.keys() == {"id", "title", "text", "url", "metadata", "next_offset"}


async def test_failures_are_results_that_say_so(address: str, engine: FakeEngine) -> None:
    async with Client(address) as client:
        engine.events = [Failed("OVERLOADED", "Busy just now.", retryable=True)]
        failed = await client.call_tool("web_answer", {"question": "x"})
        engine.defect = PreconditionError("SEARCH_FAILED", "no provider answered", {})
        down = await client.call_tool("web_search", {"query": "x"})
        engine.defect = RuntimeError("the secret text")
        broken = await client.call_tool("web_search", {"query": "x"})
        empty = await client.call_tool("web_search", {"query": " "})

        for reply, words in (
            (failed, "Busy"),
            (down, "no provider"),
            (broken, "Error"),
            (empty, "must not be empty"),
        ):
            assert reply.is_error
            text = reply.content[0].text  # type: ignore[union-attr]
            assert words in text
            assert "secret" not in text


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("web_search", {}, "query: is required"),
        ("web_search", {"query": "x", "max_results": 99}, "max_results: must be at most 50"),
        ("web_answer", {"question": "x", "depth": "abyss"}, "depth: must be one of 'quick'"),
        ("web_fetch", {"url": 3}, "url: must be a string"),
        ("web_search", {"query": "x", "site": "a b"}, "site: must be a host name"),
        ("web_search", {"query": "x", "recency_days": "many"}, "recency_days: must be an integer"),
        ("web_search", {"query": ["x"]}, "query: must be a string"),
        ("nope", {}, "nope"),
    ],
)
async def test_wrong_arguments_are_explained_in_plain_words(
    address: str, mode: str, tool: str, arguments: dict[str, Any], words: str
) -> None:
    async with Client(address, mode=mode) as client:
        reply = await client.call_tool(tool, arguments)

    text = reply.content[0].text  # type: ignore[union-attr]
    assert reply.is_error
    assert words in text
    for foreign in ("pydantic", "validation error", "Error executing", "input_value"):
        assert foreign not in text


@pytest.mark.parametrize(
    ("body", "words"),
    [("{", "is not JSON"), ("[]", "no JSON-RPC request"), ('"x"', "no JSON-RPC request")],
)
async def test_a_body_that_is_no_request_is_explained_too(
    address: str, body: str, words: str
) -> None:
    headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    async with httpx.AsyncClient(trust_env=False) as http:
        reply = await http.post(address, content=body, headers=headers)

    assert reply.status_code == 400
    assert words in reply.json()["error"]["message"]
    assert "pydantic" not in reply.text


async def test_foreign_hosts_are_refused_here_too(address: str) -> None:
    async with httpx.AsyncClient(trust_env=False) as http:
        reply = await http.post(address, json={}, headers={"host": "rebind.example"})

    assert reply.status_code == 403


async def test_a_body_of_another_type_is_refused_in_json(address: str) -> None:
    async with httpx.AsyncClient(trust_env=False) as http:
        reply = await http.post(address, content=b"hello", headers={"accept": "application/json"})
    assert reply.status_code == 400
    assert reply.json()["error"]["message"] == "Content-Type must be application/json."
