"""POST /v1/chat and its neighbours against a scripted engine."""

import json
from typing import Any

import httpx
import pytest
from api_fakes import ANSWER, OUTCOME, RESULT, FakeEngine, forced_events
from jsonschema import Draft202012Validator

from pellucid_gateway.domain.decision import WebMode
from pellucid_gateway.domain.events import Decided, Delta, Failed
from pellucid_gateway.domain.findings import Routing, SafeSearch
from pellucid_gateway.domain.request import CitationStyle, Depth, Role, ScoringOptions

FULL: dict[str, Any] = {
    "message": "What is the latest toll?",
    "messages": [
        {"role": "user", "content": "Tell me about the Skerry Bridge."},
        {"role": "assistant", "content": "It is a toll bridge."},
    ],
    "conversation_id": "c-1",
    "user_id": "ada",
    "web_mode": "on",
    "force_search": False,
    "depth": "deep",
    "citation_style": "numeric",
    "language": "fr",
    "time_zone": "Europe/Paris",
    "country": "fr",
    "recency_days": 30,
    "site": "Example.com",
    "include_domains": ["a.example"],
    "exclude_domains": ["b.example"],
    "max_results": 7,
    "safe_search": "strict",
    "routing": "all",
    "providers": ["brave"],
    "scoring": {
        "profile": "default",
        "weights": {"semantic": 0.4, "trust": 0.3, "freshness": 0.2, "quality": 0.1},
        "threshold": 0.4,
    },
    "model": "some-model",
    "deadline_ms": 15000,
    "stream": False,
    "no_external": True,
    "context": {
        "kind": "video",
        "title": "A talk",
        "speakers": ["Ada"],
        "organizations": ["Quillon"],
        "event": "TideConf",
        "description": "About tides",
        "published_at": "2026-01-02",
    },
    "memories": ["lives in Paris"],
}


def sse(text: str) -> list[tuple[str, Any]]:
    """Events of a stream in order."""
    events = []
    for block in text.strip().split("\n\n"):
        name, _, data = block.partition("\n")
        events.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return events


async def documented(http: httpx.AsyncClient, name: str, body: Any) -> None:
    """Hold a body against the schema that the service publishes."""
    document = (await http.get("/openapi.json")).json()
    published = {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
    Draft202012Validator(published).validate(body)


async def test_the_reply_has_exactly_the_documented_fields(http: httpx.AsyncClient) -> None:
    response = await http.post("/v1/chat", json={"message": "hi"})

    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    body = response.json()
    await documented(http, "ChatReply", body)
    assert body["answer"] == ANSWER
    assert body["sources"][0]["published_at"] == "2026-03-04T05:06:07Z"
    assert body["sources"][0]["published_at_from"] == "meta"
    assert body["sources"][2]["relevance_score"] is None
    assert body["degraded"] == [{"component": "provider:brave", "detail": "timeout"}]
    assert body["usage"]["cost_usd"] == 0.005
    for citation in body["citations"]:
        claim = body["answer"][citation["start"] : citation["end"]]
        assert claim.endswith(".")


async def test_every_option_reaches_the_engine(http: httpx.AsyncClient, engine: FakeEngine) -> None:
    assert (await http.post("/v1/chat", json=FULL)).status_code == 200

    (turn,) = engine.turns
    assert [message.role for message in turn.messages] == [Role.USER, Role.ASSISTANT, Role.USER]
    assert turn.message == "What is the latest toll?"
    assert (turn.web_mode, turn.depth) == (WebMode.ON, Depth.DEEP)
    assert turn.citation_style is CitationStyle.NUMERIC
    assert (turn.language, turn.time_zone, turn.model) == ("fr", "Europe/Paris", "some-model")
    options = turn.options
    assert (options.country, options.site, options.max_results) == ("FR", "example.com", 7)
    assert options.safe_search is SafeSearch.STRICT
    assert options.routing is Routing.ALL
    assert options.providers == ("brave",)
    assert options.scoring == ScoringOptions(
        profile="default", weights=(0.4, 0.3, 0.2, 0.1), threshold=0.4
    )
    assert turn.no_external
    assert turn.subject is not None
    assert turn.subject.speakers == ("Ada",)
    assert turn.subject.published_at is not None
    assert turn.memories == ("lives in Paris",)
    assert turn.deadline_ms == 15000
    assert turn.caller
    assert "ada" not in turn.caller


async def test_nulls_count_as_absent_and_control_characters_vanish(
    http: httpx.AsyncClient, engine: FakeEngine
) -> None:
    body = {"message": "a\u0000b\u202ec\r\nd", "model": None, "scoring": None}

    assert (await http.post("/v1/chat", json=body)).status_code == 200
    assert engine.turns[0].message == "abc\nd"
    assert engine.turns[0].options.max_results == 0


async def test_the_stream_tells_every_event_in_order(http: httpx.AsyncClient) -> None:
    response = await http.post("/v1/chat", json={"message": "hi", "stream": True})

    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert response.headers["x-accel-buffering"] == "no"
    assert response.headers["cache-control"] == "no-store"
    events = sse(response.text)
    assert [name for name, _ in events] == [
        "decision",
        "url_fetch",
        "web_search_start",
        "web_search_iteration",
        "web_search_fetching",
        "web_search_extracting",
        "web_search_reflecting",
        "web_search_complete",
        "sources",
        "notice",
        "delta",
        "delta",
        "citation",
        "delta",
        "citation",
        "delta",
        "done",
    ]
    content = dict(events)
    assert content["web_search_start"] == {
        "query": "Skerry Bridge car toll 2026",
        "message": "Searching the web…",
    }
    assert content["web_search_iteration"]["iteration"] == 1
    assert content["web_search_fetching"]["count"] == 3
    assert content["web_search_complete"]["results_count"] == 3
    assert "".join(data["text"] for name, data in events if name == "delta") == ANSWER
    plain = (await http.post("/v1/chat", json={"message": "hi"})).json()
    assert content["done"] == plain


async def test_a_forced_search_tells_its_results(
    http: httpx.AsyncClient, engine: FakeEngine
) -> None:
    engine.events = forced_events()

    response = await http.post("/v1/chat", json={"message": "x", "stream": True})

    events = sse(response.text)
    assert [name for name, _ in events] == ["decision", "web_search_results", "done"]
    results = events[1][1]
    assert (results["query"], results["provider"]) == ("Skerry Bridge car toll 2026", "local")
    assert results["results"][0]["url"] == RESULT.sources[0].url
    assert events[-1][1]["answer_kind"] == "results"


async def test_nothing_follows_the_end_of_a_stream(
    http: httpx.AsyncClient, engine: FakeEngine
) -> None:
    engine.events = [
        *engine.events[:3],
        Failed("SEARCH_FAILED", "No provider answered.", retryable=True),
        Delta("too late"),
    ]

    events = sse((await http.post("/v1/chat", json={"message": "x", "stream": True})).text)

    assert events[-1][0] == "error"
    assert events[-1][1]["code"] == "SEARCH_FAILED"
    assert events[-1][1]["retryable"] is True
    assert [name for name, _ in events].count("error") == 1


@pytest.mark.parametrize(
    ("reason", "status"),
    [("SEARCH_FAILED", 503), ("DEADLINE_EXCEEDED", 504), ("OVERLOADED", 503), ("INTERNAL", 500)],
)
async def test_a_failed_turn_is_a_problem(
    http: httpx.AsyncClient, engine: FakeEngine, reason: str, status: int
) -> None:
    engine.events = [Failed(reason, "It failed.", retryable=True)]

    response = await http.post("/v1/chat", json={"message": "x"})

    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["code"] == reason


async def test_a_defect_ends_the_stream_with_an_error_that_says_nothing(
    http: httpx.AsyncClient, engine: FakeEngine
) -> None:
    engine.events = engine.events[:1]
    engine.defect = RuntimeError("the secret text")

    response = await http.post("/v1/chat", json={"message": "x", "stream": True})

    events = sse(response.text)
    assert [name for name, _ in events] == ["decision", "error"]
    assert events[-1][1]["code"] == "INTERNAL"
    assert "secret" not in response.text


async def test_a_stream_without_end_gets_one(http: httpx.AsyncClient, engine: FakeEngine) -> None:
    engine.events = [Decided(RESULT.decision)]

    events = sse((await http.post("/v1/chat", json={"message": "x", "stream": True})).text)

    assert [name for name, _ in events] == ["decision", "error"]


async def test_a_defect_is_a_bare_problem(http: httpx.AsyncClient, engine: FakeEngine) -> None:
    engine.defect = RuntimeError("the secret text")

    response = await http.post("/v1/decide", json={"message": "x"})

    assert response.status_code == 500
    assert response.json()["code"] == "INTERNAL"
    assert "secret" not in response.text


async def test_decide_answers_the_decision_alone(http: httpx.AsyncClient) -> None:
    response = await http.post("/v1/decide", json={"message": "hi"})

    await documented(http, "DecisionReply", response.json())
    assert response.json()["queries"][0] == "Skerry Bridge car toll 2026"


async def test_search_answers_ranked_results(http: httpx.AsyncClient, engine: FakeEngine) -> None:
    response = await http.post("/v1/search", json={"query": "toll", "max_results": 3})

    await documented(http, "SearchReply", response.json())
    assert len(response.json()["results"]) == len(OUTCOME.results)
    assert response.json()["excluded"][0]["reason"] == "off_topic"
    assert engine.commands[0].options.max_results == 3


async def test_fetch_answers_outcomes_in_order(http: httpx.AsyncClient) -> None:
    urls = ["http://a.localhost/", "http://b.localhost/"]

    response = await http.post("/v1/fetch", json={"urls": urls})

    await documented(http, "FetchReply", response.json())
    assert [page["url"] for page in response.json()["results"]] == urls


async def test_the_version_names_what_runs(http: httpx.AsyncClient) -> None:
    await documented(http, "VersionReply", (await http.get("/v1/version")).json())
