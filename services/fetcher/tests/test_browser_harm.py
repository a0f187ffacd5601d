# ruff: noqa: E501 - scripts are read in one piece
"""Pages that attack the browser: only the page is lost, and the next one is served at once."""

import asyncio
import os
import signal
import socket
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from pretended import ReaderHere, opened_rig
from prometheus_client import REGISTRY

from pellucid_fetcher.adapters import browser_process
from pellucid_fetcher.outcome import FetchStatus, Method
from pellucid_fetcher.settings import FetcherSettings

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.timeout(180),
    pytest.mark.asyncio(loop_scope="module"),
]

SENTENCE = "The lighthouse was moved forty metres inland before the winter storms came."
WRITES = f"document.getElementById('root').innerHTML='<main><p>{SENTENCE}</p></main>';"
# Two seconds on a machine of its own; here only that nobody waits for a time limit.
BACK_S = 25.0


def shell(script: str) -> bytes:
    return (
        f"<!doctype html><title>Light</title><div id=root></div><script>{script}</script>".encode()
    )


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browsing(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Any]:
    """A fetcher with a browser that several tests share."""
    settings = FetcherSettings(
        data_dir=tmp_path_factory.mktemp("data"),
        fetcher_browser_pages=2,
        fetcher_browser_memory_mib=512,
        fetcher_whole_timeout_s=60,
    )
    async with AsyncExitStack() as stack:
        yield await opened_rig(settings, stack, ReaderHere())


def _renderer(rig: Any) -> Any:
    return rig.fetcher._steps.chain._ways.renderer


def _killed_for_memory() -> float:
    labels = {"cause": "memory"}
    return REGISTRY.get_sample_value("pellucid_fetcher_browser_restarts_total", labels) or 0.0


def _zombies() -> list[str]:
    """Dead children of this process, which nobody but it will collect."""
    return [
        entry.name
        for entry, fields in browser_process._stats()
        if fields[0] == "Z" and int(fields[1]) == os.getpid()
    ]


async def _settled(rig: Any) -> None:
    await asyncio.gather(*_renderer(rig)._cleaning, return_exceptions=True)


async def _next_is_served(rig: Any) -> None:
    """The page after the harm, asked for as soon as the harm is over."""
    started = time.monotonic()
    page = await rig.fetch("http://light.test/good", timeout_s=60)
    assert page.method is Method.BROWSER
    assert SENTENCE in page.text
    assert time.monotonic() - started < BACK_S


HARM = {
    "busy for ever": "while(1);",
    "alerts without end": "while(1) alert(1);",
    "windows": f"for(let i=0;i<1000;i++) open('/good'); {WRITES}",
    "what it may not": (
        "addEventListener('beforeunload',e=>{e.preventDefault();e.returnValue=1}); print();"
        "navigator.clipboard&&navigator.clipboard.readText().catch(()=>0);"
        f"navigator.serviceWorker&&navigator.serviceWorker.register('/sw.js').catch(()=>0); {WRITES}"
    ),
    "download": "location='/big.bin'",
    "reload for ever": "location.reload()",
}  # fmt: skip


@pytest.mark.parametrize("harm", HARM)
async def test_harmful_scripts(browsing: Any, http: Any, harm: str) -> None:
    """Row 40: over by the deadline, and the next page has a fresh context at once."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1]
        if path == b"/big.bin":
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\n\r\n")
            for _ in range(1024):
                writer.write(b"\x00" * 1_048_576)
                await writer.drain()
        pages = {b"/": shell(HARM[harm]), b"/good": shell(WRITES)}
        writer.write(http(pages.get(path, b"")))

    await browsing.serve(answer)
    limit_s = 3.0
    page = await browsing.fetch("http://light.test/", timeout_s=limit_s)
    assert page.timings.total_ms < 1000 * limit_s + 2000
    assert page.status in (FetchStatus.OK, FetchStatus.NO_TEXT)
    await _next_is_served(browsing)
    await browsing.close()


async def test_memory_is_bounded(browsing: Any, http: Any) -> None:
    """Row 40: a page that takes five gigabytes loses its browser, not the machine."""
    greedy = "const kept=[]; (function more(){const a=new Uint8Array(64<<20); a.fill(7);"
    greedy += "kept.push(a); if(kept.length<80) setTimeout(more,5)})()"
    await browsing.pages({"/": http(shell(greedy)), "/good": http(shell(WRITES))})
    await browsing.fetch("http://light.test/good", timeout_s=60)
    before = _killed_for_memory()
    task = asyncio.create_task(browsing.fetch("http://light.test/", timeout_s=12))
    most = 0
    while not task.done():
        groups = [seat.group for seat in _renderer(browsing)._seats if seat.group]
        most = max([most, *map(browser_process.memory_bytes, groups)])
        await asyncio.sleep(0.1)
    assert not (await task).success
    # It may grow and be killed between two looks from here; the watch of the pool says why it ended.
    assert _killed_for_memory() == before + 1
    assert most < 1600 << 20
    await _next_is_served(browsing)
    await browsing.close()


@pytest.mark.parametrize("whole", [True, False])
async def test_a_killed_browser_costs_one_page(browsing: Any, http: Any, *, whole: bool) -> None:
    """Only the page of the killed process is lost; nothing dead stays behind."""
    waits = f"fetch('/wait').then(()=>{{{WRITES}}})"
    waiting: list[int] = []
    both, killed = asyncio.Event(), asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1]
        if path == b"/wait":
            waiting.append(1)
            if len(waiting) == 2:
                both.set()
            await killed.wait()
        writer.write(http(shell(waits) if path == b"/" else shell(WRITES)))

    await browsing.serve(answer)
    before = _zombies()
    await asyncio.gather(*(browsing.fetch("http://light.test/good", timeout_s=60) for _ in "ab"))
    await _settled(browsing)
    pages = [asyncio.create_task(browsing.fetch("http://light.test/", timeout_s=20)) for _ in "ab"]
    await asyncio.wait_for(both.wait(), 15)
    victim = _renderer(browsing)._seats[0].group
    for pid in [victim] if whole else _renderers_of(victim):
        os.kill(pid, signal.SIGKILL)
    killed.set()
    started = time.monotonic()
    read = [page.method is Method.BROWSER for page in await asyncio.gather(*pages)]
    assert sorted(read) == [False, True]
    assert time.monotonic() - started < 18  # not at the end of its twenty seconds
    await _next_is_served(browsing)
    await _settled(browsing)
    # A test before this one, in the same process, may have left a child of its own.
    assert set(_zombies()) <= set(before)
    assert _renderer(browsing)._seats[0].group != victim
    assert victim not in [int(fields[2]) for _, fields in browser_process._stats()]
    await browsing.close()


def _renderers_of(group: int) -> list[int]:
    return [
        int(entry.name)
        for entry, fields in browser_process._stats()
        if int(fields[2]) == group and b"--type=renderer" in (entry / "cmdline").read_bytes()
    ]


async def test_scripts_that_go_inside_are_refused(browsing: Any, http: Any) -> None:
    """Row 32: a script that leads to an inner address makes the page a refused one."""
    accepted: list[Any] = []
    datagrams = socket.socket(type=socket.SOCK_DGRAM)
    datagrams.bind(("127.0.0.1", 0))
    datagrams.settimeout(0)

    async def trap(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted.append(writer.get_extra_info("peername"))

    server = await asyncio.start_server(trap, ["127.0.0.1", "::1"], 0)
    port = server.sockets[0].getsockname()[1]
    hosts = (
        f"127.0.0.1:{port}",
        f"localhost:{port}",
        "169.254.169.254",
        "10.0.0.7",
        f"[::1]:{port}",
    )
    places = [*(f"http://{host}/" for host in hosts), f"https://127.0.0.1:{port}/"]
    stun = f"stun:127.0.0.1:{datagrams.getsockname()[1]}"
    turn = f"turn:127.0.0.1:{port}?transport=tcp"
    attack = (
        f"for (const u of {places}) {{fetch(u,{{mode:'no-cors'}}).catch(()=>0); new Image().src=u;"
        "const f=document.createElement('iframe'); f.src=u; document.body.append(f);"
        "navigator.sendBeacon(u,'x'); try{new WebSocket(u.replace('http','ws'))}catch(e){};"
        "const l=document.createElement('link'); l.rel='preconnect'; l.href=u;"
        f"document.head.append(l)}} open('{places[0]}');"
        f"const c=new RTCPeerConnection({{iceServers:[{{urls:'{stun}'}},"
        f"{{urls:'{turn}',username:'a',credential:'b'}}]}});"
        "c.createDataChannel('x'); c.createOffer().then(o=>c.setLocalDescription(o));"
        f"try{{new WebTransport('https://127.0.0.1:{port}/')}}catch(e){{}}; {WRITES}"
    )
    led_to = (places[0], places[2], places[-1])
    pages = {f"/to{n}": http(shell(f"location='{place}'")) for n, place in enumerate(led_to)}
    await browsing.pages({"/": http(shell(attack)), **pages})
    page = await browsing.fetch("http://light.test/", timeout_s=20)
    assert page.method is Method.BROWSER
    assert SENTENCE in page.text
    for number, place in enumerate(led_to):
        led = await browsing.fetch(f"http://light.test/to{number}", timeout_s=20)
        assert led.status is FetchStatus.BLOCKED_TARGET, place
    server.close()
    with datagrams, pytest.raises(BlockingIOError):
        datagrams.recv(1)
    assert accepted == []
    await browsing.close()


async def test_a_rendered_page_stays_in_no_file(browsing: Any, http: Any) -> None:
    """What a person's page says is nowhere on disk, neither while it is shown nor afterwards."""
    canary = "zanzibar-8842-canary"
    says = f"localStorage.x='{canary}'; document.cookie='x={canary}; max-age=9999';"
    says += f"document.getElementById('root').innerHTML='<main><p>{canary} {SENTENCE}</p></main>'"
    await browsing.pages({"/": http(shell(says))})
    task = asyncio.create_task(browsing.fetch("http://light.test/", timeout_s=20))
    found: list[str] = []
    while not task.done():
        found += _files_with(canary)
        await asyncio.sleep(0.3)
    assert canary in (await task).text
    await _settled(browsing)
    assert found + _files_with(canary) == []
    await browsing.close()


def _files_with(word: str) -> list[str]:
    profiles = Path(tempfile.gettempdir()).glob("playwright_chromiumdev_profile-*")
    files = (file for profile in profiles for file in profile.rglob("*"))
    return [str(file) for file in files if _holds(file, word.encode())]


def _holds(file: Path, word: bytes) -> bool:
    try:
        return word in file.read_bytes()
    except OSError:
        return False
