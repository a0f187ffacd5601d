"""A side call stays away from a server that answers one request at a time."""

import pytest

from pellucid_runtime.llm.model import Chunk, LlmCause, LlmRejectedError, LlmUnavailableError
from pellucid_runtime.llm.side_calls import LEFT_OUT_S
from pellucid_runtime.llm.under_way import SLOW_S, AnswersUnderWay

PLACE = ("http://a.example", "m")
ENDED = Chunk(finish_reason="stop")


class Clock:
    def __init__(self) -> None:
        self.seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def under_way(clock: Clock) -> AnswersUnderWay:
    return AnswersUnderWay(clock)


def answer_whole(under_way: AnswersUnderWay) -> None:
    with under_way.answer(PLACE) as answer:
        under_way.heard(answer, PLACE, Chunk("Four"))
        under_way.heard(answer, PLACE, ENDED)


def break_off(under_way: AnswersUnderWay) -> None:
    with under_way.answer(PLACE) as answer:
        under_way.heard(answer, PLACE, Chunk("Four"))
        under_way.join(PLACE)


def test_a_server_that_breaks_off_for_a_side_call_gets_none_beside_the_next_answer(
    under_way: AnswersUnderWay, clock: Clock
) -> None:
    answer_whole(under_way)
    with pytest.raises(LlmUnavailableError) as caught:
        break_off(under_way)
    assert caught.value.cause is LlmCause.BROKE_OFF

    under_way.join(PLACE)
    with under_way.answer(PLACE) as answer:
        with pytest.raises(LlmRejectedError):
            under_way.join(PLACE)
        under_way.join(("http://b.example", "m"))
        under_way.join(("http://a.example", "quick"))
        clock.seconds += LEFT_OUT_S + 1
        under_way.join(PLACE)
        under_way.heard(answer, PLACE, ENDED)


def test_a_server_that_never_gives_a_reason_is_believed(under_way: AnswersUnderWay) -> None:
    break_off(under_way)
    break_off(under_way)


def test_an_answer_that_ends_alone_or_whole_is_whole(under_way: AnswersUnderWay) -> None:
    answer_whole(under_way)
    with under_way.answer(PLACE) as answer:
        under_way.heard(answer, PLACE, Chunk("Four"))
    with under_way.answer(PLACE) as answer:
        under_way.join(PLACE)
        under_way.heard(answer, PLACE, ENDED)


def test_a_server_with_a_slow_first_token_gets_no_side_call(
    under_way: AnswersUnderWay, clock: Clock
) -> None:
    with under_way.answer(PLACE) as answer:
        under_way.join(PLACE)
        clock.seconds += SLOW_S + 1
        under_way.heard(answer, PLACE, Chunk("Four"))
        with pytest.raises(LlmRejectedError):
            under_way.join(PLACE)
        under_way.heard(answer, PLACE, ENDED)
