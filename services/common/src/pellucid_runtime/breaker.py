"""Circuit breaker: a dependency that keeps failing is left alone for a while.

Closed lets everything through. After some consecutive failures, or one that is final, it opens;
when its pause is over it lets one probe through (half open) and closes when that succeeds. Each
opening in a row doubles the pause.
"""

import random
from collections.abc import Callable
from enum import StrEnum

# Envoy's outlier detection ejects after five consecutive failures, for 30 s at first.
FAILURES_TO_OPEN = 5
FIRST_PAUSE_S = 30.0
LONGEST_PAUSE_S = 600.0
# A probe that never reports back must not hold the breaker half open for ever.
_PROBE_TIMEOUT_S = 15.0


class BreakerState(StrEnum):
    """What a breaker does with calls."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class Breaker:
    """Breaker of one dependency on this replica.

    Args:
        monotonic: Seconds of a clock that never runs backwards.
        failures_to_open: Consecutive failures that open it.
        first_pause_s: Seconds of the first opening after failures.
        longest_pause_s: Seconds that doubling stops at.
        spread: Share, 0 to 1, by which each pause is lengthened or shortened at random, so that
            replicas that lost a dependency together do not come back to it in the same moment.
    """

    def __init__(
        self,
        monotonic: Callable[[], float],
        *,
        failures_to_open: int = FAILURES_TO_OPEN,
        first_pause_s: float = FIRST_PAUSE_S,
        longest_pause_s: float = LONGEST_PAUSE_S,
        spread: float = 0.0,
    ) -> None:
        self._monotonic = monotonic
        self._failures_to_open = failures_to_open
        self._first_pause_s = first_pause_s
        self._longest_pause_s = longest_pause_s
        self._spread = spread
        self._failures = 0
        self._openings = 0
        self._open_until: float | None = None
        self._probe_until = 0.0

    @property
    def state(self) -> BreakerState:
        """Present state."""
        if self._open_until is None:
            return BreakerState.CLOSED
        if self._monotonic() < self._open_until:
            return BreakerState.OPEN
        return BreakerState.HALF_OPEN

    @property
    def retry_in_s(self) -> float:
        """Seconds until a probe may pass; 0 when calls pass."""
        if self._open_until is None:
            return 0.0
        return max(0.0, self._open_until - self._monotonic())

    @property
    def passable(self) -> bool:
        """A call would be let through now."""
        match self.state:
            case BreakerState.CLOSED:
                return True
            case BreakerState.OPEN:
                return False
            case BreakerState.HALF_OPEN:
                return self._monotonic() >= self._probe_until

    def admit(self) -> bool:
        """Let a call through; the first one in half-open state becomes the probe."""
        if not self.passable:
            return False
        if self.state is BreakerState.HALF_OPEN:
            self._probe_until = self._monotonic() + _PROBE_TIMEOUT_S
        return True

    def succeed(self) -> None:
        """Record an answer; a late one of a call from before the opening changes nothing."""
        if self.state is BreakerState.OPEN:
            return
        self._failures = self._openings = 0
        self._open_until = None
        self._probe_until = 0.0

    def fail(self) -> None:
        """Record a failure; opens after enough of them, or at once when the probe failed.

        Late failures of calls from before the opening are the same trouble, not a new one.
        """
        if self.state is BreakerState.OPEN:
            return
        self._failures += 1
        if self._open_until is not None or self._failures >= self._failures_to_open:
            self.open(self._first_pause_s)

    def open(self, pause_s: float) -> None:
        """Open now.

        Args:
            pause_s: Seconds of the first opening; doubled for each further one in a row. While
                it is open already, the pause is lengthened to this at most.
        """
        if self._open_until is not None and self.state is BreakerState.OPEN:
            self._open_until = max(self._open_until, self._monotonic() + pause_s)
            return
        grown = min(pause_s * 2**self._openings, max(pause_s, self._longest_pause_s))
        grown *= random.uniform(1 - self._spread, 1 + self._spread)  # noqa: S311 - no secret
        self._openings = min(self._openings + 1, 10)
        self._open_until = self._monotonic() + grown
        self._probe_until = 0.0

    def abandon(self) -> None:
        """Record that a call ended without telling anything, for example when it was cancelled."""
        self._probe_until = 0.0
