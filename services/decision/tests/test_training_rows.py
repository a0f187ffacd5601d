"""The plain sentences and everyday messages: every list filled in, none of them evaluated on."""

import json
from pathlib import Path

import pytest

TRAINING = Path(__file__).resolve().parents[1] / "training"
EVALUATED = (
    TRAINING / "unseen.jsonl",
    Path(__file__).resolve().parents[3] / "eval" / "decision_rows.jsonl",
)


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    monkeypatch.syspath_prepend(str(TRAINING))
    from plain import plain_messages

    return list(plain_messages())


def test_every_list_of_a_sentence_is_filled_in(plain: list[object]) -> None:
    assert len(plain) > 4000
    assert not [item.text for item in plain if set("[]|{}") & set(item.text)]


def test_no_training_sentence_is_evaluated_on(plain: list[object]) -> None:
    lines = (path.read_text(encoding="utf-8").splitlines() for path in EVALUATED)
    rows = (json.loads(line) for each in lines for line in each)
    alone = {row["text"].casefold() for row in rows if not row.get("history")}
    assert not [item.text for item in plain if item.text.casefold() in alone and not item.history]


def test_alternatives_stand_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TRAINING))
    from plain import alternatives

    assert alternatives("[cheap|quiet|central] hotel in [Bath|Ely]") == [
        "cheap hotel in Bath",
        "quiet hotel in Ely",
        "central hotel in Bath",
    ]
    assert alternatives("a {brace} and no list") == ["a {brace} and no list"]
