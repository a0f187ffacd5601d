"""Broader queries keep the topic: every name, and all words but the least likely one."""

import pytest

from pellucid_decision.understanding.broadening import broadened
from pellucid_decision.understanding.query_assembly import decode, written
from pellucid_decision.understanding.words import Piece, Word, words_of


def tagged(text: str, *shares: float) -> tuple[Word, ...]:
    """Words of a message with the probability of each."""
    pieces, start = [], 0
    for word, share in zip(text.split(), shares, strict=True):
        start = text.index(word, start)
        pieces.append(Piece(0, start, start + len(word), (share, 0, 0)))
        start += len(word)
    return words_of([text], pieces)


def spaceless(text: str, *shares: float) -> tuple[Word, ...]:
    pieces = [Piece(0, n, n + 1, (share, 0, 0)) for n, share in enumerate(shares)]
    return words_of([text], pieces)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            tagged("does Harrow council say new bus lanes", 0, 0.9, 0.7, 0, 0.5, 0.9, 0.9),
            ["Harrow council bus lanes"],
        ),
        (
            tagged("did Ida Holm beat Otto Brandt twice", 0, 0.8, 0.8, 0.7, 0.9, 0.9, 0.3),
            ["Ida Holm beat Otto Brandt"],
        ),
        (
            tagged("is Norrvik 5 or Sundal Duo heavier", 0, 0.7, 0.7, 0, 0.6, 0.6, 0.15),
            ["Norrvik 5 Sundal Duo heavier"],
        ),
        (
            tagged("ferry times gildale osk december", 0.98, 0.98, 0.97, 0.97, 0.9),
            ["ferry times gildale osk"],
        ),
        (tagged("Plenny harbour depth", 0.9, 0.9, 0.9), []),
    ],
)
def test_what_is_left_of_a_query(words: tuple[Word, ...], expected: list[str]) -> None:
    line = decode(words)[0]
    assert [written(query) for query in broadened(line, words, ())] == expected


def test_words_that_say_nothing_do_not_come_in_place_of_others() -> None:
    words = tagged("Norrvik kettle or descaling", 0.9, 0.9, 0.1, 0.1)
    line = decode(words)[0]
    assert [written(query) for query in broadened(line, words, {"or"})] == [
        "Norrvik kettle descaling"
    ]


def test_a_word_without_blanks_is_kept_whole() -> None:
    words = spaceless("青波塔高さ入場料", 0.9, 0.3, 0.9, 0.9, 0.9, 0.3, 0.9, 0.9)
    line = decode(words)[0]
    assert all("青波塔" in written(query) for query in broadened(line, words, ()))
