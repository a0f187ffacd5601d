"""Comparable words of any script."""

import math

import pytest

from pellucid_language.terms import (
    coverage,
    function_terms,
    has_unspaced_script,
    rarity,
    terms,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bridges", "bridge"),
        ("CAFÉ", "cafe"),
        ("Straßen", "strassen"),
        ("ｂｒｉｄｇｅ", "bridge"),
        ("서울시청", "서울시청"),
    ],
)
def test_forms_of_one_word_are_one_term(one: str, other: str) -> None:
    assert terms(one) == terms(other)


def test_short_words_count_only_as_numbers() -> None:
    assert terms("it is 7 km") == {"7"}


def test_scripts_without_spaces_give_pairs() -> None:
    assert terms("東京都") == {"東京", "京都"}
    assert has_unspaced_script("Tokyo 東京")
    assert not has_unspaced_script("Tokyo")


@pytest.mark.parametrize("word", ["which", "welche", "pourquoi", "dónde"])
def test_words_of_asking_are_function_terms(word: str) -> None:
    assert terms(word) <= function_terms()


def test_a_subject_is_no_function_term() -> None:
    assert not terms("harbour ferry Fähre puerto 港口") & function_terms()


def test_rare_terms_weigh_more() -> None:
    weights = rarity([frozenset({"toll", "ferry"}), frozenset({"toll"})])
    assert weights["ferry"] > weights["toll"] > 0
    assert weights["ferry"] == pytest.approx(math.log(2) + 0.1)


def test_coverage_is_a_weighted_share() -> None:
    wanted = frozenset({"toll", "ferry"})
    assert coverage(wanted, frozenset({"toll"}), {"toll": 3.0, "ferry": 1.0}) == 0.75
    assert coverage(wanted, wanted, {}) == 1.0
    assert coverage(frozenset(), wanted, {}) == 0.0
