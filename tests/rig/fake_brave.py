"""A search provider with Brave's wire format that can be switched off and on."""

import json
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class FakeBrave:
    """The server; `start` and `stop` keep its port.

    Attributes:
        results: Entries of `web.results` that every query gets.
        pause_s: Seconds before each answer.
        queries: What was asked.
    """

    results: Sequence[dict[str, Any]]
    pause_s: float = 0.0
    queries: list[str] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        """Base address."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Begin to answer."""
        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), _handler(self))
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Close the port: connections are refused from now on."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(brave: FakeBrave) -> type[BaseHTTPRequestHandler]:
    pausing = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # A stopped server must not go on answering over a connection that was kept.
        close_connection = True

        def log_message(self, *_: object) -> None:
            """Stay silent."""

        def do_GET(self) -> None:
            brave.queries.append(self.path)
            pausing.wait(brave.pause_s)
            body = {"type": "search", "web": {"type": "search", "results": list(brave.results)}}
            text = json.dumps(body).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.send_header("X-RateLimit-Limit", "50, 15000")
            self.send_header("X-RateLimit-Remaining", "49, 14000")
            self.send_header("X-RateLimit-Reset", "1, 1419704")
            self.send_header("Connection", "close")
            self.end_headers()
            with suppress(ConnectionError):
                self.wfile.write(text)

    return Handler
