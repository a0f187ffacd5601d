"""Stems of words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid_language.stems import LONGEST_KEPT, SHORTEST_STEM, beginning, stem


@pytest.mark.parametrize(("one", "other"), [("opens", "opened"), ("walking", "walked")])
def test_forms_of_one_verb(one: str, other: str) -> None:
    assert stem(one)[:5] == stem(other)[:5]


@pytest.mark.parametrize("word", ["gas", "bed", "sing", "toll"])
def test_short_words_stay(word: str) -> None:
    assert stem(word) == word


@given(st.text(alphabet="abcdefgins", min_size=1, max_size=2 * LONGEST_KEPT))
def test_a_stem_begins_its_word(word: str) -> None:
    assert word.startswith(stem(word))
    assert len(stem(word)) >= min(len(word), SHORTEST_STEM)
    assert word.startswith(beginning(word))
