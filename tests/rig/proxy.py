"""A TCP proxy on one edge between two processes, with faults that can be switched while it runs.

The faults are those of toxiproxy, by the same names. They act on open connections as well as on
new ones, and each is counted where it acts, so that a test can see that its fault occurred.
"""

import asyncio
import random
import socket
import struct
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self

_CHUNK = 65_536
_RESET = struct.pack("ii", 1, 0)


@dataclass(slots=True, kw_only=True)
class Toxics:
    """What is wrong with the edge; nothing by default. All act on what flows to the caller.

    Attributes:
        latency_s: Seconds that everything is held back.
        jitter_s: Up to so many seconds more, drawn for each piece; order is kept.
        bandwidth: Bytes a second; 0: as fast as it goes.
        slicer: Pieces of so many bytes; 0: as they come.
        limit_data: The connection is reset after so many bytes; None: never.
        timeout: Everything is swallowed, in both directions, and nothing is closed.
        slow_close_s: Seconds between the server's end and the caller's.
        corrupt: Share of pieces in which one byte is turned over, 0 to 1.
        down: Connections are reset at once.
    """

    latency_s: float = 0.0
    jitter_s: float = 0.0
    bandwidth: int = 0
    slicer: int = 0
    limit_data: int | None = None
    timeout: bool = False
    slow_close_s: float = 0.0
    corrupt: float = 0.0
    down: bool = False


@dataclass(slots=True)
class Counters:
    """What happened on the edge since the last `Proxy.count_anew`."""

    connections: int = 0
    refused: int = 0
    resets: int = 0
    delayed: int = 0
    throttled: int = 0
    sliced: int = 0
    swallowed: int = 0
    corrupted: int = 0
    closed_late: int = 0
    bytes_down: int = 0
    bytes_up: int = 0


@dataclass(eq=False, slots=True)
class _Link:
    """One connection and its other half."""

    caller: asyncio.StreamWriter
    server: asyncio.StreamWriter
    sent: int = 0


@dataclass(eq=False)
class Proxy:
    """Forwards `port` to `upstream`; an asynchronous context manager.

    Attributes:
        name: Of the edge, for example "gateway-redis".
        port: Where it listens.
        upstream: Port where it leads; a new one holds for new connections.
        seed: Of jitter and corruption.
    """

    name: str
    port: int
    upstream: int
    seed: int = 0
    toxics: Toxics = field(default_factory=Toxics)
    counters: Counters = field(default_factory=Counters)

    async def __aenter__(self) -> Self:
        self._random = random.Random(self.seed)
        self._links: set[_Link] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_exc: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.reset_peers()

    def poison(self, toxics: Toxics) -> None:
        """Switch faults on, counting anew; `down` also ends what is open."""
        self.count_anew()
        self.toxics = toxics
        if toxics.down:
            self.reset_peers()

    def heal(self) -> None:
        """Switch all faults off. What was swallowed is not sent again, so open links are reset."""
        swallowed = self.toxics.timeout
        self.toxics = Toxics()
        if swallowed:
            self.reset_peers()

    def reseed(self, seed: int) -> None:
        """Draw jitter and corruption from another seed."""
        self._random = random.Random(seed)

    def count_anew(self) -> None:
        """Begin to count from 0."""
        self.counters = Counters()

    def reset_peers(self) -> None:
        """End every open connection as a crashed peer would."""
        for link in tuple(self._links):
            self._reset(link)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.counters.connections += 1
        if self.toxics.down:
            self.counters.refused += 1
            _abort(writer)
            return
        try:
            from_server, to_server = await asyncio.open_connection("127.0.0.1", self.upstream)
        except OSError:
            _abort(writer)
            return
        link = _Link(caller=writer, server=to_server)
        self._links.add(link)
        up = self._spawn(self._forward_up(reader, link))
        down = self._spawn(self._forward_down(from_server, link))
        await asyncio.wait({up, down})
        self._links.discard(link)
        for end in (link.caller, link.server):
            end.close()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _forward_up(self, reader: asyncio.StreamReader, link: _Link) -> None:
        with suppress(OSError):
            while data := await reader.read(_CHUNK):
                if self.toxics.timeout:
                    self.counters.swallowed += len(data)
                    continue
                self.counters.bytes_up += len(data)
                link.server.write(data)
                await link.server.drain()
        link.server.close()

    async def _forward_down(self, reader: asyncio.StreamReader, link: _Link) -> None:
        """Read at once and send when due, so that latency does not cost bandwidth."""
        pieces: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        sender = self._spawn(self._send_when_due(pieces, link))
        with suppress(OSError):
            while data := await reader.read(_CHUNK):
                if self.toxics.timeout:
                    self.counters.swallowed += len(data)
                    continue
                pieces.put_nowait((self._due(), data))
        pieces.put_nowait((0.0, b""))
        await asyncio.wait({sender})

    def _due(self) -> float:
        toxics = self.toxics
        hold_s = toxics.latency_s + self._random.uniform(0.0, toxics.jitter_s)
        self.counters.delayed += hold_s > 0
        return asyncio.get_running_loop().time() + hold_s

    async def _send_when_due(self, pieces: asyncio.Queue[tuple[float, bytes]], link: _Link) -> None:
        clock = asyncio.get_running_loop().time
        with suppress(OSError):
            while (piece := await pieces.get())[1]:
                due, data = piece
                await asyncio.sleep(max(0.0, due - clock()))
                await self._send(data, link)
            if self.toxics.slow_close_s:
                self.counters.closed_late += 1
                await asyncio.sleep(self.toxics.slow_close_s)
        link.caller.close()

    async def _send(self, data: bytes, link: _Link) -> None:
        size = self.toxics.slicer or (max(1, self.toxics.bandwidth // 10) or len(data))
        size = size if self.toxics.slicer or self.toxics.bandwidth else len(data)
        for start in range(0, len(data), size):
            piece = self._corrupted(data[start : start + size])
            if self._over_limit(link, piece):
                return
            link.caller.write(piece)
            await link.caller.drain()
            link.sent += len(piece)
            self.counters.bytes_down += len(piece)
            await self._pace(len(piece))

    async def _pace(self, sent: int) -> None:
        if self.toxics.bandwidth:
            self.counters.throttled += 1
            await asyncio.sleep(sent / self.toxics.bandwidth)
        elif self.toxics.slicer:
            self.counters.sliced += 1
            await asyncio.sleep(0)

    def _corrupted(self, piece: bytes) -> bytes:
        if self._random.random() >= self.toxics.corrupt:
            return piece
        self.counters.corrupted += 1
        at = self._random.randrange(len(piece))
        return piece[:at] + bytes([piece[at] ^ 0xFF]) + piece[at + 1 :]

    def _over_limit(self, link: _Link, piece: bytes) -> bool:
        limit = self.toxics.limit_data
        if limit is None or link.sent + len(piece) <= limit:
            return False
        link.caller.write(piece[: max(0, limit - link.sent)])
        self._reset(link)
        return True

    def _reset(self, link: _Link) -> None:
        self.counters.resets += 1
        _abort(link.caller)
        _abort(link.server)


def _abort(writer: asyncio.StreamWriter) -> None:
    """Close with RST."""
    connection: socket.socket | None = writer.get_extra_info("socket")
    if connection is not None:
        with suppress(OSError):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    writer.transport.abort()
