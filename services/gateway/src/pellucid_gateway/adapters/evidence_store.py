"""Evidence in the runtime's store: one JSON record per turn, with a lifetime and an owner."""

from collections.abc import Mapping
from typing import Any

import orjson

from pellucid_runtime.errors import NotFoundError
from pellucid_runtime.store import Store

# Nothing about a person is kept longer.
MAX_TTL_S = 30 * 24 * 3600.0


class StoredEvidence:
    """Implements `ports.EvidenceStore`.

    Args:
        store: Where records are kept.
        ttl_s: Lifetime in seconds, at most 30 days.
    """

    def __init__(self, store: Store, *, ttl_s: float = MAX_TTL_S) -> None:
        self._store = store
        self._ttl_s = min(ttl_s, MAX_TTL_S)

    async def save(self, evidence_id: str, owner: str, record: Mapping[str, Any]) -> None:
        """See `EvidenceStore`."""
        entry = orjson.dumps({"owner": owner, "record": dict(record)})
        await self._store.set(evidence_id, entry, ttl_s=self._ttl_s)

    async def load(self, evidence_id: str, owner: str) -> Mapping[str, Any]:
        """See `EvidenceStore`."""
        entry = await self._store.get(evidence_id)
        found = _read(entry) if entry else None
        if found is None or found.get("owner") != owner:
            raise NotFoundError(f"evidence:{evidence_id}")
        record: Mapping[str, Any] = found["record"]
        return record

    async def delete(self, evidence_id: str, owner: str) -> None:
        """See `EvidenceStore`."""
        await self.load(evidence_id, owner)
        await self._store.delete(evidence_id)


def _read(entry: bytes) -> dict[str, Any] | None:
    """The entry, or None when it is not one of ours."""
    try:
        value = orjson.loads(entry)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) and isinstance(value.get("record"), dict) else None
