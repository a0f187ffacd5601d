"""Bounds of the HTTP door: what a connection may cost before anything is known of its sender.

uvicorn reads a head of any size, waits for ever for the rest of a head or a body, and keeps any
number of connections. This protocol bounds the bytes and the number of headers, the time of a head,
of a body and of silence, and the connections, in all and of one address. When there are too many,
the connection that has waited longest without a request in progress makes room; only where all are
at work is the new one refused. So silent connections lock nobody out.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from pellucid_runtime.counted_host import counted_host

# Requests that one connection may have sent ahead of their answers.
_MOST_AHEAD: Final = 16
_TITLES: Final = {
    408: (b"408 Request Timeout", "REQUEST_TIMEOUT", True),
    431: (b"431 Request Header Fields Too Large", "HEADERS_TOO_LARGE", False),
    503: (b"503 Service Unavailable", "OVERLOADED", True),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpBounds:
    """Bounds of one listener; the names in brackets are told to the client.

    Attributes:
        head_bytes: Bytes of request line and headers.
        headers: Number of headers.
        head_s: Seconds from the first byte, or the connection, to the end of a head.
        body_s: Seconds in which a body has to come, while it is waited for.
        idle_s: Seconds without a request between two of them.
        write_s: Seconds in which a client has to read on while an answer waits for it.
        connections: In all.
        per_address: Of one address (IPv6: of one /64 network); one that is `trusted` stands for
            many and counts in all only.
        trusted: Tells whether an address is a proxy of ours.
    """

    head_bytes: int = 32 * 1024
    headers: int = 100
    head_s: float = 10.0
    body_s: float = 60.0
    idle_s: float = 30.0
    write_s: float = 60.0
    connections: int = 4_000
    per_address: int = 1_000
    trusted: Callable[[str], bool] = field(default=lambda _: False)


class Connections:
    """The open connections of one listener.

    Args:
        bounds: How many there may be.
        refused: Told why a connection or a request was refused or closed.
        counted: Told how many connections there are.
    """

    def __init__(
        self,
        bounds: HttpBounds,
        refused: Callable[[str], None] = lambda _: None,
        counted: Callable[[int], None] = lambda _: None,
    ) -> None:
        self.bounds = bounds
        self.refused = refused
        self._counted = counted
        self._address: dict[object, str] = {}
        self._of_address: Counter[str] = Counter()
        # Those without a request in progress, longest waiting first.
        self._waiting: dict[BoundedProtocol, None] = {}
        # Those that have become WebSockets, by the client's address and port.
        self._sockets: dict[object, BoundedProtocol] = {}

    def __len__(self) -> int:
        return len(self._address)

    def admit(self, connection: "BoundedProtocol", address: str) -> bool:
        """Take a connection in; False where neither it nor a waiting one can be."""
        bounds = self.bounds
        counts = not bounds.trusted(address)
        address = counted_host(address)
        if counts and self._of_address[address] >= bounds.per_address and not self._evict(address):
            return False
        if len(self._address) >= bounds.connections and not self._evict(None):
            return False
        self._address[connection] = address if counts else ""
        self._of_address[self._address[connection]] += 1
        self._waiting[connection] = None
        self._counted(len(self._address))
        return True

    def leave(self, connection: object) -> None:
        """Note that a connection has ended; twice does no harm."""
        address = self._address.pop(connection, None)
        if address is None:
            return
        self._waiting.pop(cast("BoundedProtocol", connection), None)
        self._sockets.pop(cast("BoundedProtocol", connection).client, None)
        self._of_address[address] -= 1
        if not self._of_address[address]:
            del self._of_address[address]
        self._counted(len(self._address))

    def waits(self, connection: "BoundedProtocol") -> None:
        """Note that a connection has no request in progress from now on."""
        if connection in self._address:
            self._waiting.pop(connection, None)
            self._waiting[connection] = None

    def works(self, connection: "BoundedProtocol") -> None:
        """Note that a connection has a request in progress."""
        self._waiting.pop(connection, None)

    def upgraded(self, connection: "BoundedProtocol") -> None:
        """Note that a connection is a WebSocket, which waits until it is said to work."""
        if connection in self._address:
            self._sockets[connection.client] = connection
            self.waits(connection)

    def mark(self, client: object, *, works: bool) -> None:
        """Note whether something is in progress on the WebSocket of a client."""
        connection = self._sockets.get(client)
        if connection is not None:
            (self.works if works else self.waits)(connection)

    def _evict(self, address: str | None) -> bool:
        """Close the connection that has waited longest, of an address or of all."""
        for connection in self._waiting:
            if address is None or self._address[connection] == address:
                self.refused("evicted")
                self.leave(connection)
                connection.transport.abort()
                return True
        return False


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's protocol within bounds; one for each connection."""

    def __init__(self, connections: Connections, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._connections = connections
        self._bounds = connections.bounds
        self.timeout_keep_alive = self._bounds.idle_s  # type: ignore[assignment] # any number does
        self._timer: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self._in_head = True
        self._head_bytes = 0
        self._begun = 0
        self._is_refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection in, or refuse it."""
        super().connection_made(transport)
        if self._connections.admit(self, self.client[0] if self.client else ""):
            self._expect(self._bounds.head_s, self._late_head)
        else:
            limit = (
                f"{self._bounds.connections} connections, {self._bounds.per_address} of one address"
            )
            self._refuse(503, "connections", f"all of {limit} are in use")

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._connections.leave(self)
        self._expect(0, None)
        self._is_read()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Begin to wait for a client that does not read."""
        super().pause_writing()
        self._is_read()
        self._unread = self.loop.call_later(self._bounds.write_s, self._late_reader)

    def resume_writing(self) -> None:
        """The client has read on."""
        self._is_read()
        super().resume_writing()

    def _is_read(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
        self._unread = None

    def _late_reader(self) -> None:
        """Nothing can be said to whom reads nothing."""
        self._connections.refused("unread")
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Read on, within the bounds of a head."""
        if self._is_refused:
            return
        if self._in_head:
            if not self._begun:
                # The time of a head begins with its first byte, not with the silence before.
                self._expect(self._bounds.head_s, self._late_head)
            self._begun += len(data)
        super().data_received(data)
        if self._in_head and self._begun > self._bounds.head_bytes:
            self._refuse_head()
        if len(self.pipeline) > _MOST_AHEAD:
            self._refuse(
                503, "pipelined", f"more than {_MOST_AHEAD} requests ahead of their answers"
            )

    def on_message_begin(self) -> None:
        """Begin to count."""
        super().on_message_begin()
        self._head_bytes = 0

    def on_url(self, url: bytes) -> None:
        """Count."""
        if not self._counts(len(url)):
            return
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count; trailers of a body are counted with its head."""
        if not self._counts(len(name) + len(value)):
            return
        if len(self.headers) >= self._bounds.headers:
            self._refuse_head()
            return
        super().on_header(name, value)

    def _counts(self, more: int) -> bool:
        self._head_bytes += more
        if self._head_bytes > self._bounds.head_bytes:
            self._refuse_head()
        return not self._is_refused

    def on_headers_complete(self) -> None:
        """Let the request in, if its head was within bounds."""
        if self._is_refused:
            return
        self._in_head = False
        self._begun = 0
        self._connections.works(self)
        self._expect(self._bounds.body_s, self._late_body)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Read on."""
        if not self._is_refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is whole: what takes time now is the answer."""
        if self._is_refused:
            return
        self._in_head = True
        self._begun = 0
        self._expect(0, None)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        if not self.pipeline and (self.cycle is None or self.cycle.response_complete):
            self._connections.waits(self)

    def handle_websocket_upgrade(self) -> None:
        """Hand the connection over; it is counted until it ends, and waits like any other."""
        self._expect(0, None)
        super().handle_websocket_upgrade()
        taken: Any = self.transport.get_protocol()
        lost = taken.connection_lost

        def connection_lost(exc: Exception | None) -> None:
            self._connections.leave(self)
            lost(exc)

        taken.connection_lost = connection_lost
        self._connections.upgraded(self)

    def _expect(self, seconds: float, late: Callable[[], None] | None) -> None:
        """Wait so long for the next step of the client; None waits for nothing."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(seconds, late) if late else None

    def _late_head(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            # What came early belongs to a request that nobody waits for yet.
            self._expect(self._bounds.head_s, self._late_head)
            return
        limit = f"{self._bounds.head_s:g} s"
        if self._begun:
            self._refuse(408, "slow_head", f"the head of a request has to come within {limit}")
        else:
            self._connections.refused("silent")
            self.transport.close()

    def _late_body(self) -> None:
        if self.flow.read_paused:
            # We are the slow ones: nothing is read before the application wants it.
            self._expect(self._bounds.body_s, self._late_body)
            return
        limit = f"{self._bounds.body_s:g} s"
        self._refuse(408, "slow_body", f"the body of a request has to come within {limit}")

    def _refuse_head(self) -> None:
        limit = f"{self._bounds.head_bytes} bytes and {self._bounds.headers} headers"
        self._refuse(431, "head", f"the head of a request may have {limit}")

    def _refuse(self, status: int, reason: str, detail: str) -> None:
        """Answer, unless an answer has begun, and close."""
        if self._is_refused or self.transport.is_closing():
            return
        self._is_refused = True
        self._connections.refused(reason)
        cycle = self.cycle
        if cycle is None or cycle.response_complete or not cycle.response_started:
            self.transport.write(_answer(status, detail))
        if cycle is not None and not cycle.response_complete:
            cycle.disconnected = True
            cycle.message_event.set()
        self.transport.close()


def _answer(status: int, detail: str) -> bytes:
    line, code, may_retry = _TITLES[status]
    title = line.partition(b" ")[2].decode()
    problem = {"type": "about:blank", "title": title, "status": status, "code": code}
    body = json.dumps({**problem, "detail": detail, "retryable": may_retry}).encode()
    retry = b"retry-after: 1\r\n" if status == 503 else b""  # noqa: PLR2004 - the status
    return b"".join(
        (
            b"HTTP/1.1 %b\r\ncontent-type: application/problem+json\r\n" % line,
            b"content-length: %d\r\n%bconnection: close\r\n\r\n" % (len(body), retry),
            body,
        )
    )


def protocol_class(connections: Connections) -> type[asyncio.Protocol]:
    """The protocol for `uvicorn.Config(http=…)`, with these connections."""
    return cast("type[asyncio.Protocol]", partial(BoundedProtocol, connections))
