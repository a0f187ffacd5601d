"""Deep mode with a model: a question whose answer only a query from the first round's pages finds.

The model is scripted but knows nothing: what it asks for and says, it reads in its prompt.
"""

import json
import re
from typing import Any

import pytest

from rig.fake_model import FakeModel
from rig.logged_rounds import logged_rounds
from rig.watched import Watched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

QUESTION = "What is the birthplace of the winner of the Breakwater Medal 2026?"
SECOND_PAGE = "almanac.localhost"
PLACE = "Cormorant Town"
ASPECT = "where the winner was born"
_BORN = re.compile(r"was born in ([A-Z]\w+ [A-Z]\w+)")
_WINNER = re.compile(r"Breakwater Medal 2026 goes to ([A-Z]\w+ [A-Z]\w+)")


def reflect(prompt: str) -> dict[str, Any] | None:
    """Ask for the birthplace of whom the extracts name; other calls are refused."""
    if "missing_aspects" not in prompt:
        return None
    born, winner = _BORN.search(prompt), _WINNER.search(prompt)
    return {
        "sufficient": bool(born),
        "missing_aspects": [] if born else [ASPECT],
        "refined_query": "" if born or not winner else f"{winner[1]} born",
        "reasoning": "Read in the extracts.",
        "confidence": 0.9,
    }


def speak(prompt: str) -> list[str]:
    """Say the place if the sources do."""
    born = _BORN.search(prompt)
    return [f"She was born in {born[1]}", " [1]."] if born else ["The sources do not say that."]


def test_the_second_round_follows_a_name_that_the_first_one_found(
    watched: Watched, model: FakeModel
) -> None:
    model.speak, model.reply = speak, reflect
    once, _ = logged_rounds(watched.http, QUESTION, "standard")
    assert not [s["url"] for s in once["sources"] if "maren-tollund" in s["url"]]
    assert PLACE not in json.dumps(once), "else one round answers it"

    deep, rounds = logged_rounds(watched.http, QUESTION, "deep")
    assert deep["iterations"] == len(rounds) == 2
    assert ASPECT in rounds[1]
    assert PLACE in deep["answer"]
    cited = {s["url"] for s in deep["sources"] if s["cited"]}
    assert any(SECOND_PAGE in url for url in cited), cited
