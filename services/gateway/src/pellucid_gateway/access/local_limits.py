"""Limits kept in this process: what counts without a shared store, and while it is down."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pellucid_gateway.domain.rates import (
    SLICES,
    Counted,
    Rate,
    Take,
    Verdict,
    has_room,
    verdict,
)
from pellucid_runtime.bounded import BoundedDict
from pellucid_runtime.clock import Clock

# Subjects remembered; a flood of new ones drops the longest unseen.
_MOST_SUBJECTS = 100_000
_TOKEN_BYTES = 12


class LocalWindows:
    """Sliding windows by the stopwatch, so that a change of the wall clock changes nothing.

    Args:
        clock: Stopwatch.
        replicas: Gateways that share the limits; each allows its share, at least 1.
    """

    def __init__(self, clock: Clock, replicas: int = 1) -> None:
        self._clock = clock
        self._replicas = replicas
        # Takes by the number of their slice since the stopwatch began.
        self._windows: BoundedDict[tuple[str, str], Mapping[int, int]] = BoundedDict(_MOST_SUBJECTS)

    def take(self, takes: Sequence[Take]) -> Verdict:
        """Take from all windows or from none."""
        shares = [Take(self._share(take.rate), take.subject) for take in takes]
        seen = [self._look(take) for take in shares]
        allowed = all(
            has_room(window, take.rate) for take, window in zip(shares, seen, strict=True)
        )
        return verdict(shares, self._count(shares, seen, allowed=allowed), allowed=allowed)

    def note(self, takes: Sequence[Take]) -> None:
        """Count takes that somebody else allowed, so that a share is not given out twice."""
        self._count(takes, [self._look(take) for take in takes], allowed=True)

    def _count(
        self, takes: Sequence[Take], seen: Sequence[Counted], *, allowed: bool
    ) -> list[Counted]:
        after = []
        for take, window in zip(takes, seen, strict=True):
            counts = allowed or take.rate.limit == 0
            after.append(self._add(take, window) if counts else window)
        return after

    def _share(self, rate: Rate) -> Rate:
        if rate.limit == 0:
            return rate
        return replace(rate, limit=max(1, rate.limit // self._replicas))

    def _look(self, take: Take) -> Counted:
        now, elapsed_s = divmod(self._clock.monotonic(), take.rate.slice_s)
        kept = self._windows.get((take.rate.name, take.subject), {})
        by_age = {int(now) - number: count for number, count in kept.items()}
        return Counted({age: n for age, n in by_age.items() if age <= SLICES}, elapsed_s)

    def _add(self, take: Take, window: Counted) -> Counted:
        by_age = {**window.by_age, 0: window.by_age.get(0, 0) + 1}
        now = int(self._clock.monotonic() // take.rate.slice_s)
        key = (take.rate.name, take.subject)
        self._windows[key] = {now - age: count for age, count in by_age.items()}
        return replace(window, by_age=by_age)


class LocalLimiter:
    """Implements `state_ports.Limiter` for one process, alone or with its share.

    Places are for work in progress, each with an owner's token and an end.

    Args:
        clock: Stopwatch.
        replicas: Gateways that share rates and places; each gives out its share, at least 1.

    Attributes:
        windows: The rates.
    """

    def __init__(self, clock: Clock, replicas: int = 1) -> None:
        self.windows = LocalWindows(clock, replicas)
        self._clock = clock
        self._replicas = replicas
        self._held: BoundedDict[str, dict[str, float]] = BoundedDict(_MOST_SUBJECTS)

    async def take(self, takes: Sequence[Take]) -> Verdict:
        """See `Limiter`."""
        return self.windows.take(takes)

    async def acquire(self, subject: str, limit: int, lease_s: float) -> str | None:
        """See `Limiter`."""
        now = self._clock.monotonic()
        held = {t: end for t, end in self._held.get(subject, {}).items() if end > now}
        self._held[subject] = held
        if len(held) >= max(1, limit // self._replicas):
            return None
        token = new_token()
        held[token] = now + lease_s
        return token

    async def release(self, subject: str, token: str) -> None:
        """See `Limiter`; a place that was taken by somebody else stays."""
        held = self._held.get(subject, {})
        held.pop(token, None)
        if not held:
            self._held.pop(subject, None)


def new_token() -> str:
    """Name of one holder that nobody can guess."""
    return secrets.token_hex(_TOKEN_BYTES)
