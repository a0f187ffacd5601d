"""What `make real-model` asks over each face is understood, and its answers are counted right."""

from collections.abc import AsyncIterator

import pytest
from api_fakes import ANSWER, RESULT, MakeApp
from real_faces import FACES, Reply, ask
from real_model import Asked, table

from pellucid_runtime.http_server import HttpServer

QUESTION = {"question": "Toll?", "language": "en", "facts": [["1.32 billion", "1.18 billion"]]}


@pytest.fixture
async def url(make_app: MakeApp) -> AsyncIterator[str]:
    server = HttpServer(make_app(), "127.0.0.1", 0)
    await server.start()
    yield f"http://127.0.0.1:{server.port}"
    await server.stop(0)


@pytest.mark.parametrize("face", FACES)
async def test_an_api_gives_the_answer_and_its_citations(url: str, face: str) -> None:
    reply = await ask(url, face, "Toll?")

    assert ANSWER.strip() in reply.text
    assert len(reply.spans) == len(RESULT.citations)
    assert all(0 <= start < end <= len(reply.text) for start, end in reply.spans)
    assert reply.seconds > 0


def test_sentences_facts_and_language_are_counted() -> None:
    text = "The bridge cost 1.32 billion crowns. It opened in November last. Shall I go on?"
    asked = Asked(QUESTION, "chat", Reply(text, spans=[(0, 35)], added=1, kind="model"))
    german = Asked(QUESTION, "chat", Reply("Die Brücke hat sehr viel Geld gekostet, sagt man."))

    assert asked.sentences == (True, False)
    assert table([asked, german]).splitlines()[-1].split() == [
        "all", "2", "2/2", "1/3", "1", "1/2", "1/2", "0.0",
    ]  # fmt: skip


async def test_a_gateway_that_is_not_there_is_told_as_an_error() -> None:
    reply = await ask("http://127.0.0.1:1", "chat", "Hello?")

    assert reply.kind == "error"
    assert not Asked(QUESTION, "chat", reply).is_answered
