"""Pages of search results in the shared store, for at most an hour.

Keys are hashes of addresses; entries carry a schema version, and one that cannot be read is
forgotten. A store in trouble is a cache miss, and nobody waits for a write.
"""

import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import datetime
from typing import Final

from pydantic import TypeAdapter

from pellucid_fetcher.metrics import STORE_ERRORS
from pellucid_fetcher.outcome import Page
from pellucid_runtime.store import Store
from pellucid_runtime.store_guard import Background, StoreGuard

SCHEMA: Final = 3
MAX_TTL_S: Final = 3600
# A page that is gone or forbidden is not asked for again at once, by whichever replica.
FAILURE_TTL_S: Final = 5.0
_MAX_ENTRY_BYTES: Final = 1024 * 1024
_PAGES: Final = TypeAdapter(Page)


class StorePageCache:
    """A page cache over the store port.

    Args:
        store: Holds the entries.
        ttl_s: Lifetime in seconds, 0 to 3600; 0 switches the cache off.
        limits_s: Longest read and longest write, in seconds.
        background: Carries the writes.
        monotonic: Seconds that never go back.
    """

    def __init__(
        self,
        store: Store,
        ttl_s: int,
        limits_s: tuple[float, float],
        background: Background,
        monotonic: Callable[[], float],
    ) -> None:
        self._store = store
        self._ttl_s = min(ttl_s, MAX_TTL_S)
        self._read_s, self._write_s = limits_s
        self._reads = StoreGuard(STORE_ERRORS, monotonic)
        self._writes = StoreGuard(STORE_ERRORS, monotonic)
        self._background = background
        self._on_the_way: dict[str, Page] = {}

    async def get(self, url: str) -> Page | None:
        """Return a page that was read earlier; nothing when the store does not answer in time."""
        if not self._ttl_s:
            return None
        key = _key(url)
        if (page := self._on_the_way.get(key)) is not None:
            return page
        data = await self._reads.run("get", lambda: self._store.get(key), self._read_s)
        if data is None:
            return None
        page = _read(data)
        if page is None:
            self._background.start(self._change(lambda: self._store.delete(key)))
        return page

    def put(self, url: str, page: Page) -> None:
        """Keep a page, unless it is too large; a failure for a moment, and not a passing one."""
        ttl_s = float(self._ttl_s) if page.success else min(FAILURE_TTL_S, self._ttl_s)
        if not self._ttl_s or page.retryable:
            return
        data = json.dumps(asdict(page), default=datetime.isoformat).encode()
        if len(data) > _MAX_ENTRY_BYTES:
            return
        key = _key(url)
        if self._background.start(self._write(key, data, ttl_s)):
            self._on_the_way[key] = page

    async def _write(self, key: str, data: bytes, ttl_s: float) -> None:
        try:
            await self._change(lambda: self._store.set(key, data, ttl_s=ttl_s))
        finally:
            self._on_the_way.pop(key, None)

    async def _change(self, work: Callable[[], Awaitable[object]]) -> None:
        await self._writes.run("set", work, self._write_s)


def _key(url: str) -> str:
    return f"page:{SCHEMA}:{hashlib.sha256(url.encode()).hexdigest()}"


def _read(data: bytes) -> Page | None:
    """Rebuild a page; nothing when the bytes are not one of ours."""
    try:
        return _PAGES.validate_json(data, strict=True)
    except ValueError:
        return None
