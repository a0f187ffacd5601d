"""One installation, asked as a person would: what the gateway promises on its native face."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

ROOT = Path(__file__).parents[2]
QUESTION = "Who is the current CEO of Norrvik Cells?"
PAGE = "http://harbourpost.localhost:{port}/2026/11/14/ondry-bridge-opens.html"
# The order of the specification; `delta` and `citation` interleave.
ORDER = (
    "decision",
    "url_fetch",
    "web_search_start",
    "web_search_iteration",
    "web_search_fetching",
    "web_search_extracting",
    "web_search_reflecting",
    "web_search_complete",
    "web_search_results",
    "sources",
    "notice",
    "delta",
    "done",
)


def chat(client: httpx.Client, message: str, **options: Any) -> dict[str, Any]:
    """Ask and return the response body."""
    response = client.post("/v1/chat", json={"message": message, **options})
    assert response.status_code == 200, response.text
    return response.json()


def stream(client: httpx.Client, message: str, **options: Any) -> list[tuple[str, dict[str, Any]]]:
    """Ask for a stream and return its events in order."""
    body = {"message": message, "stream": True, **options}
    events = []
    name = ""
    with client.stream("POST", "/v1/chat", json=body) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        assert response.headers["x-accel-buffering"] == "no"
        for line in response.iter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                events.append((name, json.loads(line.removeprefix("data: "))))
    return events


def test_a_question_about_the_corpus_is_answered_with_checked_citations(
    client: httpx.Client,
) -> None:
    body = chat(client, QUESTION)

    assert body["decision"]["action"] == "search"
    assert body["decision"]["reason"]
    assert body["degraded"] == []
    assert body["answer_kind"] == "extractive"
    assert len({source["domain"] for source in body["sources"]}) >= 2
    for source in body["sources"]:
        assert source["relevance_score"] > 0.35
        assert source["score_breakdown"]["semantic"] >= 0.20
    cited = {citation["source"] for citation in body["citations"]}
    assert len(cited) >= 2
    for citation in body["citations"]:
        claim = body["answer"][citation["start"] : citation["end"]]
        assert claim.strip() == claim
        assert len(claim.split()) >= 3
        assert citation["cited_text"]
    assert body["citation_report"]["kept"] >= 2
    assert [provider["name"] for provider in body["providers"]] == ["local"]


def test_every_example_question_of_the_page_is_answered(client: httpx.Client) -> None:
    corpus = yaml.safe_load((ROOT / "corpus" / "questions.yaml").read_text("utf-8"))
    facts = {each["question"]: each.get("facts") for each in corpus["questions"]}
    examples = client.get("/v1/version").json()["examples"]

    assert len(examples) == 4
    for question in examples:
        body = chat(client, question)
        assert body["citations"], question
        for spellings in facts[question]:
            assert any(spelling in body["answer"] for spelling in spellings), question


def test_every_string_that_left_is_listed(client: httpx.Client) -> None:
    # Asked nowhere else: what comes from the cache leaves nothing to list.
    body = chat(client, "Which ferries call at Skerry Point in winter?")

    # The local index is in the house; pages are not.
    assert {item["kind"] for item in body["outbound"]} == {"url"}
    assert all(item["to"] in item["text"] for item in body["outbound"])


def test_the_stream_has_the_order_of_the_specification(client: httpx.Client) -> None:
    events = stream(client, QUESTION)

    names = ["delta" if name == "citation" else name for name, _ in events]
    positions = [ORDER.index(name) for name in names]
    assert all(a <= b for a, b in pairwise(positions) if names[a : a + 1] != ["notice"]), names
    assert names[0] == "decision"
    assert names.count("done") == 1
    assert names[-1] == "done"
    text = "".join(data["text"] for name, data in events if name == "delta")
    assert text == events[-1][1]["answer"]
    assert "sources" in names


def test_timeless_knowledge_is_looked_up_where_no_model_knows_it(client: httpx.Client) -> None:
    body = chat(client, "Explain how photosynthesis works")

    assert body["decision"]["action"] == "search"
    assert body["decision"]["reason_code"] == "no_model"
    assert body["answer_kind"] == "extractive"
    assert body["usage"]["searches"] == 1


def test_a_task_makes_no_search_call(client: httpx.Client) -> None:
    body = chat(client, "Translate 'good morning' into French")

    assert body["decision"]["action"] == "answer"
    assert body["decision"]["queries"] == []
    assert body["providers"] == []
    assert body["usage"]["searches"] == 0
    assert [item for item in body["outbound"] if item["kind"] == "query"] == []


def test_a_page_that_the_person_names_is_read_and_nothing_is_searched(
    client: httpx.Client, installation: Any
) -> None:
    page = PAGE.format(port=8099 + installation.offset)

    body = chat(client, f"Summarise {page}")

    assert body["decision"]["action"] == "fetch"
    assert [content["url"] for content in body["url_contents"]] == [page]
    assert body["url_contents"][0]["success"] is True
    assert body["usage"]["searches"] == 0
    assert body["providers"] == []
    assert body["answer"]


@pytest.mark.parametrize("message", ["hello", "thanks, that helps", "안녕하세요"])
def test_small_talk_is_not_searched(client: httpx.Client, message: str) -> None:
    assert chat(client, message)["decision"]["action"] == "answer"


def test_a_korean_question_gets_a_korean_answer(client: httpx.Client) -> None:
    body = chat(client, "온드리 다리는 언제 개통되었나요?")

    assert body["decision"]["language"] == "ko"
    assert any("가" <= character <= "힣" for character in body["answer"])
