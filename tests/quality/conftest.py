"""The questions of the corpus, asked once for all tests about their answers.

Every run asks one in so many of each kind and language.
"""

from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from rig.installation import Installation
from rig.sample import IS_WHOLE

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
EVERY = 1 if IS_WHOLE else 3
QUESTIONS = sorted(
    yaml.safe_load((CORPUS / "questions.yaml").read_text("utf-8"))["questions"],
    key=lambda question: (question["kind"], question["language"]),
)


@pytest.fixture(scope="session")
def asked_questions(installation: Installation) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Each question with the body of its answer."""
    with httpx.Client(base_url=installation.url, timeout=60, trust_env=False) as client:
        return [(question, _asked(client, question)) for question in QUESTIONS[::EVERY]]


def _asked(client: httpx.Client, question: dict[str, Any]) -> dict[str, Any]:
    """Ask with the history of the question."""
    texts = [*question.get("history", []), question["question"]]
    messages = [{"role": "user", "content": text} for text in texts]
    response = client.post("/v1/chat", json={"messages": messages, "language": "auto"})
    assert response.status_code == 200, response.text
    return dict(response.json())
