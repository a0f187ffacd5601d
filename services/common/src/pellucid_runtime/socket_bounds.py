"""Bounds of a WebSocket: what a client costs that sends and never reads.

uvicorn waits for ever for such a client: what is sent to it stays in the buffer of its connection,
which is not even gone when the connection is closed. And each ping of the client adds its answer to
that buffer, however much waits there. Here nothing is read from a client while it has to read on,
and the connection is cut when it does not.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, cast

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from pellucid_runtime.http_bounds import Connections


class BoundedSocket(WebSocketsSansIOProtocol):
    """uvicorn's protocol within bounds; one for each WebSocket.

    Args:
        connections: The listener's, with its bounds: `write_s` is the time to read on.
        args: uvicorn's.
        kwargs: uvicorn's.
    """

    def __init__(self, connections: Connections, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._connections_open = connections
        self._unread: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        """Begin to wait for a client that does not read, and listen to it no more until then."""
        super().pause_writing()
        self._stop_reading()
        self._is_read()
        write_s = self._connections_open.bounds.write_s
        self._unread = self.loop.call_later(write_s, self._late_reader)

    def resume_writing(self) -> None:
        """The client has read on."""
        self._is_read()
        super().resume_writing()
        # What waits in the queue is taken by the application, which then reads on by itself.
        if self.read_paused and self.queue.empty():
            self.read_paused = False
            self.transport.resume_reading()

    def data_received(self, data: bytes) -> None:
        """Read on, unless what was read has filled the buffer of answers."""
        super().data_received(data)
        if not self.writable.is_set():
            self._stop_reading()

    def keepalive_timeout(self) -> None:
        """Cut the connection of a client that answers no ping and leaves its data unread."""
        super().keepalive_timeout()
        if self.transport.get_write_buffer_size():
            self._late_reader()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._is_read()
        super().connection_lost(exc)

    def _stop_reading(self) -> None:
        if not self.read_paused and not self.transport.is_closing():
            self.read_paused = True
            self.transport.pause_reading()

    def _is_read(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
        self._unread = None

    def _late_reader(self) -> None:
        """Nothing can be said to whom reads nothing."""
        self._connections_open.refused("unread")
        self.transport.abort()


def socket_class(connections: Connections) -> Callable[..., asyncio.Protocol]:
    """The protocol for `uvicorn.Config(ws=…)`, with these connections."""
    return cast("Callable[..., asyncio.Protocol]", partial(BoundedSocket, connections))
