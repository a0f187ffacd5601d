"""Meanings: the same in seven languages, whole words and beginnings, tables in good order."""

from pathlib import Path

import pytest

from pellucid_decision.text import lexicon
from pellucid_decision.text.lexicon import LANGUAGES, MIN_PREFIX, concept_names, meanings_of

WEATHER = {
    "en": "will it rain tomorrow",
    "de": "regnet es morgen",
    "es": "va a llover mañana",
    "fr": "il va pleuvoir demain",
    "ko": "내일 날씨 어때",
    "ja": "明日の天気は",
    "zh": "明天天气怎么样",
}


@pytest.mark.parametrize("language", WEATHER)
def test_a_concept_is_found_in_every_language(language: str) -> None:
    found = meanings_of(WEATHER[language], language)
    assert {"weather", "recent"} <= found
    assert "code" not in found


@pytest.mark.parametrize(
    ("text", "language", "name", "there"),
    [
        ("the price is fine", "en", "price", True),
        ("a priceless vase", "en", "price", True),
        ("he is open", "en", "hours", True),
        ("reopened", "en", "hours", False),
        ("no idea, bye", "en", "thanks", False),
        ("i understood", "en", "thanks", True),
        ("world war two", "en", "famous", True),
        ("부산 몇 시까지 해", "ko", "hours", True),
        ("iphone 가격", "ko", "gadget", True),
        ("bonjour", "pt", "greeting", False),
        ("wie groß ist er", "de", "figure", True),
    ],
)
def test_words_beginnings_and_pairs(text: str, language: str, name: str, *, there: bool) -> None:
    assert (name in meanings_of(text.casefold(), language)) is there


SENSES = {
    "en": "remind me of the dentist",
    "de": "erinner mich an den zahnarzt",
    "es": "recuérdame lo del dentista",
    "fr": "rappel dentiste",
    "ko": "치과 알림 해줘",
    "ja": "歯医者のリマインドお願い",
    "zh": "提醒我看牙医",
}


@pytest.mark.parametrize("language", SENSES)
def test_a_sense_is_found_in_every_language(language: str) -> None:
    found = meanings_of(SENSES[language], language)
    assert "~remind" in found
    assert "~rain" not in found


@pytest.mark.parametrize("file", ["concepts.tsv", "senses.tsv"])
def test_tables_are_in_good_order(file: str) -> None:
    lines = (Path(lexicon.__file__).parents[1] / "data" / file).read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    assert rows[0] == ["name", *LANGUAGES]
    names = [name for name, *_ in rows]
    assert len(names) == len(set(names))
    for name, *columns in rows:
        assert len(columns) == len(LANGUAGES), name
        for entry in (entry for column in columns for entry in column.split()):
            assert entry == entry.lower(), (name, entry)
            assert not entry.endswith("*") or len(entry) > MIN_PREFIX, (name, entry)
            assert "*" not in entry[:-1], (name, entry)


def test_names_are_few_and_in_order() -> None:
    names = concept_names()
    assert list(names) == sorted(set(names))
    assert 50 <= len(names) <= 120
