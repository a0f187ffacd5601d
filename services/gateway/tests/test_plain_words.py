"""Words that speak clearly against a search; the weights are the package's."""

import time

import pytest

from pellucid_gateway.question import plain_words
from pellucid_gateway.question.plain_words import is_likely_plain, traits_of

PLAIN = [
    "Explain recursion to a beginner", "Write a haiku about autumn",
    "what's the difference between a list and a tuple", "Escribe una carta de amor para mi novia",
    "帮我写一首关于春天的诗",
]  # fmt: skip


@pytest.mark.parametrize("message", PLAIN)
def test_messages_that_ask_for_no_facts_of_the_day_are_likely_plain(message: str) -> None:
    assert is_likely_plain(message)


@pytest.mark.parametrize(
    "message",
    [
        "", "?", "🙂", "Who won the match yesterday?", "Is the Ondry Bridge open today?",
        "and in Leeds?",
        "Explain recursion as of the latest standard", "Explain https://a.example/b to a beginner",
        "Explain ondry.example to a beginner", "Search for a haiku about autumn", "오늘 서울 날씨",
        "东京今天天气怎么样", "Explain recursion to a beginner. " * 5,
    ],
)  # fmt: skip
def test_other_messages_are_not(message: str) -> None:
    assert not is_likely_plain(message)


def test_only_the_weights_of_what_stands_there_count() -> None:
    low = round(plain_words.PLAIN_BELOW * plain_words.SCALE)
    silent = {plain_words.BIAS: 0}

    assert not is_likely_plain("chalk", silent)
    assert is_likely_plain("chalk", silent | {"chalk": low})
    assert is_likely_plain("chalk chalk", silent | {"chalk": low // 2, "chalk chalk": low // 2})
    assert not is_likely_plain("chalk chalk", silent | {"chalk": low // 2 + 1})
    assert not is_likely_plain("cheese", silent | {"chalk": low})


def test_traits_tell_words_stems_neighbours_ends_and_form() -> None:
    assert set(traits_of("Is Ondry 9 farther?")) == {
        "is", "ondry", "9", "farther", "farth~", "is ondry", "ondry 9", "9 farther", "^is",
        "^is ondry", "^is ondry 9", "farther$", "#words1", "#name", "#?", "#digit",
    }  # fmt: skip
    assert set(traits_of("写诗 css")) == {"写", "诗", "写诗", "^写诗", "写诗$", "css", "#letters0"}


def test_a_hostile_message_costs_no_time() -> None:
    begun = time.process_time()
    for message in ("a." * 50_000, "a " * 50_000, "写" * 50_000, "http://" * 20_000):
        is_likely_plain(message)

    assert time.process_time() - begun < 0.5
