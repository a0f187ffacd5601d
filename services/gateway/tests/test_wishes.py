"""Wishes for a whole page, a length or a form, in seven languages."""

import pytest

from pellucid_gateway.question.wishes import Unit, Wish, wish_of, without_wish


@pytest.mark.parametrize(
    ("message", "wish"),
    [
        (
            "Summarise https://a.example/b in two sentences",
            Wish(whole=True, amount=2, unit=Unit.SENTENCE),
        ),
        ("five bullets please: https://x.example", Wish(whole=False, amount=5, unit=Unit.POINT)),
        ("give me the 3 key points", Wish(whole=True, amount=3, unit=Unit.POINT)),
        ("tl;dr", Wish(whole=True)),
        ("what is this page about?", Wish(whole=True)),
        ("Fass die Seite in drei Sätzen zusammen", Wish(whole=True, amount=3, unit=Unit.SENTENCE)),
        ("Worum geht es hier?", Wish(whole=True)),
        ("résume cette page en 5 points", Wish(whole=True, amount=5, unit=Unit.POINT)),
        ("Resume el artículo en dos frases", Wish(whole=True, amount=2, unit=Unit.SENTENCE)),
        ("세 문장으로 요약해줘", Wish(whole=True, amount=3, unit=Unit.SENTENCE)),
        ("3行で要約して", Wish(whole=True, amount=3, unit=Unit.SENTENCE)),
        ("200字以内で要約", Wish(whole=True, amount=200, unit=Unit.WORD)),
        ("用三句话总结一下", Wish(whole=True, amount=3, unit=Unit.SENTENCE)),
        ("in about 50 words: who won?", Wish(whole=False, amount=50, unit=Unit.WORD)),
        ("what does the article say about the ferry?", Wish()),
        ("did they win by two points?", Wish()),
        ("what is the point of it?", Wish()),
        ("was kostet ein Punkt?", Wish()),
        ("how do I count 5000 words?", Wish()),
    ],
)
def test_a_wish_is_read_off_the_message(message: str, wish: Wish) -> None:
    assert wish_of(message) == wish


def test_the_wish_is_no_part_of_the_question() -> None:
    assert "bullet" not in without_wish("What did they decide? Five bullets please")
    assert without_wish("What did they decide?") == "What did they decide?"
