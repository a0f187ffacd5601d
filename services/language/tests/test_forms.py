"""Folding, cleaning, scripts and the memory of texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid_language.folding import (
    caseless,
    compatible,
    composed,
    fold,
    fold_expression,
    straight,
)
from pellucid_language.scripts import is_read_by, is_spaceless
from pellucid_language.text import clean


@given(st.text(max_size=60))
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert compatible(compatible(text)) == compatible(text)


@pytest.mark.parametrize(
    ("written", "folded"),
    [("ＣＡＦÉ", "cafe"), ("Straße", "strasse"), ("が", "が"), ("가", "가"), ("ﬁn", "fin")],
)
def test_fold(written: str, folded: str) -> None:
    assert fold(written) == folded


def test_what_each_form_keeps() -> None:
    assert caseless("ＣＡＦÉ") == "café"
    assert straight("‘Ｃafé’") == "'Café'"
    assert composed("e\u0301") == "é"
    assert composed("ﬁ") == "ﬁ"


def test_the_signs_of_an_expression_stay() -> None:
    assert fold_expression(r"\Bété\W") == r"\Bete\W"


@pytest.mark.parametrize("hidden", ["\x00", "\u202e", "\u2066", "\ufeff", "\U000e0041", "\x9f"])
def test_hidden_characters_are_dropped(hidden: str) -> None:
    assert clean(f"a{hidden}b") == "ab"


def test_lines_and_tabs_stay() -> None:
    assert clean("a\r\nb\tc\rd") in {"a\nb\tc\nd", "a\nb\tcd"}


def test_scripts() -> None:
    assert is_spaceless("ราคา")
    assert not is_spaceless("price")
    assert is_read_by({"LATIN"}, "the toll of 서울")
    assert not is_read_by({"LATIN"}, "서울 교통 요금")
    assert is_read_by({"LATIN"}, "12 — 34")
