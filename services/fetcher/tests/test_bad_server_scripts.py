"""Bad servers that need a script: slow, endless, evasive, lying about charset or success."""

import asyncio
import codecs
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from email.utils import formatdate
from typing import Any

import httpcore
import pytest
import pytest_asyncio
from bad_server_rows import HEAD, TEXT, WORDS

from pellucid_fetcher.outcome import FetchStatus, Purpose

pytestmark = pytest.mark.asyncio(loop_scope="module")

URL = "http://bad.test/"
LATE_S = 1.5  # of grace for a busy machine, above the promised tenth of a second


@pytest_asyncio.fixture(loop_scope="module")
async def bad(hurried_rig: Any) -> AsyncIterator[Any]:
    yield hurried_rig
    await hurried_rig.close()


async def test_connections(bad: Any) -> None:
    """Rows 1 and 2: nobody listens; nobody takes connections off the queue."""
    page = await bad.fetch(URL)
    assert (page.status, page.retryable) == (FetchStatus.CONNECT_ERROR, True)
    with _full_backlog() as port:
        bad.dialler.ports[80] = port
        page = await bad.fetch(URL)
    assert (page.status, page.retryable) == (FetchStatus.CONNECT_TIMEOUT, True)
    assert 550 <= page.timings.total_ms <= 600 + 1000 * LATE_S


@contextmanager
def _full_backlog() -> Iterator[int]:
    """A listener whose queue is full, so that further connections are neither made nor refused."""
    sockets = []
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(4):
            waiting = socket.socket()
            waiting.settimeout(0)
            waiting.connect_ex(listener.getsockname())
            sockets.append(waiting)
        yield listener.getsockname()[1]
        for waiting in sockets:
            waiting.close()


@pytest.mark.parametrize("headers_done", [False, True])
async def test_slow_bytes(bad: Any, *, headers_done: bool) -> None:
    """Rows 7 and 8: every byte comes before the silence is too long, and no byte buys time."""

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        if headers_done:
            writer.write(HEAD + b"content-length: 90000\r\n\r\n" + TEXT)
        for byte in b"x" * 100 if headers_done else HEAD * 3:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0.15)

    await bad.serve(drip)
    page = await bad.fetch(URL, timeout_s=1.2)
    assert page.status is FetchStatus.TOTAL_TIMEOUT
    assert page.timings.total_ms < 1200 + 1000 * LATE_S
    assert ("three villages" in page.text) is headers_done
    assert page.truncated is headers_done


@pytest.mark.parametrize("chunked", [True, False])
async def test_endless_bodies(bad: Any, *, chunked: bool) -> None:
    """Rows 9 and 10: cut at the cap, and the server finds its connection closed."""
    paragraph = f"<p>{WORDS * 100}</p>".encode()
    hung_up = asyncio.Event()

    async def pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD + (b"transfer-encoding: chunked\r\n\r\n" if chunked else b"\r\n"))
        size = f"{len(paragraph):x}\r\n".encode()
        try:
            while True:
                writer.write(size + paragraph + b"\r\n" if chunked else paragraph)
                await writer.drain()
        finally:
            hung_up.set()

    await bad.serve(pour)
    page = await bad.fetch(URL, timeout_s=30.0)
    assert page.status is FetchStatus.OK
    assert page.truncated
    assert page.bytes_decoded == 8 * 1024 * 1024
    await asyncio.wait_for(hung_up.wait(), 5)


@pytest.mark.parametrize(
    "body",
    [
        b"<div>" * 200_000 + b"deep",
        b"<p " + b"a=b " * 250_000 + b">text",
        b'<p title="' + b"x" * 1_000_000 + b'">text</p>',
        b"<" * 1_000_000,
        b"&lt;" * 250_000,
        b"<table>" * 100_000,
        b"{" * 1_000_000,
        b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>',
    ],
    ids=lambda body: body[:12].decode(),
)
async def test_mark_up_that_inflates(bad: Any, http: Any, body: bytes) -> None:
    """Rows 14 and 15: bounded work in a worker that may be lost; the next page is served."""
    await bad.pages({"/": http(body), "/good": http(TEXT)})
    page = await bad.fetch(URL, timeout_s=30.0)
    assert page.status in (FetchStatus.OK, FetchStatus.PARSE_LIMIT, FetchStatus.NO_TEXT)
    assert "root:" not in page.text
    assert (await bad.fetch(f"{URL}good", timeout_s=30.0)).success


async def test_extra_bytes_reach_no_later_request(bad: Any, http: Any) -> None:
    """Row 19: what follows the body is nobody's answer, because connections are never reused."""
    poison = http(b"<p>poison poison poison</p>")
    connections = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(http(TEXT, extra="connection: keep-alive\r\n") + poison)

    await bad.serve(answer)
    for expected in (1, 2):
        page = await bad.fetch(URL)
        assert "three villages" in page.text
        assert "poison" not in page.text
        assert len(connections) == expected


async def test_redirect_mazes(bad: Any, http: Any) -> None:
    """Rows 29 and 30: a circle is seen on its repeat, a chain ends at five and with the time."""
    there_and_back = {
        "/": http(b"", status=302, extra="location: /b\r\n"),
        "/b": http(b"", status=302, extra="location: /\r\n"),
    }
    await bad.pages(there_and_back)
    assert (await bad.fetch(URL)).status is FetchStatus.REDIRECT_LOOP
    await bad.close()
    served = []

    async def onward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        served.append(1)
        await asyncio.sleep(0.3 if len(served) > 6 else 0)
        writer.write(f"HTTP/1.1 302 F\r\nlocation: /{len(served)}\r\n\r\n".encode())

    await bad.serve(onward)
    page = await bad.fetch(URL)
    assert page.status is FetchStatus.TOO_MANY_REDIRECTS
    assert len(page.redirects) == len(served) == 6
    slow = await bad.fetch(URL, timeout_s=0.8)
    assert slow.status is FetchStatus.TOTAL_TIMEOUT
    assert slow.timings.total_ms < 800 + 1000 * LATE_S


@pytest.mark.parametrize(
    "location",
    ["file:///etc/passwd", "gopher://a.test/", "http://10.0.0.1/", "http://me@a.test/", "//[::1]/"],
)
async def test_redirects_to_where_nobody_may_go(bad: Any, http: Any, location: str) -> None:
    """Row 31: nothing is dialled."""
    await bad.pages({"/": http(b"", status=302, extra=f"location: {location}\r\n")})
    bad.dialler.dialled.clear()
    page = await bad.fetch(URL)
    assert page.status in (FetchStatus.BLOCKED_TARGET, FetchStatus.BAD_REDIRECT)
    assert len(bad.dialler.dialled) == 1


async def test_refresh_and_scripts_lead_nowhere(bad: Any, http: Any) -> None:
    """Row 32: over HTTP neither a header, nor mark-up, nor a script is followed."""
    body = (
        b"<html><head><meta http-equiv=refresh content='0;url=http://127.0.0.1/'></head><body>"
        b"<script>location='http://127.0.0.1/'</script>" + TEXT
    )
    await bad.pages({"/": http(body, extra="refresh: 0;url=http://127.0.0.1/\r\n")})
    bad.dialler.dialled.clear()
    assert (await bad.fetch(URL)).success
    assert len(bad.dialler.dialled) == 1


@pytest.mark.parametrize("as_date", [False, True])
async def test_asked_to_come_back_later(bad: Any, http: Any, *, as_date: bool) -> None:
    """Row 33: passed on, not slept, and the host is left alone by search results."""
    host = f"rest{int(as_date)}.test"
    value = formatdate(time.time() + 3600, usegmt=True) if as_date else "3600"
    await bad.pages({"/": http(b"", status=429, extra=f"retry-after: {value}\r\n")})
    page = await bad.fetch(f"http://{host}/")
    assert (page.status, page.retryable) == (FetchStatus.RATE_LIMITED, True)
    assert 3590 <= page.retry_after_s <= 3600
    assert page.timings.total_ms < 1500
    bad.dialler.dialled.clear()
    again = await bad.fetch(f"http://{host}/other", Purpose.SEARCH_RESULT)
    assert again.status is FetchStatus.RATE_LIMITED
    assert again.retry_after_s > 3000
    assert len(bad.dialler.dialled) == 1  # robots.txt


@pytest.mark.parametrize(
    ("statuses", "asked", "expected"),
    [
        ((503, 200), 2, FetchStatus.OK),
        ((503, 503, 200), 2, FetchStatus.HTTP_ERROR),
        ((502, 504), 2, FetchStatus.HTTP_ERROR),
        ((500, 200), 1, FetchStatus.HTTP_ERROR),
        ((403, 200), 2, FetchStatus.OK),
        ((403, 403, 200), 2, FetchStatus.FORBIDDEN),
        ((401, 200), 1, FetchStatus.FORBIDDEN),
        ((451, 200), 1, FetchStatus.FORBIDDEN),
        ((404, 200), 1, FetchStatus.NOT_FOUND),
    ],
)
async def test_what_is_asked_again(
    bad: Any, http: Any, statuses: tuple[int, ...], asked: int, expected: FetchStatus
) -> None:
    """Row 34: one more try for a gateway's trouble, and after 403 as a browser; else none."""
    left = list(statuses)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(http(TEXT, status=left.pop(0)))

    await bad.serve(answer)
    assert (await bad.fetch(URL)).status is expected
    assert len(statuses) - len(left) == asked


_WALL = b"""<title>Just a moment...</title><p>Checking your browser before accessing. cf-chl</p>
<div class='cf-turnstile'></div>"""
_GONE = b"""<title>404 - Page not found</title><h1>Page not found</h1>
<p>The page you are looking for does not exist.</p>"""
_CONSENT = b"""<title>Before you continue</title><p>Before you continue to our site, we and our
partners store cookies. Accept all cookies or reject all cookies.</p>"""


@pytest.mark.parametrize(
    ("body", "status", "warning"),
    [
        (_WALL, FetchStatus.BLOCKED_BY_SITE, ""),
        (_GONE, FetchStatus.OK, "soft_404"),
        (_CONSENT, FetchStatus.OK, "consent_page"),
    ],
)
async def test_success_that_is_none(
    bad: Any, http: Any, body: bytes, status: FetchStatus, warning: str
) -> None:
    """Row 35: recognised, and said so that nobody quotes it."""
    await bad.pages({"/": http(body)})
    page = await bad.fetch(URL)
    assert page.status is status
    if warning:
        assert {warning, "soft_error"} <= set(page.warnings)


_KOREAN = "서울의 오래된 시장은 새벽부터 붐빈다. 상인들은 생선과 채소를 나른다. "
_CHINESE = "北京的老市场从清晨就很热闹。商人们搬运鱼和蔬菜，顾客讨价还价。"
_UTF_7 = b"<p>+ADw-script+AD4- is harmless text here, plain and simple words.</p>"
_GERMAN = "Über den Fluß führen zwei Brücken, eine davon für Fußgänger. "


@pytest.mark.parametrize(
    ("body", "kind", "expected"),
    [
        (f"<p>{_GERMAN * 3}</p>".encode(), "text/html; charset=iso-8859-1", "Brücken"),
        (f"<meta charset=gbk><p>{_CHINESE}</p>".encode(), "text/html; charset=utf-8", "清晨"),
        (f"<meta charset=gbk><p>{_CHINESE}</p>".encode("gbk"), "text/html", "清晨"),
        (f"<html><p>{_GERMAN * 3}</p>".encode("utf-16-le"), "text/html", "Brücken"),
        (codecs.BOM_UTF8 + f"<p>{_GERMAN * 3}</p>".encode(), "text/html; charset=gbk", "Brücken"),
        (f"<p>{_KOREAN * 3}</p>".encode("euc-kr"), "text/html", "새벽부터"),
        (_UTF_7, "text/html; charset=utf-7", "+ADw-script"),
    ],
)  # fmt: skip
async def test_charsets_that_lie(
    bad: Any, http: Any, body: bytes, kind: str, expected: str
) -> None:
    """Row 36: the mark, then the header where the bytes agree, then the page, then a guess."""
    await bad.pages({"/": http(body, kind=kind)})
    page = await bad.fetch(URL)
    assert page.status is FetchStatus.OK
    assert expected in page.text


async def test_a_suspect_charset_is_named(bad: Any, http: Any) -> None:
    body = b"<p>" + b"word \xff\xfe\x81 other " * 60 + b"</p>"
    await bad.pages({"/": http(body, kind="text/html; charset=utf-8")})
    assert "charset_suspect" in (await bad.fetch(URL)).warnings


async def test_a_peer_that_is_not_the_checked_one_is_left(bad: Any) -> None:
    """A dialler or proxy that connects elsewhere is found out before a byte is sent."""

    class Elsewhere:
        async def connect(self, *_: Any, **__: Any) -> httpcore.AsyncNetworkStream:
            return httpcore.AsyncMockStream([b"HTTP/1.1 200 OK\r\n\r\nsecret"])

    transport = bad.fetcher._steps.chain._ways.http._transport
    kept, transport._dialler = transport._dialler, Elsewhere()
    try:
        assert (await bad.fetch(URL)).status is FetchStatus.BLOCKED_TARGET
    finally:
        transport._dialler = kept
