"""How often a subject may do something: sliding windows of two counters, and their arithmetic.

A window is estimated from the counter of the current fixed window and the share of the one before
that still reaches into the last `window_s` seconds. Whoever keeps the counters, here or in Redis,
the arithmetic is this one. Source: the sliding-window counter of common rate limiters.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `limit` takes in any `window_s` seconds; a limit of 0 only counts."""

    name: str
    limit: int
    window_s: int


@dataclass(frozen=True, slots=True)
class Take:
    """One take of a subject (an HMAC, never a name) from a rate."""

    rate: Rate
    subject: str


@dataclass(frozen=True, slots=True)
class Counted:
    """Counters of one window after a take.

    Attributes:
        before: Takes of the fixed window before.
        current: Takes of the current fixed window, this one included if it was allowed.
        elapsed_s: Seconds of the current fixed window that have passed.
    """

    before: int
    current: int
    elapsed_s: float

    def used(self, window_s: int) -> float:
        """Takes in the last `window_s` seconds, estimated."""
        return self.before * max(0.0, 1 - self.elapsed_s / window_s) + self.current


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether takes were allowed, all or none, told by the window with the least room.

    Attributes:
        rate: That window's rate.
        remaining: Takes that are still possible in it.
        reset_s: Seconds after which one more is possible; 0 when one is now.
        counts: Takes in each window, in the order asked.
    """

    allowed: bool
    rate: Rate
    remaining: int = 0
    reset_s: float = 0.0
    counts: tuple[int, ...] = ()


def has_room(counted: Counted, rate: Rate) -> bool:
    """Whether one more take fits.

    >>> has_room(Counted(before=10, current=4, elapsed_s=30.0), Rate("key", 10, 60))
    True
    >>> has_room(Counted(before=10, current=5, elapsed_s=30.0), Rate("key", 10, 60))
    False
    """
    return rate.limit == 0 or counted.used(rate.window_s) + 1 <= rate.limit


def wait_s(counted: Counted, rate: Rate) -> float:
    """Seconds until one more take fits, if nothing else is taken.

    >>> wait_s(Counted(before=0, current=10, elapsed_s=30.0), Rate("key", 10, 60))
    36.0
    """
    if has_room(counted, rate):
        return 0.0
    most = rate.limit - 1
    window_s = rate.window_s
    if counted.current <= most and counted.before:
        enough_at = window_s * (1 - (most - counted.current) / counted.before)
        return max(0.0, enough_at - counted.elapsed_s)
    rest_s = window_s - counted.elapsed_s
    return rest_s + window_s * max(0.0, 1 - most / max(1, counted.current))


def verdict(takes: Sequence[Take], counted: Sequence[Counted], *, allowed: bool) -> Verdict:
    """Sum up the windows of one decision.

    Args:
        takes: What was asked, at least one.
        counted: The window of each take, afterwards.
        allowed: Whether the takes were made.
    """
    pairs = list(zip(takes, counted, strict=True))
    counts = tuple(round(window.used(take.rate.window_s)) for take, window in pairs)
    limited = [(take.rate, window) for take, window in pairs if take.rate.limit]
    if not limited:
        return Verdict(allowed=allowed, rate=takes[0].rate, counts=counts)
    rate, window = min(limited, key=lambda pair: _room(*pair) / pair[0].limit)
    return Verdict(
        allowed=allowed,
        rate=rate,
        remaining=max(0, int(_room(rate, window))) if allowed else 0,
        reset_s=wait_s(window, rate),
        counts=counts,
    )


def _room(rate: Rate, window: Counted) -> float:
    return rate.limit - window.used(rate.window_s)
