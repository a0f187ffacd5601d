"""A cache whose writes nobody waits for; what is on its way is read from memory."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from pellucid_runtime.store_guard import Background
from pellucid_search.ports import Cache


@dataclass(slots=True)
class WriteBehind:
    """Over another cache; a crash loses what was on its way.

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

    async def set(
        self,
        key: str,
        value: bytes,
        *,
        ttl_s: float,
        after: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """Store a value for some seconds; `after` is done when others can read it."""
        self._pending[key] = value
        if not self.background.start(self._write(key, value, ttl_s, after)):
            await self._write(key, value, ttl_s, after)

    async def _write(
        self, key: str, value: bytes, ttl_s: float, after: Callable[[], Awaitable[None]] | None
    ) -> None:
        try:
            await self.cache.set(key, value, ttl_s=ttl_s)
        finally:
            if self._pending.get(key) is value:
                del self._pending[key]
        if after is not None:
            await after()

    async def delete(self, key: str) -> None:
        """Forget a value."""
        self._pending.pop(key, None)
        await self.cache.delete(key)
