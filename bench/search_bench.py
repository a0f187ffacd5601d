"""The search service's own share: a fan-out over three providers that answer at once, the cache.

Three fake providers on loopback answer at 0 ms, every query with other pages: 10 each, 5 of which
all three have. The own share is the time of a search less the time of the same three requests sent
side by side over the same transport, in the same run; the figure is the median of several runs.
Needs no peer. Prints a table and writes it to `bench/results/search.json`:
`python bench/search_bench.py`.
"""

import asyncio
import contextlib
import json
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import structlog
import uvloop
from pellucid.search.v1 import search_pb2 as pb

from pellucid_search.adapters.http_transport import HttpxTransport
from pellucid_search.app import build_servicer
from pellucid_search.providers.registry import REGISTRY
from pellucid_search.providers.wire import Endpoint, HttpCall
from pellucid_search.query import ProviderQuery
from pellucid_search.settings import SearchSettings

RUNS = 5
ROUNDS = 100
RESULTS = Path(__file__).parent / "results" / "search.json"
POPULAR = 50
REACH_OWN_MS = 5.0
WARM_UP = 20
QUERIES = WARM_UP + RUNS * ROUNDS
PROVIDERS = ("brave", "tavily", "searxng")
RESULTS_EACH = 10
SHARED = 5
DISTINCT = SHARED + len(PROVIDERS) * (RESULTS_EACH - SHARED)
_NUMBER = re.compile(rb"route[ +]([0-9]+)")


def query_text(number: int) -> str:
    """Return the words of one query."""
    return f"ferry timetable route {number}"


def result(provider: str, number: int, place: int) -> dict[str, str]:
    """Return one result in the provider's form; half of the sites are met in no other answer."""
    page = place if place < SHARED else place + RESULTS_EACH * PROVIDERS.index(provider)
    site = f"www.harbour-{number}-{page}.example" if page % 2 else f"site{page}.news.example"
    tail = "?ref=search&utm_source=feed" if page % 3 == 0 else ""
    words = f"Route {number} runs every {page + 7} minutes from pier {page}"
    return {
        "url": f"https://{site}/2026/11/route-{number}-pier-{page}{tail}",
        "title": f"Pier {page} &amp; route {number}: the winter timetable of ferries | Site {page}",
        "content": f"{words} until late in the evening, and less often on Sundays and holidays.",
        "description": f"<strong>{words}</strong> until late, &quot;weather permitting&quot;.",
        "age": ("3 days ago", "November 12, 2026", f"{page + 1} hours ago")[page % 3],
        "publishedDate": f"2026-11-{page % 20 + 1:02}T08:00:00",
        "published_date": f"Thu, 12 Nov 2026 08:{page:02}:00 GMT",
    }


def reply(provider: str, number: int) -> bytes:
    """Return a provider's whole answer to one query."""
    rows = [result(provider, number, place) for place in range(RESULTS_EACH)]
    body = json.dumps({"web": {"results": rows}} if provider == "brave" else {"results": rows})
    return f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()


REPLIES = {(name, n): reply(name, n) for name in PROVIDERS for n in range(QUERIES)}


async def answer_at_once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer every request on a connection."""
    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
        while True:
            asked = await reader.readuntil(b"\r\n\r\n")
            name = "brave" if asked.startswith(b"GET /res/") else "searxng"
            if asked.startswith(b"POST"):
                name, length = "tavily", re.search(rb"content-length: *(\d+)", asked.lower())
                asked = await reader.readexactly(int(length[1]) if length else 0)
            number = _NUMBER.search(asked)
            writer.write(REPLIES[name, int(number[1]) if number else 0])
            await writer.drain()
    writer.close()


def calls(number: int, url: str) -> list[HttpCall]:
    """Return the three requests of one search."""
    query = ProviderQuery(query_text(number), datetime.now(UTC))
    dialects = [REGISTRY[name].dialect for name in PROVIDERS]
    return [dialect.build(query, Endpoint(url, "example")) for dialect in dialects if dialect]


async def timed(work: Callable[[int], Awaitable[object]], rounds: int) -> list[float]:
    """Return milliseconds of each round, shortest first."""
    times = []
    for number in range(rounds):
        started = time.perf_counter()
        await work(number)
        times.append((time.perf_counter() - started) * 1000)
    return sorted(times)


@dataclass(frozen=True, slots=True)
class Figures:
    """One run; milliseconds and searches a second."""

    sending_p50_ms: float
    cold_p50_ms: float
    cold_p95_ms: float
    cached_p50_ms: float
    cached_p95_ms: float
    cached_per_s: float

    @property
    def own_p50_ms(self) -> float:
        """A cold search less its three requests."""
        return self.cold_p50_ms - self.sending_p50_ms


def percentile(times: Sequence[float], share: float) -> float:
    """Return the value below which a share of sorted times lies."""
    return times[min(len(times) - 1, int(share * len(times)))]


async def measure(url: str, stack: AsyncExitStack) -> list[Figures]:
    """Return the figures of all runs."""
    rates = ",".join(f"{name}=100000/1" for name in PROVIDERS)
    settings = SearchSettings(
        data_dir=Path(stack.enter_context(tempfile.TemporaryDirectory())),
        brave_search_api_key="example", brave_base_url=url, tavily_api_key="example",
        tavily_base_url=url, searxng_url=url, search_rates=rates, search_daily_budget_usd=1e6,
    )  # fmt: skip
    servicer = await build_servicer(settings, stack)
    transport = await stack.enter_async_context(HttpxTransport())
    built = [calls(number, url) for number in range(QUERIES)]

    async def direct(number: int) -> None:
        await asyncio.gather(*(transport.send(call, timeout_s=3) for call in built[number]))

    async def search(number: int) -> None:
        query = pb.SearchQuery(text=query_text(number))
        found = await servicer.Search(
            pb.SearchRequest(queries=[query], routing=pb.ROUTING_ALL), None
        )
        assert len(found.hits) == DISTINCT

    await asyncio.sleep(2)  # the library for dates loads beside the first requests
    await timed(direct, WARM_UP)
    await timed(search, WARM_UP)
    return [await one_run(direct, search, WARM_UP + run * ROUNDS) for run in range(RUNS)]


async def one_run(
    direct: Callable[[int], Awaitable[object]],
    search: Callable[[int], Awaitable[object]],
    first: int,
) -> Figures:
    """Measure once, with queries of its own from `first` on."""
    sending = await timed(lambda number: direct(first + number), ROUNDS)
    cold = await timed(lambda number: search(first + number), ROUNDS)
    cached = await timed(lambda number: search(first + number), ROUNDS)
    started = time.perf_counter()
    await asyncio.gather(*(search(first + number % POPULAR) for number in range(500)))
    return Figures(
        sending_p50_ms=percentile(sending, 0.5),
        cold_p50_ms=percentile(cold, 0.5),
        cold_p95_ms=percentile(cold, 0.95),
        cached_p50_ms=percentile(cached, 0.5),
        cached_p95_ms=percentile(cached, 0.95),
        cached_per_s=500 / (time.perf_counter() - started),
    )


def report(runs: Sequence[Figures], load: float) -> int:
    """Print and write the table; 1 when the reach is missed."""
    names = ("sending_p50_ms", "cold_p50_ms", "cold_p95_ms", "own_p50_ms", "cached_p50_ms",
             "cached_p95_ms", "cached_per_s")  # fmt: skip
    table = {name: [getattr(run, name) for run in runs] for name in names}
    print(f"search  {len(runs)} runs, load {load:.1f}, {os.cpu_count()} cores")
    print(f"{'':20}{'median':>9}{'least':>9}{'most':>9}")
    for name, values in table.items():
        print(f"{name:20}{statistics.median(values):9.2f}{min(values):9.2f}{max(values):9.2f}")
    own_ms = statistics.median(table["own_p50_ms"])
    print(f"own share of a fan-out {own_ms:.2f} ms (reach {REACH_OWN_MS:.0f})")
    RESULTS.parent.mkdir(exist_ok=True)
    medians = {name: round(statistics.median(values), 2) for name, values in table.items()}
    written = {"runs": len(runs), "load": round(load, 1), "cores": os.cpu_count(), **medians}
    RESULTS.write_text(json.dumps(written, indent=2) + "\n", "utf-8")
    return 0 if own_ms <= REACH_OWN_MS else 1


async def main() -> int:
    """Start the fake providers and measure."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    load = os.getloadavg()[0]
    async with AsyncExitStack() as stack:
        server = await asyncio.start_server(answer_at_once, "127.0.0.1", 0)
        stack.callback(server.close)
        address = server.sockets[0].getsockname()
        return report(await measure(f"http://127.0.0.1:{address[1]}", stack), load)


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:  # as the service runs
        sys.exit(runner.run(main()))
