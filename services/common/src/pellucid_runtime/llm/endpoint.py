"""Where a model is served: address, credential and the pool of connections to it."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from pellucid_runtime.llm.base_url import BaseUrl
from pellucid_runtime.llm.refusals import RefusedError, read_refusal

if TYPE_CHECKING:
    import aiohttp

_CONNECT_TIMEOUT_S = 2.0
_MAX_CONNECTIONS = 512
# Of a refusal, which says why in its first lines.
_REFUSAL_BYTES = 64 * 1024
MOST_BYTES = 16 * 1024 * 1024
"""Of a whole reply, unpacked. No answer and no list of embeddings that is asked for is longer."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply whose head is there.

    Attributes:
        headers: Names in any case.
        content: Its body.
    """

    headers: Mapping[str, str]
    content: "aiohttp.StreamReader"

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """Yield the body as it comes.

        Raises:
            ConnectionError: It broke off.
        """
        with _lost_connections():
            async for piece in self.content.iter_any():
                yield piece

    async def read(self) -> bytes:
        """Return the whole body.

        Raises:
            ConnectionError: It broke off.
            ValueError: It has more than `MOST_BYTES`.
        """
        body = await self.beginning(MOST_BYTES + 1)
        if len(body) > MOST_BYTES:
            raise ValueError(f"a reply of more than {MOST_BYTES} bytes")
        return body

    async def beginning(self, most: int) -> bytes:
        """Return the first so many bytes of the body; errors as of `pieces`."""
        body = bytearray()
        async with aclosing(self.pieces()) as pieces:
            async for piece in pieces:
                body += piece
                if len(body) >= most:
                    break
        return bytes(body[:most])


@contextmanager
def _lost_connections() -> Iterator[None]:
    """One error for whatever happens to a connection."""
    from aiohttp import ClientError

    try:
        yield
    except ClientError as error:
        raise ConnectionError(type(error).__name__) from None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is served.

    Attributes:
        pool: Connections to it.
        model: Model to ask for when the request names none.
        base: Its address.
        api_key: Gives the credential of the moment.
        prices: USD per million prompt and completion tokens, by model.
    """

    pool: "aiohttp.ClientSession"
    model: str
    base: BaseUrl
    api_key: Callable[[], str]
    prices: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def host(self) -> str:
        """Host of the address."""
        return self.base.host

    @asynccontextmanager
    async def reply(self, path: str, body: Mapping[str, Any] | None = None) -> AsyncIterator[Reply]:
        """A reply; whoever leaves before its end hangs up.

        Args:
            path: What is asked for, for example `/chat/completions`.
            body: Is posted; None: nothing is, and the path is read.

        Raises:
            RefusedError: Its status is none of success.
            ConnectionError: The server cannot be reached, or the reply broke off.
        """
        asking = self.pool.request(
            "GET" if body is None else "POST",
            self.base.root + path,
            params=parse_qsl(self.base.query),
            data=None if body is None else json.dumps(body, ensure_ascii=False).encode(),
            headers=self.base.headers(self.api_key) | {"Content-Type": "application/json"},
            allow_redirects=False,
        )
        with _lost_connections():
            async with asking as answer:
                reply = Reply(answer.headers, answer.content)
                if not HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES:
                    refusal = read_refusal(
                        answer.status, reply.headers, await reply.beginning(_REFUSAL_BYTES)
                    )
                    raise RefusedError(refusal)
                yield reply

    async def read(self, path: str, body: Mapping[str, Any] | None = None) -> bytes:
        """Return the body of a reply; arguments and errors as of `reply`."""
        async with self.reply(path, body) as reply:
            return await reply.read()


async def open_endpoint(
    base_url: str, api_key: Callable[[], str], model: str, stack: AsyncExitStack
) -> Endpoint:
    """A connection pool to one address, closed with the stack.

    No proxy of the environment is used, and nothing is kept between two requests.

    Args:
        base_url: Address up to and including the version, for example `https://llm.example/v1`.
        api_key: Gives the credential of the moment; empty where none is needed.
        model: Default model.
        stack: Closes the pool.
    """
    # Imported here and not at the top: it is slow to import, and many processes ask no model.
    from aiohttp import ClientSession, ClientTimeout, DummyCookieJar, TCPConnector

    pool = ClientSession(
        connector=TCPConnector(limit=_MAX_CONNECTIONS),
        timeout=ClientTimeout(total=None, sock_connect=_CONNECT_TIMEOUT_S),
        cookie_jar=DummyCookieJar(),
    )
    await stack.enter_async_context(pool)
    return Endpoint(pool, model, BaseUrl.of(base_url), api_key)
