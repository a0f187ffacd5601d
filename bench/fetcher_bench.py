# ruff: noqa: E402 - the tests' rig and tables stand beside them
"""The fetcher's own share of a page, good pages beside dead hosts and bad servers, killed browsers.

Pages come from loopback in raw bytes; the guard stays on and extraction runs in its processes. Of
the browser it measures the page after one whose Chromium was killed while it read, beside a usual
one; without a Chromium it says so.
Prints a table and writes it to bench/results/fetcher.json. Usage: fetcher_bench.py
"""

import asyncio
import json
import os
import shutil
import signal
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "services/fetcher/tests"))

from bad_server_rows import CHUNKED, HEAD, OK_LINE, READABLE, REFUSED, TEXT, WORDS, Row
from pretended import PretendDialler, PretendResolver, Rig, http

from pellucid_fetcher.app import Network, open_fetcher
from pellucid_fetcher.outcome import FetchStatus, Method, Page
from pellucid_fetcher.settings import FetcherSettings
from pellucid_runtime.telemetry.logs import configure_logging

PAGES = 200
BESIDE = 20
ARTICLE = b"<html><title>Mill</title><main>%s</main></html>" % (f"<p>{WORDS * 4}</p>".encode() * 25)


KILLS = 5
BUSY = b"<html><body><div id=app></div><script>while (true) {}</script></body></html>"
SCRIPTED = (
    b"<!doctype html><title>Light</title><div id=root></div><script>document.getElementById('root')"
    b".innerHTML='<main><p>The lighthouse was moved forty metres inland last year.</p></main>'"
    b"</script>"
)


async def _rig(stack: AsyncExitStack, **changes: Any) -> Rig:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    settings = FetcherSettings(
        data_dir=folder,
        log_level="warning",
        fetcher_browser=False,
        fetcher_extract_workers=2,
        fetcher_silence_timeout_s=1.0,
        fetcher_total_timeout_s=3.0,
    ).model_copy(update=changes)
    configure_logging(settings)
    rig = Rig(PretendResolver(), PretendDialler())
    stack.push_async_callback(rig.close)
    rig.fetcher = await open_fetcher(settings, stack, Network(rig.resolver, rig.dialler))
    return rig


async def _drip(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.1)


async def _pour(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(f"<p>{WORDS * 100}</p>".encode())
        await writer.drain()


async def _chunks(writer: asyncio.StreamWriter) -> None:
    paragraph = f"<p>{WORDS * 100}</p>".encode()
    while True:
        writer.write(b"%x\r\n%b\r\n" % (len(paragraph), paragraph))
        await writer.drain()


async def _lead_on(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 302 F\r\nlocation: /%d\r\n\r\n" % time.perf_counter_ns())


_SCRIPTS = {"drip": _drip, "pour": _pour, "chunks": _chunks, "lead on": _lead_on}


def _scripted() -> tuple[Row, ...]:
    """Rows of the list that the tests play with servers of their own."""
    page, ok = HEAD + b"\r\n", FetchStatus.OK
    late = HEAD + b"content-length: 90000\r\n\r\n" + TEXT
    refresh = b"refresh: 0;url=http://127.0.0.1/\r\n\r\n"
    rest = b"HTTP/1.1 429 T\r\nretry-after: 3600\r\n\r\n"
    robot = b"<title>Just a moment...</title><p>Verify that you are human.</p>"
    latin = OK_LINE + b"content-type: text/html; charset=utf-16\r\n\r\n" + TEXT
    return (
        Row(7, "a byte of the head at a time", OK_LINE, FetchStatus.TOTAL_TIMEOUT, "drip"),
        Row(8, "a byte of the body at a time", late, FetchStatus.TOTAL_TIMEOUT, "drip"),
        Row(9, "endless chunks", CHUNKED, ok, "chunks"),
        Row(10, "endless", page, ok, "pour"),
        Row(14, "200,000 parts in each other", page + b"<div>" * 200_000, ok),
        Row(15, "a megabyte of attribute", page + b'<p title="' + b"x" * 1_000_000 + b'">', ok),
        Row(30, "ever on", b"", FetchStatus.TOO_MANY_REDIRECTS, "lead on"),
        Row(32, "refresh to the inside", HEAD + refresh + TEXT, ok),
        Row(33, "come back in an hour", rest, FetchStatus.RATE_LIMITED),
        Row(35, "a test for humans", page + robot, FetchStatus.OK),
        Row(36, "another charset than it says", latin, ok),
    )


async def _serve(rig: Rig, row: Row | None) -> None:
    """Good pages, and at hosts that begin with "bad" what the row says; without one, silence."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        if b"host: bad" not in head:
            writer.write(http(ARTICLE if b"article" in head else TEXT))
            return
        writer.write(row.wire if row is not None else b"")
        await writer.drain()
        if row is not None and row.then in _SCRIPTS:
            await _SCRIPTS[row.then](writer)
        elif row is None or row.then == "hang":
            await reader.read()

    await rig.serve(answer)


def _ms(pages: list[Page]) -> list[float]:
    assert all(page.success for page in pages), [page.status for page in pages]
    return sorted(page.timings.total_ms for page in pages)


async def _static(rig: Rig) -> dict[str, float]:
    await _serve(rig, None)
    for _ in range(20):
        await rig.fetch("http://good.test/article")
    worked = time.process_time()
    pages = [await rig.fetch("http://good.test/article") for _ in range(PAGES)]
    worked = time.process_time() - worked
    spent = _ms(pages)
    return {
        "static p50 ms": statistics.median(spent),
        "static p95 ms": spent[int(0.95 * PAGES)],
        # Work of the own process for a page; unlike the times it hardly depends on load.
        "processor ms a page": 1000 * worked / PAGES,
    }


async def _dead_hosts(rig: Rig) -> dict[str, float]:
    alone, beside = [], []
    for _ in range(5):
        urls = [f"http://good{n}.test/" for n in range(45)]
        started = time.perf_counter()
        _ms(await asyncio.gather(*map(rig.fetch, urls)))
        alone.append(time.perf_counter() - started)
        dead = [asyncio.create_task(rig.fetch(f"http://bad{n}.test/")) for n in range(5)]
        started = time.perf_counter()
        _ms(await asyncio.gather(*map(rig.fetch, urls)))
        beside.append(time.perf_counter() - started)
        await asyncio.gather(*dead)
    return {
        "45 good alone ms": 1000 * statistics.median(alone),
        "45 good beside 5 dead ms": 1000 * statistics.median(beside),
    }


async def _p95(rig: Rig, stop: asyncio.Event | None = None, scheme: str = "http") -> float:
    async def bad() -> None:
        while stop is not None and not stop.is_set():
            await rig.fetch(f"{scheme}://bad.test/", timeout_s=3.0)

    task = asyncio.create_task(bad())
    await asyncio.sleep(0.05)
    spent = []
    for _ in range(3):
        pages = [await rig.fetch(f"http://good{n}.test/") for n in range(BESIDE)]
        spent.append(_ms(pages)[int(0.95 * BESIDE) - 1])
    if stop is not None:
        stop.set()
    await task
    return statistics.median(spent)


async def _isolation(rig: Rig, stack: AsyncExitStack) -> dict[str, Any]:
    """Measure 20 good pages beside one case of each row, against the same without it.

    A row passes when their p95 stays within 1.5 times or 50 ms of normal.
    """
    rows = {row.number: row for row in (*READABLE, *REFUSED, *_scripted())}
    compared = {}
    for row in rows.values():
        await rig.close()
        await _serve(rig, row)
        compared[str(row)] = (await _p95(rig), await _p95(rig, asyncio.Event()))
    for name, port in _unanswered(stack):
        rig.dialler.ports[443] = port
        compared[name] = (await _p95(rig), await _p95(rig, asyncio.Event(), "https"))
    if shutil.which("chromium"):
        browsing = await _rig(stack, fetcher_browser=True)
        busy = Row(40, "a script without end", HEAD + b"\r\n" + BUSY, FetchStatus.NO_TEXT)
        await _serve(browsing, busy)
        await browsing.fetch("http://good.test/")
        compared[str(busy)] = (await _p95(browsing), await _p95(browsing, asyncio.Event()))
        await browsing.close()
    slow = [
        f"{name}: {normal:.0f} -> {beside:.0f} ms"
        for name, (normal, beside) in compared.items()
        if beside > max(1.5 * normal, normal + 50)
    ]
    worst = max(beside - normal for normal, beside in compared.values())
    return {"rows": len(compared), "rows that slow others": slow, "worst added p95 ms": worst}


def _unanswered(stack: AsyncExitStack) -> Iterator[tuple[str, int]]:
    """Ports of rows 1, 2 and 38: nobody there, a full queue, a handshake that never ends."""
    sockets = [stack.enter_context(socket.socket()) for _ in range(7)]
    closed, full, silent = sockets[:3]
    for listener in (closed, full, silent):
        listener.bind(("127.0.0.1", 0))
    full.listen(0)
    for waiting in sockets[3:]:
        waiting.settimeout(0)
        waiting.connect_ex(full.getsockname())
    silent.listen(100)
    for name, listener in (("row 1", closed), ("row 2", full), ("row 38", silent)):
        yield name, listener.getsockname()[1]


async def _killed_browsers(stack: AsyncExitStack) -> dict[str, Any]:
    """Kill a browser and all its processes in the middle of a page; time the next page."""
    rig = await _rig(stack, fetcher_browser=True, fetcher_browser_pages=1)
    renderer = rig.fetcher._steps.chain._ways.renderer  # noqa: SLF001 - nothing else knows the process
    asked = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1]
        if path == b"/endless":
            asked.set()
            await reader.read()
        endless = SCRIPTED.replace(b"<script>", b"<script>fetch('/endless').then(()=>{").replace(
            b"</script>", b"})</script>"
        )
        writer.write(http(endless if path == b"/waits" else SCRIPTED))

    await rig.serve(answer)
    if (await rig.fetch("http://light.test/", timeout_s=60.0)).method is not Method.BROWSER:
        return {"page after a killed browser ms": "no Chromium, not measured"}
    usual, after = [], []
    for _ in range(KILLS):
        usual += _ms([await rig.fetch("http://light.test/", timeout_s=60.0)])
        asked.clear()
        lost = asyncio.create_task(rig.fetch("http://light.test/waits", timeout_s=60.0))
        await asked.wait()
        os.killpg(renderer._seats[0].group, signal.SIGKILL)  # noqa: SLF001
        after += _ms([await rig.fetch("http://light.test/", timeout_s=60.0)])
        await lost
    return {
        "page by browser ms": statistics.median(usual),
        "page after a killed browser ms": statistics.median(after),
        "the slowest of them ms": max(after),
    }


async def main() -> None:
    """Measure everything."""
    async with AsyncExitStack() as stack:
        rig = await _rig(stack)
        results: dict[str, Any] = {"load": os.getloadavg()[0], "cores": os.cpu_count()}
        measures = (
            partial(_static, rig),
            partial(_dead_hosts, rig),
            partial(_isolation, rig, stack),
            partial(_killed_browsers, stack),
        )
        for measure in measures:
            measured = await measure()
            results |= measured
            for name, value in measured.items():
                print(f"{name:28} {value if not isinstance(value, float) else round(value, 1)}")
    folder = ROOT / "bench/results"
    folder.mkdir(exist_ok=True)
    (folder / "fetcher.json").write_text(json.dumps(results, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    asyncio.run(main())
