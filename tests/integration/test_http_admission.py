"""What strangers can do to the door of a real gateway process before they show a key."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager

import httpx
import pytest
import websockets

from rig.ports import free_port
from rig.processes import Process, service_command

pytestmark = [pytest.mark.timeout(180), pytest.mark.alone]

MIB = 1024 * 1024
HEAD_S, BODY_S, IDLE_S = 1.0, 2.0, 1.5
# A busy machine answers late.
SLACK_S = 2.0
SILENT = 2_000


@pytest.fixture(name="door", scope="module")
def door_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Process]]:
    folder = tmp_path_factory.mktemp("door")
    http, metrics = free_port(), free_port()
    nobody = f"127.0.0.1:{free_port()}"
    targets = {f"{name}_TARGET": nobody for name in ("DECISION", "SEARCH", "SCORER", "FETCHER")}
    environment = {
        **targets,
        "PATH": os.environ["PATH"],
        "DATA_DIR": str(folder),
        "GATEWAY_PORT": str(http),
        "GRPC_PORT": str(free_port()),
        "METRICS_PORT": str(metrics),
        "GATEWAY_HEAD_TIMEOUT_S": str(HEAD_S),
        "GATEWAY_BODY_TIMEOUT_S": str(BODY_S),
        "GATEWAY_IDLE_TIMEOUT_S": str(IDLE_S),
        "GATEWAY_MAX_CONNECTIONS": "500",
        "GATEWAY_ADDRESS_CONNECTIONS": "500",
        "GATEWAY_ADDRESS_REQUESTS_PER_MINUTE": "0",
    }
    ready = f"http://127.0.0.1:{metrics}/readyz"
    process = Process("gateway", service_command("gateway"), environment, folder / "log", ready)
    process.start()
    process.wait_ready()
    yield http, process
    process.stop()


async def _open(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", port)


async def _ended_after(port: int, send: Callable[[asyncio.StreamWriter], Awaitable[None]]) -> float:
    """Seconds until the server has closed a connection on which something is sent."""
    reader, writer = await _open(port)
    sending = asyncio.ensure_future(send(writer))
    begun = time.monotonic()
    try:
        async with asyncio.timeout(30):
            while await reader.read(65_536):
                pass
    except ConnectionError:
        pass
    sending.cancel()
    writer.close()
    return time.monotonic() - begun


async def _is_answered(port: int) -> bool:
    async with httpx.AsyncClient(trust_env=False, timeout=10) as http:
        return (await http.get(f"http://127.0.0.1:{port}/livez")).status_code == httpx.codes.OK


async def test_a_flood_of_heads_takes_no_memory(door: tuple[int, Process]) -> None:
    port, process = door
    assert await _is_answered(port)
    before = process.usage().resident

    async def flood(writer: asyncio.StreamWriter) -> None:
        writer.write(b"GET / HTTP/1.1\r\nhost: localhost\r\n")
        for n in range(50_000):
            writer.write(b"x-%d: %b\r\n" % (n, b"a" * 4000))
            await writer.drain()

    end = time.monotonic() + 3
    most = 0
    while time.monotonic() < end:
        results = await asyncio.gather(
            *(_ended_after(port, flood) for _ in range(8)), return_exceptions=True
        )
        assert not any(isinstance(r, BaseException) and not isinstance(r, OSError) for r in results)
        most = max(most, process.usage().resident)

    assert most - before < 32 * MIB
    assert await _is_answered(port)


async def test_slow_heads_slow_bodies_and_silence_end(door: tuple[int, Process]) -> None:
    port, _ = door

    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(b"GET / HTTP/1.1\r\nhost: localhost\r\n")
        while True:
            writer.write(b"x: y\r\n")
            await asyncio.sleep(0.2)

    async def slow_body(writer: asyncio.StreamWriter) -> None:
        writer.write(
            b"POST /v1/chat HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
            b"content-length: 1000\r\n\r\n{"
        )
        while True:
            writer.write(b" ")
            await asyncio.sleep(0.2)

    async def once(writer: asyncio.StreamWriter) -> None:
        writer.write(b"GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n")

    async def nothing(_: asyncio.StreamWriter) -> None:
        """Send nothing."""

    took = await asyncio.gather(*(_ended_after(port, s) for s in (drip, slow_body, once, nothing)))

    for seconds, limit in zip(took, (HEAD_S, BODY_S, IDLE_S, HEAD_S), strict=True):
        assert limit - 0.2 <= seconds <= limit + SLACK_S


async def test_silent_connections_lock_nobody_out(door: tuple[int, Process]) -> None:
    port, _ = door
    held: list[asyncio.StreamWriter] = []
    answered = []
    for n in range(SILENT):
        _, writer = await _open(port)
        held.append(writer)
        if n % 400 == 399:
            answered.append(await _is_answered(port))
    for writer in held:
        writer.transport.abort()

    assert answered == [True] * (SILENT // 400)


@asynccontextmanager
async def _sockets(port: int, count: int) -> AsyncIterator[list[websockets.ClientConnection]]:
    url = f"ws://127.0.0.1:{port}/v1/ws"
    held = [await websockets.connect(url, ping_interval=None) for _ in range(count)]
    try:
        yield held
    finally:
        for socket in held:
            socket.transport.abort()


async def test_silent_sockets_lock_nobody_out_either(door: tuple[int, Process]) -> None:
    port, _ = door
    async with _sockets(port, 520) as held:
        assert await _is_answered(port)
        await held[-1].send('{"type": "ping", "turn": "1"}')
        async with asyncio.timeout(10):
            assert "pong" in str(await held[-1].recv())
