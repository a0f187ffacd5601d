"""What `make real-model` asks over each face is understood, without a model and with citations."""

import asyncio

import pytest
from real_faces import FACES, ask
from real_model import Asked, table

from rig.installation import Installation

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
QUESTION = {
    "question": "What did the Ondry Bridge cost?",
    "language": "en",
    "facts": [["1.32 billion", "1.18 billion"]],
}


@pytest.mark.parametrize("face", FACES)
def test_a_face_answers_with_cited_sentences(installation: Installation, face: str) -> None:
    reply = asyncio.run(ask(installation.url, face, QUESTION["question"]))
    asked = Asked(QUESTION, face, reply)

    assert asked.is_answered, reply.text
    assert asked.has_facts
    assert any(asked.sentences)
    assert "1/1" in table([asked])


def test_a_gateway_that_is_not_there_is_told_as_an_error() -> None:
    reply = asyncio.run(ask("http://127.0.0.1:1", "chat", "Hello?"))

    assert reply.kind == "error"
    assert not Asked(QUESTION, "chat", reply).is_answered
