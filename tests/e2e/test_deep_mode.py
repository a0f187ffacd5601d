"""Deep mode on the shipped corpus: what one round misses is named, searched for and found."""

import httpx
import pytest

from rig.told_rounds import told_rounds

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

QUESTION = (
    "Who is the CEO of Norrvik Cells, and what was the turnout of the mayoral election in "
    "Harrowmere?"
)
ANSWER = "Davin Ekoro"


def test_a_question_that_one_round_cannot_answer_is_answered_in_the_second(
    client: httpx.Client,
) -> None:
    once, _ = told_rounds(client, QUESTION, "standard")
    assert once["iterations"] == 1
    assert ANSWER not in once["answer"] or once["degraded"], "else deep mode needs another question"

    deep, rounds = told_rounds(client, QUESTION, "deep")
    assert deep["iterations"] >= 2
    assert "still missing: CEO" in rounds[1]
    assert ANSWER in deep["answer"]
