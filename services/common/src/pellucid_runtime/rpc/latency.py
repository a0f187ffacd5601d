"""Recent latencies of one kind of call, for hedging and for people."""

from collections import deque

_KEPT = 100
# With fewer samples a percentile says nothing.
_ENOUGH = 10


class Latencies:
    """The last 100 latencies in seconds."""

    def __init__(self) -> None:
        self._samples: deque[float] = deque(maxlen=_KEPT)

    def add(self, seconds: float) -> None:
        """Record one."""
        self._samples.append(seconds)

    def percentile(self, share: float) -> float:
        """Return the nearest-rank percentile, `share` 0 to 1; 0 without samples."""
        ordered = sorted(self._samples)
        if not ordered:
            return 0.0
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    def hedge_after_s(self, default_s: float) -> float:
        """Seconds after which a call is slow for its kind: the 95th percentile of the others.

        While there are too few samples it is the default.
        """
        return self.percentile(0.95) if len(self._samples) >= _ENOUGH else default_s
