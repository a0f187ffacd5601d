"""Servers that misbehave in raw bytes; each gets its typed outcome, in time, without a leak."""

import asyncio
import gzip
import os
import socket
import struct
import zlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pellucid_fetcher.outcome import FetchStatus

WORDS = "The valley holds three villages and one mill that still grinds rye every autumn. "
TEXT = f"<html><body><main><p>{WORDS}</p><p>{WORDS * 3}</p></main></body></html>".encode()
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n"
URL = "http://bad.test/"


async def _serve_raw(rig: Any, raw: bytes, *, then: str = "close") -> None:
    """Answer every request with the same bytes, then close, reset or hang."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(raw)
        if then == "hang":
            await writer.drain()
            await reader.read()
        if then == "reset":
            await writer.drain()
            await asyncio.sleep(0.05)
            _reset(writer)

    await rig.serve(answer)


def _reset(writer: asyncio.StreamWriter) -> None:
    raw = writer.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def _encoded(body: bytes, encoding: str) -> bytes:
    return HEAD + f"content-encoding: {encoding}\r\n\r\n".encode() + body


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


RAW_CASES: dict[str, tuple[bytes, FetchStatus]] = {
    "closes at once": (b"", FetchStatus.EMPTY_RESPONSE),
    "banner of another protocol": (b"SSH-2.0-OpenSSH_9.9\r\n", FetchStatus.PROTOCOL_ERROR),
    "redis error": (b"-ERR unknown command\r\n\r\n", FetchStatus.PROTOCOL_ERROR),
    "unknown version": (b"HTTP/9.9 abc\r\n\r\n", FetchStatus.PROTOCOL_ERROR),
    "icy": (b"ICY 200 OK\r\n\r\n", FetchStatus.PROTOCOL_ERROR),
    "http 0.9": (TEXT, FetchStatus.PROTOCOL_ERROR),
    "two lengths": (
        HEAD + b"content-length: 5\r\ncontent-length: 6\r\n\r\n" + TEXT,
        FetchStatus.PROTOCOL_ERROR,
    ),
    "negative length": (HEAD + b"content-length: -5\r\n\r\n" + TEXT, FetchStatus.PROTOCOL_ERROR),
    "hex length": (HEAD + b"content-length: 0x50\r\n\r\n" + TEXT, FetchStatus.PROTOCOL_ERROR),
    "signed length": (HEAD + b"content-length: +5\r\n\r\n" + TEXT, FetchStatus.PROTOCOL_ERROR),
    "absurd length": (
        HEAD + b"content-length: 100000000000000000000\r\n\r\n" + TEXT,
        FetchStatus.PROTOCOL_ERROR,
    ),
    "broken chunk size": (
        HEAD + b"transfer-encoding: chunked\r\n\r\nzz\r\n" + TEXT,
        FetchStatus.PROTOCOL_ERROR,
    ),
    "endless chunk extension": (
        HEAD + b"transfer-encoding: chunked\r\n\r\n5;" + b"a" * 1_000_000,
        FetchStatus.PROTOCOL_ERROR,
    ),
    "ten thousand headers": (
        HEAD + b"x-a: b\r\n" * 10_000 + b"\r\n" + TEXT,
        FetchStatus.HEADERS_TOO_LARGE,
    ),
    "a hundred and twenty headers": (
        HEAD + b"x-a: b\r\n" * 120 + b"\r\n" + TEXT,
        FetchStatus.HEADERS_TOO_LARGE,
    ),
    "one giant header": (
        HEAD + b"x-a: " + b"b" * 10_000_000 + b"\r\n\r\n",
        FetchStatus.HEADERS_TOO_LARGE,
    ),
    "nul in a header": (HEAD + b"x-a: b\x00c\r\n\r\n" + TEXT, FetchStatus.PROTOCOL_ERROR),
    "endless interim answers": (
        b"HTTP/1.1 103 Early Hints\r\n\r\n" * 10_000 + HEAD + b"\r\n" + TEXT,
        FetchStatus.HEADERS_TOO_LARGE,
    ),
    "upgrade that nobody asked for": (
        b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n",
        FetchStatus.PROTOCOL_ERROR,
    ),
    "no content": (b"HTTP/1.1 204 No Content\r\n\r\n" + TEXT, FetchStatus.NO_TEXT),
    "three encodings": (_encoded(b"x", "gzip, gzip, gzip"), FetchStatus.UNSUPPORTED_ENCODING),
    "brotli unasked": (_encoded(b"x" * 99, "br"), FetchStatus.UNSUPPORTED_ENCODING),
    "damaged gzip": (_encoded(b"\x1f\x8b" + b"z" * 99, "gzip"), FetchStatus.DECODE_ERROR),
    "png called html": (HEAD + b"\r\n\x89PNG\r\n\x1a\n\x00\x00", FetchStatus.UNSUPPORTED_TYPE),
    "elf called html": (HEAD + b"\r\n\x7fELF\x02\x01\x01\x00", FetchStatus.UNSUPPORTED_TYPE),
    "zip called html": (HEAD + b"\r\nPK\x03\x04\x14\x00\x00", FetchStatus.UNSUPPORTED_TYPE),
    "event stream": (
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: 1\n\n" * 2,
        FetchStatus.UNSUPPORTED_TYPE,
    ),
    "pushed frames": (
        b"HTTP/1.1 200 OK\r\ncontent-type: multipart/x-mixed-replace; boundary=b\r\n\r\n--b\r\n",
        FetchStatus.UNSUPPORTED_TYPE,
    ),
    "redirect without location": (b"HTTP/1.1 302 F\r\n\r\n", FetchStatus.BAD_REDIRECT),
    "redirect to itself": (b"HTTP/1.1 302 F\r\nlocation: /\r\n\r\n", FetchStatus.REDIRECT_LOOP),
    "redirect of a megabyte": (
        b"HTTP/1.1 302 F\r\nlocation: /" + b"a" * 1_000_000 + b"\r\n\r\n",
        FetchStatus.BAD_REDIRECT,
    ),
    "length beyond the body of an empty page": (
        HEAD + b"content-length: 50\r\n\r\n",
        FetchStatus.RESET,
    ),
}


@pytest.fixture
async def watched(rig: Any) -> AsyncIterator[Any]:
    """A rig that must leave neither tasks nor descriptors behind."""
    await rig.fetch("http://down.test/")
    tasks, files = len(asyncio.all_tasks()), _open_files()
    yield rig
    await rig.close()
    for _ in range(20):
        if len(asyncio.all_tasks()) <= tasks and _open_files() <= files:
            break
        await asyncio.sleep(0.05)
    assert len(asyncio.all_tasks()) <= tasks
    assert _open_files() <= files


@pytest.mark.parametrize("case", RAW_CASES)
async def test_raw_answers(watched: Any, case: str) -> None:
    raw, expected = RAW_CASES[case]
    await _serve_raw(watched, raw)
    page = await watched.fetch(URL)
    assert page.status is expected
    assert not page.text
    assert page.error
    assert "SSH" not in page.error


READABLE: dict[str, tuple[bytes, bool]] = {
    "length longer than the body": (HEAD + b"content-length: 1000000\r\n\r\n" + TEXT, True),
    "length shorter than the body": (
        HEAD + f"content-length: {len(TEXT)}\r\n\r\n".encode() + TEXT + b"HTTP/1.1 200 OK\r\n",
        False,
    ),
    "length and chunks": (
        HEAD
        + b"content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n"
        + f"{len(TEXT):x}\r\n".encode()
        + TEXT
        + b"\r\n0\r\n\r\n",
        False,
    ),
    "chunks that end early": (
        HEAD + b"transfer-encoding: chunked\r\n\r\nffff\r\n" + TEXT,
        True,
    ),
    "plain under a gzip label": (_encoded(TEXT, "gzip"), False),
    "gzip": (_encoded(gzip.compress(TEXT), "gzip"), False),
    "gzip twice": (_encoded(gzip.compress(gzip.compress(TEXT)), "gzip, gzip"), False),
    "deflate with header": (_encoded(zlib.compress(TEXT), "deflate"), False),
    "deflate without header": (_encoded(zlib.compress(TEXT)[2:-4], "deflate"), False),
    "gzip with a bad sum": (
        _encoded(gzip.compress(TEXT)[:-8] + b"\x00" * 8, "gzip"),
        True,
    ),
    "no type": (b"HTTP/1.1 200 OK\r\n\r\n" + TEXT, False),
    "image type over a page": (
        b"HTTP/1.1 200 OK\r\ncontent-type: image/png\r\n\r\n" + TEXT,
        False,
    ),
    "a few interim answers": (
        b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n" * 3 + HEAD + b"\r\n" + TEXT,
        False,
    ),
}


@pytest.mark.parametrize("case", READABLE)
async def test_readable_nevertheless(watched: Any, case: str) -> None:
    raw, truncated = READABLE[case]
    await _serve_raw(watched, raw)
    page = await watched.fetch(URL)
    assert page.status is FetchStatus.OK
    assert "three villages" in page.text
    assert page.truncated is truncated
    assert ("partial" in page.warnings) is truncated


async def test_a_cut_gzip_stream_keeps_what_came(watched: Any) -> None:
    body = b"<main>" + b"".join(
        f"<p>Line {n} of {os.urandom(4).hex()} tells a new story.</p>".encode() for n in range(400)
    )
    await _serve_raw(watched, _encoded(gzip.compress(body)[:-3000], "gzip"))
    page = await watched.fetch(URL)
    assert page.status is FetchStatus.OK
    assert page.truncated
    assert "Line 0 " in page.text


async def test_refused_connection(watched: Any) -> None:
    assert (await watched.fetch("http://down.test/")).status is FetchStatus.CONNECT_ERROR


async def test_reset_before_the_headers_end(watched: Any) -> None:
    await _serve_raw(watched, b"HTTP/1.1 200 OK\r\ncontent-ty", then="reset")
    page = await watched.fetch(URL)
    assert page.status is FetchStatus.RESET
    assert page.retryable


async def test_reset_in_the_body_keeps_what_came(watched: Any) -> None:
    raw = HEAD + b"content-length: 900000\r\n\r\n" + TEXT + b"<p>more words of it</p>" * 400
    await _serve_raw(watched, raw, then="reset")
    page = await watched.fetch(URL)
    assert page.status is FetchStatus.OK
    assert page.truncated
    assert "three villages" in page.text


async def test_an_empty_answer_is_asked_once_more(watched: Any, http: Any) -> None:
    answers = [b"", http(TEXT)]

    async def flaky(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answers.pop(0))

    await watched.serve(flaky)
    assert (await watched.fetch(URL)).success


async def test_slow_headers_end_with_the_total_time(watched: Any) -> None:
    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        for byte in HEAD * 50:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0.1)
            if reader.at_eof() or writer.is_closing():
                return

    await watched.serve(drip)
    page = await watched.fetch(URL, timeout_s=0.8)
    assert page.status is FetchStatus.TOTAL_TIMEOUT
    assert page.timings.total_ms < 900


async def test_a_slow_body_keeps_what_came(watched: Any) -> None:
    await _serve_raw(watched, HEAD + b"content-length: 90000\r\n\r\n" + TEXT, then="hang")
    page = await watched.fetch(URL, timeout_s=1.0)
    assert page.status is FetchStatus.TOTAL_TIMEOUT
    assert page.truncated
    assert "three villages" in page.text
    assert page.timings.total_ms < 1100


@pytest.mark.parametrize("chunked", [True, False])
async def test_an_endless_body_is_cut_at_the_cap(watched: Any, *, chunked: bool) -> None:
    paragraph = f"<p>{WORDS}</p>".encode() * 20

    async def pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD + (b"transfer-encoding: chunked\r\n\r\n" if chunked else b"\r\n"))
        size = f"{len(paragraph):x}\r\n".encode()
        while True:
            writer.write(size + paragraph + b"\r\n" if chunked else paragraph)
            await writer.drain()

    await watched.serve(pour)
    page = await watched.fetch(URL, timeout_s=8.0)
    assert page.status is FetchStatus.OK
    assert page.truncated
    assert page.bytes_decoded == 1024 * 1024


async def test_a_gzip_bomb_is_named(watched: Any) -> None:
    bomb = zlib.compressobj(wbits=31)
    packed = bomb.compress(b"\x20" * 50_000_000) + bomb.flush()
    assert len(packed) < 60_000
    await _serve_raw(watched, _encoded(packed, "gzip"))
    assert (await watched.fetch(URL)).status is FetchStatus.DECOMPRESSION_BOMB


@pytest.mark.parametrize(
    "body",
    [
        b"<div>" * 200_000 + b"deep",
        b"<p " + b"a=b " * 250_000 + b">text",
        b'<p title="' + b"x" * 1_000_000 + b'">text</p>',
        b"<" * 1_000_000,
        b"&lt;" * 250_000,
        b"<a>" * 300_000,
        b"<table>" * 100_000,
        b"{" * 1_000_000,
        b"<p>" + b"word" * 250_000,
    ],
)
async def test_mark_up_that_inflates_is_bounded(watched: Any, http: Any, body: bytes) -> None:
    await watched.pages({"/": http(body), "/good": http(TEXT)})
    page = await watched.fetch(URL, timeout_s=8.0)
    assert page.status in (FetchStatus.OK, FetchStatus.PARSE_LIMIT, FetchStatus.NO_TEXT)
    assert page.timings.extract_ms < 2500
    assert (await watched.fetch(f"{URL}good")).success


async def test_endless_redirects_end(watched: Any) -> None:
    counter = iter(range(1_000))

    async def onward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 302 F\r\nlocation: /{next(counter)}\r\n\r\n".encode())

    await watched.serve(onward)
    page = await watched.fetch(URL)
    assert page.status is FetchStatus.TOO_MANY_REDIRECTS
    assert next(counter) == 6


async def test_two_pages_that_point_at_each_other(watched: Any, http: Any) -> None:
    await watched.pages(
        {
            "/": http(b"", status=302, extra="location: /b\r\n"),
            "/b": http(b"", status=302, extra="location: /\r\n"),
        }
    )
    assert (await watched.fetch(URL)).status is FetchStatus.REDIRECT_LOOP


async def test_refresh_and_scripts_lead_nowhere(watched: Any, http: Any) -> None:
    body = (
        b"<html><head><meta http-equiv=refresh content='0;url=http://127.0.0.1/'></head><body>"
        b"<script>location='http://127.0.0.1/'</script><main><p>"
        + WORDS.encode()
        + b"</p></main></body></html>"
    )
    await watched.pages({"/": http(body, extra="refresh: 0;url=http://127.0.0.1/\r\n")})
    watched.dialler.dialled.clear()
    page = await watched.fetch(URL)
    assert page.success
    assert len(watched.dialler.dialled) == 1


async def test_a_certificate_nobody_knows(watched: Any, tmp_path: Any) -> None:
    import ssl
    import subprocess

    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
        "-nodes", "-days", "2", "-subj", "/CN=bad.test", "-addext", "subjectAltName=DNS:bad.test",
        "-keyout", str(key), "-out", str(certificate),
    ]  # fmt: skip
    await asyncio.to_thread(subprocess.run, command, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD + b"\r\n" + TEXT)

    await watched.serve(answer, port=443, ssl=context)
    page = await watched.fetch("https://bad.test/")
    assert page.status is FetchStatus.TLS_ERROR
    assert not page.retryable


async def test_tls_that_is_not_tls(watched: Any) -> None:
    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"220 mail.test ESMTP\r\n")

    await watched.serve(greet, port=443)
    assert (await watched.fetch("https://bad.test/")).status is FetchStatus.TLS_ERROR


async def test_good_pages_beside_dead_hosts_are_not_delayed(watched: Any, http: Any) -> None:
    async def mixed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if b"dead" in head:
            await reader.read()
        writer.write(http(TEXT))

    await watched.serve(mixed)
    dead = [
        asyncio.create_task(watched.fetch(f"http://dead{n}.test/", timeout_s=2)) for n in range(5)
    ]
    good = await asyncio.gather(*(watched.fetch(f"http://good{n}.test/") for n in range(20)))
    assert all(page.success for page in good)
    assert max(page.timings.total_ms for page in good) < 1500
    assert {page.status for page in await asyncio.gather(*dead)} == {FetchStatus.TOTAL_TIMEOUT}
