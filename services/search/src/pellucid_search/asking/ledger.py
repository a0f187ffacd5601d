"""What the providers cost: usage per day, provider and user, and the daily budget.

A cost is taken from the budget before the call is made, so that the budget holds over replicas;
what a failed call did not cost is given back.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

import structlog

from pellucid_search.ports import Counters

_log = structlog.get_logger("pellucid_search.asking.ledger")
MICRO = 1_000_000
# From this part of the budget on calls are saved and the operator is told.
SOFT_SHARE = 0.8
# Usage is kept for the longest report (366 days) and a little more.
_KEPT_S = 400 * 86_400.0
_EVERYBODY = "-"


@dataclass(frozen=True, slots=True)
class UsageRow:
    """Usage of one provider on one day; cost in millionths of a US dollar."""

    day: date
    provider: str
    calls: int
    results: int
    cost_micro_usd: int


class Ledger:
    """Counts calls and guards the daily budget.

    Args:
        counters: Where the numbers are kept.
        budget_micro_usd: Budget per UTC day in millionths of a US dollar; 0 forbids paid calls.
        providers: Names in the order of reports.
    """

    def __init__(
        self, counters: Counters, *, budget_micro_usd: int, providers: Sequence[str]
    ) -> None:
        self._counters = counters
        self._providers = tuple(providers)
        self._pending: dict[tuple[date, str, str], UsageRow] = {}
        self._known: tuple[date, int] = (date.min, 0)
        self._warned = date.min
        self._exhausted = date.min
        self._due: dict[date, int] = {}
        self.budget_micro_usd = budget_micro_usd

    async def reserve(self, day: date, price_micro_usd: int) -> bool:
        """Take the price of one call from the day's budget; False when too little is left."""
        if price_micro_usd <= 0:
            return True
        amount = price_micro_usd + self._due.pop(day, 0)
        spent = await self._counters.add(_spent_key(day), amount, ttl_s=_KEPT_S)
        self._known = (day, spent)
        if spent <= self.budget_micro_usd:
            return True
        self.correct(day, -price_micro_usd)
        if self._exhausted != day:
            self._exhausted = day
            used = spent - price_micro_usd
            _log.warning("budget_spent", limit_micro_usd=self.budget_micro_usd, used_micro_usd=used)
        return False

    def correct(self, day: date, amount_micro_usd: int) -> None:
        """Note what a call cost more, or less when negative; nobody waits for the booking."""
        self._due[day] = self._due.get(day, 0) + amount_micro_usd

    def record(self, row: UsageRow, *, caller_hash: str) -> None:
        """Note usage, of everybody and of one user; `flush` stores it."""
        for caller in {_EVERYBODY, caller_hash or _EVERYBODY}:
            key = (row.day, row.provider, caller)
            self._pending[key] = _sum(self._pending.get(key), row)

    async def flush(self) -> None:
        """Store what was noted since the last time."""
        due, self._due = self._due, {}
        for day, amount in due.items():
            if amount:
                await self._counters.add(_spent_key(day), amount, ttl_s=_KEPT_S)
        pending, self._pending = self._pending, {}
        for (day, provider, caller), row in pending.items():
            key = _usage_key(day, provider, caller)
            await self._counters.add(f"{key}:calls", row.calls, ttl_s=_KEPT_S)
            await self._counters.add(f"{key}:results", row.results, ttl_s=_KEPT_S)
            if row.cost_micro_usd:
                await self._counters.add(f"{key}:cost", row.cost_micro_usd, ttl_s=_KEPT_S)

    async def spent_micro_usd(self, day: date, provider: str = "") -> int:
        """Return the day's spend, of one provider or of all."""
        await self.flush()
        if provider:
            return await self._counters.read(f"{_usage_key(day, provider, _EVERYBODY)}:cost")
        self._known = (day, await self._counters.read(_spent_key(day)))
        return self._known[1]

    def is_saving(self, day: date) -> bool:
        """Tell whether the day's spend, as last seen here, has reached 80 % of the budget."""
        seen, spent = self._known
        return seen == day and 0 < SOFT_SHARE * self.budget_micro_usd <= spent

    async def begins_to_save(self, day: date) -> bool:
        """Tell once a day, over all replicas and restarts, that 80 % were reached."""
        if self._warned == day or not self.is_saving(day):
            return False
        self._warned = day
        return await self._counters.add(f"soft:{day.isoformat()}", 1, ttl_s=_KEPT_S) == 1

    async def usage(self, first: date, last: date, caller_hash: str = "") -> list[UsageRow]:
        """Return the rows of some days with any call, oldest day first."""
        await self.flush()
        rows: list[UsageRow] = []
        day = first
        while day <= last:
            for provider in self._providers:
                row = await self._row(day, provider, caller_hash or _EVERYBODY)
                if row.calls:
                    rows.append(row)
            day += timedelta(days=1)
        return rows

    async def _row(self, day: date, provider: str, caller: str) -> UsageRow:
        key = _usage_key(day, provider, caller)
        calls = await self._counters.read(f"{key}:calls")
        if not calls:
            return UsageRow(day, provider, 0, 0, 0)
        return UsageRow(
            day=day,
            provider=provider,
            calls=calls,
            results=await self._counters.read(f"{key}:results"),
            cost_micro_usd=await self._counters.read(f"{key}:cost"),
        )


def seconds_to_tomorrow(now: datetime) -> float:
    """Return the seconds until the next UTC day, with which the budget begins anew."""
    tomorrow = datetime.combine(now.astimezone(UTC) + timedelta(days=1), time(), UTC)
    return (tomorrow - now).total_seconds()


def _sum(one: UsageRow | None, other: UsageRow) -> UsageRow:
    if one is None:
        return other
    return UsageRow(
        day=other.day,
        provider=other.provider,
        calls=one.calls + other.calls,
        results=one.results + other.results,
        cost_micro_usd=one.cost_micro_usd + other.cost_micro_usd,
    )


def _spent_key(day: date) -> str:
    return f"spent:{day.isoformat()}"


def _usage_key(day: date, provider: str, caller: str) -> str:
    return f"usage:{day.isoformat()}:{provider}:{caller}"
