"""What Alertmanager sends its pages to in tests."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Pager:
    """Receives what Alertmanager sends.

    Attributes:
        firing: Names of alerts that were reported as firing.
        resolved: Names of those reported as over.
    """

    firing: list[str] = field(default_factory=list)
    resolved: list[str] = field(default_factory=list)


def _pager_handler(pager: Pager) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Stay silent."""

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            for alert in body["alerts"]:
                heard = pager.firing if alert["status"] == "firing" else pager.resolved
                heard.append(alert["labels"]["alertname"])
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

    return Handler


@contextmanager
def serve_pager() -> Iterator[tuple[Pager, int]]:
    """A pager and the port that it listens on."""
    pager = Pager()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _pager_handler(pager))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield pager, server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
