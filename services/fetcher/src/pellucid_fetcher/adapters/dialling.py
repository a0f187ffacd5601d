"""Connecting to cleared addresses only, and watching how much of an answer is headers.

Sits below the HTTP engine: whatever host the engine asks for, the bytes go to an address that the
gate has checked, while the name stays in SNI and Host.
"""

import re
from collections.abc import Iterable
from ssl import SSLContext
from typing import Any, Final, Protocol

import httpcore
from httpcore import AsyncNetworkStream

from pellucid_fetcher.adapters.tls_reasons import tls_reason
from pellucid_fetcher.egress.clearance import Clearance
from pellucid_fetcher.errors import FetchFault
from pellucid_fetcher.outcome import FetchStatus

MAX_HEADER_BYTES: Final = 64 * 1024
MAX_DIALS: Final = 3
_INTERIM: Final = b"HTTP/1.1 1"
MAX_INTERIM: Final = 16
_END_OF_HEAD: Final = b"\r\n\r\n"
# A first chunk of 16 TiB or more is an attack on whoever reserves memory for it.
_ABSURD_CHUNK: Final = re.compile(rb"0*[1-9a-fA-F][0-9a-fA-F]{11,}\Z")
_MAX_CHUNK_LINE: Final = 64


class Dialler(Protocol):
    """Opens a TCP connection to an address."""

    async def connect(self, address: str, port: int, *, timeout_s: float) -> AsyncNetworkStream:
        """Connect.

        Raises:
            httpcore.ConnectError, httpcore.ConnectTimeout: It did not work.
        """
        ...


class TcpDialler:
    """The real thing."""

    def __init__(self) -> None:
        self._backend = httpcore.AnyIOBackend()

    async def connect(self, address: str, port: int, *, timeout_s: float) -> AsyncNetworkStream:
        """Connect.

        Raises:
            httpcore.ConnectError, httpcore.ConnectTimeout: It did not work.
        """
        return await self._backend.connect_tcp(address, port, timeout=timeout_s)


async def dialled(
    dialler: Dialler, clearance: Clearance, address: str, *, timeout_s: float
) -> AsyncNetworkStream:
    """Connect to an address of a clearance.

    Raises:
        httpcore.ConnectError, httpcore.ConnectTimeout: It did not work.
        FetchFault: BLOCKED_TARGET; another place answered.
    """
    stream = await dialler.connect(address, clearance.target.port, timeout_s=timeout_s)
    peer = stream.get_extra_info("server_addr")
    if not peer or not clearance.holds_for(str(peer[0])):
        await stream.aclose()
        raise FetchFault(FetchStatus.BLOCKED_TARGET)
    return stream


class PassingStream(AsyncNetworkStream):
    """A stream over another one; what it changes is up to its kinds."""

    def __init__(self, inner: AsyncNetworkStream) -> None:
        self._inner = inner

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - httpcore's signature
        """Read."""
        return await self._inner.read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - httpcore's signature
        """Write."""
        await self._inner.write(buffer, timeout)

    async def aclose(self) -> None:
        """Close."""
        await self._inner.aclose()

    async def start_tls(
        self,
        ssl_context: SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's signature
    ) -> AsyncNetworkStream:
        """Begin TLS."""
        return await self._inner.start_tls(ssl_context, server_hostname, timeout)

    def get_extra_info(self, info: str) -> Any:
        """Return what the engine asks about the socket."""
        return self._inner.get_extra_info(info)


class WatchedStream(PassingStream):
    """A stream that counts what arrives until the headers are complete."""

    def __init__(self, inner: AsyncNetworkStream) -> None:
        super().__init__(inner)
        self.received = 0
        self.ended = False
        self.headers_complete = False
        self._opening_seen = False
        self._head = b""
        self._start = b""
        self.tls: WatchedStream | None = None

    @property
    def current(self) -> "WatchedStream":
        """The stream that carries the answer: this one, or the one inside TLS."""
        return self.tls.current if self.tls is not None else self

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - httpcore's signature
        """Read, refusing endless headers.

        Raises:
            FetchFault: HEADERS_TOO_LARGE, or BAD_REDIRECT when the excess is a location.
        """
        data = await self._inner.read(max_bytes, timeout)
        self.received += len(data)
        self.ended = not data
        if not self.headers_complete:
            self._watch_head(data)
        if not self._opening_seen:
            self._watch_opening(data)
        return data

    def _watch_head(self, data: bytes) -> None:
        if _END_OF_HEAD in self._head[-3:] + data:
            interim = self._head.count(_INTERIM) + data.count(_INTERIM)
            if interim > MAX_INTERIM:
                raise FetchFault(FetchStatus.HEADERS_TOO_LARGE)
        self._head += data
        self._start = self._head[:5]
        if len(self._head) > MAX_HEADER_BYTES and _END_OF_HEAD not in self._head[:MAX_HEADER_BYTES]:
            location = b"\nlocation:" in self._head.lower()
            raise FetchFault(
                FetchStatus.BAD_REDIRECT if location else FetchStatus.HEADERS_TOO_LARGE
            )

    def _watch_opening(self, data: bytes) -> None:
        """Look at the line that opens a chunked body; it may come in a later packet."""
        if self.headers_complete:
            # HTTP/2, or headers that end with bare line feeds: there is no such line to wait for.
            if _END_OF_HEAD not in self._head:
                self._opening_seen = True
                self._head = b""
                return
            self._head += data
        headers, ended, body = self._head.partition(_END_OF_HEAD)
        line, complete, _ = body[:_MAX_CHUNK_LINE].partition(b"\r\n")
        chunked = b"\ntransfer-encoding:" in headers.lower()
        settled = not chunked or complete or len(line) == _MAX_CHUNK_LINE
        self._opening_seen = bool(ended and settled)
        if ended and chunked and _ABSURD_CHUNK.match(line.partition(b";")[0].strip()):
            raise FetchFault(FetchStatus.PROTOCOL_ERROR)

    @property
    def speaks_http(self) -> bool:
        """Whether what came begins like HTTP/1; binary HTTP/2 counts as well."""
        return b"HTTP/".startswith(self._start[:5]) or self._start[:1] == b"\x00"

    async def aclose(self) -> None:
        """Close."""
        self._head = b""
        await self._inner.aclose()

    async def start_tls(
        self,
        ssl_context: SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's signature
    ) -> AsyncNetworkStream:
        """Begin TLS.

        Raises:
            FetchFault: TLS_ERROR for whatever goes wrong, silence included.
        """
        try:
            secured = await super().start_tls(ssl_context, server_hostname, timeout)
        except (httpcore.ConnectError, httpcore.ConnectTimeout, OSError) as error:
            raise FetchFault(FetchStatus.TLS_ERROR, detail=tls_reason(error)) from error
        self.tls = WatchedStream(secured)
        return self.tls


class ClearedBackend(httpcore.AsyncNetworkBackend):
    """Dials the addresses of one clearance and nothing else.

    Args:
        clearance: Where this exchange may go.
        dialler: Opens connections.
        connect_timeout_s: For each address, in seconds.
    """

    def __init__(self, clearance: Clearance, dialler: Dialler, connect_timeout_s: float) -> None:
        self._clearance = clearance
        self._dialler = dialler
        self._connect_timeout_s = connect_timeout_s
        self.stream: WatchedStream | None = None

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's signature
        local_address: str | None = None,  # noqa: ARG002 - httpcore's signature
        socket_options: Iterable[Any] | None = None,  # noqa: ARG002 - httpcore's signature
    ) -> AsyncNetworkStream:
        """Connect to a checked address.

        Raises:
            FetchFault: Somebody asks for another place, or no address accepts.
        """
        target = self._clearance.target
        if (host.strip("[]"), port) != (target.host, target.port):
            raise FetchFault(FetchStatus.BLOCKED_TARGET)
        self.stream = WatchedStream(await self._first_that_accepts(timeout))
        return self.stream

    async def _first_that_accepts(self, limit_s: float | None) -> AsyncNetworkStream:
        budget = min(self._connect_timeout_s, limit_s or self._connect_timeout_s)
        addresses = self._clearance.addresses[:MAX_DIALS]
        fault = FetchFault(FetchStatus.CONNECT_ERROR)
        for address in addresses:
            try:
                limit = budget / len(addresses)
                return await dialled(self._dialler, self._clearance, str(address), timeout_s=limit)
            except httpcore.ConnectTimeout:
                fault = FetchFault(FetchStatus.CONNECT_TIMEOUT)
            except (httpcore.ConnectError, OSError):
                continue
        raise fault

    async def connect_unix_socket(self, *_: Any, **__: Any) -> AsyncNetworkStream:
        """Never.

        Raises:
            FetchFault: Always.
        """
        raise FetchFault(FetchStatus.BLOCKED_TARGET)
