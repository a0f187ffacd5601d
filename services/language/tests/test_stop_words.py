"""Stop words: each stands once, and each list serves its purpose."""

from importlib import resources

import pytest
import yaml

from pellucid_language.stop_words import Left, query_stop_words, stop_words
from pellucid_language.words import content_terms, is_stop


def test_a_word_stands_once() -> None:
    source = resources.files("pellucid_language").joinpath("stopwords.yaml")
    table = yaml.safe_load(source.read_text("utf-8"))
    words = [
        word
        for kind, lists in table.items()
        if kind != "queries"
        for line in lists.values()
        for word in line.split()
    ]
    assert len(words) == len(set(words))


def test_the_index_leaves_out_what_texts_and_questions_do() -> None:
    assert stop_words(Left.TEXTS) | stop_words(Left.QUESTIONS) <= stop_words()


@pytest.mark.parametrize(("word", "of"), [("latest", Left.QUESTIONS), ("last", Left.TEXTS)])
def test_words_of_one_purpose(word: str, of: Left) -> None:
    assert [kind for kind in (Left.TEXTS, Left.QUESTIONS) if word in stop_words(kind)] == [of]


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "ko", "ja", "zh"])
def test_every_language_has_words_that_leave_a_query(language: str) -> None:
    assert len(query_stop_words(language)) > 10


def test_content_terms() -> None:
    assert content_terms("The ferry of the island") == {"ferry", "island"}
    assert is_stop("the")
    assert not is_stop("ferry")
