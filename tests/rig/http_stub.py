"""The least of an HTTP/1.1 server, for upstreams that misbehave: one request a connection."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True, slots=True)
class Request:
    """One request.

    Attributes:
        path: Without the query.
        query: First value of each parameter.
        headers: By names in lower case.
        body: As it came.
    """

    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        """The body as an object; empty when there is none."""
        return dict(json.loads(self.body)) if self.body else {}


Handler = Callable[[Request, asyncio.StreamWriter], Awaitable[None]]


class HttpStub:
    """Listens on a port and gives each request to a handler; an asynchronous context manager."""

    def __init__(self, handler: Handler, port: int = 0) -> None:
        self._handler = handler
        self.port = port
        self._busy: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.close()
        for task in self._busy:
            task.cancel()
        await asyncio.gather(*self._busy, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._answer(reader, writer))
        self._busy.add(task)
        task.add_done_callback(self._busy.discard)
        with suppress(asyncio.CancelledError):
            await asyncio.wait({task})

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._handler(await _read(reader), writer)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


async def _read(reader: asyncio.StreamReader) -> Request:
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines) if k}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    parts = urlsplit(first.split(" ", 2)[1])
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    return Request(parts.path, query, headers, body)


def head(status: int, content_type: str, length: int | None = None, **more: str) -> bytes:
    """Status line and headers; the connection ends with the body."""
    lines = [f"HTTP/1.1 {status} Status", f"Content-Type: {content_type}", "Connection: close"]
    lines += [f"Content-Length: {length}"] if length is not None else []
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in more.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def whole(status: int, content_type: str, body: bytes, **more: str) -> bytes:
    """A whole response."""
    return head(status, content_type, len(body), **more) + body
