"""What calls that were in flight when a breaker opened may still change: nothing."""

from pellucid_runtime.breaker import FIRST_PAUSE_S, Breaker, BreakerState


class Seconds:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def opened(seconds: Seconds) -> Breaker:
    breaker = Breaker(seconds, failures_to_open=2)
    breaker.fail()
    breaker.fail()
    assert breaker.state is BreakerState.OPEN
    return breaker


def test_late_failures_do_not_lengthen_the_first_pause() -> None:
    seconds = Seconds()
    breaker = opened(seconds)

    for _ in range(8):
        breaker.fail()

    assert breaker.retry_in_s == FIRST_PAUSE_S


def test_a_late_answer_does_not_close_it() -> None:
    breaker = opened(Seconds())

    breaker.succeed()

    assert breaker.state is BreakerState.OPEN


def test_a_longer_reason_lengthens_the_pause_and_a_shorter_one_does_not() -> None:
    breaker = opened(Seconds())

    breaker.open(5.0)
    assert breaker.retry_in_s == FIRST_PAUSE_S
    breaker.open(3600.0)
    assert breaker.retry_in_s == 3600.0


def test_a_failed_probe_doubles_the_pause() -> None:
    seconds = Seconds()
    breaker = opened(seconds)
    seconds.now += FIRST_PAUSE_S

    assert breaker.admit()
    breaker.fail()

    assert breaker.retry_in_s == 2 * FIRST_PAUSE_S


def test_an_answered_probe_closes_it() -> None:
    seconds = Seconds()
    breaker = opened(seconds)
    seconds.now += FIRST_PAUSE_S

    assert breaker.admit()
    breaker.succeed()

    assert breaker.state is BreakerState.CLOSED


def test_pauses_double_up_to_the_longest_and_are_spread() -> None:
    seconds = Seconds()
    breaker = Breaker(
        seconds, failures_to_open=1, first_pause_s=1.0, longest_pause_s=3.0, spread=0.2
    )
    for middle in (1.0, 2.0, 3.0, 3.0):
        breaker.fail()
        assert 0.8 * middle <= breaker.retry_in_s <= 1.2 * middle
        seconds.now += breaker.retry_in_s + 0.001
        assert breaker.state is BreakerState.HALF_OPEN
