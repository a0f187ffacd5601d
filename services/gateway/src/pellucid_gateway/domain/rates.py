"""How often a subject may do something: sliding windows of slices, and their arithmetic.

A window is cut into slices that are counted one by one. A take counts for the whole window and for
what is left of its slice after that, never shorter: in no `window_s` seconds are more takes allowed
than the limit. (An estimate from two counters, as common limiters make it, allows up to twice the
limit to whoever comes about the end of a window.) Whoever keeps the counters, here or in Redis, the
arithmetic is this one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# Of a window; a take counts for at most this part longer than it has to.
SLICES = 24


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `limit` takes in any `window_s` seconds; a limit of 0 only counts."""

    name: str
    limit: int
    window_s: int

    @property
    def slice_s(self) -> float:
        """Seconds of one slice."""
        return self.window_s / SLICES


@dataclass(frozen=True, slots=True)
class Take:
    """One take of a subject (an HMAC, never a name) from a rate."""

    rate: Rate
    subject: str


@dataclass(frozen=True, slots=True)
class Counted:
    """What a window holds after a take.

    Attributes:
        by_age: Takes that still count, by the age of their slice, 0 (the current one) to `SLICES`.
        elapsed_s: Seconds of the current slice that have passed.
    """

    by_age: Mapping[int, int]
    elapsed_s: float

    @property
    def used(self) -> int:
        """Takes that still count."""
        return sum(self.by_age.values())


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

    >>> has_room(Counted({0: 4, 20: 5}, elapsed_s=1.0), Rate("key", 10, 60))
    True
    >>> has_room(Counted({0: 4, 20: 6}, elapsed_s=1.0), Rate("key", 10, 60))
    False
    """
    return rate.limit == 0 or counted.used < rate.limit


def wait_s(counted: Counted, rate: Rate) -> float:
    """Seconds until one more take fits, if nothing else is taken.

    >>> wait_s(Counted({0: 4, 20: 6}, elapsed_s=1.0), Rate("key", 10, 60))
    11.5
    """
    if has_room(counted, rate):
        return 0.0
    left = counted.used
    ages = sorted(counted.by_age, reverse=True)
    for age in ages:
        left -= counted.by_age[age]
        if left < rate.limit:
            break
    return max(0.0, (SLICES + 1 - age) * rate.slice_s - counted.elapsed_s)


def verdict(takes: Sequence[Take], counted: Sequence[Counted], *, allowed: bool) -> Verdict:
    """Sum up the windows of one decision.

    Args:
        takes: What was asked, at least one.
        counted: The window of each take, afterwards.
        allowed: Whether the takes were made.
    """
    pairs = list(zip(takes, counted, strict=True))
    counts = tuple(window.used for window in counted)
    limited = [(take.rate, window) for take, window in pairs if take.rate.limit]
    if not limited:
        return Verdict(allowed=allowed, rate=takes[0].rate, counts=counts)
    rate, window = min(limited, key=lambda pair: _tightness(*pair))
    return Verdict(
        allowed=allowed,
        rate=rate,
        remaining=max(0, _room(rate, window)) if allowed else 0,
        reset_s=wait_s(window, rate),
        counts=counts,
    )


def _tightness(rate: Rate, window: Counted) -> tuple[float, float]:
    """Least first: the share that is free; of several full ones the longest wait is the answer."""
    return max(0, _room(rate, window)) / rate.limit, -wait_s(window, rate)


def _room(rate: Rate, window: Counted) -> int:
    return rate.limit - window.used
