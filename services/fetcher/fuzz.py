# ruff: noqa: INP001, T201 - a script for people, with the tests' tables
"""Mutate hostile addresses and check that nothing inside is ever dialled.

Usage: fuzz.py [COUNT] [SEED]   100,000 addresses by default; a failing one is printed and exits 1

Every address goes through the whole HTTP path, as a page and as the location of a redirect; the
last step, dialling, is replaced by an oracle that judges the address without the fetcher's own
table.
"""

import asyncio
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "tests"))

from egress_oracle import HostileResolver, JudgedDialler
from hostile_urls import mutated

from pellucid_fetcher.app import Network, open_fetcher
from pellucid_fetcher.fetching import PageFetcher
from pellucid_fetcher.outcome import PageRequest, Purpose
from pellucid_fetcher.settings import FetcherSettings
from pellucid_runtime.telemetry.logs import configure_logging

_REPORT_EVERY = 5_000
OK = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nok"


async def _try(fetcher: PageFetcher, dialler: JudgedDialler, url: str) -> None:
    request = PageRequest(url, Purpose.USER_URL, 9, 3.0)
    dialler.answer = OK
    await fetcher.fetch(request)
    raw = url.encode("utf-8", "replace")
    if b"\r" not in raw and b"\n" not in raw:
        dialler.answer = b"HTTP/1.1 302 F\r\nlocation: " + raw + b"\r\n\r\n"
        await fetcher.fetch(PageRequest("http://example.com/", Purpose.USER_URL, 9, 3.0))


async def run(count: int, seed: int) -> int:
    """Fuzz; returns the exit status."""
    dialler = JudgedDialler()
    started = time.monotonic()
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        settings = FetcherSettings(
            data_dir=folder,
            log_level="warning",
            fetcher_browser=False,
            fetcher_extract_workers=1,
        )
        configure_logging(settings)
        fetcher = await open_fetcher(settings, stack, Network(HostileResolver(), dialler))
        for number, url in enumerate(mutated(seed, count)):
            if number % _REPORT_EVERY == 0:
                print(f"{number} addresses, {dialler.dialled} dialled", flush=True)
            await _try(fetcher, dialler, url)
            if dialler.wrong:
                print(f"address {number} of seed {seed} led to {dialler.wrong}: {url!r}")
                return 1
    spent_s = time.monotonic() - started
    print(
        f"{count} addresses, {dialler.dialled} dialled, all allowed; {spent_s:.0f} s, seed {seed}"
    )
    return 0


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:3]]
    sys.exit(asyncio.run(run(*(numbers + [100_000, 1][len(numbers) :]))))
