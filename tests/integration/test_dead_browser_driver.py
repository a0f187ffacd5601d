"""A browser driver that cannot start, in a real fetcher: a typed outcome, and the batch goes on."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import grpc
import httpx
import pytest
from pellucid.fetcher.v1 import fetcher_pb2, fetcher_pb2_grpc

from rig.ports import free_port
from rig.processes import Process, service_command

pytestmark = [pytest.mark.processes, pytest.mark.timeout(90)]

TEXT = "<title>Quay</title><main><p>The quay was rebuilt in 1987 and is open all year.</p></main>"
SHELL = (
    "<!doctype html><title>Quay</title><div id=root></div>"
    "<script>document.getElementById('root').textContent = 'The quay'</script>"
)


class _Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = (SHELL if "script" in self.path else TEXT).encode()
        self.send_response(404 if self.path == "/robots.txt" else 200)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(name="site")
def site_fixture() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Page) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"quay.localhost:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture(name="ports")
def ports_fixture() -> tuple[int, int]:
    return free_port(), free_port()


@pytest.fixture(name="fetcher")
def fetcher_fixture(tmp_path: Path, site: str, ports: tuple[int, int]) -> Iterator[Process]:
    environment = {
        "PATH": "",
        "GRPC_PORT": str(ports[0]),
        "METRICS_PORT": str(ports[1]),
        "DATA_DIR": str(tmp_path),
        "FETCHER_CHROMIUM": "/bin/true",
        "PLAYWRIGHT_NODEJS_PATH": "/bin/false",
        "FETCHER_EXTRACT_WORKERS": "1",
        "FETCHER_ALLOW_PRIVATE_HOSTS": site,
        "FETCHER_STATIC_HOSTS": "quay.localhost=127.0.0.1",
    }
    ready = f"http://127.0.0.1:{ports[1]}/readyz"
    process = Process("fetcher", service_command("fetcher"), environment, tmp_path / "log", ready)
    process.start()
    process.wait_ready()
    yield process
    process.stop()


@pytest.mark.usefixtures("fetcher")
def test_only_the_pages_that_need_it_are_lost(site: str, ports: tuple[int, int]) -> None:
    requests = [
        fetcher_pb2.FetchRequest(url=f"http://{site}/{path}", purpose=fetcher_pb2.PURPOSE_USER_URL)
        for path in ("script", "one", "script2", "two", "three")
    ]
    with grpc.insecure_channel(f"127.0.0.1:{ports[0]}") as channel:
        stub = fetcher_pb2_grpc.FetcherServiceStub(channel)
        call = stub.FetchMany(fetcher_pb2.FetchManyRequest(requests=requests), timeout=40)
        pages = {answer.index: answer.page for answer in call}
    metrics = httpx.get(f"http://127.0.0.1:{ports[1]}/metrics", trust_env=False).text

    assert {n for n, page in pages.items() if page.success} == {1, 3, 4}
    for lost in (pages[0], pages[2]):
        assert lost.status == fetcher_pb2.FETCH_STATUS_NO_TEXT, lost
        assert lost.error
    assert "\npellucid_fetcher_browser_available 0.0" in metrics
