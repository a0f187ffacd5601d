"""One asker over all replicas: a short lease in the shared store, renewed during the work.

When its holder dies the lease ends within a second and another replica takes over. Every lease has
an owner, so that a holder that was away for too long ends nobody else's. A store that does not
answer grants every lease, so that nothing waits for it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from pellucid_search.ports import LeaseStore

# With one look and a busy machine's delay a dead holder is replaced within a second; a holder that
# lives may be late by two renewals.
LEASE_S = 0.8
_RENEW_S = 0.25
_POLL_S = 0.05


@dataclass(slots=True)
class Lease:
    """A wish for a lease, and the lease once `turns` has ended."""

    _leases: "Leases"
    _name: str
    _owner: str = field(default_factory=lambda: uuid4().hex)
    _renewal: asyncio.Task[None] | None = None

    async def turns(self, until: float) -> AsyncIterator[None]:
        """Yield each time when it is worth looking for the holder's answer.

        Ends when the lease is held, or when the time is up.

        Args:
            until: Time on the monotonic clock at which waiting is of no use any more.
        """
        while not await self._leases.store.acquire(self._name, self._owner, ttl_s=LEASE_S):
            if self._leases.monotonic() + _POLL_S >= until:
                return
            await asyncio.sleep(_POLL_S)
            yield
        self._renewal = self._leases.keep(self._renew())
        # Its last holder may have answered between the last look and now.
        yield

    async def _renew(self) -> None:
        held = True
        while held:
            await asyncio.sleep(_RENEW_S)
            held = await self._leases.store.renew(self._name, self._owner, ttl_s=LEASE_S)

    async def release(self) -> None:
        """Give the lease back; nothing when it is not held."""
        renewal, self._renewal = self._renewal, None
        if renewal is None:
            return
        renewal.cancel()
        with suppress(asyncio.CancelledError):
            await renewal
        await self._leases.store.release(self._name, self._owner)


@dataclass(frozen=True, slots=True)
class Leases:
    """Leases by key.

    Attributes:
        store: Shared over replicas.
        monotonic: Seconds of a clock that never runs backwards.
    """

    store: LeaseStore
    monotonic: Callable[[], float]
    _renewals: set[asyncio.Task[None]] = field(default_factory=set, init=False, repr=False)

    def keep(self, renewal: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run the renewal of a lease until it is cancelled, by `close` at the latest."""
        task = asyncio.create_task(renewal, name="lease")
        self._renewals.add(task)
        task.add_done_callback(self._renewals.discard)
        return task

    async def close(self) -> None:
        """End all renewals; what is held ends by itself."""
        renewals = tuple(self._renewals)
        for task in renewals:
            task.cancel()
        await asyncio.gather(*renewals, return_exceptions=True)

    def wish(self, key: str) -> Lease:
        """Return a lease that is not held yet."""
        return Lease(self, key)
