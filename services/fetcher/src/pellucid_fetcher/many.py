"""Several pages at once, each handed on as soon as it is there."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

from pellucid_fetcher.fetching import PageFetcher
from pellucid_fetcher.outcome import Page, PageRequest


async def fetch_many(
    fetcher: PageFetcher, requests: Sequence[PageRequest]
) -> AsyncGenerator[tuple[int, Page], None]:
    """Read pages side by side.

    Args:
        fetcher: Reads each.
        requests: Most wanted first.

    Yields:
        Index of the request and its page, in the order of arrival. Closing the iterator cancels
        whatever is still running.
    """
    tasks = {
        asyncio.create_task(fetcher.fetch(request), name=f"fetch-{index}"): index
        for index, request in enumerate(requests)
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
