"""Which sources a person prefers and which they avoid, kept until they delete it.

Nothing of it leaves: avoided sources are taken out of what was found, not out of what is asked for.
"""

import hashlib
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from pellucid_gateway.domain.shelf import FOR_EVER_S, Shelf
from pellucid_gateway.domain.standing import Standing
from pellucid_gateway.domain.state_ports import Records
from pellucid_runtime.clock import Clock

KIND = "source_preference"
_FIELDS = frozenset({"domain", "stance", "created_at"})
# Of one person; the oldest is dropped.
MOST_PREFERENCES = 200


class Stance(StrEnum):
    """What a person thinks of a source."""

    PREFER = "prefer"
    AVOID = "avoid"


class SourcePreferences:
    """Keeps preferences for their owners. Implements `standing.Standings`.

    Args:
        records: Where they are kept. Everything here raises DependencyDownError when it is down.
        clock: Dates them.
    """

    def __init__(self, records: Records, clock: Clock) -> None:
        self._shelf = Shelf(records, KIND, FOR_EVER_S, MOST_PREFERENCES, _FIELDS)
        self._clock = clock

    async def put(self, owner: str, domain: str, stance: Stance) -> Mapping[str, Any]:
        """Keep what a person thinks of a domain, in place of what they thought before."""
        now = self._clock.now().isoformat(timespec="seconds")
        preference = {"domain": domain, "stance": stance.value, "created_at": now}
        await self._shelf.put(owner, _id(domain), preference)
        return preference

    async def listed(self, owner: str) -> tuple[Mapping[str, Any], ...]:
        """All of a person, newest first."""
        return tuple(preference for _, preference in await self._shelf.newest(owner))

    async def delete(self, owner: str, domain: str) -> None:
        """Forget one.

        Raises:
            NotFoundError: There is none of this owner.
        """
        await self._shelf.delete(owner, _id(domain), "source preference")

    async def of(self, caller: str) -> Standing:
        """How sources stand with one person."""
        kept = await self.listed(caller) if caller else ()

        def hosts(stance: Stance) -> frozenset[str]:
            return frozenset(one["domain"] for one in kept if one["stance"] == stance)

        return Standing(preferred=hosts(Stance.PREFER), avoided=hosts(Stance.AVOID))


def _id(domain: str) -> str:
    """Ids show in key names of the store: a hash of the domain."""
    return hashlib.sha256(domain.encode()).hexdigest()[:32]
