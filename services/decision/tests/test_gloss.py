"""Glosses: what is said in other languages, word by word in English."""

import re
from pathlib import Path

import pytest

from pellucid_decision.text import gloss
from pellucid_decision.text.gloss import LANGUAGES, UNKNOWN, gloss_of
from pellucid_language.folding import straight

FOLDER = Path(gloss.__file__).resolve().parents[1] / "data" / "glosses"


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("de", "Wann öffnet das Rathaus?", "when opens the town hall ?"),
        ("de", "Strompreisvergleich", "electricity price comparison"),
        ("es", "¿Qué tiempo hará mañana?", "what weather will do tomorrow ?"),
        ("fr", "Qu’est-ce que l'argent ?", "what money ?"),
        ("ja", "東京の天気を教えて", "tokyo weather tell me"),
        ("ko", "서울 날씨 알려줘", "seoul tell weather"),
        ("zh", "明天会下雨吗？", "tomorrow will it rain ?"),
        ("zh", "iPhone 17多少钱", "iphone 17 how much"),
    ],
)
def test_a_message_is_put_into_english_word_by_word(
    language: str, text: str, expected: str
) -> None:
    assert gloss_of(straight(text), language) == expected


def test_english_and_languages_without_a_table_stay_as_they_are() -> None:
    assert gloss_of("Who runs Quillon?", "en") == "who runs quillon?"
    assert gloss_of("Onde fica o museu?", "pt") == "onde fica o museu?"


def test_unknown_words_stay_where_blanks_divide_words_and_are_names_elsewhere() -> None:
    assert gloss_of("wer leitet Quillonxyz", "de") == "who leads quillonxyz"
    assert UNKNOWN in gloss_of("ヴョヴョヴョの社長", "ja").split()


def test_forms_of_a_word_are_found_by_their_beginning() -> None:
    assert gloss_of("die Zugverspätungen", "de") == "the train delay"


@pytest.mark.parametrize("language", LANGUAGES)
def test_tables_are_well_formed(language: str) -> None:
    seen = set()
    for line in (FOLDER / f"{language}.tsv").read_text(encoding="utf-8").splitlines():
        word, said = line.split("\t")
        assert word
        assert word == straight(word).casefold()
        assert word not in seen
        assert re.fullmatch(r"-|[a-z0-9?'.+\-]+( [a-z0-9?'.+\-]+){0,2}", said), line
        seen.add(word)
    assert len(seen) > 5000


@pytest.mark.parametrize("language", LANGUAGES)
def test_any_text_ends_soon(language: str) -> None:
    for text in ("", "-", "'''", "a" * 300, "-" * 300, "s" * 300, "の" * 300, "ab-" * 100):
        assert isinstance(gloss_of(text, language), str)
