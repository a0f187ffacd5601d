"""Plain HTTP for whoever watches the process: metrics, liveness, readiness.

It runs in threads of its own, so that it answers while the event loop is busy, and can say when the
loop is busy no longer but stuck. Unlike gRPC's own health checks it needs no certificate.
"""

import threading
import time
from collections.abc import Callable, Iterable
from socketserver import ThreadingMixIn
from typing import TYPE_CHECKING, Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from prometheus_client import CollectorRegistry, make_wsgi_app

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

# A loop that has not come round for so long will not any more; a long garbage collection or a
# starved processor takes a few seconds.
_STUCK_AFTER_S = 30.0
_REQUEST_TIMEOUT_S = 10.0


class _Handler(WSGIRequestHandler):
    timeout = _REQUEST_TIMEOUT_S

    def log_message(self, *_parts: Any) -> None:
        """Log nothing: scrapes and probes come every few seconds."""


class _Threads(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class ProbeServer:
    """Answers `/livez`, `/readyz` and `/metrics`; listening once constructed.

    Args:
        host: Address to listen on; IPv4.
        port: Port; 0 picks a free one.
        ready: Whether the process can take traffic.
        registry: What `/metrics` shows.

    Raises:
        OSError: The address cannot be bound.
    """

    def __init__(
        self, host: str, port: int, *, ready: Callable[[], bool], registry: CollectorRegistry
    ) -> None:
        self._ready = ready
        self._metrics = make_wsgi_app(registry)
        self._alive_s = time.monotonic()
        self._server = make_server(
            host, port, self._answer, server_class=_Threads, handler_class=_Handler
        )
        self._thread = threading.Thread(
            target=self._server.serve_forever, name="probes", daemon=True
        )
        self._thread.start()

    @property
    def port(self) -> int:
        """The port listened on."""
        return self._server.server_port

    @property
    def is_serving(self) -> bool:
        """Whether its thread still answers."""
        return self._thread.is_alive()

    def note_alive(self) -> None:
        """Say that the event loop has just come round."""
        self._alive_s = time.monotonic()

    def close(self) -> None:
        """Close the port; takes up to half a second."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(self, environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
        match environ.get("PATH_INFO"):
            case "/livez":
                return _state(start, is_well=time.monotonic() - self._alive_s < _STUCK_AFTER_S)
            case "/readyz":
                return _state(start, is_well=self._ready())
            case "/metrics":
                page: Iterable[bytes] = self._metrics(environ, start)
                return page
            case _:
                start("404 Not Found", [("Content-Type", "text/plain")])
                return [b"not found\n"]


def _state(start: "StartResponse", *, is_well: bool) -> Iterable[bytes]:
    status, text = ("200 OK", b"ok\n") if is_well else ("503 Service Unavailable", b"not ready\n")
    start(status, [("Content-Type", "text/plain")])
    return [text]
