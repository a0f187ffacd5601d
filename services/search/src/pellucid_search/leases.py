"""One asker over all replicas: a short lease in the shared cache, renewed during the work.

When its holder dies the lease ends within a second and another replica takes over. A cache that
does not answer grants every lease, so that nothing waits for it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from pellucid_search.ports import Cache

LEASE_S = 0.9
_RENEW_S = 0.3
_POLL_S = 0.05
_MARK = b"1"


@dataclass(slots=True)
class Lease:
    """A wish for a lease; see `turns`."""

    _acquire: Callable[[], AsyncIterator[None]]

    def turns(self) -> AsyncIterator[None]:
        """Yield each time when it is worth looking for the holder's answer.

        Ends when the lease is held, or when the time is up.
        """
        return self._acquire()


@dataclass(frozen=True, slots=True)
class Leases:
    """Leases by key.

    Attributes:
        cache: Shared over replicas.
        monotonic: Seconds of a clock that never runs backwards.
    """

    cache: Cache
    monotonic: Callable[[], float]

    @asynccontextmanager
    async def held(self, key: str, *, until: float) -> AsyncIterator[Lease]:
        """Give a lease to be awaited with `turns`; it ends with the block.

        Args:
            key: What is being asked.
            until: Time on the monotonic clock at which waiting is of no use any more.
        """
        name = f"asking:{key}"
        renewals: list[asyncio.Task[None]] = []

        async def acquire() -> AsyncIterator[None]:
            while not await self.cache.set_if_absent(name, _MARK, ttl_s=LEASE_S):
                if self.monotonic() + _POLL_S >= until:
                    return
                await asyncio.sleep(_POLL_S)
                yield
            renewals.append(asyncio.create_task(self._renew(name), name="lease"))
            # Its last holder may have answered between the last look and now.
            yield

        try:
            yield Lease(acquire)
        finally:
            await self._end(name, renewals)

    async def _renew(self, name: str) -> None:
        while True:
            await asyncio.sleep(_RENEW_S)
            await self.cache.set(name, _MARK, ttl_s=LEASE_S)

    async def _end(self, name: str, renewals: list[asyncio.Task[None]]) -> None:
        for task in renewals:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            await asyncio.shield(self.cache.delete(name))
