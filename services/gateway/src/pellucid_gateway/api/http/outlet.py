"""Where the pieces of a streamed body go out: at once where the client takes them.

A task that wakes up for every word costs more than the word. ASGI's `send` only waits while the
client lags behind, so it is begun here by whoever has the piece, and only what then still waits is
left to be awaited. The head waits for the first piece, so that what fails before it is told by its
status.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator
from types import coroutine
from typing import Any

from starlette.types import Send

# Comment lines keep proxies from closing a quiet connection.
HEARTBEAT_S = 10.0
# A client that takes nothing for this long is gone.
WRITE_TIMEOUT_S = 30.0

# A piece that ends so ends an event.
_ENDS = (b"\n\n", b"\r\n\r\n")
_HEARTBEAT = b": still here\n\n"
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


class Outlet:
    """The body of one response.

    Args:
        send: Takes the head and the end.
        send_piece: Takes what is between.
        give_up: Called when the client takes nothing any more.
    """

    def __init__(self, send: Send, send_piece: Send, give_up: Callable[[], None]) -> None:
        self._send = send
        self._send_piece = send_piece
        self._give_up = give_up
        self._loop = asyncio.get_running_loop()
        self._since = self._loop.time()
        self._waits = False
        self._has_begun = False
        self._beginning = asyncio.Lock()
        self._has_sent = False
        self._is_between = True
        self._timer: asyncio.TimerHandle | None = None
        self._beating: asyncio.Future[None] | None = None

    @property
    def is_empty(self) -> bool:
        """Nothing was sent yet but the head and heartbeats."""
        return not self._has_sent

    @property
    def has_begun(self) -> bool:
        """The head was sent: no other status can be."""
        return self._has_begun

    def start(self) -> None:
        """From now on a quiet stream gets its head and then heartbeats."""
        self._watch()

    async def begin(self) -> None:
        """Send the head, unless it was."""
        async with self._beginning:
            if not self._has_begun:
                head = {"type": "http.response.start", "status": 200, "headers": _HEADERS}
                self._waits = True
                await self._send(head)
                self._waits, self._has_begun = False, True

    def push(self, piece: bytes) -> Awaitable[None] | None:
        """Send a piece.

        Returns:
            What must be awaited before the next piece; None when there is nothing to wait for.
        """
        if not self._has_begun:
            return self._push_first(piece)
        self._since = self._loop.time()
        self._has_sent = True
        self._is_between = piece.endswith(_ENDS)
        message = {"type": "http.response.body", "body": piece, "more_body": True}
        sending: Any = self._send_piece(message)
        try:
            waits_for = sending.send(None)
        except StopIteration:
            return None
        return self._sent(sending, waits_for)

    async def _push_first(self, piece: bytes) -> None:
        await self.begin()
        waits = self.push(piece)
        if waits is not None:
            await waits

    async def _sent(self, sending: Coroutine[Any, Any, None], waits_for: Any) -> None:
        self._waits = True
        await _rest_of(sending, waits_for)
        self._waits = False
        self._since = self._loop.time()

    async def write(self, piece: bytes) -> None:
        """Send a piece and wait until the client takes more."""
        waits = self.push(piece)
        if waits is not None:
            await waits

    async def end(self) -> None:
        """Send the end of the body."""
        await self.begin()
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    def close(self) -> None:
        """No more heartbeats."""
        for later in (self._timer, self._beating):
            if later is not None:
                later.cancel()

    def _watch(self) -> None:
        """Look after the stream and come back when something may be due.

        One timer for the whole stream, moved on only when it rings: one for every piece would
        cost more than the piece.
        """
        quiet_s = self._loop.time() - self._since
        limit_s = WRITE_TIMEOUT_S if self._waits else HEARTBEAT_S
        if quiet_s >= limit_s:
            if self._waits:
                self._give_up()
                return
            self._beat()
            quiet_s, limit_s = 0.0, HEARTBEAT_S
        pause_s = min(HEARTBEAT_S, WRITE_TIMEOUT_S, limit_s - quiet_s)
        self._timer = self._loop.call_later(pause_s, self._watch)

    def _beat(self) -> None:
        """A heartbeat, unless it would fall into an event of which a part is still to come."""
        self._since = self._loop.time()
        if not self._has_begun:
            self._beating = asyncio.ensure_future(self.begin())
            return
        has_sent = self._has_sent
        waits = self.push(_HEARTBEAT) if self._is_between else None
        self._has_sent = has_sent
        if waits is not None:
            self._beating = asyncio.ensure_future(waits)


@coroutine
def _rest_of(sending: Coroutine[Any, Any, None], waits_for: Any) -> Generator[Any, Any, None]:
    """Go on with a coroutine that was begun outside every task and waits for something."""
    try:
        yield waits_for
        yield from sending
    finally:
        sending.close()
