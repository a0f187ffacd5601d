"""Tokens as models count them: measured in real vocabularies, with a margin for windows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid_gateway.question.tokens import SAFETY, cut_middle, tokens_of

# Counts of o200k, cl100k, Qwen, Llama 3, DeepSeek V4 and Tekken.
COUNTED = [
    ("The toll for a passage by car is 4.50 crowns since October.", (16, 17, 18, 17, 16, 18)),
    (
        "Die Brücke wurde am 14. November 2026 nach vier Jahren Bauzeit eröffnet.",
        (19, 22, 25, 22, 21, 21),
    ),
    ("Le péage d'une voiture s'élève à 4,50 couronnes depuis octobre.", (19, 22, 23, 22, 22, 20)),
    ("해담대교가 2026년 11월 15일 개통해 차량 통행료 4,500원을 받는다.", (30, 42, 39, 31, 32, 36)),
    ("橋は二〇二六年十一月に開通し、通行料は普通車で四百五十円です。", (28, 38, 26, 28, 23, 27)),
    ("这座大桥于2026年11月15日通车，小汽车通行费为每次20元。", (25, 29, 26, 25, 21, 34)),
    (
        "Мост открыли в ноябре после четырёх лет строительства, проезд стоит 450 рублей.",
        (21, 39, 29, 24, 25, 20),
    ),
    (
        "افتتح الجسر في نوفمبر بعد أربع سنوات من البناء، ورسوم العبور خمسة دنانير.",
        (21, 49, 26, 25, 26, 21),
    ),
    ("पुल नवंबर में चार साल के निर्माण के बाद खुला और शुल्क पचास रुपये है।", (20, 68, 63, 35, 36, 26)),
    (
        (
            'def toll(kind: str) -> float:\n    if kind == "car":\n'
            "        return 4.5\n    return PRICES.get(kind, 0.0)\n"
        ),
        (35, 35, 35, 35, 37, 35),
    ),
    (
        (
            '{"name":"read_file","parameters":{"type":"object",'
            '"properties":{"path":{"type":"string"}},"required":["path"]}}'
        ),
        (26, 26, 26, 26, 28, 27),
    ),
    (
        (
            "| Route | Price | Since |\n| --- | --- | --- |\n"
            "| Skerry - Vellmark | 4.50 | 2026-10-01 |\n| Vellmark - Harrow | 12.80 | 2025-03-15 |"
        ),
        (56, 56, 67, 56, 57, 68),
    ),
]


@pytest.mark.parametrize(("text", "counts"), COUNTED)
def test_it_meets_real_vocabularies(text: str, counts: tuple[int, ...]) -> None:
    assert 0.6 * min(counts) <= tokens_of(text) <= 1.6 * max(counts)
    assert SAFETY * tokens_of(text) >= max(counts)


@given(st.text(), st.text())
def test_a_whole_counts_no_more_than_its_parts(one: str, other: str) -> None:
    assert tokens_of(one + other) <= tokens_of(one) + tokens_of(other)
    assert (tokens_of(one) > 0) == bool(one)


@given(st.text(max_size=500), st.integers(-5, 200))
def test_what_is_cut_fits(text: str, most: int) -> None:
    cut = cut_middle(text, most)

    assert tokens_of(cut) <= max(0, most)
    assert cut == text or tokens_of(text) > most


def test_a_text_is_cut_between_words() -> None:
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]
    cut = cut_middle(" ".join(words * 20), 40)

    assert cut.split()[:2] == ["alpha", "beta"]
    assert set(cut.split()) <= {*words, "…"}
