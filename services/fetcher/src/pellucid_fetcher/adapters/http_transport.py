"""HTTP over httpx, on connections that the gate has cleared.

One connection per exchange: nothing is pooled, so a poisoned answer cannot reach a later request.
Redirects, cookies, proxies from the environment and transparent decoding are all off; the domain
does those itself or not at all.
"""

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from ssl import CERT_NONE, SSLContext, create_default_context
from typing import Final

import certifi
import httpcore
import httpx

from pellucid_fetcher.adapters.dialling import ClearedBackend, Dialler, WatchedStream
from pellucid_fetcher.egress.clearance import Clearance
from pellucid_fetcher.errors import FetchFault
from pellucid_fetcher.outcome import FetchStatus

MAX_HEADERS: Final = 100
_MAX_LENGTH_DIGITS: Final = 15  # a petabyte; longer lengths are attacks on whoever trusts them


@dataclass(frozen=True, slots=True)
class Patience:
    """Time limits of one exchange, in seconds.

    Attributes:
        connect_s: For a connection, and again for its encryption.
        silence_s: Before the first byte and between two.
    """

    connect_s: float = 3.0
    silence_s: float = 5.0


@dataclass(frozen=True, slots=True)
class Trust:
    """How certificates are judged.

    Attributes:
        verified: For every host.
        unverified: For hosts that the operator named.
        insecure_hosts: Those hosts.
    """

    verified: SSLContext
    unverified: SSLContext
    insecure_hosts: frozenset[str] = frozenset()

    def context_for(self, host: str) -> SSLContext:
        """Return the context for a host."""
        return self.unverified if host in self.insecure_hosts else self.verified


def silence_engines() -> None:
    """Keep the HTTP libraries from logging addresses; they do so at an ordinary level."""
    for name in ("httpx", "httpcore", "hpack", "h2"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def open_trust(ca_bundle: str = "", insecure_hosts: frozenset[str] = frozenset()) -> Trust:
    """Load certificates.

    Args:
        ca_bundle: PEM file that is trusted in addition; empty for none.
        insecure_hosts: Hosts whose certificate is not verified.

    Raises:
        OSError: The bundle cannot be read.
    """
    verified = create_default_context(cafile=certifi.where())
    if ca_bundle:
        verified.load_verify_locations(cafile=ca_bundle)
    unverified = create_default_context(cafile=certifi.where())
    unverified.check_hostname = False
    unverified.verify_mode = CERT_NONE
    return Trust(verified, unverified, insecure_hosts)


class HttpxAnswer:
    """A response whose headers have arrived."""

    def __init__(self, response: httpcore.Response, stream: WatchedStream | None) -> None:
        self._response = response
        self._stream = stream
        self._headers = _plain_headers(httpx.Headers(response.headers))

    @property
    def status(self) -> int:
        """HTTP status."""
        return self._response.status

    @property
    def headers(self) -> Mapping[str, str]:
        """Headers by lower-case name."""
        return self._headers

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body as it comes.

        Raises:
            FetchFault: The transfer broke.
        """
        try:
            async for chunk in self._response.aiter_stream():
                yield chunk
        except httpcore.TimeoutException as error:
            raise FetchFault(FetchStatus.TOTAL_TIMEOUT) from error
        except (httpcore.RemoteProtocolError, httpcore.LocalProtocolError) as error:
            raise FetchFault(self._broken()) from error
        except httpcore.NetworkError as error:
            raise FetchFault(FetchStatus.RESET) from error

    def _broken(self) -> FetchStatus:
        # A transfer that simply ended is a cut page; one that goes on in nonsense is an attack.
        ended = self._stream is not None and self._stream.current.ended
        return FetchStatus.RESET if ended else FetchStatus.PROTOCOL_ERROR


class HttpxTransport:
    """HTTP over httpx.

    Args:
        dialler: Opens connections.
        trust: Judges certificates.
        patience: Time limits.
    """

    def __init__(self, dialler: Dialler, trust: Trust, patience: Patience) -> None:
        self._dialler = dialler
        self._trust = trust
        self._patience = patience

    @asynccontextmanager
    async def send(
        self, clearance: Clearance, headers: Mapping[str, str], content: bytes
    ) -> AsyncIterator[HttpxAnswer]:
        """Open the exchange.

        Raises:
            FetchFault: No answer came.
        """
        backend = ClearedBackend(clearance, self._dialler, self._patience.connect_s)
        async with self._engine(clearance, backend) as engine:
            request = self._request(clearance, headers, content, backend)
            response = await _response(engine, request, backend)
            try:
                yield HttpxAnswer(response, backend.stream)
            finally:
                await response.aclose()

    def _engine(
        self, clearance: Clearance, backend: ClearedBackend
    ) -> httpcore.AsyncConnectionPool:
        """Open the engine of httpx; its client is not used, for it reads every location."""
        return httpcore.AsyncConnectionPool(
            ssl_context=self._trust.context_for(clearance.target.host),
            max_connections=1,
            max_keepalive_connections=0,
            http2=True,  # where TLS is spoken
            network_backend=backend,
        )

    def _request(
        self,
        clearance: Clearance,
        headers: Mapping[str, str],
        content: bytes,
        backend: ClearedBackend,
    ) -> httpcore.Request:
        target = clearance.target
        # Given here, because httpx would decode the name for it and fails on some that exist.
        headers = {**headers, "host": target.authority}
        method = "POST" if content else "GET"
        try:
            request = httpx.Request(
                method,
                target.href,
                headers=headers,
                content=content or None,
            )
        except (httpx.InvalidURL, ValueError) as error:
            raise FetchFault(FetchStatus.BLOCKED_TARGET) from error
        _require_same_place(request.url, clearance)
        return httpcore.Request(
            method,
            httpcore.URL(
                scheme=request.url.raw_scheme,
                host=request.url.raw_host,
                port=request.url.port,
                target=request.url.raw_path,
            ),
            headers=request.headers.raw,
            content=content,
            extensions=self._extensions(backend),
        )

    def _extensions(self, backend: ClearedBackend) -> dict[str, object]:
        async def trace(event: str, _: object) -> None:
            if event.endswith("receive_response_headers.complete") and backend.stream is not None:
                backend.stream.current.headers_complete = True

        patience = self._patience
        timeout = {
            "connect": patience.connect_s,
            "read": patience.silence_s,
            "write": patience.silence_s,
            "pool": patience.connect_s,
        }
        return {"timeout": timeout, "trace": trace}


async def _response(
    engine: httpcore.AsyncConnectionPool, request: httpcore.Request, backend: ClearedBackend
) -> httpcore.Response:
    try:
        response = await engine.handle_async_request(request)
    except (httpcore.ProtocolError, httpcore.NetworkError, httpcore.TimeoutException) as error:
        raise FetchFault(_status_of(error, backend)) from error
    try:
        _check_head(httpx.Headers(response.headers))
    except FetchFault:
        await response.aclose()
        raise
    return response


def _plain_headers(headers: httpx.Headers) -> Mapping[str, str]:
    return {name.lower(): value.replace("\x00", "") for name, value in headers.items()}


def _require_same_place(url: httpx.URL, clearance: Clearance) -> None:
    """Refuse when the client reads the address differently from the gate."""
    target = clearance.target
    port = url.port or (443 if url.scheme == "https" else 80)
    if (url.scheme, url.raw_host.decode().strip("[]"), port) != target.origin:
        raise FetchFault(FetchStatus.BLOCKED_TARGET)


def _check_head(headers: httpx.Headers) -> None:
    if len(headers.raw) > MAX_HEADERS:
        raise FetchFault(FetchStatus.HEADERS_TOO_LARGE)
    if len(headers.get("content-length", "")) > _MAX_LENGTH_DIGITS:
        raise FetchFault(FetchStatus.PROTOCOL_ERROR)


def _status_of(error: Exception, backend: ClearedBackend) -> FetchStatus:
    """Name a failure before the headers were complete."""
    stream = backend.stream.current if backend.stream is not None else None
    silent = stream is None or stream.received == 0
    if isinstance(error, httpcore.ConnectTimeout):
        return FetchStatus.CONNECT_TIMEOUT
    if isinstance(error, httpcore.ConnectError):
        return FetchStatus.CONNECT_ERROR
    if isinstance(error, httpcore.TimeoutException):
        return FetchStatus.FIRST_BYTE_TIMEOUT if silent else FetchStatus.TOTAL_TIMEOUT
    if isinstance(error, httpcore.NetworkError):
        return FetchStatus.RESET
    if silent:
        return FetchStatus.EMPTY_RESPONSE
    ended = stream is not None and stream.ended and stream.speaks_http
    return FetchStatus.RESET if ended else FetchStatus.PROTOCOL_ERROR
