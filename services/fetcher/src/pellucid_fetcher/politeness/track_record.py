"""How often pages of a host could be read, as a guess at the next one.

Counts search results only; what people name is not remembered. Kept in this process, for a bounded
number of hosts.
"""

from typing import Final

from pellucid_fetcher.outcome import FetchStatus
from pellucid_runtime.bounded import BoundedDict

UNKNOWN: Final = 0.5
_MAX_HOSTS: Final = 4096
_MEMORY: Final = 0.8  # weight that each further outcome leaves to the past: the last ten count
# Outcomes that say nothing about the host.
_SILENT: Final = frozenset(
    {FetchStatus.DEADLINE, FetchStatus.RATE_LIMITED, FetchStatus.BLOCKED_TARGET}
)


class TrackRecord:
    """Success by host."""

    def __init__(self) -> None:
        self._tried: BoundedDict[str, tuple[float, float]] = BoundedDict(_MAX_HOSTS)

    def note(self, host: str, status: FetchStatus) -> None:
        """Remember how a fetch ended."""
        if status in _SILENT:
            return
        good, all_ = self._tried.get(host, (0.0, 0.0))
        read = 1.0 if status is FetchStatus.OK else 0.0
        self._tried[host] = (good * _MEMORY + read, all_ * _MEMORY + 1.0)

    def reliability(self, host: str) -> float:
        """Return the share of earlier pages that could be read, 0 to 1; 0.5 for an unknown host."""
        good, all_ = self._tried.get(host, (0.0, 0.0))
        return (good + UNKNOWN) / (all_ + 1.0)
