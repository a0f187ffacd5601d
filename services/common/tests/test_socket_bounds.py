"""A WebSocket whose client never reads costs little, and not for ever."""

import asyncio
import base64
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import websockets

from pellucid_runtime.http_bounds import Connections, HttpBounds
from pellucid_runtime.http_server import HttpServer
from pellucid_runtime.socket_bounds import BoundedSocket

PIECE = "a" * 65_536
# What the kernel holds between two sockets of this machine, and one answer.
MOST_UNREAD = 1 << 20


async def _endless(scope: Any, receive: Any, send: Any) -> None:
    """Tell more than anybody holds, from the first message on."""
    if scope["type"] != "websocket":
        return
    await receive()
    await send({"type": "websocket.accept"})
    await receive()
    while True:
        await send({"type": "websocket.send", "text": PIECE})


async def _listening(scope: Any, receive: Any, send: Any) -> None:
    """Answer each message with a long one."""
    if scope["type"] != "websocket":
        return
    await receive()
    await send({"type": "websocket.accept"})
    while (await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": PIECE * 16})


@asynccontextmanager
async def _serving(
    app: Callable[..., Any], **options: Any
) -> AsyncIterator[tuple[int, Counter[str], Connections]]:
    refused: Counter[str] = Counter()
    bounds = HttpBounds(write_s=options.pop("write_s", 0.3))
    connections = Connections(bounds, lambda cause: refused.update([cause]))
    server = HttpServer(app, "127.0.0.1", 0, connections=connections, lifespan="off", **options)
    await server.start()
    try:
        yield server.port, refused, connections
    finally:
        await server.stop(0)


async def _opened(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A WebSocket of which only the head of the answer is read."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1_024)
    key = base64.b64encode(os.urandom(16))
    writer.write(
        b"GET / HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: Upgrade\r\n"
        b"sec-websocket-version: 13\r\nsec-websocket-key: %b\r\n\r\n" % key
    )
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101")
    return reader, writer


def _frame(opcode: int, payload: bytes) -> bytes:
    """A masked frame with a mask of zeros; the payload has fewer than 126 bytes."""
    return bytes((0x80 | opcode, 0x80 | len(payload))) + bytes(4) + payload


async def _until(refused: Counter[str]) -> None:
    async with asyncio.timeout(20):
        while not refused:  # noqa: ASYNC110 - the door tells it by a counter alone
            await asyncio.sleep(0.05)


async def test_a_client_that_never_reads_loses_its_socket() -> None:
    async with _serving(_endless) as (port, refused, connections):
        _, writer = await _opened(port)
        writer.write(_frame(1, b"go"))
        await _until(refused)

        assert refused == {"unread": 1}
        assert len(connections) == 0
        writer.close()


async def test_pings_of_a_client_that_never_reads_are_not_answered_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waiting: list[int] = []
    async with _serving(_listening, write_s=1.5) as (port, refused, _):
        _, writer = await _opened(port)
        writer.transport.set_write_buffer_limits(high=1 << 20)
        _note_what_waits(monkeypatch, waiting)
        ping = _frame(9, bytes(120)) * 4_096
        sending = asyncio.create_task(_without_end(writer, ping))
        await _until(refused)
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)
        writer.close()

    assert refused == {"unread": 1}
    assert 0 < max(waiting) < MOST_UNREAD


def _note_what_waits(monkeypatch: pytest.MonkeyPatch, waiting: list[int]) -> None:
    """Note how much waits for the client after each ping that the server answers."""
    answered = BoundedSocket.handle_ping

    def noted(socket: BoundedSocket) -> None:
        answered(socket)
        waiting.append(socket.transport.get_write_buffer_size())

    monkeypatch.setattr(BoundedSocket, "handle_ping", noted)


async def _without_end(writer: asyncio.StreamWriter, data: bytes) -> None:
    while not writer.is_closing():
        writer.write(data)
        await writer.drain()


async def test_a_client_that_answers_no_ping_and_reads_nothing_is_cut() -> None:
    """Less than a buffer full waits for it, so that nothing else would tell."""
    times = {"ws_ping_interval": 0.2, "ws_ping_timeout": 0.2, "write_s": 60.0}
    async with _serving(_listening, **times) as (port, _, connections):
        _, writer = await _opened(port)
        writer.write(_frame(1, b"go") * 8)
        async with asyncio.timeout(20):
            while len(connections):  # noqa: ASYNC110 - nothing tells it
                await asyncio.sleep(0.05)
        writer.close()


async def test_a_slow_reader_gets_everything_and_is_heard_again() -> None:
    async with (
        _serving(_listening, write_s=20.0) as (port, refused, _),
        websockets.connect(f"ws://127.0.0.1:{port}/", max_size=None, max_queue=1) as socket,
    ):
        for _ in range(8):
            await socket.send("go")
        await asyncio.sleep(0.5)
        answers = [await asyncio.wait_for(socket.recv(), 10) for _ in range(8)]
        await socket.send("go")
        answers.append(await asyncio.wait_for(socket.recv(), 10))

        assert [len(answer) for answer in answers] == [len(PIECE) * 16] * 9
        assert not refused
