"""Slips of a hand are put right; names, forms and words of other languages are left alone."""

import pytest

from pellucid_decision.question.spelling import corrected


@pytest.mark.parametrize(
    ("word", "language", "meant"),
    [
        ("symtoms", "en", "symptoms"),
        ("captial", "en", "capital"),
        ("apendicitis", "en", "appendicitis"),
        ("definately", "en", "definitely"),
        ("cancle", "en", "cancel"),
        ("alchohol", "en", "alcohol"),
        ("amoxicilin", "en", "amoxicillin"),
        ("embarassing", "en", "embarrassing"),
        ("diabetis", "en", "diabetes"),
        ("ibuprofin", "de", "ibuprofen"),
        ("lehnbachhaus", "de", "lenbachhaus"),
        ("pneumonnie", "fr", "pneumonie"),
        ("piélonéfrite", "fr", "pyélonéphrite"),
        ("fibromialjia", "es", "fibromialgia"),
        ("estacion", "es", "estación"),
    ],
)
def test_slips_are_put_right(word: str, language: str, meant: str) -> None:
    assert corrected(word, language) == meant


@pytest.mark.parametrize(
    ("word", "language"),
    [
        ("lakers", "en"),
        ("significa", "es"),
        ("Ryanair", "en"),
        ("fahrrad", "en"),
        ("xqzvw", "en"),
        ("symptoms", "en"),
        ("symtoms", "ko"),
        ("juega", "es"),
        ("vuela", "es"),
        ("muere", "es"),
        ("nieva", "es"),
        ("schliesst", "de"),
        ("walgreens", "en"),
        ("favourite", "en"),
        ("neighbours", "en"),
        ("theres", "en"),
        ("summarise", "en"),
        ("singed", "en"),
        ("fennwick", "en"),
        ("monsteras", "en"),
        ("tagesgeld", "de"),
        ("nächstem", "de"),
        ("cubre", "es"),
        ("perros", "es"),
        ("condensada", "es"),
        ("parqué", "es"),
        ("épongé", "fr"),
    ],
)
def test_what_may_be_meant_stays(word: str, language: str) -> None:
    assert corrected(word, language) == word


def test_without_small_words_around_it_a_foreign_word_stays() -> None:
    assert corrected("schweizer", "en", told=False) == "schweizer"


@pytest.mark.parametrize(
    ("word", "language", "meant"),
    [
        ("kel", "fr", "quel"),
        ("farmassi", "fr", "pharmacie"),
        ("belgik", "fr", "belgique"),
        ("nexte", "de", "nächste"),
        ("sontag", "de", "sonntag"),
        ("bacuna", "es", "vacuna"),
        ("savados", "es", "sábados"),
        ("autralia", "en", "australia"),
        ("ther", "en", "there"),
        ("부싼", "ko", "부산"),
        ("업대이트", "ko", "업데이트"),
    ],
)
def test_words_are_read_as_they_sound(word: str, language: str, meant: str) -> None:
    assert corrected(word, language) == meant


@pytest.mark.parametrize(
    ("word", "language"),
    [
        ("baule", "fr"),
        ("lyon", "fr"),
        ("doctolib", "fr"),
        ("rossmann", "de"),
        ("glovo", "es"),
        ("lyft", "en"),
        ("성수", "ko"),
        ("서울", "ko"),
    ],
)
def test_names_that_sound_like_a_word_stay(word: str, language: str) -> None:
    assert corrected(word, language) == word


@pytest.mark.parametrize(
    ("word", "language", "meant"),
    [
        ("Kündigungsfirst", "de", "Kündigungsfrist"),
        ("Symtoms", "en", "Symptoms"),
        ("Norrvik", "de", "Norrvik"),
        ("Fennwick", "en", "Fennwick"),
    ],
)
def test_a_capital_that_every_noun_or_first_word_has_tells_no_name(
    word: str, language: str, meant: str
) -> None:
    assert corrected(word, language, names=False) == meant
    assert corrected(word, language) == word
