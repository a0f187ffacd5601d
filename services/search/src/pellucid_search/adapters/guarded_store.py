"""The runtime's store behind a breaker: trouble with it never reaches a request.

A read that takes longer than 30 ms is given up; after some failures the store is left alone for a
while, so that a dead one costs nothing. Counters go on in this process meanwhile.
"""

from collections.abc import Callable

from pellucid_runtime.bounded import BoundedDict
from pellucid_runtime.store import Store
from pellucid_runtime.store_guard import StoreGuard
from pellucid_search.metrics import STORE_ERRORS

READ_S = 0.030
# A count decides about money, so it is given more time; so is a write, which
# spares others a call.
COUNT_S = 0.1
WRITE_S = 0.1
# Numbers kept while the store is away; the oldest goes first.
_MOST_COUNTERS = 4_096


class GuardedCache:
    """Cache over a store."""

    def __init__(self, store: Store, monotonic: Callable[[], float]) -> None:
        self._store = store
        self._reads = StoreGuard(STORE_ERRORS, monotonic)
        self._writes = StoreGuard(STORE_ERRORS, monotonic)

    async def get(self, key: str) -> bytes | None:
        """Return the value; None when there is none or the store does not answer."""
        return await self._reads.run("get", lambda: self._store.get(key), READ_S)

    async def set(self, key: str, value: bytes, *, ttl_s: float) -> None:
        """Store a value; not while reads fail, which would find it as little."""
        if not self._reads.is_resting:
            await self._writes.run("set", lambda: self._store.set(key, value, ttl_s=ttl_s), WRITE_S)

    async def delete(self, key: str) -> None:
        """Forget a value."""
        if not self._reads.is_resting:
            await self._writes.run("delete", lambda: self._store.delete(key), WRITE_S)


class GuardedCounters:
    """Counters over a store; what is added while it is away counts in this process only."""

    def __init__(self, store: Store, monotonic: Callable[[], float]) -> None:
        self._store = store
        self._guard = StoreGuard(STORE_ERRORS, monotonic)
        self._own: BoundedDict[str, int] = BoundedDict(_MOST_COUNTERS)
        self._unbooked: BoundedDict[str, int] = BoundedDict(_MOST_COUNTERS)

    async def add(self, key: str, amount: int, *, ttl_s: float) -> int:
        """Add and return the sum; with it goes what was added while the store was away."""
        amount_due = amount + self._unbooked.pop(key, 0)
        total = await self._guard.run(
            "incr", lambda: self._store.incr(key, amount_due, ttl_s=ttl_s), COUNT_S
        )
        if total is None:
            self._unbooked[key] = amount_due
            total = self._own.get(key, 0) + amount
        self._own[key] = total
        return total

    async def read(self, key: str) -> int:
        """Return a number."""
        value = await self._guard.run("get", lambda: self._store.get(key), READ_S)
        if value is None:
            return self._own.get(key, 0)
        return int(value) if value.lstrip(b"-").isdigit() else 0
