"""What a question asks for, and which sentences carry it."""

import pytest

from pellucid_gateway.answering.quotable import candidates_of
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.question.asked_for import AskedFor, asked_for, carries
from pellucid_gateway.question.passage_choice import best_of


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("Who is the mayor?", {AskedFor.PERSON}),
        ("Wann öffnet die Brücke?", {AskedFor.DATE}),
        ("¿Cuánto cuesta el billete?", {AskedFor.NUMBER}),
        ("다리는 언제 개통되었나요?", {AskedFor.DATE}),
        ("最新版本是多少?", {AskedFor.NUMBER, AskedFor.VERSION}),
        ("Why is the sky blue?", set()),
        ("Describe the whole process", set()),
    ],
)
def test_kinds_by_the_words_of_a_question(question: str, kinds: set[AskedFor]) -> None:
    assert asked_for(question) == kinds


@pytest.mark.parametrize(
    ("kind", "sentence", "share"),
    [
        (AskedFor.NUMBER, "The toll is 4.50 crowns.", 1.0),
        (AskedFor.NUMBER, "It opened on 14 November 2026.", 0.0),
        (AskedFor.DATE, "It opened on 14 November 2026.", 1.0),
        (AskedFor.DATE, "It may open soon.", 0.0),
        (AskedFor.DATE, "2026년 11월 14일에 개통되었다.", 1.0),
        (AskedFor.PERSON, "The board appointed Ada Example.", 1.0),
        (AskedFor.PERSON, "the board appointed nobody", 0.0),
        (AskedFor.PERSON, "The Court sits in Port Example.", 0.0),
        (AskedFor.VERSION, "Version 4.2.1 is out.", 1.0),
        (AskedFor.VERSION, "A new version is out.", 0.0),
        (AskedFor.VERSION, "For Python 3.9 there is no supported version.", 0.0),
        (AskedFor.VERSION, "Release v4.2.1 fixes it.", 1.0),
    ],
)
def test_a_sentence_carries_a_kind_or_not(kind: AskedFor, sentence: str, share: float) -> None:
    assert carries(sentence, frozenset({kind}), "a question") == share


def test_what_the_question_says_itself_is_no_answer() -> None:
    assert (
        carries("In 4.2 much changed.", frozenset({AskedFor.VERSION}), "What is new in 4.2?") == 0
    )


def test_the_sentence_with_the_figure_is_preferred() -> None:
    text = (
        "The toll on the bridge was debated for years.\n"
        "Drivers of the bridge pay 4.50 crowns.\n"
        "The bridge has a view.\n"
    )

    best = best_of(text, "How much is the toll on the bridge?", title="", most_tokens=26)
    assert "4.50" in best
    assert "view" not in best


def test_datelines_and_bylines_are_no_part_of_a_sentence() -> None:
    text = (
        "PORT EXAMPLE, Nov 16 (Example Wire) - The court said that the bridge was dear.\n\n"
        "By Ada Example · 14 November 2026 · Updated today."
    )

    source = Source(n=1, url="http://a.example/", title="", domain="a.example", text=text)

    assert [candidate.text for candidate in candidates_of([source])] == [
        "The court said that the bridge was dear."
    ]
