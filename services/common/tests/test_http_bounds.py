"""The HTTP door: big heads, slow clients and many connections cost little and lock nobody out."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import websockets

from pellucid_runtime.counted_host import counted_host
from pellucid_runtime.http_bounds import Connections, HttpBounds
from pellucid_runtime.http_server import SOCKET_WORKS, HttpServer

REQUEST = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"


async def _socket(scope: Any, receive: Any, send: Any) -> None:
    """At work from the first "work" on, until "rest"."""
    await receive()
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] == "websocket.receive":
        scope[SOCKET_WORKS](works=message["text"] == "work")
        await send({"type": "websocket.send", "text": "heard"})


async def _app(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "websocket":
        await _socket(scope, receive, send)
    if scope["type"] != "http":
        return
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        more = message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"well"})


@asynccontextmanager
async def _serving(**bounds: Any) -> AsyncIterator[tuple[int, Counter[str], Connections]]:
    refused: Counter[str] = Counter()
    connections = Connections(HttpBounds(**bounds), lambda cause: refused.update([cause]))
    server = HttpServer(_app, "127.0.0.1", 0, connections=connections, lifespan="off")
    await server.start()
    try:
        yield server.port, refused, connections
    finally:
        await server.stop(0)


async def _asked(port: int, *pieces: bytes, wait_s: float = 0.0) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for piece in pieces:
        writer.write(piece)
        await asyncio.sleep(wait_s)
    answer = await asyncio.wait_for(reader.read(), 10)
    writer.close()
    return answer


async def test_a_request_within_bounds_is_answered() -> None:
    async with _serving() as (port, refused, _):
        answer = await _asked(port, REQUEST.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n"))

    assert answer.startswith(b"HTTP/1.1 200")
    assert refused == {}


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1\r\nhost: x\r\nx-a: " + b"a" * 40_000,
        b"GET / HTTP/1.1\r\nhost: x\r\nx-a: " + b"a" * 40_000 + b"\r\n\r\n",
        b"GET /" + b"a" * 40_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 101 + b"\r\n",
        b"GET / HTTP/1.1\r\n" + b"".join(b"a%d: b\r\n" % n for n in range(3_000)),
    ],
)
async def test_a_head_beyond_its_bounds_is_refused_with_the_limit(head: bytes) -> None:
    async with _serving() as (port, refused, _):
        answer = await _asked(port, head)

    first, _, body = answer.partition(b"\r\n\r\n")
    assert first.startswith(b"HTTP/1.1 431")
    problem = json.loads(body)
    assert problem["code"] == "HEADERS_TOO_LARGE"
    assert "32768 bytes and 100 headers" in problem["detail"]
    assert refused == {"head": 1}


async def test_a_flood_of_heads_takes_no_memory() -> None:
    def resident_kib() -> int:
        line = next(
            row
            for row in Path("/proc/self/status").read_text("ascii").splitlines()
            if row.startswith("VmRSS")
        )
        return int(line.split()[1])

    async def flood(port: int) -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\n")
        try:
            for n in range(400):
                writer.write(b"x%d: " % n + b"a" * 65_536 + b"\r\n")
                await writer.drain()
        except ConnectionError:
            pass
        writer.close()

    async with _serving() as (port, refused, _):
        before = resident_kib()
        await asyncio.gather(*(flood(port) for _ in range(8)))
        grown = resident_kib() - before

    assert grown < 32 * 1024
    assert refused["head"] == 8


async def test_slow_heads_slow_bodies_and_silence_end() -> None:
    async with _serving(head_s=0.3, body_s=0.4, idle_s=0.3) as (port, refused, connections):
        head = await _asked(port, b"GET / HTT")
        body = await _asked(port, b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nab")
        silent = await _asked(port)
        kept = await _asked(port, REQUEST)
        await asyncio.sleep(0.1)

        assert head.startswith(b"HTTP/1.1 408")
        assert b"within 0.3 s" in head
        assert body.startswith(b"HTTP/1.1 408")
        assert b"within 0.4 s" in body
        assert silent == b""
        assert b"well" in kept
        assert refused == {"slow_head": 1, "slow_body": 1, "silent": 1}
        assert len(connections) == 0


async def test_dripping_a_head_does_not_stretch_its_time() -> None:
    async with _serving(head_s=0.5) as (port, refused, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        begun = asyncio.get_running_loop().time()
        for letter in b"GET / HTTP/1.1\r\nhost: xxxxxxxxxxxxxxxxxxxx":
            writer.write(bytes([letter]))
            await asyncio.sleep(0.05)
            if reader.at_eof() or refused:
                break
        took = asyncio.get_running_loop().time() - begun
        writer.close()

    assert refused == {"slow_head": 1}
    assert took < 5


async def test_silent_connections_lock_nobody_out() -> None:
    async with _serving(connections=50, per_address=50) as (port, refused, connections):
        silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(120)]
        answer = await _asked(port, REQUEST.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n"))
        assert len(connections) <= 50
        for _, writer in silent:
            writer.close()

    assert answer.startswith(b"HTTP/1.1 200")
    assert refused["evicted"] >= 70


async def test_requests_in_progress_are_not_sent_away() -> None:
    async with _serving(connections=2, per_address=2) as (port, refused, _):
        begun = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\nconnection: close\r\n\r\n"
        working = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2)]
        for _, writer in working:
            writer.write(begun)
        await asyncio.sleep(0.2)

        late = await _asked(port, REQUEST)
        for reader, writer in working:
            writer.write(b"ab")
            assert b"well" in await reader.read()
            writer.close()

    assert late.startswith(b"HTTP/1.1 503")
    assert b"2 connections" in late
    assert refused == {"connections": 1}


async def test_sockets_without_anything_in_progress_make_room() -> None:
    async with _serving(connections=3, per_address=3) as (port, refused, _):
        sockets = [await websockets.connect(f"ws://127.0.0.1:{port}/") for _ in range(3)]
        for socket, word in zip(sockets, ("work", "work", "rest"), strict=True):
            await socket.send(word)
            assert await socket.recv() == "heard"
        answer = await _asked(port, REQUEST.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n"))
        for socket in sockets[:2]:
            await socket.send("rest")
            assert await socket.recv() == "heard"
        with pytest.raises(websockets.ConnectionClosed):
            await sockets[2].recv()
        for socket in sockets[:2]:
            await socket.close()

    assert answer.startswith(b"HTTP/1.1 200")
    assert refused == {"evicted": 1}


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("2001:db8:1:2::a", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff:1:2:3", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("192.0.2.1", "192.0.2.1"),
        ("", ""),
    ],
)
def test_a_host_of_ipv6_is_a_network_of_64_bits(address: str, host: str) -> None:
    assert counted_host(address) == host


async def test_a_client_that_never_reads_loses_its_connection() -> None:
    async def endless(scope: Any, _receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(10_000):
            await send({"type": "http.response.body", "body": b"a" * 65_536, "more_body": True})

    refused: Counter[str] = Counter()
    connections = Connections(HttpBounds(write_s=0.3), lambda cause: refused.update([cause]))
    server = HttpServer(endless, "127.0.0.1", 0, connections=connections, lifespan="off")
    await server.start()
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port, limit=1_024)
        writer.write(REQUEST)
        async with asyncio.timeout(20):
            # The counter comes first, the connection goes when the loop is next at it.
            while not refused or len(connections):  # noqa: ASYNC110 - told by counters alone
                await asyncio.sleep(0.05)
        assert refused == {"unread": 1}
        assert not reader.at_eof()
        writer.close()
    finally:
        await server.stop(0)
