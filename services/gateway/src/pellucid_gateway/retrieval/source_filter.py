"""What was found, as its sources stand with the person: avoided ones go apart."""

from collections.abc import Sequence
from dataclasses import replace

from pellucid_gateway.domain.findings import Hit, ScoredHit
from pellucid_gateway.domain.standing import Standing, Standings
from pellucid_gateway.retrieval.gathered import Gathered
from pellucid_gateway.retrieval.search_plan import SearchPlan
from pellucid_gateway.turn_context.budgets import limited
from pellucid_gateway.turn_context.ledger import TurnLedger
from pellucid_runtime.errors import ServiceError

# What a search waits to hear how sources stand; the store answers in a millisecond.
_STANDING_S = 0.1


class SourceFilter:
    """Takes the hits of one turn.

    Args:
        standings: How sources stand with persons.
        ledger: Told when that cannot be known.
        most: Hits that are taken at most.
    """

    def __init__(self, standings: Standings, ledger: TurnLedger, *, most: int) -> None:
        self._standings = standings
        self._ledger = ledger
        self._most = most
        self._standing: Standing | None = None

    async def take(self, plan: SearchPlan, gathered: Gathered, hits: Sequence[Hit]) -> None:
        """Add hits to what was gathered."""
        standing = self._standing = self._standing or await self._look_up(plan)
        readable = (hit for hit in hits[: self._most] if hit.url not in plan.walled)
        for hit in readable:
            if standing.avoids(hit):
                gathered.avoided[hit.url] = ScoredHit(hit=hit, included=False, exclusion="avoided")
            elif len(gathered.hits) < self._most:
                gathered.hits.setdefault(hit.url, replace(hit, trust_shift=standing.shift(hit)))

    async def _look_up(self, plan: SearchPlan) -> Standing:
        try:
            async with limited(_STANDING_S):
                standing = await self._standings.of(plan.caller)
        except (ServiceError, TimeoutError) as error:
            self._ledger.lose_by("store", error, "source preferences")
            return Standing()
        # A site that is asked for by name is searched, whatever is thought of it otherwise.
        named = plan.decision.site or plan.options.site or plan.options.include_domains
        return replace(standing, avoided=frozenset()) if named else standing
