"""Deep mode on the shipped corpus: what one round misses is named and searched for."""

import httpx
import pytest

from rig.logged_rounds import logged_rounds

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

# Three questions have queries; what is left is searched for in a further round.
QUESTION = (
    "What was the turnout of the mayoral election in Harrowmere, how long is the Ondry Bridge, "
    "how many kettles does Quillon recall, and who is the CEO of Norrvik Cells?"
)


def test_what_one_round_leaves_out_is_named_and_searched_for(client: httpx.Client) -> None:
    once, _ = logged_rounds(client, QUESTION, "standard")
    assert once["iterations"] == 1
    assert "Davin Ekoro" not in once["answer"], "else deep mode needs another question"

    deep, rounds = logged_rounds(client, QUESTION, "deep")
    assert deep["iterations"] >= 2
    said = rounds[1].partition("Round 2: ")[2]
    query, _, missing = said.partition(" (still missing: ")
    assert "CEO" in missing
    assert any(word in missing for word in query.split()), "what is missing is searched for"
