"""With an OpenAI-compatible server configured, the answer streams from it and is checked."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from rig.fake_model import FakeModel
from rig.installation import start_installation
from rig.watched import Watched, of_model

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

QUESTION = "Who is the current CEO of Norrvik Cells?"


def ask(http: httpx.Client) -> dict[str, Any]:
    response = http.post("/v1/chat", json={"message": QUESTION})
    assert response.status_code == 200, response.text
    return dict(response.json())


def test_a_wrong_citation_number_is_removed_and_a_right_one_kept(
    watched: Watched, model: FakeModel
) -> None:
    model.pieces = ["I have looked at the sources. "]
    first = ask(watched.http)
    # A sentence: a piece of a table is none in prose.
    source = next(one for one in first["sources"] if "|" not in one["snippet"])
    passage = source["snippet"].split(". ")[0].strip(" .…")
    model.pieces = [
        *(f"{word} " for word in passage.split()),
        f"[{source['n']}]. ",
        # No source says it, by meaning or by words, should the scorer be late.
        "The tariff rises to 731 crowns ",
        "[9",
        "7].",
    ]

    body = ask(watched.http)

    assert body["answer_kind"] == "model"
    assert "test-model" in body["model_label"]
    assert "97" not in body["answer"]
    assert "731 crowns" in body["answer"]
    assert body["citation_report"]["dropped"] == 1
    assert [citation["source"] for citation in body["citations"]] == [source["n"]]


def test_the_model_sees_fenced_sources_and_the_date(watched: Watched, model: FakeModel) -> None:
    model.pieces = ["Fine."]
    model.requests.clear()

    ask(watched.http)

    (request,) = model.answer_requests()
    prompt = "\n".join(str(message["content"]) for message in request["messages"])
    assert "Norrvik" in prompt
    assert len(prompt) <= 8000


@pytest.mark.nightly
def test_a_dead_model_gives_an_extractive_answer_that_says_so(tmp_path: Path) -> None:
    dead = FakeModel(pieces=[], url="http://127.0.0.1:9/v1")
    running = start_installation(tmp_path, 11400, of_model(dead))
    try:
        running.wait_for_line("ready after")
        with httpx.Client(base_url=running.url, timeout=30, trust_env=False) as http:
            body = ask(http)
    finally:
        running.stop()

    assert body["answer_kind"] == "extractive"
    assert "llm" in [entry["component"] for entry in body["degraded"]]
    assert body["citations"]
