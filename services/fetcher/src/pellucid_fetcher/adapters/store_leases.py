"""Marks in the shared store that an address is being read by some replica."""

import hashlib
from collections.abc import Awaitable, Callable
from typing import Any, Final

from pellucid_fetcher.adapters.store_limits import READ_S
from pellucid_fetcher.metrics import STORE_ERRORS
from pellucid_runtime.store import Store
from pellucid_runtime.store_guard import StoreGuard

LEASE_S: Final = 0.9  # when its holder dies, another replica takes over within a second
_MARK: Final = b"1"


class StoreLeases:
    """Leases over a store; without an answer every lease is granted, so that nothing waits.

    Args:
        store: Shared by the replicas.
        monotonic: Seconds that never go back.
    """

    def __init__(self, store: Store, monotonic: Callable[[], float]) -> None:
        self._store = store
        self._guard = StoreGuard(STORE_ERRORS, monotonic)

    async def acquire(self, key: str) -> bool:
        """Take the mark; True when it was free, and also when the store does not answer."""
        name = _name(key)
        taken = await self._run(lambda: self._store.set_if_absent(name, _MARK, ttl_s=LEASE_S))
        return taken is not False

    async def renew(self, key: str) -> None:
        """Hold the mark a while longer."""
        await self._run(lambda: self._store.set(_name(key), _MARK, ttl_s=LEASE_S))

    async def release(self, key: str) -> None:
        """Give the mark back."""
        await self._run(lambda: self._store.delete(_name(key)))

    async def _run(self, work: Callable[[], Awaitable[Any]]) -> Any:
        return await self._guard.run("lease", work, READ_S)


def _name(key: str) -> str:
    return f"busy:{hashlib.sha256(key.encode()).hexdigest()[:32]}"
