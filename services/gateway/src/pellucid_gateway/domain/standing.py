"""What moves the trust in the sources of one search, within bounds: the person, and use."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from pellucid_gateway.domain.findings import Hit
from pellucid_gateway.domain.outgoing import host_of

# With a quarter of a score's weight, a preferred source gains 0.05 of 1: it goes before equal ones
# and before slightly better ones, and no page of another topic comes in by it.
PREFERRED_SHIFT = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How sources stand with one person.

    Attributes:
        preferred: Hosts that the person prefers, their subdomains included.
        avoided: Hosts that the person wants nothing of, likewise.
        learned: By registrable domain, what use adds to its trust.
    """

    preferred: frozenset[str] = frozenset()
    avoided: frozenset[str] = frozenset()
    learned: Mapping[str, float] = field(default_factory=dict)

    def avoids(self, hit: Hit) -> bool:
        """Whether the person wants nothing of it; of two nested hosts the longer one counts."""
        return _nearest(hit, self.avoided) > _nearest(hit, self.preferred)

    def shift(self, hit: Hit) -> float:
        """What is added to the trust of its domain."""
        preferred = _nearest(hit, self.preferred) > _nearest(hit, self.avoided)
        return PREFERRED_SHIFT * preferred + self.learned.get(hit.domain, 0.0)


class Standings(Protocol):
    """Knows how sources stand with persons."""

    async def of(self, caller: str) -> Standing:
        """How they stand with one person.

        Raises:
            DependencyDownError: The store is down.
        """
        ...


class WithoutStandings:
    """Implements `Standings` for an installation that knows of none."""

    async def of(self, caller: str) -> Standing:
        """Everything stands as the tables say."""
        del caller
        return Standing()


def _nearest(hit: Hit, hosts: frozenset[str]) -> int:
    """Length of the longest of the hosts that the hit's is or lies under; 0: none."""
    host = host_of(hit.url)
    return max((len(one) for one in hosts if f".{host}".endswith(f".{one}")), default=0)
