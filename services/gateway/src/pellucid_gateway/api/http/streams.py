"""Server-sent events over ASGI: slow and vanished clients, exactly one last event.

A stream that the client left is cancelled at once, and with it everything downstream.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import aclosing, contextmanager, suppress
from typing import Any

import orjson
import structlog
from starlette.types import Receive, Scope, Send

from pellucid_gateway.api.http import outlet
from pellucid_gateway.api.http.guard import SEND_PAST
from pellucid_gateway.api.http.leaving import ClientGoneError, Leaving
from pellucid_gateway.api.http.outlet import Outlet
from pellucid_gateway.api.http.problems import INTERNAL, Problem, ProblemError

log = structlog.get_logger(__name__)

Frames = AsyncGenerator[bytes]
Body = Callable[[Outlet], Awaitable[None]]


def frame(event: str, content: Any) -> bytes:
    r"""Encode one event.

    >>> frame("delta", {"text": "a"})
    b'event: delta\ndata: {"text":"a"}\n\n'
    """
    return b"event: " + event.encode() + b"\ndata: " + orjson.dumps(content) + b"\n\n"


def body_of(frames: Callable[[], Frames]) -> Body:
    """A body of frames that are made one after the other, as fast as the client takes them."""

    async def send_all(out: Outlet) -> None:
        async with aclosing(frames()) as made:
            async for piece in made:
                await out.write(piece)

    return send_all


class EventStream:
    """An ASGI response that sends frames as they come.

    Args:
        body: Sends the frames; cancelled when the client leaves.
        broken: Makes the last frame for a body that raised; a problem is told, anything else is a
            defect of the server. Before the first frame both are raised: they have a status then.
    """

    def __init__(self, body: Body, *, broken: Callable[[Problem], bytes]) -> None:
        self._body = body
        self._broken = broken
        self._has_begun = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream until the end of the frames or of the connection."""
        with self.until_left():
            async with Leaving(receive) as client:
                await self.stream(scope, send, client)

    @contextmanager
    def until_left(self) -> Iterator[None]:
        """Let a client that leaves a stream which has begun end it without a word.

        Raises:
            ClientGoneError: It left before.
        """
        try:
            yield
        except ClientGoneError:
            if not self._has_begun:
                raise

    async def stream(self, scope: Scope, send: Send, client: Leaving) -> None:
        """Stream to a client whose leaving is watched already."""
        out = Outlet(send, scope.get(SEND_PAST, send), client.leave)
        try:
            out.start()
            await self._send_all(out)
        finally:
            self._has_begun = out.has_begun
            out.close()

    async def _send_all(self, out: Outlet) -> None:
        """The body and its end; a defect is told, a lost connection is nobody's to tell."""
        failure: Exception | None = None
        try:
            await self._body(out)
        except Exception as error:  # a stream never ends without a last event
            if not out.has_begun:
                raise
            if isinstance(error, OSError):
                return
            failure = error
        with suppress(TimeoutError):
            async with asyncio.timeout(outlet.WRITE_TIMEOUT_S):
                if isinstance(failure, ProblemError):
                    await out.write(self._broken(failure.problem))
                elif failure is not None:
                    log.error("stream_broken", exc_info=failure)
                    await out.write(self._broken(INTERNAL))
                await out.end()
