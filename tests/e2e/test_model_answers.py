"""With an OpenAI-compatible server configured, the answer streams from it and is checked."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from rig.fake_model import FakeModel, serve_model
from rig.installation import Installation, start_installation

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

QUESTION = "Who is the current CEO of Norrvik Cells?"


@pytest.fixture(scope="module")
def model() -> Iterator[FakeModel]:
    with serve_model(FakeModel(pieces=["unused"])) as running:
        yield running


@pytest.fixture(scope="module")
def installation(
    tmp_path_factory: pytest.TempPathFactory, model: FakeModel
) -> Iterator[Installation]:
    environment = {
        "OPENAI_BASE_URL": model.url,
        "LLM_PROBE": "false",
        "OPENAI_API_KEY": "not-a-secret",
        "LLM_MODEL": "test-model",
    }
    running = start_installation(tmp_path_factory.mktemp("data"), 11200, environment)
    try:
        running.wait_for_line("ready after")
        yield running
    finally:
        running.stop()


def ask(installation: Installation, message: str) -> dict[str, object]:
    response = httpx.post(
        f"{installation.url}/v1/chat", json={"message": message}, timeout=30, trust_env=False
    )
    assert response.status_code == 200, response.text
    return response.json()


def test_a_wrong_citation_number_is_removed_and_a_right_one_kept(
    installation: Installation, model: FakeModel
) -> None:
    model.pieces = ["I have looked at the sources. "]
    first = ask(installation, QUESTION)
    passage = first["sources"][0]["snippet"].split(". ")[0].strip(" .…")
    model.pieces = [
        *(f"{word} " for word in passage.split()),
        "[1]. ",
        "It is the law ",
        "[9",
        "7].",
    ]

    body = ask(installation, QUESTION)

    assert body["answer_kind"] == "model"
    assert "test-model" in body["model_label"]
    assert "97" not in body["answer"]
    assert "It is the law" in body["answer"]
    assert body["citation_report"]["dropped"] == 1
    assert [citation["source"] for citation in body["citations"]] == [1]


def test_the_model_sees_fenced_sources_and_the_date(
    installation: Installation, model: FakeModel
) -> None:
    model.pieces = ["Fine."]
    model.requests.clear()

    ask(installation, QUESTION)

    (request,) = model.answer_requests()
    prompt = "\n".join(str(message["content"]) for message in request["messages"])
    assert "Norrvik" in prompt
    assert len(prompt) <= 8000


def test_a_dead_model_gives_an_extractive_answer_that_says_so(tmp_path: Path) -> None:
    environment = {
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        "LLM_PROBE": "false",
        "OPENAI_API_KEY": "not-a-secret",
        "LLM_MODEL": "test-model",
    }
    running = start_installation(tmp_path, 11400, environment)
    try:
        running.wait_for_line("ready after")
        body = ask(running, QUESTION)
    finally:
        running.stop()

    assert body["answer_kind"] == "extractive"
    assert "llm" in [entry["component"] for entry in body["degraded"]]
    assert body["citations"]
