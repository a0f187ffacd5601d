"""Server-sent events over ASGI: heartbeats, slow and vanished clients, exactly one last event.

A stream that the client left is cancelled at once, and with it everything downstream.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing, suppress
from typing import Any, TypeVar

import orjson
import structlog
from starlette.types import Receive, Scope, Send

from pellucid_gateway.faces.guard import SEND_PAST

T = TypeVar("T")
log = structlog.get_logger(__name__)

# Comment lines keep proxies from closing a quiet connection.
HEARTBEAT_S = 10.0
# A client that takes nothing for this long is gone.
WRITE_TIMEOUT_S = 30.0

_HEARTBEAT = b": still here\n\n"
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]

Frames = AsyncGenerator[bytes]


class ClientGoneError(Exception):
    """The client left before the work was done."""


def frame(event: str, content: Any) -> bytes:
    r"""Encode one event.

    >>> frame("delta", {"text": "a"})
    b'event: delta\ndata: {"text":"a"}\n\n'
    """
    return b"event: " + event.encode() + b"\ndata: " + orjson.dumps(content) + b"\n\n"


async def _left(receive: Receive) -> None:
    """Return when the client has disconnected."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def until_disconnect(receive: Receive, work: Coroutine[Any, Any, T]) -> T:
    """Run work that is worth nothing once the client left.

    Raises:
        ClientGoneError: The client left; the work was cancelled.
    """
    task = asyncio.ensure_future(work)
    watch = asyncio.ensure_future(_left(receive))
    try:
        await asyncio.wait({task, watch}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise ClientGoneError
    finally:
        await _cancel(task, watch)


async def _cancel(*tasks: asyncio.Future[Any]) -> None:
    """Cancel and wait until the tasks have cleaned up; their outcome is of no interest."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


class EventStream:
    """An ASGI response that sends frames as they come.

    Args:
        frames: The body; closed when the client leaves.
        broken: Makes the last frame for a body that raised, which is a defect of the server.
    """

    def __init__(self, frames: Callable[[], Frames], *, broken: Callable[[], bytes]) -> None:
        self._frames = frames
        self._broken = broken

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream until the end of the frames or of the connection."""
        out = _Writer(send, scope.get(SEND_PAST, send))
        await out.start()
        body = asyncio.ensure_future(self._send_all(out))
        others = [asyncio.ensure_future(_left(receive)), asyncio.ensure_future(_watch(out))]
        try:
            await asyncio.wait({body, *others}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await _cancel(body, *others)
        if not body.cancelled():
            await self._finish(out, body.exception())

    async def _finish(self, out: "_Writer", failure: BaseException | None) -> None:
        """End the response; a defect is told, a lost connection is nobody's to tell."""
        if isinstance(failure, (OSError, TimeoutError)):
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(WRITE_TIMEOUT_S):
                if failure is not None:
                    log.error("stream_broken", exc_info=failure)
                    await out.write(self._broken())
                await out.end()

    async def _send_all(self, out: "_Writer") -> None:
        async with aclosing(self._frames()) as frames:
            async for piece in frames:
                await out.write(piece)


async def _watch(out: "_Writer") -> None:
    """Send heartbeats while the body is quiet; end when the client takes nothing any more.

    One timer for the whole stream: a timeout around every write would cost more than the write.
    """
    clock = asyncio.get_running_loop().time
    while True:
        limit = WRITE_TIMEOUT_S if out.writing else HEARTBEAT_S
        pause = min(HEARTBEAT_S, WRITE_TIMEOUT_S, out.since + limit - clock())
        await asyncio.sleep(max(0.0, pause))
        quiet = clock() - out.since
        if out.writing and quiet >= WRITE_TIMEOUT_S:
            return
        if not out.writing and quiet >= HEARTBEAT_S:
            async with asyncio.timeout(WRITE_TIMEOUT_S):
                await out.write(_HEARTBEAT)


class _Writer:
    """Sends pieces of a body.

    Args:
        send: Takes the head and the end.
        send_piece: Takes what is between.

    Attributes:
        writing: A piece is on its way and the client does not take it yet.
        since: Instant of the loop's clock at which the last write began or ended.
    """

    def __init__(self, send: Send, send_piece: Send) -> None:
        self._send = send
        self._send_piece = send_piece
        self._clock = asyncio.get_running_loop().time
        self.writing = False
        self.since = self._clock()

    async def start(self) -> None:
        await self._send({"type": "http.response.start", "status": 200, "headers": _HEADERS})

    async def write(self, piece: bytes) -> None:
        self.writing = True
        self.since = self._clock()
        await self._send_piece({"type": "http.response.body", "body": piece, "more_body": True})
        self.writing = False

    async def end(self) -> None:
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})
