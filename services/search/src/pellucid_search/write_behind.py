"""A cache whose writes nobody waits for; what is on its way is read from memory."""

from dataclasses import dataclass, field

from pellucid_search.background import Background
from pellucid_search.ports import Cache


@dataclass(slots=True)
class WriteBehind:
    """Over a cache that only this process uses; a crash loses what was on its way.

    Attributes:
        cache: Where values end up.
        background: Carries the writes; when it is full a write is waited for.
    """

    cache: Cache
    background: Background
    _pending: dict[str, bytes] = field(init=False, default_factory=dict)

    async def get(self, key: str) -> bytes | None:
        """Return the value, None when there is none."""
        value = self._pending.get(key)
        return await self.cache.get(key) if value is None else value

    async def set(self, key: str, value: bytes, *, ttl_s: float) -> None:
        """Store a value for some seconds."""
        self._pending[key] = value
        if not self.background.start(self._write(key, value, ttl_s)):
            await self._write(key, value, ttl_s)

    async def _write(self, key: str, value: bytes, ttl_s: float) -> None:
        try:
            await self.cache.set(key, value, ttl_s=ttl_s)
        finally:
            if self._pending.get(key) is value:
                del self._pending[key]

    async def delete(self, key: str) -> None:
        """Forget a value."""
        self._pending.pop(key, None)
        await self.cache.delete(key)

    async def set_if_absent(self, key: str, value: bytes, *, ttl_s: float) -> bool:
        """Store a value unless there is one; tell whether it was stored."""
        if key in self._pending:
            return False
        return await self.cache.set_if_absent(key, value, ttl_s=ttl_s)
