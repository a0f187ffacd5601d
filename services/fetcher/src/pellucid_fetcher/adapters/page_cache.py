"""Pages of search results in the shared store, for at most an hour.

Keys are hashes of addresses; entries carry a schema version, and one that cannot be read is
forgotten. A store in trouble is a cache miss.
"""

import hashlib
import json
from dataclasses import asdict, replace
from typing import Any, Final

from pellucid_fetcher.document import read_date
from pellucid_fetcher.outcome import FetchStatus, Method, Page, Timings
from pellucid_runtime.errors import DependencyDownError
from pellucid_runtime.store import Store

SCHEMA: Final = 1
MAX_TTL_S: Final = 3600
_MAX_ENTRY_BYTES: Final = 1024 * 1024


class StorePageCache:
    """A page cache over the store port.

    Args:
        store: Holds the entries.
        ttl_s: Lifetime in seconds, 0 to 3600; 0 switches the cache off.
    """

    def __init__(self, store: Store, ttl_s: int) -> None:
        self._store = store
        self._ttl_s = min(ttl_s, MAX_TTL_S)

    async def get(self, url: str) -> Page | None:
        """Return a page that was read earlier."""
        if not self._ttl_s:
            return None
        try:
            data = await self._store.get(_key(url))
        except DependencyDownError:
            return None
        return _read(data) if data is not None else None

    async def put(self, url: str, page: Page) -> None:
        """Keep a page, unless it is too large."""
        data = json.dumps(_plain(page)).encode()
        if not self._ttl_s or len(data) > _MAX_ENTRY_BYTES:
            return
        try:
            await self._store.set(_key(url), data, ttl_s=self._ttl_s)
        except DependencyDownError:
            return


def _key(url: str) -> str:
    return f"page:{SCHEMA}:{hashlib.sha256(url.encode()).hexdigest()}"


def _plain(page: Page) -> dict[str, Any]:
    plain = asdict(replace(page, timings=Timings()))
    del plain["timings"]
    if page.published is not None:
        plain["published"]["time"] = page.published.time.isoformat()
    return plain


def _read(data: bytes) -> Page | None:
    try:
        plain = json.loads(data)
        published = plain.pop("published")
        return Page(
            status=FetchStatus(plain.pop("status")),
            method=Method(plain.pop("method")),
            published=read_date(published) if published else None,
            redirects=tuple(plain.pop("redirects")),
            warnings=tuple(plain.pop("warnings")),
            **plain,
        )
    except (ValueError, KeyError, TypeError):
        return None
