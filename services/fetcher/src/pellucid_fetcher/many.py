"""Several pages at once, each handed on as soon as it is there."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

from pellucid_fetcher.fetching import PageFetcher
from pellucid_fetcher.outcome import Page, PageRequest


async def fetch_many(
    fetcher: PageFetcher, requests: Sequence[PageRequest]
) -> AsyncGenerator[tuple[int, Page], None]:
    """Read pages side by side.

    All begin at once, so that a dead host holds nobody up; where they queue, for a turn or for
    extraction, pages of hosts that have been readable before come first.

    Args:
        fetcher: Reads each.
        requests: Most wanted first.

    Yields:
        Index of the request and its page, in the order of arrival. Closing the iterator cancels
        whatever is still running.
    """
    order = sorted(range(len(requests)), key=lambda at: -fetcher.reliability(requests[at]))
    tasks = {
        asyncio.create_task(fetcher.fetch(requests[at]), name=f"fetch-{at}"): at for at in order
    }
    pending = set(tasks)
    try:
        while pending:
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            for task in sorted(done, key=tasks.__getitem__):
                yield tasks[task], task.result()
    finally:
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
