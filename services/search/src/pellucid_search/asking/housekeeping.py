"""What is done every second beside the requests: book usage, show the standing as metrics."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

import structlog

from pellucid_runtime.breaker import BreakerState
from pellucid_runtime.clock import Clock
from pellucid_search import metrics
from pellucid_search.asking.ledger import Ledger
from pellucid_search.asking.provider_client import ProviderClient

_EVERY_S = 1.0
_log = structlog.get_logger("pellucid_search.asking.housekeeping")


@dataclass(frozen=True, slots=True)
class Housekeeping:
    """The round over ledger and desks."""

    ledger: Ledger
    provider_clients: Mapping[str, ProviderClient]
    clock: Clock

    async def run(self) -> None:
        """Go round until cancelled."""
        while True:
            await asyncio.sleep(_EVERY_S)
            await self.round()

    async def round(self) -> None:
        """Book usage and set the gauges."""
        await self.ledger.flush()
        today = self.clock.now().date()
        spent = await self.ledger.spent_micro_usd(today)
        metrics.SPENT_MICRO_USD.set(spent)
        if await self.ledger.begins_to_save(today):
            metrics.BUDGET_SOFT_LIMITS.inc()
            _log.warning("budget_soft_limit", spent=spent, budget=self.ledger.budget_micro_usd)
        for name, provider_client in self.provider_clients.items():
            closed = provider_client.breaker.state is BreakerState.CLOSED
            metrics.BREAKER_OPEN.labels(name).set(0 if closed else 1)
            left = await provider_client.gate.standing(name)
            metrics.REMAINING_CALLS.labels(name).set(left.remaining_long)
