"""Decisions and queries on messages of our own, by the trained model; floors are only raised.

`python eval/decision_eval.py --pin` writes those of the decisions.
"""

import json

import decision_eval
import pytest
import queries_eval

from rig.sample import nightly_except

pytestmark = pytest.mark.timeout(600)

# Every run asks one message of so many.
SAMPLE = 6
MOST_WRONG = 0.05
# A standard error of the share in such a sample.
SAMPLE_ERROR = 0.05
# The goals for messages that nobody has trained on.
PRECISION, RECALL, RECALL_OF_A_LANGUAGE = 0.96, 0.92, 0.85


@pytest.mark.nightly
def test_no_rate_falls_below_its_floor(scorer: str) -> None:
    floors = json.loads(decision_eval.FLOORS.read_text("utf-8"))

    assert decision_eval.below(floors, decision_eval.decisions(decision_eval.own(), scorer)) == []


def test_a_sample_of_the_decisions_is_right(scorer: str) -> None:
    outcomes = decision_eval.decisions(decision_eval.own()[::SAMPLE], scorer)
    wrong = [one for one in outcomes if one.wanted is not one.got]

    assert len({one.language for one in outcomes}) >= 7
    assert len(wrong) <= MOST_WRONG * len(outcomes), wrong


def test_floors_are_at_the_goals() -> None:
    floors = json.loads(decision_eval.FLOORS.read_text("utf-8"))
    whole = floors.pop("all")

    assert (whole["precision"] >= PRECISION, whole["recall"] >= RECALL) == (True, True)
    assert len(floors) >= 7
    assert [n for n, rates in floors.items() if rates["recall"] < RECALL_OF_A_LANGUAGE] == []


@pytest.mark.parametrize("every", nightly_except({SAMPLE}, (SAMPLE, 1)))
def test_queries_are_right(scorer: str, every: int) -> None:
    rows = list(queries_eval.rows(queries_eval.OWN))[::every]
    with decision_eval.deciding(scorer) as decide:
        queries = map(queries_eval.by_cascade(decide), rows)
        right = [not queries_eval.faults_of(*pair) for pair in zip(rows, queries, strict=True)]

    floor = queries_eval.FLOOR - (SAMPLE_ERROR if every == SAMPLE else 0.0)
    assert sum(right) >= floor * len(right)
