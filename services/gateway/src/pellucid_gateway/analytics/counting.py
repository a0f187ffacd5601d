"""Collects counts in memory and adds them to the shared sums every few seconds.

Requests never wait for the store. While it is down counts are kept here, up to a bound; a process
that is killed loses what it has not added yet, seconds of it.
"""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from pellucid_gateway.analytics.rollups import (
    HOURS_TTL_S,
    MINUTES_TTL_S,
    day_of,
    hour_bucket,
    minute_bucket,
)
from pellucid_gateway.domain.state_ports import Rollups
from pellucid_runtime.errors import ServiceError

FLUSH_S = 2.0
USAGE_DAYS = 30
_USAGE_TTL_S = (USAGE_DAYS + 1) * 86_400
# Buckets kept while the store is down: an hour of minutes and the hours and callers among them.
_MOST_BUCKETS = 2_000
_USAGE_FIELDS = ("turns", "searches", "results", "cost_micro_usd", "tokens_in", "tokens_out")


class Counting:
    """The counts of this process that are not in the shared sums yet.

    Args:
        rollups: The shared sums.
    """

    def __init__(self, rollups: Rollups) -> None:
        self._rollups = rollups
        self._waiting: dict[str, Counter[str]] = {}
        self.dropped = 0

    def add(self, at: datetime, counts: Mapping[str, int]) -> None:
        """Count in the minute and the hour."""
        self.add_to(minute_bucket(at), counts)
        self.add_to(hour_bucket(at), counts)

    def add_usage(self, owner: str, at: datetime, counts: Mapping[str, int]) -> None:
        """Count what a caller or a key used on this day."""
        used = {field: counts[field] for field in _USAGE_FIELDS if counts.get(field)}
        if owner and used:
            self.add_to(usage_bucket(owner, day_of(at)), used)

    def add_to(self, bucket: str, counts: Mapping[str, int]) -> None:
        """Count in a bucket."""
        if bucket not in self._waiting and len(self._waiting) >= _MOST_BUCKETS:
            del self._waiting[next(iter(self._waiting))]
            self.dropped += 1
        self._waiting.setdefault(bucket, Counter()).update(counts)

    async def flush(self) -> None:
        """Add everything to the shared sums; what cannot be added now waits for the next time."""
        taken, self._waiting = self._waiting, {}
        for ttl_s, prefix in _LIFETIMES.items():
            part = {b: counts for b, counts in taken.items() if b.startswith(prefix)}
            if not part:
                continue
            try:
                await self._rollups.add(part, ttl_s=ttl_s)
            except ServiceError:
                for bucket, counts in part.items():
                    self.add_to(bucket, counts)


_LIFETIMES = {MINUTES_TTL_S: "minute-", HOURS_TTL_S: "hour-", _USAGE_TTL_S: "usage-"}


def usage_bucket(owner: str, day: str) -> str:
    """Name of the bucket of what a caller or a key used on a day."""
    return f"usage-{owner}-{day}"
