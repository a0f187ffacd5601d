"""Search faces of other products, spoken to as their own clients do."""

from collections.abc import AsyncIterator

import httpx
import pytest
import tavily
from api_fakes import RESULT, FakeEngine, MakeApp

from pellucid_gateway.domain.decision import WebMode
from pellucid_gateway.domain.request import CitationStyle
from pellucid_runtime.errors import PreconditionError, RateLimitedError


@pytest.fixture
async def tavily_client(gateway: str) -> AsyncIterator[tavily.AsyncTavilyClient]:
    async with httpx.AsyncClient(base_url=f"{gateway}/compat/tavily", trust_env=False) as transport:
        yield tavily.AsyncTavilyClient(api_key="ours", client=transport)


async def test_tavilys_client_gets_results_answers_and_texts(
    tavily_client: tavily.AsyncTavilyClient, engine: FakeEngine
) -> None:
    plain = await tavily_client.search("toll", max_results=2)
    full = await tavily_client.search(
        "toll", search_depth="advanced", include_answer=True, include_raw_content="text"
    )
    read = await tavily_client.extract(["http://a.localhost/"])

    assert plain["answer"] is None
    assert [result["url"] for result in plain["results"]] == [s.url for s in RESULT.sources[:2]]
    assert full["answer"] == RESULT.answer
    assert {result["raw_content"] for result in full["results"]} == {"Text"}
    assert len(engine.commands) == 1
    turn = engine.turns[0]
    assert (turn.web_mode, turn.citation_style) == (WebMode.ON, CitationStyle.NONE)
    assert read["results"][0]["raw_content"] == "Text"


async def test_tavilys_client_raises_its_own_errors(
    tavily_client: tavily.AsyncTavilyClient, engine: FakeEngine
) -> None:
    with pytest.raises(tavily.BadRequestError, match="query"):
        await tavily_client.search(" ")
    engine.defect = RateLimitedError("the searches of a day are used up")
    with pytest.raises(tavily.UsageLimitExceededError, match="used up"):
        await tavily_client.search("toll")


async def test_tavilys_client_without_a_key_is_told(make_app: MakeApp) -> None:
    transport = httpx.ASGITransport(make_app(find_key=lambda _: None))
    async with httpx.AsyncClient(
        transport=transport, base_url="http://localhost/compat/tavily"
    ) as http:
        with pytest.raises(tavily.InvalidAPIKeyError):
            await tavily.AsyncTavilyClient(api_key="wrong", client=http).search("toll")


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


async def test_openwebuis_loader_gets_texts(http: httpx.AsyncClient) -> None:
    urls = ["http://a.localhost/", "http://b.localhost/"]
    reply = await http.post("/compat/openwebui/load", json={"urls": urls})

    assert reply.json() == [
        {"page_content": "Text", "metadata": {"source": url, "title": "Title"}} for url in urls
    ]
