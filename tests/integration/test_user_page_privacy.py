"""A page that a person named is in no store, log, metric or exported trace of the fetcher.

The real process, its traces at a real collector: what leaves it is what is searched.
"""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from pellucid.fetcher.v1 import fetcher_pb2, fetcher_pb2_grpc

from rig.otlp import Collector, serve_collector
from rig.ports import free_port
from rig.processes import Process, service_command

pytestmark = [pytest.mark.processes, pytest.mark.timeout(90)]

CANARY = "zanzibar-7731-canary"
SENTENCE = f"The word of the day is {CANARY}, they say, and nobody in the harbour knows why."


class _Page(BaseHTTPRequestHandler):
    """Answers every path but the rules for robots with one page that has the canary in it."""

    def do_GET(self) -> None:
        found = self.path.startswith("/page")
        body = f"<title>{CANARY}</title><main><p>{SENTENCE}</p></main>".encode() if found else b""
        self.send_response(200 if found else 404)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(name="page_port")
def page_port_fixture() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Page) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(name="collector")
def collector_fixture() -> Iterator[Collector]:
    with serve_collector() as running:
        yield running


@pytest.fixture(name="ports")
def ports_fixture() -> tuple[int, int]:
    return free_port(), free_port()


@pytest.fixture(name="fetcher")
def fetcher_fixture(
    tmp_path: Path, collector: Collector, page_port: int, ports: tuple[int, int]
) -> Iterator[Process]:
    environment = {
        "PATH": "",
        "GRPC_PORT": str(ports[0]),
        "METRICS_PORT": str(ports[1]),
        "DATA_DIR": str(tmp_path / "data"),
        "LOG_LEVEL": "debug",
        "FETCHER_BROWSER": "false",
        "FETCHER_EXTRACT_WORKERS": "1",
        "FETCHER_ALLOW_PRIVATE_HOSTS": f"quay.localhost:{page_port}",
        "FETCHER_STATIC_HOSTS": "quay.localhost=127.0.0.1",
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
        "OTEL_BSP_SCHEDULE_DELAY": "200",
    }
    process = Process(
        "fetcher",
        service_command("fetcher"),
        environment,
        tmp_path / "log",
        f"http://127.0.0.1:{ports[1]}/readyz",
    )
    process.start()
    try:
        process.wait_ready()
        yield process
    finally:
        process.stop()


def _read(ports: tuple[int, int], url: str, purpose: Any) -> str:
    request = fetcher_pb2.FetchRequest(url=url, purpose=purpose)
    with grpc.insecure_channel(f"127.0.0.1:{ports[0]}") as channel:
        answer = fetcher_pb2_grpc.FetcherServiceStub(channel).Fetch(request, timeout=10)
    return str(answer.page.text)


def _stored(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def test_a_user_page_is_nowhere_afterwards(
    fetcher: Process, collector: Collector, page_port: int, ports: tuple[int, int], tmp_path: Path
) -> None:
    url = f"http://quay.localhost:{page_port}"
    for path in (f"/page/{CANARY}", f"/missing?{CANARY}"):
        text = _read(ports, url + path, fetcher_pb2.PURPOSE_USER_URL)
        assert (CANARY in text) == path.startswith("/page")
    metrics = httpx.get(f"http://127.0.0.1:{ports[1]}/metrics", trust_env=False).content
    assert fetcher.stop() == 0  # sends the last spans
    assert "/pellucid.fetcher.v1.FetcherService/Fetch" in {
        f"/{span.name.removeprefix('/')}" for span in collector.spans
    }
    written = {
        "store": _stored(tmp_path / "data"),
        "log": fetcher.log.read_bytes(),
        "metrics": metrics,
        "traces": b"".join(collector.raw),
    }
    assert [place for place, said in written.items() if CANARY.encode() in said] == []
    assert all(written[place] for place in ("log", "metrics", "traces"))


def test_the_same_page_as_a_search_result_is_kept(
    fetcher: Process, page_port: int, ports: tuple[int, int], tmp_path: Path
) -> None:
    """The search of the store finds what is there."""
    url = f"http://quay.localhost:{page_port}/page"
    assert CANARY in _read(ports, url, fetcher_pb2.PURPOSE_SEARCH_RESULT)
    assert fetcher.stop() == 0
    assert CANARY.encode() in _stored(tmp_path / "data")
