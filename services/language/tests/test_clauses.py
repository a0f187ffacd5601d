"""Clause borders."""

import re

import pytest

from pellucid_language.clauses import (
    DEGREE_BORDER,
    PART_BORDER,
    PAUSE,
    SUBCLAUSE_BORDER,
    TIGHT_BORDER,
    UNSPACED_BORDER,
    UNSPACED_PAUSE,
    VERB_BORDER,
    clauses,
)


@pytest.mark.parametrize(
    ("sentence", "count"),
    [
        ("The toll rose to 1,320 crowns at 9:30.", 1),
        ("The toll rose, the fare fell.", 2),
        ("Ash rose while Birch fell.", 2),
        ("Ash stieg, aber Birch fiel.", 2),
        ("桥开放了，但收费不变。", 2),
    ],
)
def test_statements(sentence: str, count: int) -> None:
    assert len(clauses(sentence)) == count


def test_pauses() -> None:
    assert PAUSE.split("It rose. Then it fell")[0] == "It rose"
    assert UNSPACED_PAUSE.split("开放了，收费")[0] == "开放了"
    assert TIGHT_BORDER.split("crowns but Birch")[0] == "crowns"


@pytest.mark.parametrize(
    ("border", "sentence", "parts"),
    [
        (PART_BORDER, "Ash rose and Birch fell", ["Ash rose", "Birch fell"]),
        (PART_BORDER, "Ash stieg während Birch fiel", ["Ash stieg", "Birch fiel"]),
        (PART_BORDER, "Ash rose because Birch fell", ["Ash rose because Birch fell"]),
        (SUBCLAUSE_BORDER, "Ash rose because Birch fell", ["Ash rose", "Birch fell"]),
        (DEGREE_BORDER, "Ash, Birch rose, mientras Elm fell", ["Ash, Birch rose", "Elm fell"]),
        (VERB_BORDER, "the firm which Ash sold", ["the firm", "Ash sold"]),
        (UNSPACED_BORDER, "涨了3.5、又跌了", ["涨了3.5", "又跌了"]),
        (TIGHT_BORDER, "Ash doch Birch", ["Ash doch Birch"]),
    ],
)
def test_each_measure_cuts_where_its_words_are(
    border: re.Pattern[str], sentence: str, parts: list[str]
) -> None:
    assert clauses(sentence, border) == parts
