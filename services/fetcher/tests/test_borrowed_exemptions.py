# ruff: noqa: E501 - scripts are read in one piece
"""Public pages cannot make use of what the operator allows: redirects, robots.txt, scripts."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
import pytest_asyncio
import structlog
from pretended import ReaderHere, opened_rig
from prometheus_client import REGISTRY

from pellucid_fetcher.adapters.egress_proxy import EgressProxy
from pellucid_fetcher.egress.clearance import Reach
from pellucid_fetcher.outcome import FetchStatus, Method, Purpose
from pellucid_fetcher.settings import FetcherSettings

pytestmark = pytest.mark.asyncio(loop_scope="module")

SENTENCE = "The harbour office pays its pilots on the last working day of every month."
WIKI = "http://wiki.corp:9000"
INNER = {
    "fetcher_allow_private_hosts": "wiki.corp:9000,*.hall.corp:9000",
    "fetcher_static_hosts": "wiki.corp=10.0.0.5,*.hall.corp=10.0.0.6",
}
ATTACKS = {
    "post": f"fetch('{WIKI}/delete?id=1',{{method:'POST',mode:'no-cors',body:'x'}})",
    "read": f"fetch('{WIKI}/wages',{{mode:'no-cors'}})",
    "beacon": f"navigator.sendBeacon('{WIKI}/beacon','x')",
    "frame": f"const f=document.createElement('iframe');f.src='{WIKI}/frame';document.body.append(f)",
    "script": f"const s=document.createElement('script');s.src='{WIKI}/script';document.body.append(s)",
    "form": f"document.body.innerHTML+='<iframe name=t></iframe><form target=t method=post action={WIKI}/form></form>';"
    "document.forms[0].submit()",
    "socket": "new WebSocket('ws://wiki.corp:9000/socket')",
    "worker": f"new Worker(URL.createObjectURL(new Blob([\"fetch('{WIKI}/worker',{{mode:'no-cors'}})\"])))",
}  # fmt: skip


class Inner:
    """The hosts that the operator named; they keep what they are asked."""

    def __init__(self, http: Any) -> None:
        self.http = http
        self.asked: list[str] = []
        self.pages: dict[str, bytes] = {}

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[0].decode()
        self.asked.append(line)
        writer.write(self.pages.get(line.split(" ")[1], self.http(f"<p>{SENTENCE}</p>".encode())))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def opened(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Any]:
    settings = FetcherSettings(
        data_dir=tmp_path_factory.mktemp("data"),
        fetcher_whole_timeout_s=60,
        fetcher_requests_per_second=0,
        **INNER,
    )
    async with AsyncExitStack() as stack:
        yield await opened_rig(settings, stack, ReaderHere())


@pytest_asyncio.fixture(loop_scope="module")
async def inner(opened: Any, http: Any) -> AsyncIterator[Inner]:
    inner = Inner(http)
    await opened.serve(inner, 9000)
    yield inner
    await opened.close()


def _to(http: Any, location: str) -> Any:
    return http(b"", status=302, extra=f"location: {location}\r\n")


def _borrowed() -> float:
    labels = {"allowed": "no", "reason": "borrowed_exemption"}
    return REGISTRY.get_sample_value("pellucid_fetcher_egress_decisions_total", labels) or 0.0


@pytest.mark.parametrize("purpose", Purpose)
async def test_a_public_redirect_does_not_lead_to_a_named_host(
    opened: Any, inner: Inner, http: Any, purpose: Purpose
) -> None:
    await opened.pages({"/": _to(http, f"{WIKI}/wages"), "/in": _to(http, "http://10.0.0.9/")})
    before = _borrowed()
    with structlog.testing.capture_logs() as lines:
        page = await opened.fetch("http://light.test/", purpose)
    assert (page.status, page.text) == (FetchStatus.BLOCKED_TARGET, "")
    assert inner.asked == []
    assert _borrowed() == before + 1
    assert [line["reason"] for line in lines if line["event"] == "egress_refused"] == [
        "borrowed_exemption"
    ]
    private = await opened.fetch("http://light.test/in", purpose)
    assert (page.status, page.error) == (private.status, private.error)


async def test_a_named_host_leads_where_it_will(opened: Any, inner: Inner, http: Any) -> None:
    inner.pages = {
        "/on": _to(http, "http://pay.hall.corp:9000/wages"),
        "/out": _to(http, "http://light.test/"),
        "/round": _to(http, "http://light.test/back"),
    }
    await opened.pages(
        {"/": http(f"<p>{SENTENCE}</p>".encode()), "/back": _to(http, f"{WIKI}/wages")}
    )
    assert (await opened.fetch(f"{WIKI}/on")).final_url == "http://pay.hall.corp:9000/wages"
    assert (await opened.fetch(f"{WIKI}/out")).final_url == "http://light.test/"
    # What comes back from the public web comes on its behalf.
    assert (await opened.fetch(f"{WIKI}/round")).status is FetchStatus.BLOCKED_TARGET
    assert [line.split(" ")[1] for line in inner.asked] == ["/on", "/wages", "/out", "/round"]


async def test_robots_txt_does_not_lead_to_a_named_host(
    opened: Any, inner: Inner, http: Any
) -> None:
    page = http(f"<p>{SENTENCE}</p>".encode())
    await opened.pages({"/": page, "/robots.txt": _to(http, f"{WIKI}/robots.txt")})
    assert (await opened.fetch("http://robots.test/", Purpose.SEARCH_RESULT)).success
    assert inner.asked == []


@pytest.mark.parametrize(
    "head", ["GET http://wiki.corp:9000/wages", "POST http://wiki.corp:9000/", "CONNECT wiki.corp:9000"]
)  # fmt: skip
async def test_a_proxy_goes_no_further_than_its_reach(opened: Any, inner: Inner, head: str) -> None:
    for reach, granted in ((Reach.PUBLIC, False), (Reach.NAMED, True), (Reach.ALL, True)):
        async with EgressProxy(opened.gate, opened.dialler, reach) as proxy:
            reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
            writer.write(f"{head} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            assert (await reader.readline()).startswith(b"HTTP/1.1 200") is granted, reach
            writer.close()
        assert granted or inner.asked == []


def _shell(script: str) -> bytes:
    return (
        f"<!doctype html><title>Light</title><body><div id=root></div><script>{script}</script>"
    ).encode()


def _attack() -> bytes:
    tries = "".join(f"try{{{attack}}}catch(e){{}};" for attack in ATTACKS.values())
    tell = f"document.getElementById('root').innerHTML='<main><p>{SENTENCE}</p></main>'"
    return _shell(f"addEventListener('unhandledrejection',e=>e.preventDefault());{tries}{tell}")


@pytest.mark.chromium
@pytest.mark.timeout(180)
async def test_scripts_of_a_public_page_do_not_reach_a_named_host(
    opened: Any, inner: Inner, http: Any
) -> None:
    """The same script on a named host reaches it in every one of these ways."""
    inner.pages["/"] = http(_attack())
    await opened.pages({"/": http(_attack()), "/go": http(_shell(f"location='{WIKI}/wages'"))})
    page = await opened.fetch("http://light.test/", timeout_s=60)
    assert (page.method, page.status) == (Method.BROWSER, FetchStatus.OK)
    assert inner.asked == []
    led = await opened.fetch("http://light.test/go", timeout_s=60)
    assert (led.status, led.text) == (FetchStatus.BLOCKED_TARGET, "")
    assert inner.asked == []
    assert (await opened.fetch(f"{WIKI}/", timeout_s=60)).method is Method.BROWSER
    asked = {line.rpartition(" ")[0] for line in inner.asked}
    assert asked >= {
        "POST /delete?id=1", "GET /wages", "POST /beacon", "GET /frame", "GET /script",
        "POST /form", "GET /socket", "GET /worker",
    }  # fmt: skip


@pytest.mark.chromium
@pytest.mark.timeout(180)
async def test_a_page_of_a_named_host_loads_from_named_and_public_hosts(
    opened: Any, inner: Inner, http: Any
) -> None:
    words = {"near": "Pilots are paid by the harbour office.", "far": "Tides are told by the moon."}
    open_to_all = "access-control-allow-origin: *\r\n"
    places = ["http://pay.hall.corp:9000/near", "http://light.test/far"]
    script = (
        f"Promise.all({places}.map(u=>fetch(u).then(a=>a.text()))).then(t=>document"
        ".getElementById('root').innerHTML='<main><p>'+t.join('</p><p>')+'</p></main>')"
    )
    inner.pages = {"/": http(_shell(script)), "/near": http(words["near"].encode(), extra=open_to_all)}  # fmt: skip
    await opened.pages({"/far": http(words["far"].encode(), extra=open_to_all)})
    page = await opened.fetch(f"{WIKI}/", timeout_s=60)
    assert page.method is Method.BROWSER
    assert all(word in page.text for word in words.values())
