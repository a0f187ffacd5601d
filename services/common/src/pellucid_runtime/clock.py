"""Where time comes from. Code that needs the time takes a Clock, so tests can hold it."""

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """A wall clock and a stopwatch."""

    def now(self) -> datetime:
        """Present instant, aware, UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds since an arbitrary start; never runs backwards."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Present instant, aware, UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds since an arbitrary start; never runs backwards."""
        return time.monotonic()


class PinnedClock(SystemClock):
    """Always the same instant, while the stopwatch runs so that timeouts still work.

    Args:
        instant: What `now()` answers; aware.
    """

    def __init__(self, instant: datetime) -> None:
        self._instant = instant.astimezone(UTC)

    def now(self) -> datetime:
        """The pinned instant, UTC."""
        return self._instant


class PinnedTime(Protocol):
    """The part of the settings that matters here."""

    @property
    def pellucid_clock(self) -> datetime | None:
        """Instant to take for the present; None means the real one."""
        ...


class FixedClock:
    """Both hands stand still until a test moves them.

    Args:
        instant: What `now()` answers at first; aware.
    """

    def __init__(self, instant: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._instant = instant.astimezone(UTC)
        self._elapsed_s = 0.0

    def now(self) -> datetime:
        """Present instant, aware, UTC."""
        return self._instant + timedelta(seconds=self._elapsed_s)

    def monotonic(self) -> float:
        """Seconds that the clock was moved so far."""
        return self._elapsed_s

    def advance(self, seconds: float) -> None:
        """Move both hands forward."""
        self._elapsed_s += seconds


def clock_from(settings: PinnedTime) -> Clock:
    """The machine's clock, or the instant of `PELLUCID_CLOCK`."""
    if settings.pellucid_clock is None:
        return SystemClock()
    return PinnedClock(settings.pellucid_clock)
