"""Nothing that the model of understanding was trained on is evaluated on."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TRAINING = ROOT / "services" / "decision" / "training"
TRAINED = ("understanding/rows/*.jsonl", "messages/*.jsonl")
EVALUATED = (TRAINING / "unseen.jsonl", ROOT / "eval" / "decision_rows.jsonl")


def first_messages(paths: Iterable[Path]) -> Iterator[str]:
    """Messages without history; the same words after other turns are another row."""
    for path in paths:
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            if not row.get("history"):
                yield str(row.get("message") or row["text"]).casefold()


def test_no_message_is_both_trained_and_evaluated_on() -> None:
    trained = set(first_messages(path for name in TRAINED for path in TRAINING.glob(name)))
    evaluated = list(first_messages(EVALUATED))

    assert len(trained) > 20_000
    assert len(evaluated) > 800
    assert [message for message in evaluated if message in trained] == []
