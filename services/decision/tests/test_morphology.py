"""Korean, Japanese and Chinese texts in morphemes, and the queries that come of them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid_decision.adapters.rules_folder import RulesFolder
from pellucid_decision.question.chunks import chunks_of
from pellucid_decision.question.morphology import (
    Sort,
    load_analysers,
    morphemes_of,
    with_latin,
    without_words,
)

BOOK = RulesFolder().book


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("ko", "부산 날씨", [("부산", Sort.PLACE), ("날씨", Sort.NOUN)]),
        ("ko", "예약하다", [("예약", Sort.NOUN), ("하", Sort.VERBAL)]),
        ("ja", "東京の天気", [("東京", Sort.PLACE), ("の", Sort.PARTICLE), ("天気", Sort.NOUN)]),
        ("zh", "广州的天气", [("广州", Sort.PLACE), ("的", Sort.PARTICLE), ("天气", Sort.NOUN)]),
    ],
)
def test_morphemes_have_their_sorts(
    language: str, text: str, expected: list[tuple[str, Sort]]
) -> None:
    found = [(one.text, one.sort) for one in morphemes_of(text, language)]
    assert found[: len(expected)] == expected


@pytest.mark.parametrize("language", ["ko", "ja", "zh"])
@given(
    text=st.text(
        alphabet="가나다라 의은는을를에서東京大阪天気のはを北京上海的吗 aB12?、。", max_size=60
    )
)
def test_morphemes_stand_where_they_say(language: str, text: str) -> None:
    for one in morphemes_of(text, language):
        assert text[one.start : one.end] == one.text


@pytest.mark.parametrize("between", ["     ", " \n\t ", "\u2028 , ", "\x0b\x00 . "])
def test_what_stands_between_moves_no_morpheme(between: str) -> None:
    found = morphemes_of(f"이번{between}서울에", "ko")
    assert [one.start for one in found if one.text == "서울"] == [2 + len(between)]


def test_a_language_without_an_analyser_is_an_error() -> None:
    with pytest.raises(KeyError):
        morphemes_of("bonjour", "fr")


def test_names_in_latin_letters_are_whole() -> None:
    assert "NA-LX129D" in [one.text for one in with_latin("パナのNA-LX129Dのエラー", "ja")]


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [("猫能吃吗", "能", "猫 吃吗"), ("空调功能", "能", "空调功能"), ("空调", "", "空调")],
)
def test_small_words_go_only_where_they_are_words(text: str, pattern: str, expected: str) -> None:
    found = without_words(text, re.compile(pattern) if pattern else None, "zh")
    assert found == expected


def test_all_analysers_can_be_loaded_ahead() -> None:
    load_analysers()
    assert morphemes_of("一", "zh")


@pytest.mark.parametrize("language", ["ko", "ja", "zh"])
@given(text=st.text(alphabet="가나 의?요東京天の、気はっ何か北吗能还是 aB12-「」。", max_size=40))
def test_every_text_is_cut(language: str, text: str) -> None:
    assert all(chunk.text for chunk in chunks_of(text, BOOK.of(language)))
