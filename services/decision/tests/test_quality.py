"""Pinned error rates on the own labelled messages, each held out from the classifier's training.

Without a scorer, as it decides when none is there; `make eval` checks the floors with one.
"""

import json
import sys
from pathlib import Path

import pytest

# Five fits take a minute or two of a processor, several on a busy machine.
pytestmark = pytest.mark.timeout(1200)

TRAINING = Path(__file__).resolve().parents[1] / "training"


@pytest.fixture(scope="module")
def groups() -> dict[str, object]:
    sys.path.insert(0, str(TRAINING))
    try:
        from evaluation import by_group, cross_validated
        from messages import labelled

        from pellucid_decision.adapters.rules_folder import RulesFolder

        return dict(by_group(cross_validated(tuple(labelled()), RulesFolder().book)))
    finally:
        sys.path.remove(str(TRAINING))


def test_no_rate_falls_below_its_floor(groups: dict[str, object]) -> None:
    floors = json.loads((TRAINING / "floors.json").read_text())["ngrams"]
    for name, floor in floors.items():
        rates = groups[name]
        assert rates.precision >= floor["precision"], name
        assert rates.recall >= floor["recall"], name
        assert rates.false_positive_rate <= floor["false_positive_rate"], name


def test_the_set_is_large_and_covers_seven_languages(groups: dict[str, object]) -> None:
    assert groups["all"].count >= 800
    languages = {name for name in groups if name.startswith("language")}
    assert len(languages) == 7
    assert groups["kind trap"].false_positive_rate <= 0.08
