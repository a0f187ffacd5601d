"""Searching turns that a person may make in a day, and what a key may cost in one."""

from collections.abc import Container

from pellucid_gateway.access.caller_access import current_access
from pellucid_gateway.domain.rates import Rate, Take
from pellucid_gateway.domain.state_ports import Limiter, QuotaState

DAY_S = 86_400


class DailySearches:
    """Implements `state_ports.SearchQuota` over all replicas.

    Args:
        limiter: Counts.
        limit: Searching turns of a person in a sliding day; 0 means without limit.
        exempt: Callers that are not limited: this machine's own.
    """

    def __init__(self, limiter: Limiter, limit: int, exempt: Container[str] = ()) -> None:
        self._limiter = limiter
        self._limit = limit
        self._exempt = exempt

    async def take(self, caller: str) -> QuotaState:
        """See `state_ports.SearchQuota`. A key may have a limit of its own."""
        key = current_access().key
        own = key.searches_per_day if key is not None else None
        limit = self._limit if own is None else own
        if not limit or not caller or caller in self._exempt:
            return QuotaState(allowed=True)
        said = await self._limiter.take([Take(Rate("searches", limit, DAY_S), caller)])
        return QuotaState(
            allowed=said.allowed, limit=limit, remaining=said.remaining, reset_s=said.reset_s
        )
