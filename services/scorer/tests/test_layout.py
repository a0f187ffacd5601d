"""How a message and its history become tokens, and where in the texts each token stands."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid_scorer.adapters import model_files
from pellucid_scorer.adapters.packed_model import PackedModel
from pellucid_scorer.adapters.pieces import Pieces
from pellucid_scorer.models import ModelSource
from pellucid_scorer.ranking import tables
from pellucid_scorer.understanding.layout import (
    ASSISTANT,
    MESSAGE,
    MOST_TOKENS,
    TURN_PIECES,
    USER,
    Arranged,
    arranged,
)


class Letters:
    """A tokenizer whose pieces are characters; the id is the character's number."""

    first, last = -1, -2

    def cut(self, words: list[str]) -> list[list[tuple[int, int, int]]]:
        return [[(ord(c), n, n + 1) for n, c in enumerate(word)] for word in words]


@pytest.fixture(scope="module")
def pieces() -> Pieces:
    spec = tables.read_models().named("multilingual-e5-small")
    files = model_files.find(spec, source=ModelSource.PACKAGE, folder=None, cache=Path())
    return Pieces(PackedModel.read(files.weights).vocabulary(), spec.max_tokens)


def read(found: Arranged, *texts: str) -> list[str]:
    """Return what stands in the texts where each token does; "|" for a special one."""
    return ["|" if place is None else texts[place[0]][slice(*place[1:])] for place in found.places]


def test_the_message_comes_first_then_the_newest_turns() -> None:
    history = [("user", "ab"), ("assistant", "cd"), ("user", "e")]
    found = arranged("hi", history, Letters())
    assert "".join(read(found, "hi", "ab", "cd", "e")) == "|hi|e|cd|ab|"
    assert found.segments == (MESSAGE,) * 4 + (USER,) * 2 + (ASSISTANT,) * 3 + (USER,) * 3
    assert found.ids[0] == Letters.first
    assert [place for place, one in enumerate(found.ids) if one == Letters.last] == [3, 5, 8, 11]


def test_the_first_question_has_room_behind_newer_turns() -> None:
    history = [("user", "abc"), *[("assistant", "x" * 99), ("user", "y" * 99)] * 3]
    found = arranged("hi", history, Letters())
    assert len(found.ids) == MOST_TOKENS
    assert [place[0] for place in found.places if place][-3:] == [1, 1, 1]
    assert "".join(read(found, "hi", *[text for _, text in history])).endswith("|yyy|abc|")


def test_a_turn_gives_its_beginning() -> None:
    found = arranged("hi", [("assistant", "ab " * 90)], Letters())
    inner = [place for place in found.places if place and place[0] == 1]
    assert len(inner) == TURN_PIECES
    assert inner[-1] == (1, 88, 89)


@pytest.mark.parametrize("message", ["w" * 400, "w " * 400])
def test_a_long_message_loses_its_middle(message: str) -> None:
    inner = [place for place in arranged(message, [], Letters()).places if place]
    step = len(message) // 400
    assert [start for _, start, _ in inner] == [n * step for n in (*range(100), *range(340, 400))]


def test_what_has_no_words_takes_no_room() -> None:
    found = arranged(" \n\u200b", [("user", "  "), ("assistant", "")], Letters())
    assert found == Arranged((-1, -2), (MESSAGE, MESSAGE), (None, None))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("o’ ﬁt", ["o", "’", "ﬁ", "ﬁ", "t"]),
        ("\u1112\u1161\u11ab국 ｶﾞｲ", ["\u1112\u1161\u11ab", "국", "ｶﾞ", "ｲ"]),
        ("e\u0301te\u0323\u0302", ["e\u0301", "t", "e\u0323\u0302"]),
    ],
)
def test_characters_stand_where_the_text_was_before_it_was_normalised(
    text: str, expected: list[str]
) -> None:
    found = arranged(text, [], Letters())
    assert read(found, text)[1:-1] == expected
    plain = unicodedata.normalize("NFKC", text.replace("’", "'").replace(" ", ""))
    assert "".join(map(chr, found.ids[1:-1])) == plain


def test_a_piece_of_nothing_but_the_beginning_stands_at_the_next_character(
    pieces: Pieces,
) -> None:
    text = "die 東京タワー"
    assert read(arranged(text, [], pieces), text) == ["|", "die", "東", "東京", "タ", "ワー", "|"]


@given(st.text(max_size=300), st.lists(st.tuples(st.sampled_from(["user", "tool"]), st.text())))
def test_every_piece_is_inside_its_text(message: str, history: list[tuple[str, str]]) -> None:
    found = arranged(message, history, Letters())
    texts = [message, *[text for _, text in history]]
    assert len(found.ids) == len(found.segments) == len(found.places) <= MOST_TOKENS
    for token, place in zip(found.ids, found.places, strict=True):
        if place is not None:
            text, start, end = place
            assert 0 <= start < end <= len(texts[text])
            normal = unicodedata.normalize("NFKC", texts[text][start:end].replace("’", "'"))
            assert chr(token) in normal or token == ord("?")
