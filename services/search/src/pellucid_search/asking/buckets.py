"""Token buckets as spacing: how many calls a provider allows, and when the next one may go.

The generic cell rate algorithm keeps one number per bucket, the time at which it will be empty
again, so it can be taken in one step from a shared store. The arithmetic here is pure; `LocalGate`
keeps the numbers in this process, the Redis adapter keeps them for all replicas.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pellucid_search.hits import RateWindow
from pellucid_search.ports import Pace, Refusal, Reservation, Standing

# Clocks and network delays differ between sender and provider: calls are spaced this much wider.
SAFETY = 1.1
# The part of a limit that may go out at once; the rest is spread over the window.
_BURST_SHARE = 4
# A window longer than this is a quota (day, month) rather than a rate.
LONG_WINDOW_S = 600.0


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `limit` calls in any `period_s` seconds; a limit of 0 means none is known."""

    limit: int
    period_s: float = 1.0

    @property
    def burst(self) -> int:
        """Calls that may go at once."""
        return max(1, self.limit // _BURST_SHARE)

    @property
    def interval_s(self) -> float:
        """Seconds per call such that burst and refill together keep the limit."""
        if self.limit <= 0:
            return 0.0
        return SAFETY * self.period_s / (self.limit - self.burst + 1)

    def share(self, replicas: int) -> "Rate":
        """Return one replica's part, for when the replicas cannot agree.

        >>> Rate(20, 1.0).share(3)
        Rate(limit=6, period_s=1.0)
        >>> Rate(1, 1.0).share(3)
        Rate(limit=1, period_s=3.0)
        """
        if self.limit <= 0 or self.limit >= replicas:
            return Rate(self.limit // replicas, self.period_s)
        return Rate(1, self.period_s * replicas / self.limit)


@dataclass(slots=True)
class _Bucket:
    """What is known of one provider: its whole limit, and this replica's part of it."""

    limit: Rate
    rate: Rate
    empty_at: float = 0.0
    cool_until: float = 0.0
    long_remaining: int = -1
    long_reset_at: float = 0.0
    shut_until: float = 0.0
    shut_reason: Refusal = Refusal.QUOTA


class LocalGate:
    """Buckets of this process.

    Args:
        rates: Seed by provider; a provider without one is not limited until its headers say so.
        monotonic: Seconds of a clock that never runs backwards.
        replicas: Replicas that share the limits; this one takes its part of each.
    """

    def __init__(
        self, rates: Mapping[str, Rate], monotonic: Callable[[], float], *, replicas: int = 1
    ) -> None:
        self._buckets = {name: _Bucket(rate, rate.share(replicas)) for name, rate in rates.items()}
        self._monotonic = monotonic
        self._replicas = replicas

    def _bucket(self, provider: str) -> _Bucket:
        return self._buckets.setdefault(provider, _Bucket(Rate(0), Rate(0)))

    async def reserve(self, provider: str, *, max_wait_s: float) -> Reservation:
        """Take one place, at most `max_wait_s` from now."""
        refused = self.refusal(provider, max_wait_s)
        if refused is not None:
            return refused
        bucket, now = self._bucket(provider), self._monotonic()
        start = max(bucket.cool_until, now)
        slack = (bucket.rate.burst - 1) * bucket.rate.interval_s
        go_at = max(start, bucket.empty_at - slack)
        if go_at - now > max_wait_s:
            return Reservation(go_at - now, Refusal.RATE)
        bucket.empty_at = max(bucket.empty_at, go_at) + bucket.rate.interval_s
        bucket.long_remaining -= 1 if bucket.long_remaining > 0 else 0
        return Reservation(max(0.0, go_at - now))

    def refusal(self, provider: str, max_wait_s: float) -> Reservation | None:
        """Return why no call may be made whatever the rate, None when one may."""
        bucket, now = self._bucket(provider), self._monotonic()
        if bucket.shut_until > now:
            return Reservation(bucket.shut_until - now, bucket.shut_reason)
        if bucket.cool_until - now > max_wait_s:
            return Reservation(bucket.cool_until - now, Refusal.COOLING)
        if bucket.long_remaining == 0 and bucket.long_reset_at > now:
            return Reservation(bucket.long_reset_at - now, Refusal.QUOTA)
        return None

    def pace(self, provider: str) -> Pace:
        """Return the provider's limit, and this replica's part of it as an interval."""
        bucket = self._bucket(provider)
        return Pace(bucket.limit.limit, bucket.limit.period_s, bucket.rate.interval_s)

    async def observe(self, provider: str, windows: Sequence[RateWindow]) -> None:
        """Correct the bucket from headers."""
        bucket, now = self._bucket(provider), self._monotonic()
        for window in windows:
            if window.period_s >= LONG_WINDOW_S:
                bucket.long_remaining = -(-window.remaining // self._replicas)
                bucket.long_reset_at = now + window.reset_s
                continue
            bucket.limit = Rate(window.limit, window.period_s)
            bucket.rate = bucket.limit.share(self._replicas)
            if window.remaining <= 0:
                bucket.empty_at = max(bucket.empty_at, now + window.reset_s)

    async def cool(self, provider: str, seconds: float) -> None:
        """Let no call through for some seconds."""
        bucket = self._bucket(provider)
        bucket.cool_until = max(bucket.cool_until, self._monotonic() + seconds)

    async def shut(self, provider: str, seconds: float, reason: Refusal) -> None:
        """Refuse every call for some seconds."""
        bucket = self._bucket(provider)
        bucket.shut_until, bucket.shut_reason = self._monotonic() + seconds, reason

    def note(self, provider: str, wait_s: float) -> None:
        """Remember a call that somebody else permitted, so that a change-over is no second burst.

        Args:
            provider: Whose place was taken.
            wait_s: Seconds until the call goes.
        """
        bucket = self._bucket(provider)
        go_at = self._monotonic() + wait_s
        full = (bucket.rate.burst - 1) * bucket.rate.interval_s
        bucket.empty_at = max(bucket.empty_at, go_at + full + bucket.rate.interval_s)

    async def standing(self, provider: str) -> Standing:
        """Return what is left."""
        bucket, now = self._bucket(provider), self._monotonic()
        return Standing(
            remaining_short=remaining_calls(bucket.rate, bucket.empty_at - now),
            remaining_long=bucket.long_remaining,
        )


def remaining_calls(rate: Rate, debt_s: float) -> int:
    """Return how many calls may go at once; -1 without a known limit.

    Args:
        rate: The limit.
        debt_s: Seconds until the bucket is empty; negative when it is.
    """
    if rate.limit <= 0:
        return -1
    return max(0, min(rate.burst, rate.burst - int(max(0.0, debt_s) / rate.interval_s)))
