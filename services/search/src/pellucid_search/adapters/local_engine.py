"""The `local` provider: the full-text index in a thread, refreshed by itself."""

import asyncio
import sqlite3
from contextlib import suppress

import structlog

from pellucid_search.asking.answering import Generation
from pellucid_search.errors import ProviderServerError
from pellucid_search.hits import ProviderReply
from pellucid_search.local.index import LocalIndex
from pellucid_search.metrics import LOCAL_DOCUMENTS, LOCAL_INDEX_SECONDS
from pellucid_search.query import ProviderQuery

# Right after a start a short wait is better than finding nothing.
_WAIT_S = 1.0

_log = structlog.get_logger("pellucid_search.local")


class LocalEngine:
    """Searches the local index.

    Args:
        index: The index.
        generation: Told the stock's stamp, so that answers of another stock are not reused.
    """

    def __init__(self, index: LocalIndex, generation: Generation) -> None:
        self._index = index
        self._generation = generation
        self._prepared = asyncio.Event()
        self._passed = asyncio.Event()

    def wording(self, query: ProviderQuery) -> str:
        """Return the words; they stay inside."""
        return query.text

    async def ask(self, query: ProviderQuery, *, timeout_s: float) -> ProviderReply:
        """Return documents; while the first pass runs, those that are indexed so far.

        Raises:
            ProviderServerError: The index cannot be read.
        """
        await self._first_pass(min(_WAIT_S, timeout_s / 2))
        try:
            hits = await asyncio.to_thread(self._index.search, query)
        except sqlite3.Error as error:
            raise ProviderServerError("the local index cannot be read", sent=False) from error
        return ProviderReply(hits=hits)

    async def _first_pass(self, wait_s: float) -> None:
        """Wait a little for the first pass; a large corpus is searched while it grows."""
        await self._prepared.wait()
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                await self._passed.wait()

    async def keep_fresh(self, every_s: float) -> None:
        """Bring the index up to date again and again, until cancelled."""
        await asyncio.to_thread(self._index.prepare)
        self._prepared.set()
        while True:
            await self._pass()
            self._passed.set()
            await asyncio.sleep(every_s)

    async def _pass(self) -> None:
        try:
            with LOCAL_INDEX_SECONDS.time():
                done = await asyncio.to_thread(self._index.update)
        except (sqlite3.Error, OSError, ValueError) as error:
            _log.warning("local_index_failed", error=type(error).__name__)
            return
        LOCAL_DOCUMENTS.set(done.documents)
        self._generation.stamp = done.stamp
        if done.changed:
            _log.info("local_index_updated", documents=done.documents, changed=done.changed)
        for line in done.unreadable[:5]:
            _log.warning("local_document_unreadable", document=line)
