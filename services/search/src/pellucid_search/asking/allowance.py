"""A bound on extra calls (retries, hedges), so that trouble is not answered with more load."""

from collections.abc import Callable

# At most a tenth of the first attempts, and at least three a second (SRE book: retry ratio 10 %).
CALLS_PER_EXTRA = 10
_FLOOR_PER_S = 3.0
_MOST_SAVED = 10


class Allowance:
    """Extra calls that are still permitted.

    Args:
        monotonic: Seconds of a clock that never runs backwards.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._calls = 0
        self._floor = _FLOOR_PER_S
        self._refilled_at = monotonic()

    def earn(self) -> None:
        """Record a first attempt."""
        self._calls = min(_MOST_SAVED * CALLS_PER_EXTRA, self._calls + 1)

    def spend(self) -> bool:
        """Take one extra call; False when none is permitted."""
        now = self._monotonic()
        self._floor = min(_FLOOR_PER_S, self._floor + _FLOOR_PER_S * (now - self._refilled_at))
        self._refilled_at = now
        if self._floor >= 1:
            self._floor -= 1
            return True
        if self._calls >= CALLS_PER_EXTRA:
            self._calls -= CALLS_PER_EXTRA
            return True
        return False
