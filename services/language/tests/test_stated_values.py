"""Secrets told by a clause; beside them clauses with the same words and figures that tell none."""

import re
from pathlib import Path

import pytest
from stated_tables import STATED

from pellucid_language.pii.gate import GATE, without
from pellucid_language.pii.value_forms import form_points

# One clause a line, with the words of the others, and figures, and no secret.
SAID = Path(__file__).with_name("said_of_secrets.txt").read_text("utf-8").splitlines()


def _squeezed(text: str) -> str:
    return re.sub(r"[\W_]", "", text).casefold()


@pytest.mark.parametrize(("message", "value"), STATED)
def test_a_value_that_a_clause_states_is_cut(message: str, value: str) -> None:
    assert _squeezed(value) not in _squeezed(GATE.redact(message).text)
    left = without(f"{value} query", GATE.private([message]))
    assert _squeezed(value) not in _squeezed(left)
    assert "query" in left


@pytest.mark.parametrize("message", SAID)
def test_a_clause_that_states_none_stays(message: str) -> None:
    assert GATE.redact(message).text == message
    assert GATE.private([message]) == ()


@pytest.mark.parametrize(
    ("value", "points"),
    [
        ("74-12-33", 3),
        ("4821-9932", 3),
        ("2247#", 3),
        ("sunflower42", 3),
        ("7KQ2M", 3),
        ("6178", 2),
        ("Grape!Fruit", 2),
        ("X125", 0),
        ("TSA007", 1),
        ("1998", 1),
        ("2026-11-03", 0),
        ("10:30", 0),
        ("3-1", 0),
        ("0x80070005", 0),
        ("25%", 0),
        ("windows11", 0),
        ("harbour", 0),
    ],
)
def test_forms(value: str, points: int) -> None:
    assert form_points(value) == points
