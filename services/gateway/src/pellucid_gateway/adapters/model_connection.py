"""One connection to the model server, and one exchange over it: HTTP/1.1 read by callbacks.

The words of a stream are handed on where they arrive, without a task that wakes up for each: for
streams that pass through, that is most of what the gateway does. Parsing is llhttp's (httptools).
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import httptools

from pellucid_runtime.llm.model import LlmCause, LlmUnavailableError

# Takes a piece; returns what must be awaited before the next one.
Take = Callable[[bytes], Awaitable[None] | None]
# Bytes that may wait for whoever takes them; then the server has to wait.
_MOST_WAITING = 65_536
# Most bytes of a head; llhttp itself has no limit.
_MOST_HEAD_BYTES = 65_536
_FIRST_FINAL_STATUS = 200
_SWITCHING = 101
_BROKE_OFF = "the model server broke off"


@dataclass(frozen=True, slots=True)
class Head:
    """Status and headers of a reply; names in lower case, of equal ones the last."""

    status: int
    headers: dict[str, str]


class ModelConnection(asyncio.Protocol):
    """An open connection. One exchange at a time: `ask`, then `pour` to the end.

    Args:
        idle_s: Longest silence within a body, in seconds.
    """

    def __init__(self, idle_s: float) -> None:
        self._idle_s = idle_s
        self._loop = asyncio.get_running_loop()
        self._exchanges = 0
        self._is_open = False
        self._begin_exchange()

    def _begin_exchange(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self._headers: dict[str, str] = {}
        self._head_bytes = 0
        self._head: asyncio.Future[Head] = self._loop.create_future()
        self._is_interim = False
        self._is_complete = False
        self._may_stay = False
        self._failure = ""
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        self._take: Take | None = None
        self._blocked: Awaitable[None] | None = None
        self._news: asyncio.Future[None] | None = None
        self._heard = self._loop.time()
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_reusable(self) -> bool:
        """The last exchange ended well and the server left the connection open."""
        return self._is_open and self._is_complete and self._may_stay

    @property
    def was_used(self) -> bool:
        """It has served an exchange before the present one, and may have gone stale since."""
        return self._exchanges > 1

    @property
    def has_heard(self) -> bool:
        """Anything of a reply to the present request has arrived."""
        return self._head_bytes > 0

    async def ask(self, request: bytes) -> Head:
        """Send a request and wait for the head of its reply.

        Raises:
            LlmUnavailableError: The connection broke or did not speak HTTP.
        """
        if self._exchanges:
            self._begin_exchange()
        self._exchanges += 1
        if not self._is_open:
            raise LlmUnavailableError(_BROKE_OFF)
        self._timer = self._loop.call_later(self._idle_s, self._look_after)
        # The end of the last reply may have come while its client was still to be waited for.
        self._transport.resume_reading()
        self._transport.write(request)
        try:
            return await self._head
        except asyncio.CancelledError:
            self.hang_up()
            raise

    async def pour(self, take: Take) -> None:
        """Give each piece of the body to `take` as it arrives, unchanged, to the end.

        A piece is what arrived together. Hangs up when it is cancelled or `take` raises.

        Raises:
            LlmUnavailableError: It broke off or fell silent.
        """
        try:
            while not await self._gave_all(take):
                self._take, self._news = take, self._loop.create_future()
                # The time for which the client kept us waiting was no silence of the server.
                self._heard = self._loop.time()
                self._transport.resume_reading()
                await self._news
                if self._blocked is not None:
                    blocked, self._blocked = self._blocked, None
                    await blocked
        finally:
            self._take = None
            if not self.is_reusable:
                self.hang_up()
        if self._failure:
            raise LlmUnavailableError(self._failure, cause=LlmCause.BROKE_OFF)

    async def _gave_all(self, take: Take) -> bool:
        """Hand over what waits; whether that was the end."""
        while self._waiting:
            pieces, self._waiting, self._waiting_bytes = self._waiting, [], 0
            blocked = take(b"".join(pieces))
            if blocked is not None:
                await blocked
        return self._is_complete or bool(self._failure)

    def hang_up(self) -> None:
        """Close the connection at once; the server sees its client leave."""
        self._stop_timer()
        if self._is_open:
            self._is_open = False
            self._transport.abort()

    # What asyncio calls.

    def connection_made(self, transport: Any) -> None:
        """Keep the transport."""
        self._transport = transport
        self._is_open = True

    def data_received(self, data: bytes) -> None:
        """Read a part of the reply."""
        self._heard = self._loop.time()
        if self._is_complete:
            # Nobody asked: it is about to close.
            self.hang_up()
            return
        if not self._head.done():
            self._head_bytes += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            self._fail("the model server does not speak HTTP")
            return
        if self._head_bytes > _MOST_HEAD_BYTES and not self._head.done():
            self._fail("the head of the model server's reply is too long")
            return
        self._hand_on()

    def eof_received(self) -> None:
        """The server has said all; without a length this ends the body."""
        self.connection_lost(None)
        self.hang_up()

    def connection_lost(self, error: Exception | None) -> None:
        """The connection is gone."""
        self._is_open = False
        has_length = {"content-length", "transfer-encoding"} & self._headers.keys()
        if error is None and self._head.done() and not has_length:
            self._is_complete = True
            self._stop_timer()
            self._tell()
        elif not self._is_complete:
            self._fail(_BROKE_OFF)

    # What the parser calls.

    def on_message_begin(self) -> None:
        """A second reply to one request cannot be told from one to the next."""
        if self._is_complete:
            self._may_stay = False

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header."""
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        """Tell the head, unless it only says that one will come."""
        status = self._parser.get_status_code()
        self._is_interim = status < _FIRST_FINAL_STATUS and status != _SWITCHING
        if self._is_interim:
            self._headers = {}
        elif not self._head.done():
            self._head.set_result(Head(status, self._headers))

    def on_body(self, piece: bytes) -> None:
        """Keep a piece until all that arrived together has been read."""
        if not self._is_complete:
            self._waiting.append(piece)
            self._waiting_bytes += len(piece)

    def on_message_complete(self) -> None:
        """Note the end of the reply."""
        if not self._is_interim and not self._is_complete:
            self._is_complete = True
            self._may_stay = self._parser.should_keep_alive()
            self._stop_timer()

    # Between the two.

    def _hand_on(self) -> None:
        """Give what has arrived to whoever takes it, or keep it and let the server wait."""
        if self._take is not None and self._waiting:
            piece = self._waiting[0] if len(self._waiting) == 1 else b"".join(self._waiting)
            self._waiting, self._waiting_bytes = [], 0
            self._blocked = self._take(piece)
        elif self._waiting_bytes > _MOST_WAITING:
            self._transport.pause_reading()
        if self._blocked is not None:
            self._transport.pause_reading()
        if self._is_complete or self._blocked is not None:
            self._tell()

    def _fail(self, why: str) -> None:
        self._failure = why
        if not self._head.done():
            self._head.set_exception(LlmUnavailableError(why))
            # Nobody may be waiting for it: a connection can end while it is not in use.
            self._head.exception()
        self._tell()
        self.hang_up()

    def _tell(self) -> None:
        """Wake whoever pours: something is to be waited for, or this is the end."""
        self._take = None
        if self._news is not None and not self._news.done():
            self._news.set_result(None)

    def _look_after(self) -> None:
        """Give up a server that falls silent amid a body. One timer, moved on when it rings."""
        silent_s = self._loop.time() - self._heard if self._take is not None else 0.0
        if silent_s >= self._idle_s:
            self._fail("the model server fell silent")
            return
        left_s = self._idle_s - silent_s
        self._timer = self._loop.call_later(left_s, self._look_after)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
