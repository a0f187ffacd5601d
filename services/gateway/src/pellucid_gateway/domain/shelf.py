"""JSON objects among an owner's records: kept, read and forgotten in one way."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from typing import Any

from pellucid_gateway.domain.state_ports import Entry, Records
from pellucid_runtime.errors import NotFoundError

# "For ever" within what the stores can hold: a person deletes a record, time does not.
FOR_EVER_S = 10 * 365 * 86_400.0
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Shelf:
    """Objects of one kind. What cannot be read, such as one of a later release, counts as absent.

    Attributes:
        records: Where they are kept. Everything here raises DependencyDownError when it is down.
        kind: What they are.
        ttl_s: How long.
        most: Of one owner; the oldest is dropped.
        fields: Without which an object is none of ours.
    """

    records: Records
    kind: str
    ttl_s: float
    most: int
    fields: frozenset[str] = frozenset()

    async def put(self, owner: str, entry_id: str, value: Mapping[str, Any]) -> None:
        """Keep an object, replacing one of the same id."""
        entry = Entry(entry_id, json.dumps({"v": _VERSION, **value}).encode())
        await self.records.put(owner, self.kind, entry, ttl_s=self.ttl_s, most=self.most)

    async def get(self, owner: str, entry_id: str) -> dict[str, Any] | None:
        """An object, or None when there is none of this owner."""
        return self._read(await self.records.get(owner, self.kind, entry_id) or b"")

    async def newest(self, owner: str, most: int = 0) -> list[tuple[str, dict[str, Any]]]:
        """Ids and objects, last put first; 0: all."""
        kept = await self.records.newest(owner, self.kind, most or self.most)
        read = ((entry.id, self._read(entry.value)) for entry in kept)
        return [(entry_id, value) for entry_id, value in read if value is not None]

    async def delete(self, owner: str, entry_id: str, called: str) -> None:
        """Forget an object, which people call so.

        Raises:
            NotFoundError: There is none of this owner.
        """
        if not await self.records.delete(owner, self.kind, entry_id):
            raise NotFoundError(called)

    def _read(self, value: bytes) -> dict[str, Any] | None:
        try:
            read = json.loads(value)
        except ValueError:
            return None
        known = isinstance(read, dict) and read.pop("v", None) == _VERSION
        return read if known and self.fields <= read.keys() else None


def jsonable(value: object) -> Any:
    """Records as mappings, instants as ISO text; numbers, text and enums stay."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: jsonable(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [jsonable(item) for item in value]
    if isinstance(value, datetime):
        return value.isoformat()
    return value
