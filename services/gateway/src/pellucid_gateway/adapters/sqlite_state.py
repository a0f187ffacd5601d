"""Records and rollups in a file, for one machine."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pellucid_gateway.domain.state_ports import Entry
from pellucid_runtime.clock import Clock
from pellucid_runtime.sqlite_file import SqliteFile

# Writes between two removals of expired rows.
_PURGE_EVERY = 256
# The version in a table's name stands for the form of its rows.
_CREATE = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS records_v1 (
        owner TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, value BLOB NOT NULL,
        put_number INTEGER NOT NULL, expires_at REAL NOT NULL, PRIMARY KEY (owner, kind, id)
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS records_v1_order ON records_v1 (owner, kind, put_number);
    CREATE INDEX IF NOT EXISTS records_v1_expiry ON records_v1 (expires_at);
    CREATE TABLE IF NOT EXISTS sums_v1 (
        bucket TEXT NOT NULL, field TEXT NOT NULL, value INTEGER NOT NULL,
        expires_at REAL NOT NULL, PRIMARY KEY (bucket, field)
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS sums_v1_expiry ON sums_v1 (expires_at);
"""
_OWN = "owner = :owner AND kind = :kind"
_PUT = """
    INSERT INTO records_v1 VALUES (:owner, :kind, :id, :value,
        (SELECT COALESCE(MAX(put_number), 0) + 1 FROM records_v1
            WHERE owner = :owner AND kind = :kind), :expires_at)
    ON CONFLICT (owner, kind, id) DO UPDATE SET value = excluded.value,
        put_number = excluded.put_number, expires_at = excluded.expires_at
"""
_TRIM = f"""
    DELETE FROM records_v1 WHERE {_OWN} AND put_number <= (
        SELECT put_number FROM records_v1 WHERE {_OWN}
        ORDER BY put_number DESC LIMIT 1 OFFSET :most)
"""  # noqa: S608 - made of constants
# Newest first until the room is used up; what comes after goes.
_BOUND = """
    DELETE FROM records_v1 WHERE (owner, kind, id) IN (
        SELECT owner, kind, id FROM (
            SELECT owner, kind, id, SUM(length(value) + 200) OVER (
                ORDER BY expires_at DESC, id) AS taken
            FROM records_v1 WHERE kind = :kind)
        WHERE taken > :room)
"""
_GET = f"SELECT value FROM records_v1 WHERE {_OWN} AND id = :id AND expires_at > :now"  # noqa: S608
_NEWEST = f"""
    SELECT id, value FROM records_v1 WHERE {_OWN} AND expires_at > :now
    ORDER BY put_number DESC LIMIT :most
"""  # noqa: S608
_DELETE = f"DELETE FROM records_v1 WHERE {_OWN} AND id = :id AND expires_at > :now RETURNING 1"  # noqa: S608
_DELETE_KIND = f"DELETE FROM records_v1 WHERE {_OWN} RETURNING expires_at > :now"  # noqa: S608
_DELETE_OWNER = "DELETE FROM records_v1 WHERE owner = :owner RETURNING expires_at > :now"
_ADD = """
    INSERT INTO sums_v1
    SELECT value ->> 0, value ->> 1, value ->> 2, :expires_at FROM json_each(:sums) WHERE true
    ON CONFLICT (bucket, field) DO UPDATE SET
        value = CASE WHEN sums_v1.expires_at <= :now THEN 0 ELSE sums_v1.value END + excluded.value,
        expires_at = excluded.expires_at
"""
_READ = """
    SELECT bucket, field, value FROM sums_v1
    WHERE bucket IN (SELECT value FROM json_each(:buckets)) AND expires_at > :now
"""
_FORGET = "DELETE FROM sums_v1 WHERE bucket = :bucket"
_PURGE = (
    "DELETE FROM records_v1 WHERE expires_at <= :now",
    "DELETE FROM sums_v1 WHERE expires_at <= :now",
)


class SqliteState(SqliteFile):
    """Implements `state_ports.Records` and `state_ports.Rollups`. An asynchronous context manager.

    Args:
        path: The file; its folder is made when missing.
        clock: What lifetimes refer to.
    """

    create = _CREATE

    def __init__(self, path: Path, clock: Clock) -> None:
        super().__init__(path, clock)
        self._writes = 0

    async def put(
        self,
        owner: str,
        kind: str,
        entry: Entry,
        *,
        ttl_s: float,
        most: int = 1000,
        room_bytes: int = 0,
    ) -> None:
        """See `Records`. Room is looked at now and then, and may be passed by a little."""
        await self._purge_at_times()
        own = {"owner": owner, "kind": kind}
        expires_at = self._now() + ttl_s
        await self._run(_PUT, **own, id=entry.id, value=entry.value, expires_at=expires_at)
        await self._run(_TRIM, **own, most=most)
        if room_bytes and self._writes % _PURGE_EVERY == 0:
            await self._run(_BOUND, kind=kind, room=room_bytes)

    async def get(self, owner: str, kind: str, entry_id: str) -> bytes | None:
        """See `Records`."""
        rows = await self._run(_GET, owner=owner, kind=kind, id=entry_id)
        return bytes(rows[0][0]) if rows else None

    async def newest(self, owner: str, kind: str, most: int) -> tuple[Entry, ...]:
        """See `Records`."""
        rows = await self._run(_NEWEST, owner=owner, kind=kind, most=most)
        return tuple(Entry(row[0], bytes(row[1])) for row in rows)

    async def delete(self, owner: str, kind: str, entry_id: str) -> bool:
        """See `Records`."""
        return bool(await self._run(_DELETE, owner=owner, kind=kind, id=entry_id))

    async def delete_kind(self, owner: str, kind: str) -> int:
        """See `Records`."""
        return _alive(await self._run(_DELETE_KIND, owner=owner, kind=kind))

    async def delete_owner(self, owner: str) -> int:
        """See `Records`."""
        return _alive(await self._run(_DELETE_OWNER, owner=owner))

    async def add(self, sums: Mapping[str, Mapping[str, int]], *, ttl_s: float) -> None:
        """See `Rollups`."""
        await self._purge_at_times()
        rows = [
            (bucket, field, value)
            for bucket, fields in sums.items()
            for field, value in fields.items()
        ]
        await self._run(_ADD, sums=json.dumps(rows), expires_at=self._now() + ttl_s)

    async def read(self, buckets: Sequence[str]) -> tuple[Mapping[str, int], ...]:
        """See `Rollups`."""
        found: dict[str, dict[str, int]] = {bucket: {} for bucket in buckets}
        for bucket, field, value in await self._run(_READ, buckets=json.dumps(list(buckets))):
            found[bucket][field] = value
        return tuple(found[bucket] for bucket in buckets)

    async def delete_buckets(self, buckets: Sequence[str]) -> None:
        """See `Rollups`."""
        for bucket in buckets:
            await self._run(_FORGET, bucket=bucket)

    async def _purge_at_times(self) -> None:
        self._writes += 1
        if self._writes % _PURGE_EVERY == 0:
            for statement in _PURGE:
                await self._run(statement)


def _alive(rows: Sequence[Any]) -> int:
    """Entries that had not expired before they were deleted."""
    return sum(row[0] for row in rows)
