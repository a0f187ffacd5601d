"""HTTP over httpx: bounded reads, no ambient proxy, no redirects, typed failures."""

import ssl
import zlib
from collections.abc import Mapping
from typing import Self

import httpx

from pellucid_search.errors import MalformedError, ProviderTimeoutError, UnreachableError
from pellucid_search.providers.wire import HttpCall, HttpReply

# The largest documented answer is far below; anything larger is broken or hostile.
MAX_BODY_BYTES = 2 * 1024 * 1024
_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS


class HttpxTransport:
    """Sends requests over one pool of connections. An asynchronous context manager.

    Args:
        proxy_url: Egress proxy; None dials directly.
        ca_file: Further certificate authorities; None trusts the system's.
    """

    def __init__(self, *, proxy_url: str | None = None, ca_file: str | None = None) -> None:
        self._client = httpx.AsyncClient(
            trust_env=False,
            follow_redirects=False,
            http2=False,
            proxy=proxy_url,
            verify=ssl.create_default_context(cafile=ca_file),
            limits=httpx.Limits(max_connections=100, max_keepalive_connections=32),
            headers={"User-Agent": "pellucid-search", "Accept-Encoding": "gzip"},
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self._client.aclose()

    async def send(self, call: HttpCall, *, timeout_s: float) -> HttpReply:
        """Return the answer, whatever its status.

        Raises:
            ProviderTimeoutError: Nothing came in time.
            UnreachableError: No connection, or it broke.
            MalformedError: The body is too large or its compression is broken.
        """
        request = self._client.build_request(
            call.method,
            call.url,
            params=call.params or None,
            headers=dict(call.headers),
            json=call.json,
            timeout=timeout_s,
        )
        try:
            response = await self._client.send(request, stream=True)
            try:
                return await _read(response)
            finally:
                await response.aclose()
        except httpx.TimeoutException as error:
            raise ProviderTimeoutError("no answer in time") from error
        except httpx.ConnectError as error:
            raise UnreachableError("no connection to the provider", sent=False) from error
        except httpx.HTTPError as error:
            raise UnreachableError("the connection to the provider broke") from error


async def _read(response: httpx.Response) -> HttpReply:
    """Decompress here: in httpx a chunk can grow a thousandfold before it is seen."""
    body = bytearray()
    inflate = _inflater(response.headers)
    async for chunk in response.aiter_raw():
        body += inflate.decompress(chunk, MAX_BODY_BYTES + 1) if inflate else chunk
        if len(body) > MAX_BODY_BYTES or (inflate and inflate.unconsumed_tail):
            raise MalformedError("the answer was larger than 2 MiB")
    headers: Mapping[str, str] = {k.lower(): v for k, v in response.headers.items()}
    return HttpReply(response.status_code, headers, bytes(body))


class _Inflater:
    """Bounded decompression with a typed failure."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(_GZIP_OR_ZLIB)

    @property
    def unconsumed_tail(self) -> bytes:
        """Input that would have grown past the bound."""
        return self._stream.unconsumed_tail

    def decompress(self, chunk: bytes, limit: int) -> bytes:
        """Return at most `limit` bytes.

        Raises:
            MalformedError: The data is not what the header said.
        """
        try:
            return self._stream.decompress(chunk, limit)
        except zlib.error as error:
            raise MalformedError("the answer's compression is broken") from error


def _inflater(headers: httpx.Headers) -> _Inflater | None:
    match headers.get("content-encoding", "identity").strip().lower():
        case "" | "identity":
            return None
        case "gzip" | "x-gzip" | "deflate":
            return _Inflater()
        case _:
            raise MalformedError("the answer has an unknown compression")
