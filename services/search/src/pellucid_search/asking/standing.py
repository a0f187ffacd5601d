"""The present standing of every known provider."""

from collections.abc import Mapping
from dataclasses import dataclass

from pellucid_runtime.clock import Clock
from pellucid_search.asking.ledger import Ledger
from pellucid_search.asking.planning import Lineup, Offer, needs
from pellucid_search.asking.provider_client import ProviderClient
from pellucid_search.providers.registry import ProviderSpec
from pellucid_search.reports import ProviderState


@dataclass(frozen=True, slots=True)
class Roster:
    """Every known provider, those that can be asked with their desks.

    Attributes:
        specs: Known providers by name.
        provider_clients: Those that have what they need.
        missing: Environment variables that the others lack.
    """

    specs: Mapping[str, ProviderSpec]
    provider_clients: Mapping[str, ProviderClient]
    missing: Mapping[str, tuple[str, ...]]

    def offers(self) -> Mapping[str, Offer]:
        """Return every provider as the planner sees it."""
        return {name: self._offer(spec) for name, spec in self.specs.items()}

    def _offer(self, spec: ProviderSpec) -> Offer:
        provider_client = self.provider_clients.get(spec.name)
        return Offer(
            name=spec.name,
            external=spec.external,
            price_micro_usd=provider_client.limits.price_micro_usd
            if provider_client
            else spec.price_micro_usd,
            missing=self.missing.get(spec.name, ()),
            disabled_reason=provider_client.disabled_reason if provider_client else "",
            keyed=bool(spec.needs),
            automatic=spec.automatic,
            topics=spec.topics,
            healthy=provider_client is None or provider_client.breaker.passable,
            left_for=provider_client.left_for if provider_client else "",
        )

    async def states(self, line: Lineup, ledger: Ledger, clock: Clock) -> list[ProviderState]:
        """Return the standing of all providers, in routing order, then the others."""
        order = dict.fromkeys((*line.members, *line.beside, *line.last_resort, *self.specs))
        return [await self._state(self.specs[name], ledger, clock) for name in order]

    async def _state(self, spec: ProviderSpec, ledger: Ledger, clock: Clock) -> ProviderState:
        offer = self._offer(spec)
        provider_client = self.provider_clients.get(spec.name)
        if provider_client is None:
            return ProviderState(
                spec.name,
                enabled=False,
                external=spec.external,
                disabled_reason=needs(offer.missing),
                price_micro_usd=spec.price_micro_usd,
            )
        left = await provider_client.gate.standing(spec.name)
        return ProviderState(
            name=spec.name,
            enabled=offer.enabled,
            disabled_reason=provider_client.disabled_reason,
            external=spec.external,
            breaker=provider_client.breaker.state.value,
            breaker_retry_in_s=provider_client.breaker.retry_in_s,
            remaining_short=left.remaining_short,
            remaining_long=left.remaining_long,
            spent_today_micro_usd=await ledger.spent_micro_usd(clock.now().date(), spec.name),
            latency_p50_ms=round(provider_client.latencies.percentile(0.5) * 1000),
            latency_p95_ms=round(provider_client.latencies.percentile(0.95) * 1000),
            price_micro_usd=provider_client.limits.price_micro_usd,
        )
