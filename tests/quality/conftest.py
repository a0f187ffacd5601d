"""The questions of the corpus, asked once for all tests about their answers."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from rig.installation import Installation

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
QUESTIONS = yaml.safe_load((CORPUS / "questions.yaml").read_text("utf-8"))["questions"]
# At a time; more would make each other late.
ASKERS = 3


@pytest.fixture(scope="session")
def asked_questions(installation: Installation) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Each question with the body of its answer."""
    with (
        httpx.Client(base_url=installation.url, timeout=60, trust_env=False) as client,
        ThreadPoolExecutor(ASKERS) as pool,
    ):
        bodies = pool.map(lambda question: _asked(client, question), QUESTIONS)
        return list(zip(QUESTIONS, bodies, strict=True))


def _asked(client: httpx.Client, question: dict[str, Any]) -> dict[str, Any]:
    """Ask with the history of the question."""
    texts = [*question.get("history", []), question["question"]]
    messages = [{"role": "user", "content": text} for text in texts]
    response = client.post("/v1/chat", json={"messages": messages, "language": "auto"})
    assert response.status_code == 200, response.text
    return dict(response.json())
