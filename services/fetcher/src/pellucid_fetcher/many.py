"""Several pages at once, each handed on as soon as it is there."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Sequence

from pellucid_fetcher.egress.address import host_in
from pellucid_fetcher.fetching import PageFetcher
from pellucid_fetcher.outcome import Page, PageRequest


async def fetch_many(
    fetcher: PageFetcher, requests: Sequence[PageRequest]
) -> AsyncGenerator[tuple[int, Page], None]:
    """Read pages side by side.

    All begin at once, so that a dead host holds nobody up; where they queue, for a turn or for
    extraction, every host has its first page before any has its second, and among those the hosts
    that have been readable before come first.

    Args:
        fetcher: Reads each.
        requests: Most wanted first.

    Yields:
        Index of the request and its page, in the order of arrival. Closing the iterator cancels
        whatever is still running.
    """
    tasks = {
        asyncio.create_task(fetcher.fetch(requests[at]), name=f"fetch-{at}"): at
        for at in _fair_order(fetcher, requests)
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


def _fair_order(fetcher: PageFetcher, requests: Sequence[PageRequest]) -> list[int]:
    """Order by how many of the same host come before, then by the host's record."""
    by_record = sorted(range(len(requests)), key=lambda at: -fetcher.reliability(requests[at]))
    of_host: Counter[str] = Counter()
    before: dict[int, int] = {}
    for at in by_record:
        host = host_in(requests[at].url)
        before[at] = of_host[host]
        of_host[host] += 1
    return sorted(by_record, key=before.__getitem__)
