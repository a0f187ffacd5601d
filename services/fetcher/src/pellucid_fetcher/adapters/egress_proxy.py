"""A forward proxy on loopback: the browser's only way out, through the same gate as everything.

Decides nothing itself. Each connection and each plain request is read strictly, cleared by the
gate and sent to a checked address; refusals are all the same bare 403. A proxy has one reach: what
public pages ask goes through another than what pages of the operator's own hosts ask.
"""

import asyncio
from typing import Final, Self

import httpcore

from pellucid_fetcher.adapters.dialling import Dialler, dialled
from pellucid_fetcher.egress.address import Target, parse
from pellucid_fetcher.egress.clearance import Reach
from pellucid_fetcher.egress.gate import EgressGate
from pellucid_fetcher.errors import FetchFault
from pellucid_fetcher.outcome import FetchStatus

MAX_HEAD_BYTES: Final = 64 * 1024
MAX_TUNNEL_BYTES: Final = 32 * 1024 * 1024
MAX_CONNECTIONS: Final = 96
IDLE_S: Final = 20.0
CONNECT_S: Final = 3.0
_CHUNK: Final = 64 * 1024
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "OPTIONS"})
_REFUSAL: Final = b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
_TUNNEL_OPEN: Final = b"HTTP/1.1 200 Connected\r\n\r\n"
_HOP_HEADERS: Final = (b"proxy-", b"connection:", b"keep-alive:", b"upgrade:")


class EgressProxy:
    """The proxy; an asynchronous context manager.

    Args:
        gate: Clears every target.
        dialler: Opens connections to cleared addresses.
        reach: How far its users may go.
    """

    def __init__(self, gate: EgressGate, dialler: Dialler, reach: Reach) -> None:
        self._gate = gate
        self._reach = reach
        self._dialler = dialler
        self._open: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(
            self._accept, "127.0.0.1", 0, limit=MAX_HEAD_BYTES
        )
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in tuple(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)
        await self._server.wait_closed()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._open) >= MAX_CONNECTIONS:
            writer.close()
            return
        task = asyncio.create_task(self._serve(reader, writer), name="egress-proxy")
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(IDLE_S):
                head = await reader.readuntil(b"\r\n\r\n")
            await self._forward(head, reader, writer)
        except (FetchFault, ValueError):
            writer.write(_REFUSAL)
        except (OSError, EOFError, TimeoutError, asyncio.LimitOverrunError):
            return
        except (httpcore.NetworkError, httpcore.TimeoutException):
            return
        finally:
            writer.close()

    async def _forward(
        self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        line, _, headers = head.partition(b"\r\n")
        method, address, _ = line.decode("ascii").split(" ")
        tunnel = method == "CONNECT"
        if not tunnel and method not in _METHODS:
            raise FetchFault(FetchStatus.BLOCKED_TARGET)
        target = parse(f"https://{address}/" if tunnel else address)
        clearance = await self._gate.admit(target, self._reach)
        address = str(clearance.addresses[0])
        stream = await dialled(self._dialler, clearance, address, timeout_s=CONNECT_S)
        try:
            if tunnel:
                writer.write(_TUNNEL_OPEN)
            else:
                await stream.write(_origin_form(method, target, headers))
            await _pipe_both(reader, writer, stream)
        finally:
            await stream.aclose()


def _origin_form(method: str, target: Target, headers: bytes) -> bytes:
    kept = [
        line
        for line in headers.split(b"\r\n")
        if line and not line.lower().startswith((*_HOP_HEADERS, b"host:"))
    ]
    first = (
        f"{method} {target.request_path} HTTP/1.1\r\nHost: {target.authority}\r\nConnection: close"
    )
    return b"\r\n".join([first.encode("ascii"), *kept, b"", b""])


async def _pipe_both(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    stream: httpcore.AsyncNetworkStream,
) -> None:
    """Carry bytes both ways until either side ends or the cap is reached."""

    async def up() -> None:
        while data := await reader.read(_CHUNK):
            await stream.write(data, IDLE_S)

    async def down() -> None:
        carried = 0
        while carried < MAX_TUNNEL_BYTES and (data := await stream.read(_CHUNK, IDLE_S)):
            carried += len(data)
            writer.write(data)
            await writer.drain()

    tasks = [asyncio.create_task(up()), asyncio.create_task(down())]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
