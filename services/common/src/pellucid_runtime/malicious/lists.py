"""Reads the lists that an operator names, and reads them again; the last good state stays."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import structlog

from pellucid_runtime.clock import Clock
from pellucid_runtime.malicious.entries import NOTHING, Malicious, joined, parsed
from pellucid_runtime.malicious.settings import MaliciousSettings
from pellucid_runtime.supervision import supervise
from pellucid_runtime.telemetry.metrics import (
    MALICIOUS_ENTRIES,
    MALICIOUS_FAILURES,
    MALICIOUS_READ_AT,
)

MOST_BYTES = 64 * 1024 * 1024
_TIMEOUT_S = 60.0
_log = structlog.get_logger("pellucid_runtime.malicious")


class MaliciousLists:
    """What the lists say now.

    Args:
        sources: Paths of files, or addresses.
        refresh_s: Seconds between two readings.
        clock: Tells when they were read.
        proxy: Through which addresses are asked; None: directly.
    """

    def __init__(
        self, sources: Sequence[str], *, refresh_s: float, clock: Clock, proxy: str | None = None
    ) -> None:
        self._sources = sources
        self._refresh_s = refresh_s
        self._clock = clock
        self._proxy = proxy
        self._read: dict[str, Malicious] = {}
        self.now = NOTHING

    def names(self, url: str) -> bool:
        """Whether a list names an address or its host."""
        return self.now.names(url)

    async def run(self) -> None:
        """Read all lists, again and again."""
        while True:
            await self.refresh()
            await asyncio.sleep(self._refresh_s)

    async def refresh(self) -> None:
        """Read all lists once; one that cannot be read stays as it was."""
        failed = False
        for source in self._sources:
            try:
                text = await self._text(source)
                self._read[source] = await asyncio.to_thread(parsed, text)
            except (OSError, ValueError, httpx.HTTPError) as error:
                failed = True
                MALICIOUS_FAILURES.inc()
                _log.warning("malicious_list_unread", error=type(error).__name__)
        self.now = await asyncio.to_thread(joined, self._read.values())
        MALICIOUS_ENTRIES.set(len(self.now))
        if not failed:
            MALICIOUS_READ_AT.set(self._clock.now().timestamp())

    async def _text(self, source: str) -> str:
        if "://" in source:
            return (await self._downloaded(source)).decode("utf-8", "replace")
        return await asyncio.to_thread(_of_file, Path(source))

    async def _downloaded(self, url: str) -> bytes:
        client = httpx.AsyncClient(
            timeout=_TIMEOUT_S, proxy=self._proxy, trust_env=False, follow_redirects=True
        )
        body = bytearray()
        async with client, asyncio.timeout(_TIMEOUT_S), client.stream("GET", url) as reply:
            reply.raise_for_status()
            async for piece in reply.aiter_bytes():
                body += piece
                if len(body) > MOST_BYTES:
                    raise ValueError("the list is too long")
        return bytes(body)


def _of_file(path: Path) -> str:
    if path.stat().st_size > MOST_BYTES:
        raise ValueError("the list is too long")
    return path.read_text("utf-8", "replace")


def watched(
    settings: MaliciousSettings, stack: AsyncExitStack, clock: Clock, proxy: str | None = None
) -> Callable[[str], bool]:
    """Tell whether an address is known to be malicious; keeps the lists fresh until the stack ends.

    Without lists nothing is.
    """
    sources = settings.listed_malicious
    if not sources:
        return NOTHING.names
    lists = MaliciousLists(
        sources, refresh_s=settings.malicious_refresh_s, clock=clock, proxy=proxy
    )
    supervise(stack, "malicious-lists", lists.run)
    return lists.names
