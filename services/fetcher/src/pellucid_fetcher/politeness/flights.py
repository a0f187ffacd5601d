"""One fetch at a time for an address in this process.

Decides who reads and who waits. Only pages that a search provider named are shared; what a person
named is read for that person alone.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from pellucid_fetcher.errors import FetchFault
from pellucid_fetcher.outcome import FetchStatus, Page

# Outcomes that say more about the time one caller had than about the page.
_OWN_TIME: Final = frozenset({FetchStatus.DEADLINE, FetchStatus.TOTAL_TIMEOUT})


class Flights:
    """Fetches under way."""

    def __init__(self) -> None:
        self._under_way: dict[str, asyncio.Future[Page | None]] = {}

    async def share(
        self, key: str, *, ends: float, read: Callable[[], Awaitable[Page]]
    ) -> tuple[Page, bool]:
        """Read a page, or wait for somebody who is reading it.

        Args:
            key: The address.
            ends: Time of the event loop at which waiting is of no use any more.
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
            page = await read()
            return page, False
        finally:
            del self._under_way[key]
            landing.set_result(page)


async def _arrival(flight: asyncio.Future[Page | None], ends: float) -> Page | None:
    try:
        async with asyncio.timeout_at(ends):
            return await asyncio.shield(flight)
    except TimeoutError as error:
        raise FetchFault(FetchStatus.DEADLINE) from error
