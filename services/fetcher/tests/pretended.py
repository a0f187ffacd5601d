"""The rig: a fetcher whose names resolve to public addresses and whose dialler leads to loopback.

The guard stays on: the gate sees public addresses, only the last step of dialling is redirected.
"""

import asyncio
import functools
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any

import httpcore

from pellucid_fetcher.app import Network, open_fetcher
from pellucid_fetcher.document import Document, Extracted
from pellucid_fetcher.egress.gate import EgressGate
from pellucid_fetcher.extraction.reading.dispatch import open_readers, read
from pellucid_fetcher.fetching import PageFetcher
from pellucid_fetcher.outcome import Page, PageRequest, Purpose
from pellucid_fetcher.settings import FetcherSettings

PUBLIC = "93.184.216.34"
Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class PretendResolver:
    """Names that were scripted, each with a list of answers that is used up; the last one stays."""

    def __init__(self) -> None:
        self.answers: dict[str, list[tuple[str, ...]]] = {}
        self.asked: list[str] = []

    async def resolve(self, host: str) -> tuple[str, ...]:
        self.asked.append(host)
        script = self.answers.get(host)
        if script is None:
            return (PUBLIC,) if host.endswith(".test") else ()
        return script.pop(0) if len(script) > 1 else script[0]


class ReaderHere:
    """Extraction without processes, for tests that are about other things."""

    async def extract(self, document: Document, *, timeout_s: float) -> Extracted:
        assert timeout_s > 0
        return read(_readers(), document)


@functools.cache
def _readers() -> Mapping[str, Any]:
    return open_readers()


class _Relabelled(httpcore.AsyncNetworkStream):
    """A loopback stream that reports the public address it stands for."""

    def __init__(self, inner: httpcore.AsyncNetworkStream, peer: tuple[str, int]) -> None:
        self._inner = inner
        self._peer = peer

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - httpcore's signature
        return await self._inner.read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - httpcore's signature
        await self._inner.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def start_tls(self, *args: Any, **kwargs: Any) -> httpcore.AsyncNetworkStream:
        return await self._inner.start_tls(*args, **kwargs)

    def get_extra_info(self, info: str) -> Any:
        return self._peer if info == "server_addr" else self._inner.get_extra_info(info)


class PretendDialler:
    """Sends every public address to a loopback port, and keeps a record."""

    def __init__(self) -> None:
        self.ports: dict[int, int] = {}
        self.dialled: list[tuple[str, int]] = []
        self._backend = httpcore.AnyIOBackend()

    async def connect(
        self, address: str, port: int, *, timeout_s: float
    ) -> httpcore.AsyncNetworkStream:
        self.dialled.append((address, port))
        if port not in self.ports:
            raise httpcore.ConnectError("nobody listens")
        stream = await self._backend.connect_tcp("127.0.0.1", self.ports[port], timeout=timeout_s)
        return _Relabelled(stream, (address, port))


class Rig:
    """A fetcher with its pretended outside."""

    def __init__(self, resolver: PretendResolver, dialler: PretendDialler) -> None:
        self.resolver = resolver
        self.dialler = dialler
        self.fetcher: PageFetcher
        self._servers: list[asyncio.Server] = []

    @property
    def gate(self) -> EgressGate:
        return self.fetcher._steps.chain._ways.http._gate

    async def written(self) -> None:
        """Wait for writes that nobody waits for."""
        background = self.fetcher._steps.cache._background
        await asyncio.gather(*background._tasks)

    async def serve(self, handler: Handler, port: int = 80, **options: Any) -> None:
        """Let raw bytes answer at a public port."""
        server = await asyncio.start_server(_tolerant(handler), "127.0.0.1", 0, **options)
        self._servers.append(server)
        self.dialler.ports[port] = server.sockets[0].getsockname()[1]

    async def pages(self, pages: Mapping[str, bytes]) -> None:
        """Answer paths with raw responses."""

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            head = await reader.readuntil(b"\r\n\r\n")
            writer.write(pages.get(head.split(b" ")[1].decode(), http(b"gone", status=404)))

        await self.serve(answer)

    async def fetch(self, url: str, purpose: Purpose = Purpose.USER_URL, **fields: Any) -> Page:
        """Read one page."""
        request = PageRequest(url, purpose, **{"max_chars": 10_000, "timeout_s": 5.0, **fields})
        return await self.fetcher.fetch(request)

    async def close(self) -> None:
        for server in self._servers:
            server.close()
            await server.wait_closed()
        self._servers.clear()
        self.dialler.ports.clear()


def _tolerant(handler: Handler) -> Handler:
    async def guarded(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await handler(reader, writer)
            await writer.drain()
        except (OSError, EOFError):
            pass
        finally:
            writer.close()

    return guarded


def http(
    body: bytes, *, status: int = 200, kind: str = "text/html; charset=utf-8", extra: str = ""
) -> bytes:
    """Write a plain response."""
    head = (
        f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n{extra}\r\n"
    )
    return head.encode() + body


async def opened_rig(
    settings: FetcherSettings, stack: AsyncExitStack, extractor: ReaderHere | None
) -> Rig:
    """Open a fetcher on the stack; without an extractor it has worker processes of its own."""
    rig = Rig(PretendResolver(), PretendDialler())
    stack.push_async_callback(rig.close)
    network = Network(rig.resolver, rig.dialler)
    rig.fetcher = await open_fetcher(settings, stack, network, extractor)
    return rig
