"""A TCP relay that remembers what the caller sent, to look for what must travel along."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

_CHUNK = 65_536


@dataclass
class Wire:
    """One edge between two processes.

    Attributes:
        port: Where it listens.
        upstream: Port where it leads.
        said: What callers sent so far.
    """

    upstream: int
    port: int = 0
    said: bytearray = field(default_factory=bytearray)
    _open: list[socket.socket] = field(default_factory=list)

    def accept(self, listener: socket.socket) -> None:
        """Relay connections until the listener is closed."""
        while True:
            try:
                caller, _ = listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self.upstream))
            except OSError:
                caller.close()
                continue
            self._open += [caller, server]
            for source, target, heard in ((caller, server, self.said), (server, caller, None)):
                arguments = (source, target, heard)
                threading.Thread(target=_relay, args=arguments, daemon=True).start()

    def close(self) -> None:
        """End every connection."""
        for one in self._open:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


def _relay(source: socket.socket, target: socket.socket, heard: bytearray | None) -> None:
    with suppress(OSError):
        while piece := source.recv(_CHUNK):
            if heard is not None:
                heard += piece
            target.sendall(piece)
    with suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)


@contextmanager
def serve_wire(upstream: int) -> Iterator[Wire]:
    """Serve a relay to this port on a free one."""
    wire = Wire(upstream)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        wire.port = listener.getsockname()[1]
        accepting = threading.Thread(target=wire.accept, args=(listener,), daemon=True)
        accepting.start()
        try:
            yield wire
        finally:
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            wire.close()
            accepting.join()
