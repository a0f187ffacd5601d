"""Decisions and queries on messages of our own, by the trained model; floors are only raised.

`python eval/decision_eval.py --pin` writes those of the decisions.
"""

import json

import decision_eval
import pytest
import queries_eval

pytestmark = pytest.mark.timeout(600)

# The goals for messages that nobody has trained on.
PRECISION, RECALL, RECALL_OF_A_LANGUAGE = 0.96, 0.92, 0.85


def test_no_rate_falls_below_its_floor(scorer: str) -> None:
    floors = json.loads(decision_eval.FLOORS.read_text("utf-8"))

    assert decision_eval.below(floors, decision_eval.decisions(decision_eval.own(), scorer)) == []


def test_floors_are_at_the_goals() -> None:
    floors = json.loads(decision_eval.FLOORS.read_text("utf-8"))
    whole = floors.pop("all")

    assert (whole["precision"] >= PRECISION, whole["recall"] >= RECALL) == (True, True)
    assert len(floors) >= 7
    assert [n for n, rates in floors.items() if rates["recall"] < RECALL_OF_A_LANGUAGE] == []


def test_queries_are_right(scorer: str) -> None:
    with decision_eval.deciding(scorer) as decide:
        right = queries_eval.golden(queries_eval.OWN, queries_eval.by_cascade(decide))

    assert right >= queries_eval.FLOOR
