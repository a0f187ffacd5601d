"""One fetch at a time for an address: in this process, and with leases over all replicas.

Decides who reads and who waits. Only pages that a search provider named are shared; what a person
named is read for that person alone.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final

from pellucid_fetcher.errors import FetchFault
from pellucid_fetcher.outcome import FetchStatus, Page
from pellucid_fetcher.ports import Leases

POLL_S: Final = 0.05
RENEW_S: Final = 0.3
# Outcomes that say more about the time one caller had than about the page.
_OWN_TIME: Final = frozenset({FetchStatus.DEADLINE, FetchStatus.TOTAL_TIMEOUT})

Look = Callable[[], Awaitable[Page | None]]
Read = Callable[[], Awaitable[Page]]


class Flights:
    """Fetches under way.

    Args:
        leases: Shared by the replicas; nothing when this process is alone.
    """

    def __init__(self, leases: Leases | None = None) -> None:
        self._leases = leases
        self._under_way: dict[str, asyncio.Future[Page | None]] = {}

    async def share(self, key: str, *, ends: float, look: Look, read: Read) -> tuple[Page, bool]:
        """Read a page, or wait for somebody who is reading it.

        Args:
            key: The address.
            ends: Time of the event loop at which waiting is of no use any more.
            look: Asks the cache.
            read: Reads the page.

        Returns:
            The page and whether somebody else read it.

        Raises:
            FetchFault: DEADLINE when the time ended before somebody else had it.
        """
        while (flight := self._under_way.get(key)) is not None:
            page = await _arrival(flight, ends)
            if page is not None and page.status not in _OWN_TIME:
                return page, True
        landing: asyncio.Future[Page | None] = asyncio.get_running_loop().create_future()
        self._under_way[key] = landing
        page = None
        try:
            page, shared = await self._lead(key, ends, look, read)
            return page, shared
        finally:
            del self._under_way[key]
            landing.set_result(page)

    async def _lead(self, key: str, ends: float, look: Look, read: Read) -> tuple[Page, bool]:
        if self._leases is None:
            return await read(), False
        async with self._leased(self._leases, key, ends, look) as found:
            return (found, True) if found is not None else (await read(), False)

    @asynccontextmanager
    async def _leased(
        self, leases: Leases, key: str, ends: float, look: Look
    ) -> AsyncIterator[Page | None]:
        """Wait for the lease or for the page of whoever holds it."""
        while not await leases.acquire(key):
            if asyncio.get_running_loop().time() + POLL_S >= ends:
                raise FetchFault(FetchStatus.DEADLINE)
            await asyncio.sleep(POLL_S)
            if (page := await look()) is not None:
                yield page
                return
        renewal = asyncio.create_task(_renew(leases, key), name="fetch-lease")
        try:
            # Its last holder may have finished between the last look and now.
            yield await look()
        finally:
            renewal.cancel()
            with suppress(asyncio.CancelledError):
                await renewal
            await asyncio.shield(leases.release(key))


async def _renew(leases: Leases, key: str) -> None:
    while True:
        await asyncio.sleep(RENEW_S)
        await leases.renew(key)


async def _arrival(flight: asyncio.Future[Page | None], ends: float) -> Page | None:
    try:
        async with asyncio.timeout_at(ends):
            return await asyncio.shield(flight)
    except TimeoutError as error:
        raise FetchFault(FetchStatus.DEADLINE) from error
