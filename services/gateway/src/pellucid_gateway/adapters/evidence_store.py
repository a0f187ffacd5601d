"""Evidence among a person's records: one per turn, with a lifetime and an owner."""

import zlib
from collections.abc import Mapping
from typing import Any

import orjson

from pellucid_gateway.domain.state_ports import Entry, Records
from pellucid_runtime.errors import NotFoundError

# Nothing about a person is kept longer.
MAX_TTL_S = 30 * 24 * 3600.0
KIND = "evidence"
# Records of one person; a hundred searching turns a day for a month, and as many others.
_MOST = 6_000
# Of one record, expanded; one of a deep turn has 60 kB.
_MOST_BYTES = 8 * 1024 * 1024


class StoredEvidence:
    """Implements `ports.EvidenceStore`.

    Args:
        records: Where records are kept.
        ttl_s: Lifetime in seconds, at most 30 days.
        room_bytes: That all of it may take; beyond it the oldest go. 0: without bound.
    """

    def __init__(self, records: Records, *, ttl_s: float = MAX_TTL_S, room_bytes: int = 0) -> None:
        self._records = records
        self._ttl_s = min(ttl_s, MAX_TTL_S)
        self._room_bytes = room_bytes

    async def save(self, evidence_id: str, owner: str, record: Mapping[str, Any]) -> None:
        """See `EvidenceStore`."""
        entry = Entry(evidence_id, zlib.compress(orjson.dumps(dict(record))))
        await self._records.put(
            owner, KIND, entry, ttl_s=self._ttl_s, most=_MOST, room_bytes=self._room_bytes
        )

    async def load(self, evidence_id: str, owner: str) -> Mapping[str, Any]:
        """See `EvidenceStore`."""
        kept = await self._records.get(owner, KIND, evidence_id)
        record = _read(kept) if kept else None
        if record is None:
            raise NotFoundError("evidence")
        return record

    async def delete(self, evidence_id: str, owner: str) -> None:
        """See `EvidenceStore`."""
        if not await self._records.delete(owner, KIND, evidence_id):
            raise NotFoundError("evidence")


class NoEvidence:
    """Implements `ports.EvidenceStore` for an operator who wants none kept."""

    async def save(self, evidence_id: str, owner: str, record: Mapping[str, Any]) -> None:
        """Keep nothing."""

    async def load(self, evidence_id: str, owner: str) -> Mapping[str, Any]:
        """There is none."""
        del evidence_id, owner
        raise NotFoundError("evidence")

    async def delete(self, evidence_id: str, owner: str) -> None:
        """There is none."""
        del evidence_id, owner
        raise NotFoundError("evidence")


def _expanded(kept: bytes) -> bytes:
    return zlib.decompressobj().decompress(kept, _MOST_BYTES)


def _read(kept: bytes) -> dict[str, Any] | None:
    """The record, or None when it is not one of ours; earlier releases did not compress it."""
    try:
        value = orjson.loads(kept if kept.startswith(b"{") else _expanded(kept))
    except (orjson.JSONDecodeError, zlib.error):
        return None
    return value if isinstance(value, dict) else None
