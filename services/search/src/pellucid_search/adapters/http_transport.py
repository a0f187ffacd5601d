"""HTTP over httpx: bounded reads, no ambient proxy, no redirects, typed failures."""

import ssl
import zlib
from collections.abc import Mapping
from typing import Self

import httpx

from pellucid_runtime.sweeping import Sweeper
from pellucid_search.errors import MalformedError, ProviderTimeoutError, UnreachableError
from pellucid_search.providers.wire import HttpCall, HttpReply

# The largest documented answer is far below; anything larger is broken or hostile.
MAX_BODY_BYTES = 2 * 1024 * 1024
# httpx closes connections that were idle for 5 s, but only with the next request. What is left of
# the last one is closed by us when none has come for so long.
IDLE_S = 5.0
_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS


class HttpxTransport:
    """Sends requests over one pool of connections. An asynchronous context manager.

    Args:
        proxy_url: Egress proxy; None dials directly.
        ca_file: Further certificate authorities; None trusts the system's.
    """

    def __init__(self, *, proxy_url: str | None = None, ca_file: str | None = None) -> None:
        self._proxy_url = proxy_url
        self._trust = ssl.create_default_context(cafile=ca_file)
        self._client = self._open()
        self._under_way = 0
        self._is_quiet = False
        self._sweeper = Sweeper(self._give_back, IDLE_S)

    def _open(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            trust_env=False,
            follow_redirects=False,
            http2=False,
            proxy=self._proxy_url,
            verify=self._trust,
            limits=httpx.Limits(max_connections=100, max_keepalive_connections=32),
            headers={"User-Agent": "pellucid-search", "Accept-Encoding": "gzip"},
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self._sweeper.close()
        await self._client.aclose()

    async def _give_back(self) -> bool:
        """Close all connections if nothing was sent since the last look; True: look again."""
        if self._under_way or not self._is_quiet:
            self._is_quiet = not self._under_way
            return True
        idle, self._client = self._client, self._open()
        await idle.aclose()
        return not self._is_quiet

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
        self._under_way += 1
        self._is_quiet = False
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
        finally:
            self._under_way -= 1
            self._sweeper.wake()


async def _read(response: httpx.Response) -> HttpReply:
    """Decompress here: in httpx a chunk can grow a thousandfold before it is seen."""
    body = bytearray()
    inflate = _inflater(response.headers)
    try:
        async for chunk in response.aiter_raw():
            body += inflate.decompress(chunk, MAX_BODY_BYTES + 1) if inflate else chunk
            if len(body) > MAX_BODY_BYTES or (inflate and inflate.unconsumed_tail):
                raise MalformedError("the answer was larger than 2 MiB")
    except zlib.error as error:
        raise MalformedError("the answer's compression is broken") from error
    headers: Mapping[str, str] = {k.lower(): v for k, v in response.headers.items()}
    return HttpReply(response.status_code, headers, bytes(body))


def _inflater(headers: httpx.Headers) -> "zlib._Decompress | None":
    match headers.get("content-encoding", "identity").strip().lower():
        case "" | "identity":
            return None
        case "gzip" | "x-gzip" | "deflate":
            return zlib.decompressobj(_GZIP_OR_ZLIB)
        case _:
            raise MalformedError("the answer has an unknown compression")
