"""The bound of searches follows how late the event loop and the scorer are, and nothing else."""

import pytest

from pellucid_gateway.load_shedding.adaptive_limit import AdaptiveLimit

LATE_S = 0.01
# Windows in which bad ones show how bad it is, that a cut holds for, after which what was before is
# forgotten, and after which it is tried again what was too much.
SURE = 12
HELD = 17
QUIET = 20
CAREFUL = 60


@pytest.fixture
def bound() -> AdaptiveLimit:
    return AdaptiveLimit(least=4, most=64, late_s=LATE_S)


def settle(bound: AdaptiveLimit, windows: int, lag_s: float, most_in_hand: int) -> list[int]:
    """The bound after each of some windows alike."""
    seen = []
    for _ in range(windows):
        bound.settle(lag_s, most_in_hand=most_in_hand)
        seen.append(bound.searches)
    return seen


def test_searches_that_wait_for_others_may_be_many(bound: AdaptiveLimit) -> None:
    assert settle(bound, 20, lag_s=LATE_S, most_in_hand=60) == [64] * 20


def test_a_late_loop_is_cut_down_from_what_was_in_hand(bound: AdaptiveLimit) -> None:
    assert settle(bound, SURE, lag_s=10 * LATE_S, most_in_hand=20)[-1] == 7
    assert bound.has_fallen


def test_one_bad_window_is_no_overload(bound: AdaptiveLimit) -> None:
    bound.settle(100 * LATE_S, most_in_hand=20, slow=1.0)
    assert not bound.has_fallen

    bound.settle(100 * LATE_S, most_in_hand=20, slow=1.0)
    assert bound.searches < 20


def test_slow_answers_of_the_scorer_are_as_bad_as_a_late_loop(bound: AdaptiveLimit) -> None:
    for _ in range(SURE):
        bound.settle(0.0, most_in_hand=20, slow=1.0)

    assert bound.searches == 7


def test_a_slow_answer_among_many_is_nothing(bound: AdaptiveLimit) -> None:
    for _ in range(SURE):
        bound.settle(0.0, most_in_hand=20, slow=0.05)

    assert not bound.has_fallen


def test_what_is_hardly_too_much_is_cut_by_little(bound: AdaptiveLimit) -> None:
    assert settle(bound, SURE, lag_s=1.1 * LATE_S, most_in_hand=22)[-1] == 20


def test_a_cut_goes_deeper_when_it_proves_worse_than_thought(bound: AdaptiveLimit) -> None:
    settle(bound, SURE, lag_s=1.1 * LATE_S, most_in_hand=22)

    assert settle(bound, 8, lag_s=1.0, most_in_hand=40)[-1] == 7


def test_what_was_let_in_before_a_cut_makes_no_further_one(bound: AdaptiveLimit) -> None:
    seen = settle(bound, HELD + 2, lag_s=1.0, most_in_hand=50)

    assert (seen[1], seen[-2], seen[-1]) == (32, 17, 10)


def test_what_comes_in_bursts_is_averaged_once_the_bound_has_fallen(bound: AdaptiveLimit) -> None:
    settle(bound, 60, lag_s=1.0, most_in_hand=20)
    settle(bound, 2 * QUIET, lag_s=0.0, most_in_hand=64)
    before = bound.searches
    bound.settle(1.5 * LATE_S, most_in_hand=64)

    assert bound.searches >= before


def test_it_never_leaves_its_range(bound: AdaptiveLimit) -> None:
    assert settle(bound, 60, lag_s=1.0, most_in_hand=20)[-1] == 4
    assert settle(bound, 300, lag_s=0.0, most_in_hand=64)[-1] == 64
    assert not bound.has_fallen


@pytest.mark.parametrize(("lag_s", "risen"), [(0.1 * LATE_S, 2), (0.9 * LATE_S, 1)])
def test_it_rises_step_by_step_while_it_keeps_people_out(
    bound: AdaptiveLimit, lag_s: float, risen: int
) -> None:
    settle(bound, 6, lag_s=1.0, most_in_hand=40)
    before = settle(bound, QUIET, lag_s=lag_s, most_in_hand=64)[-1]

    assert settle(bound, 8, lag_s=lag_s, most_in_hand=64)[-1] == before + risen


def test_it_comes_back_slowly_to_where_it_was_too_much(bound: AdaptiveLimit) -> None:
    settle(bound, 6, lag_s=1.0, most_in_hand=40)
    settle(bound, HELD, lag_s=0.0, most_in_hand=64)
    too_much = bound.searches
    settle(bound, 2, lag_s=1.0, most_in_hand=too_much)
    assert bound.searches < too_much

    seen = settle(bound, CAREFUL, lag_s=0.0, most_in_hand=64)
    assert max(seen) <= too_much
    assert settle(bound, CAREFUL, lag_s=0.0, most_in_hand=64)[-1] > too_much


def test_a_crowd_that_has_gone_is_forgotten_within_seconds(bound: AdaptiveLimit) -> None:
    settle(bound, 60, lag_s=1.0, most_in_hand=20)

    assert settle(bound, 2 * QUIET, lag_s=0.0, most_in_hand=1)[-1] == 64


def test_a_least_above_the_most_is_the_most() -> None:
    bound = AdaptiveLimit(least=8, most=2, late_s=LATE_S)

    assert settle(bound, 30, lag_s=1.0, most_in_hand=20)[-1] == 2
