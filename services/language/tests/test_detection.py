"""The language of a text. All texts are our own."""

import pytest

from pellucid_language.detection import UNDETERMINED, detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("When does the ferry to Skerry leave?", "en"),
        ("Wann fährt die Fähre nach Skerry?", "de"),
        ("Quand part le bac pour Skerry ?", "fr"),
        ("¿Cuándo sale el ferry a Skerry?", "es"),
        ("스케리행 배는 언제 출발합니까?", "ko"),
        ("スケリー行きの船はいつ出ますか", "ja"),
        ("去斯凯里的船什么时候开", "zh"),
        ("東京の人口", "ja"),
        ("qual é melhor para dormir, colchão de molas ou de espuma?", "pt"),
        ("e onde fica?", "pt"),
        ("o preço do metro é caro?", "pt"),
        ("ça va, le garçon ?", "fr"),
        ("what uses more electricity, a fridge freezer or a tumble dryer", "en"),
    ],
)
def test_each_language_is_told(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize("word", ["정", "情", "じょう"])
def test_one_word_of_another_script_does_not_make_a_page_of_its_language(word: str) -> None:
    page = f"The word {word} has no equal in English, and the book explains it at length."

    assert detect_language(page) == "en"


def test_a_text_that_shows_nothing_has_the_language_of_what_came_before() -> None:
    assert detect_language("Skerry", "de") == "de"
    assert detect_language("Łódź", UNDETERMINED) == UNDETERMINED


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("hallenbad gießen eintritt kinder", "de"),
        ("Grundsteuer Hebesatz Kiel", "de"),
        ("poids du vélo triban rc520", "fr"),
        ("taille maximale bagage cabine", "fr"),
        ("opiniones freidora cosori", "es"),
        ("carrito bebé segunda mano Valencia", "es"),
        ("cheapest cordless drill under £60", "en"),
        ("is a tomato a fruit", "en"),
    ],
)
def test_a_few_words_without_an_everyday_one_are_told_by_their_spelling(
    text: str, language: str
) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize("name", ["Nvidia", "CFO?", "iPhone 17", "Ajax Milan"])
@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_a_name_does_not_change_the_language_of_a_conversation(name: str, language: str) -> None:
    assert detect_language(name, language) == language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Qual è il tempo a Roma oggi?", "it"),
        ("Hoe laat gaat de trein vandaag?", "nl"),
        ("Qual a previsão do tempo para hoje?", "pt"),
    ],
)
def test_neighbouring_languages_are_not_read_by_the_spelling_of_others(
    text: str, language: str
) -> None:
    assert detect_language(text) == language
