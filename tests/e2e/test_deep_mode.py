"""Deep mode on the shipped corpus: what one round misses is named, searched for and found."""

import json
from typing import Any

import httpx
import pytest

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]

QUESTION = (
    "Who is the CEO of Norrvik Cells, and what was the turnout of the mayoral election in "
    "Harrowmere?"
)
ANSWER = "Davin Ekoro"


def ask(client: httpx.Client, depth: str) -> tuple[dict[str, Any], list[str]]:
    """Return the whole result and the messages of the rounds."""
    body = {"message": QUESTION, "depth": depth, "stream": True}
    rounds, event = [], ""
    with client.stream("POST", "/v1/chat", json=body) as response:
        for line in response.iter_lines():
            name, _, value = line.partition(": ")
            if name == "event":
                event = value
            elif name == "data" and event == "web_search_iteration":
                rounds.append(json.loads(value)["message"])
            elif name == "data" and event == "done":
                return json.loads(value), rounds
    raise AssertionError("the stream had no end")


def test_a_question_that_one_round_cannot_answer_is_answered_in_the_second(
    client: httpx.Client,
) -> None:
    once, _ = ask(client, "standard")
    assert once["iterations"] == 1
    assert ANSWER not in once["answer"] or once["degraded"], "else deep mode needs another question"

    deep, rounds = ask(client, "deep")
    assert deep["iterations"] >= 2
    assert "still missing: CEO" in rounds[1]
    assert ANSWER in deep["answer"]
