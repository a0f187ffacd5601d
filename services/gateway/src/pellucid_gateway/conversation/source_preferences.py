"""Which sources a person prefers and which they avoid, kept until they delete it.

Nothing of it leaves: avoided sources are taken out of what was found, not out of what is asked for.
"""

import hashlib
import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from pellucid_gateway.domain.standing import Standing
from pellucid_gateway.domain.state_ports import Entry, Records
from pellucid_runtime.clock import Clock
from pellucid_runtime.errors import NotFoundError

SCHEMA = 1
KIND = "source_preference"
# Of one person; the oldest is dropped.
MOST_PREFERENCES = 200
# "For ever" within what the stores can hold: a person deletes a preference, time does not.
TTL_S = 10 * 365 * 86_400.0


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
        self._records = records
        self._clock = clock

    async def put(self, owner: str, domain: str, stance: Stance) -> Mapping[str, Any]:
        """Keep what a person thinks of a domain, in place of what they thought before."""
        now = self._clock.now().isoformat(timespec="seconds")
        preference = {"domain": domain, "stance": stance.value, "created_at": now}
        entry = Entry(_id(domain), json.dumps({"v": SCHEMA, **preference}).encode())
        await self._records.put(owner, KIND, entry, ttl_s=TTL_S, most=MOST_PREFERENCES)
        return preference

    async def listed(self, owner: str) -> tuple[Mapping[str, Any], ...]:
        """All of a person, newest first."""
        kept = await self._records.newest(owner, KIND, MOST_PREFERENCES)
        return tuple(one for one in map(_read, kept) if one is not None)

    async def delete(self, owner: str, domain: str) -> None:
        """Forget one.

        Raises:
            NotFoundError: There is none of this owner.
        """
        if not await self._records.delete(owner, KIND, _id(domain)):
            raise NotFoundError("source preference")

    async def of(self, caller: str) -> Standing:
        """How sources stand with one person."""
        kept = await self.listed(caller) if caller else ()

        def hosts(stance: Stance) -> frozenset[str]:
            return frozenset(one["domain"] for one in kept if one["stance"] == stance)

        return Standing(preferred=hosts(Stance.PREFER), avoided=hosts(Stance.AVOID))


def _id(domain: str) -> str:
    """Ids show in key names of the store: a hash of the domain."""
    return hashlib.sha256(domain.encode()).hexdigest()[:32]


def _read(entry: Entry) -> dict[str, str] | None:
    try:
        value = json.loads(entry.value)
        if value["v"] != SCHEMA:
            return None
        return {name: str(value[name]) for name in ("domain", "stance", "created_at")}
    except (ValueError, KeyError, TypeError):
        return None
