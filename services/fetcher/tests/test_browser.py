"""The browser path: through the proxy, through the gate, and only where it can help."""

import asyncio
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from playwright.async_api import Error

from pellucid_fetcher.adapters import browser_driver, browser_process
from pellucid_fetcher.adapters.browser import ChromiumRenderer
from pellucid_fetcher.adapters.egress_proxy import EgressProxy
from pellucid_fetcher.app import _CHROMIUMS
from pellucid_fetcher.egress.clearance import Reach
from pellucid_fetcher.metrics import BROWSER_AVAILABLE
from pellucid_fetcher.outcome import FetchStatus, Method

SENTENCE = "The lighthouse was moved forty metres inland before the winter storms came."


def _shell(script: str) -> bytes:
    return (
        f"<!doctype html><title>Light</title><div id=root></div><script>{script}</script>".encode()
    )


WRITES = f"document.getElementById('root').innerHTML='<main><p>{SENTENCE}</p></main>'"


@pytest.mark.chromium
@pytest.mark.timeout(120)
async def test_a_page_that_only_a_script_fills(open_rig: Any, http: Any) -> None:
    """The page is read, and that there is a browser is what its launch has shown."""
    BROWSER_AVAILABLE.set(0)
    rig = await open_rig(fetcher_whole_timeout_s=60)  # a first start on a busy machine is slow
    await rig.pages({"/": http(_shell(WRITES)), "/favicon.ico": http(b"")})
    page = await rig.fetch("http://light.test/", timeout_s=60)
    assert page.status is FetchStatus.OK
    assert page.method is Method.BROWSER
    assert SENTENCE in page.text
    assert page.timings.browser_ms > 0
    assert BROWSER_AVAILABLE._value.get() == 1


@pytest.mark.chromium
@pytest.mark.timeout(120)
async def test_what_belongs_to_no_page_finds_no_way_out() -> None:
    """As Chromium's own requests, which no switch turns off for good."""
    asked = []

    async def proxy(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(writer.get_extra_info("peername"))
        writer.close()

    server = await asyncio.start_server(proxy, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    ways = {reach: cast("EgressProxy", SimpleNamespace(port=port)) for reach in Reach}
    async with ChromiumRenderer(
        next(filter(None, map(shutil.which, _CHROMIUMS))), ways, 1, 1024
    ) as renderer:
        browser = await renderer._ready(renderer._seats[0])
        for url in ("https://light.example/", f"http://127.0.0.1:{port}/"):
            page = await (await browser.new_context()).new_page()
            with pytest.raises(Error, match="ERR_PROXY_CONNECTION_FAILED"):
                await page.goto(url)
    server.close()
    assert not asked


@pytest.mark.chromium
@pytest.mark.timeout(120)
async def test_a_busy_script_ends_with_the_time(rig: Any, http: Any) -> None:
    await rig.pages({"/busy": http(_shell("while(1);")), "/": http(_shell(WRITES))})
    busy = await rig.fetch("http://light.test/busy", timeout_s=4)
    assert not busy.success
    assert busy.timings.total_ms < 4_000 + 2_000  # of grace for a busy machine
    assert (await rig.fetch("http://light.test/", timeout_s=60)).method is Method.BROWSER


@pytest.mark.parametrize("node", ["/bin/false", "/nonexistent"])
async def test_a_driver_that_cannot_start_costs_only_the_pages_that_need_it(
    open_rig: Any, http: Any, monkeypatch: pytest.MonkeyPatch, node: str
) -> None:
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", node)
    BROWSER_AVAILABLE.set(1)
    rig = await open_rig(fetcher_chromium="/bin/true")
    plain = http(f"<main><p>{SENTENCE}</p></main>".encode())
    await rig.pages({"/script": http(_shell(WRITES)), "/plain": plain, "/other": plain})
    urls = [f"http://light.test/{name}" for name in ("script", "plain", "other")]

    pages = await asyncio.gather(*(rig.fetch(url, timeout_s=20) for url in urls))

    assert [page.success for page in pages] == [False, True, True]
    assert pages[0].status is not FetchStatus.OK
    assert BROWSER_AVAILABLE._value.get() == 0


async def test_a_driver_that_hangs_is_ended_and_leaves_no_process(
    open_rig: Any, http: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    node = tmp_path / "node"
    node.write_text("#!/bin/sh\nsleep 600 &\nsleep 600\n", "utf-8")
    node.chmod(0o755)
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", str(node))
    monkeypatch.setattr(browser_driver, "DRIVER_S", 1.0)
    BROWSER_AVAILABLE.set(1)
    rig = await open_rig(fetcher_chromium="/bin/true")
    plain = http(f"<main><p>{SENTENCE}</p></main>".encode())
    await rig.pages({"/script": http(_shell(WRITES)), "/plain": plain})

    for _ in range(2):
        urls = ("http://light.test/script", "http://light.test/plain")
        pages = await asyncio.gather(*(rig.fetch(url, timeout_s=20) for url in urls))
        assert [page.success for page in pages] == [False, True]
        assert pages[0].status is not FetchStatus.OK

    assert BROWSER_AVAILABLE._value.get() == 0
    async with asyncio.timeout(10):
        while browser_process.drivers():  # noqa: ASYNC110 - a killed process is gone a moment later
            await asyncio.sleep(0.05)
    await asyncio.sleep(0.5)  # the loop reads their pipes to the end, also on a busy machine


async def test_pages_with_text_never_see_the_browser(rig: Any, http: Any) -> None:
    await rig.pages({"/": http(f"<main><p>{SENTENCE}</p></main>".encode())})
    page = await rig.fetch("http://light.test/")
    assert page.method is Method.HTTP
    assert page.timings.browser_ms == 0


@pytest.mark.parametrize(
    "head",
    [
        "CONNECT 127.0.0.1:443 HTTP/1.1",
        "CONNECT localhost:443 HTTP/1.1",
        "CONNECT light.test:22 HTTP/1.1",
        "CONNECT user@light.test:443 HTTP/1.1",
        "GET http://169.254.169.254/latest HTTP/1.1",
        "GET http://[::1]/ HTTP/1.1",
        "GET /relative HTTP/1.1",
        "GET ftp://light.test/ HTTP/1.1",
        "DELETE http://light.test/ HTTP/1.1",
        "nonsense",
    ],
)
async def test_the_proxy_refuses_alike(rig: Any, head: str) -> None:
    gate = rig.gate
    async with EgressProxy(gate, rig.dialler, Reach.ALL) as proxy:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        writer.write(f"{head}\r\nHost: x\r\n\r\n".encode())
        answer = await reader.read()
        writer.close()
    assert answer.startswith(b"HTTP/1.1 403 ")
    assert rig.dialler.dialled == []


async def test_the_proxy_carries_plain_requests(rig: Any, http: Any) -> None:
    heads = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(http(b"carried"))

    await rig.serve(answer)
    gate = rig.gate
    async with EgressProxy(gate, rig.dialler, Reach.ALL) as proxy:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        writer.write(
            b"GET http://light.test/a?b HTTP/1.1\r\nHost: evil\r\n"
            b"Proxy-Connection: x\r\nX-A: 1\r\n\r\n"
        )
        assert (await reader.read()).endswith(b"carried")
        writer.close()
    assert heads[0].startswith(b"GET /a?b HTTP/1.1\r\nHost: light.test\r\nConnection: close\r\n")
    assert b"X-A: 1" in heads[0]
    assert b"Proxy" not in heads[0]
    assert b"evil" not in heads[0]
