"""Concepts: the same in seven languages, whole words and beginnings, bounded in number."""

import pytest

from pellucid_decision.concepts import concept_names, concepts_in

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
    found = concepts_in(WEATHER[language], language)
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
    ],
)
def test_words_beginnings_and_pairs(text: str, language: str, name: str, *, there: bool) -> None:
    assert (name in concepts_in(text, language)) is there


def test_names_are_few_and_in_order() -> None:
    names = concept_names()
    assert list(names) == sorted(set(names))
    assert 50 <= len(names) <= 120
