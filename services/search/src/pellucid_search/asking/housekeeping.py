"""What is done every second beside the requests: book usage, show the standing as metrics."""

import asyncio
from collections.abc import Mapping

import structlog

from pellucid_runtime.breaker import BreakerState
from pellucid_runtime.clock import Clock
from pellucid_search import metrics
from pellucid_search.asking.ledger import Ledger
from pellucid_search.asking.provider_client import ProviderClient

_EVERY_S = 1.0
_log = structlog.get_logger("pellucid_search.asking.housekeeping")


async def keep_house(
    ledger: Ledger, provider_clients: Mapping[str, ProviderClient], clock: Clock
) -> None:
    """Book usage and set the gauges every second, until cancelled."""
    while True:
        await asyncio.sleep(_EVERY_S)
        await go_round(ledger, provider_clients, clock)


async def go_round(
    ledger: Ledger, provider_clients: Mapping[str, ProviderClient], clock: Clock
) -> None:
    """Book usage and set the gauges once."""
    await ledger.flush()
    today = clock.now().date()
    spent = await ledger.spent_micro_usd(today)
    metrics.SPENT_MICRO_USD.set(spent)
    if await ledger.begins_to_save(today):
        metrics.BUDGET_SOFT_LIMITS.inc()
        _log.warning("budget_soft_limit", spent=spent, budget=ledger.budget_micro_usd)
    for name, provider_client in provider_clients.items():
        closed = provider_client.breaker.state is BreakerState.CLOSED
        metrics.BREAKER_OPEN.labels(name).set(0 if closed else 1)
        left = await provider_client.gate.standing(name)
        metrics.REMAINING_CALLS.labels(name).set(left.remaining_long)
