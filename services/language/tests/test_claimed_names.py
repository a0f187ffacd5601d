"""Names that a claim shares with its source, or not."""

import pytest

from pellucid_language.claimed_names import claimed_names, misses_name


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ("Jens Ohlert steered the ferry to Skerry.", {"Jens", "Ohlert", "Skerry"}),
        ("In March the harbour closed.", set()),
        ("The toll rose in May.", set()),
    ],
)
def test_names_of_a_claim(claim: str, found: set[str]) -> None:
    assert set(claimed_names(claim)) == found


@pytest.mark.parametrize(
    ("claim", "text", "missing"),
    [
        ("Jens Ohlert steered the ferry.", "Captain Britta Nagel steered the ferry.", True),
        ("Jens Ohlert steered the ferry.", "The captain, Jens Ohlert, steered the ferry.", False),
        ("Dr. Ohlert steered the ferry.", "Jens Ohlert steered the ferry.", False),
        ("The ferry was steered at night.", "Captain Britta Nagel steered the ferry.", False),
        ("田辺知事は認めた", "森下知事は認めた。", True),
        ("田辺知事は認めた", "田辺知事は計画を認めた。", False),
        ("김하늘 시장이 승인했다", "박나루 시장이 승인했다.", True),
    ],
)
def test_a_name_that_the_source_lacks(claim: str, text: str, *, missing: bool) -> None:
    assert misses_name(claim, text) is missing


def test_a_name_of_the_question_is_known() -> None:
    claim, text = "The ferry was steered by Ohlert.", "He steered the ferry all night."
    assert misses_name(claim, text)
    assert not misses_name(claim, text, known="Did Ohlert steer the ferry?")
