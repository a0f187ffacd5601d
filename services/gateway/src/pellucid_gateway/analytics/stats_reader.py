"""Reads the shared sums: a day for the dashboard, weeks for the report, days for a caller."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from pellucid_gateway.analytics.counting import USAGE_DAYS, usage_bucket
from pellucid_gateway.analytics.habits import FOLLOWED_WITHIN
from pellucid_gateway.analytics.rollups import last_days, last_hours, last_minutes, summed
from pellucid_gateway.analytics.stats import series, summary
from pellucid_gateway.domain.state_ports import Rollups
from pellucid_runtime.clock import Clock

DAY_MINUTES = 24 * 60
# One point of a curve: 30 minutes, 48 points in a day.
POINT_MINUTES = 30
WEEK_HOURS = 7 * 24
# Every open dashboard asks every few seconds; all of them see sums of this age.
_FRESH_S = 3.0
_CURVES = (
    "turns",
    "searches",
    "latency_ms.total.p50",
    "latency_ms.total.p95",
    "average_relevance",
    "cost_usd",
    "cache_hit_rate",
    "error_rate",
    "satisfaction",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    """Seven days, which touch eight days of the calendar unless they end at midnight.

    Attributes:
        counts: Sums of all.
        days: Sums by day in UTC, oldest first; the first and the last are parts of a day.
        first: When something was counted first; None when nothing was.
    """

    counts: Mapping[str, int]
    days: Mapping[date, Mapping[str, int]]
    first: datetime | None


class StatsReader:
    """Tells numbers; every replica tells the same.

    Args:
        rollups: The shared sums.
        clock: What "now" is.
    """

    def __init__(self, rollups: Rollups, clock: Clock) -> None:
        self._rollups = rollups
        self._clock = clock
        self._last: tuple[float, dict[str, Any]] | None = None

    async def last_day(self) -> dict[str, Any]:
        """Numbers and curves of the last 24 hours."""
        if self._last is not None and self._clock.monotonic() - self._last[0] < _FRESH_S:
            return self._last[1]
        now = self._clock.now()
        buckets = await self._rollups.read(last_minutes(now, DAY_MINUTES))
        settled = summed(buckets[: -round(FOLLOWED_WITHIN.total_seconds() / 60)])
        numbers = summary(_settled(summed(buckets), settled))
        start = now - timedelta(minutes=DAY_MINUTES)
        told = {
            "from": start.isoformat(timespec="seconds"),
            "to": now.isoformat(timespec="seconds"),
            **numbers,
            "point_minutes": POINT_MINUTES,
            "series": series(buckets, POINT_MINUTES, _CURVES),
        }
        self._last = (self._clock.monotonic(), told)
        return told

    async def week(self, until: datetime) -> Week:
        """Sums of the seven days before an instant."""
        hours = await self._rollups.read(last_hours(until, WEEK_HOURS))
        starts = [until - timedelta(hours=n) for n in range(WEEK_HOURS - 1, -1, -1)]
        days: dict[date, list[Mapping[str, int]]] = {}
        for start, counts in zip(starts, hours, strict=True):
            days.setdefault(start.astimezone(UTC).date(), []).append(counts)
        total = summed(hours)
        return Week(
            counts=_settled(total, total),
            days={day: summed(parts) for day, parts in days.items()},
            first=next((at for at, counts in zip(starts, hours, strict=True) if counts), None),
        )

    async def usage(self, owner: str) -> list[dict[str, Any]]:
        """What a caller or a key used, by day, newest first; days without use are left out."""
        days = last_days(self._clock.now(), USAGE_DAYS)
        found = await self._rollups.read([usage_bucket(owner, day) for day in days])
        return [
            _used(day, used) for day, used in reversed(list(zip(days, found, strict=True))) if used
        ]

    async def forget(self, owner: str) -> None:
        """Forget what a caller used."""
        days = last_days(self._clock.now(), USAGE_DAYS + 1)
        await self._rollups.delete_buckets([usage_bucket(owner, day) for day in days])


def _settled(counts: Mapping[str, int], settled: Mapping[str, int]) -> dict[str, int]:
    """The counts with those of answers that are old enough to be called abandoned."""
    answers, followed = settled.get("answers", 0), settled.get("followed", 0)
    return {**counts, "settled_answers": answers, "settled_followed": followed}


def _used(day: str, used: Mapping[str, int]) -> dict[str, Any]:
    counts = ("turns", "searches", "results", "tokens_in", "tokens_out")
    return {
        "day": f"{day[:4]}-{day[4:6]}-{day[6:]}",
        **{name: used.get(name, 0) for name in counts},
        "cost_usd": used.get("cost_micro_usd", 0) / 1_000_000,
    }
