"""Deep mode with a model: a question whose answer only a query from the first round's pages finds.

The model is scripted but knows nothing: what it asks for and says, it reads in its prompt.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from rig.fake_model import FakeModel, serve_model
from rig.installation import Installation, start_installation
from rig.told_rounds import told_rounds

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


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with serve_model(FakeModel(pieces=[], speak=speak, reply=reflect)) as model:
        environment = {
            "OPENAI_BASE_URL": model.url,
            "LLM_PROBE": "false",
            "OPENAI_API_KEY": "not-a-secret",
            "LLM_MODEL": "test-model",
            # A machine that runs other tests too is late without being overloaded.
            "GATEWAY_MAX_LAG_MS": "60000",
            "GATEWAY_MIN_SEARCHES": "64",
        }
        running = start_installation(tmp_path_factory.mktemp("data"), 11600, environment)
        try:
            running.wait_for_line("ready after")
            yield running
        finally:
            running.stop()


def ask(installation: Installation, depth: str) -> tuple[dict[str, Any], list[str]]:
    """Return the whole result and the messages of the rounds."""
    with httpx.Client(base_url=installation.url, timeout=60, trust_env=False) as client:
        return told_rounds(client, QUESTION, depth)


def test_the_second_round_follows_a_name_that_the_first_one_found(
    installation: Installation,
) -> None:
    once, _ = ask(installation, "standard")
    assert not [s["url"] for s in once["sources"] if "maren-tollund" in s["url"]]
    assert PLACE not in json.dumps(once), "else one round answers it"

    deep, rounds = ask(installation, "deep")
    assert deep["iterations"] == len(rounds) == 2
    assert ASPECT in rounds[1]
    assert PLACE in deep["answer"]
    cited = {s["url"] for s in deep["sources"] if s["cited"]}
    assert any(SECOND_PAGE in url for url in cited), cited
