"""Where sentences end. All texts are our own."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid_language.sentences import Segmenter, boundary, spans, split


@pytest.mark.parametrize(
    "sentence",
    [
        "Dr. Quill opened the lock.",
        "The U.S. Navy bought the lock.",
        "Das Tor fiel am 3. Spieltag.",
        "Am 3. Spieltag fiel das Tor.",
        "Sie kam am 3. März nach Hellerau.",
        "It rose by 3.5 per cent.",
        "Mme Roux a vu M. Petit.",
    ],
)
def test_full_stops_within_a_sentence(sentence: str) -> None:
    assert split(f"{sentence} It rained.") == [sentence, "It rained."]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It opened in 1998. It closed in 2003.", 2),
        ("北岭赢了。海川输了。", 2),
        ("雨が降った。寒い！", 2),
        ("비가 왔다. 추웠다.", 2),
        ("One line\nanother line", 2),
        ("", 0),
    ],
)
def test_ends_of_sentences(text: str, count: int) -> None:
    assert len(split(text)) == count


@given(st.text(alphabet='ab .!?。\n[1]"3Dr', max_size=300))
def test_spans_are_in_order_and_hold_every_letter(text: str) -> None:
    found = list(spans(text))

    assert all(one[1] <= other[0] for one, other in pairwise(found))
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in found)
    assert "".join(text.split()) == "".join("".join(text[s:e] for s, e in found).split())


@given(st.text(alphabet="ab .!?。\n[1]", max_size=120), st.integers(1, 7))
def test_a_stream_is_cut_alike_however_it_is_chunked(text: str, size: int) -> None:
    whole, pieces = Segmenter(), Segmenter()
    expected = [*whole.feed(text), *whole.finish()]
    chunks = (text[i : i + size] for i in range(0, len(text), size))
    found = [one for chunk in chunks for one in pieces.feed(chunk)]

    assert [*found, *pieces.finish()] == expected


def test_an_endless_sentence_is_cut() -> None:
    assert boundary("a" * 10_000, final=False) == 2_000
