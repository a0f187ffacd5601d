"""Search faces of other products, spoken to as their own clients do."""

import httpx
import pytest
from door_fakes import RESULT, FakeEngine

from pellucid_runtime.errors import PreconditionError


async def test_tavily_shape(http: httpx.AsyncClient, engine: FakeEngine) -> None:
    body = {
        "query": "toll",
        "api_key": "legacy",
        "max_results": 2,
        "time_range": "week",
        "include_domains": ["a.example"],
        "include_answer": False,
        "topic": "news",
    }

    reply = (await http.post("/compat/tavily/search", json=body)).json()

    assert reply["query"] == "toll"
    assert [result["url"] for result in reply["results"]] == [s.url for s in RESULT.sources[:2]]
    assert reply["results"][0].keys() >= {"title", "url", "content", "score", "raw_content"}
    command = engine.commands[0]
    assert (command.ranked, command.verbatim) == (False, True)
    assert command.options.recency_days == 7
    assert command.options.include_domains == ("a.example",)


async def test_tavily_extract_shape(http: httpx.AsyncClient) -> None:
    reply = await http.post("/compat/tavily/extract", json={"urls": "http://a.localhost/"})

    assert reply.json()["results"][0]["raw_content"] == "Text"
    assert reply.json()["failed_results"] == []


async def test_tavily_errors_have_its_shape(http: httpx.AsyncClient, engine: FakeEngine) -> None:
    wrong = await http.post("/compat/tavily/search", json={"query": ""})
    engine.defect = PreconditionError("API_KEY_INVALID", "brave has no key", {"provider": "brave"})
    down = await http.post("/compat/tavily/search", json={"query": "x"})

    assert wrong.status_code == 400
    assert "query" in wrong.json()["detail"]["error"]
    assert down.status_code == 400
    assert down.json()["detail"]["error"] == "brave has no key"


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_searxng_shape(http: httpx.AsyncClient, engine: FakeEngine, method: str) -> None:
    fields = {"q": "toll", "format": "json", "language": "en-US", "safesearch": "2"}
    given = {"params": fields} if method == "GET" else {"data": fields}

    reply = (await http.request(method, "/compat/searxng/search", **given)).json()

    assert reply["query"] == "toll"
    first = reply["results"][0]
    assert first["engine"] == "local"
    assert first["publishedDate"].startswith("2026-03-04")
    assert len(first["parsed_url"]) == 6
    assert reply["unresponsive_engines"] == [["brave", "timeout"]]
    assert engine.commands[0].language == "en"
    assert engine.commands[0].options.safe_search == "strict"


async def test_searxng_needs_a_query(http: httpx.AsyncClient) -> None:
    reply = await http.get("/compat/searxng/search", params={"format": "json"})

    assert reply.status_code == 400
    assert "q" in reply.json()["error"]


async def test_openwebui_shape(http: httpx.AsyncClient, engine: FakeEngine) -> None:
    reply = await http.post("/compat/openwebui/search", json={"query": "toll", "count": 1})
    engine.defect = PreconditionError("SEARCH_FAILED", "no provider", {})
    failed = await http.post("/compat/openwebui/search", json={"query": "toll"})

    source = RESULT.sources[0]
    assert reply.json() == [{"link": source.url, "title": source.title, "snippet": source.snippet}]
    assert failed.json() == []
