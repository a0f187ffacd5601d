"""The page server of the corpus, as a process on loopback and by its pure functions."""

import http.client
import importlib.util
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "deploy" / "local" / "page_server.py"
START_WITHIN_SECONDS = 10.0


@pytest.fixture(scope="module")
def page_server() -> ModuleType:
    spec = importlib.util.spec_from_file_location("page_server", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Pages:
    """A running server; paths are sent as they are, without normalisation."""

    port: int

    def get(self, host: str, path: str = "/", method: str = "GET", **headers: str) -> Reply:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            connection.putheader("Host", f"{host}:{self.port}")
            for name, value in headers.items():
                connection.putheader(name.replace("_", "-"), value)
            connection.endheaders()
            reply = connection.getresponse()
            lowered = {name.lower(): value for name, value in reply.getheaders()}
            return Reply(reply.status, lowered, reply.read())
        finally:
            connection.close()


def start(**environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(SCRIPT)],
        env={**os.environ, "PAGES_PORT": "0", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def listening_port(process: subprocess.Popen[str]) -> int:
    assert process.stdout
    line = process.stdout.readline()
    found = re.fullmatch(r"pages: listening on http://<name>\.localhost:(\d+)\n", line)
    assert found, line
    return int(found.group(1))


@pytest.fixture(scope="module")
def pages() -> Iterator[Pages]:
    process = start()
    try:
        yield Pages(listening_port(process))
    finally:
        process.terminate()
        process.communicate(timeout=10)


def test_host_header_chooses_the_site(pages: Pages) -> None:
    assert b"<title>The Harbour Post" in pages.get("harbourpost.localhost").body
    assert b"<title>Norrvik Cells" in pages.get("norrvik.localhost").body
    assert b"Documentation" in pages.get("docs.fennwick.localhost").body.replace(b"doc", b"Doc")


def test_host_is_matched_without_case_and_final_dot(pages: Pages) -> None:
    assert pages.get("HarbourPost.LOCALHOST.").status == 200


@pytest.mark.parametrize("host", ["nowhere.localhost", "localhost", "127.0.0.1", "..", "", "[::1]"])
def test_unknown_host_is_a_404_page_that_lists_the_sites(pages: Pages, host: str) -> None:
    reply = pages.get(host)
    assert reply.status == 404
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    assert f"http://almanac.localhost:{pages.port}/".encode() in reply.body


@pytest.mark.parametrize(
    ("host", "path", "expected"),
    [
        ("harbourpost", "/", "text/html; charset=utf-8"),
        ("solvaneilbo", "/news/2026/1114/ondry-bridge.html", "text/html; charset=euc-kr"),
        ("shiosai", "/2026/11/13/harrowmere.html", "text/html; charset=shift_jis"),
        ("harbourpost", "/style.css", "text/css; charset=utf-8"),
        ("pitchside", "/ticker.js", "text/javascript; charset=utf-8"),
        ("fennwick", "/CHANGELOG.md", "text/markdown; charset=utf-8"),
        ("skerry", "/terms-of-credit.txt", "text/plain; charset=utf-8"),
        ("coastinstitute", "/reports/vics-2026-03-sea-level.pdf", "application/pdf"),
    ],
)
def test_content_type_names_the_charset_of_the_file(
    pages: Pages, host: str, path: str, expected: str
) -> None:
    reply = pages.get(f"{host}.localhost", path)
    assert reply.status == 200
    assert reply.headers["content-type"] == expected


def test_body_is_the_file_in_its_own_encoding(pages: Pages) -> None:
    reply = pages.get("solvaneilbo.localhost", "/news/2026/1114/ondry-bridge.html")
    assert "온드리 대교 개통" in reply.body.decode("euc-kr")


def test_missing_page_is_a_404_page(pages: Pages) -> None:
    reply = pages.get("harbourpost.localhost", "/2026/<script>.html")
    assert reply.status == 404
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    assert b"Page not found" in reply.body
    assert b"<script>" not in reply.body


@pytest.mark.parametrize(
    "path",
    [
        "/../corpus.yaml",
        "/%2e%2e/corpus.yaml",
        "/..%2fcorpus.yaml",
        "/2026/../../corpus.yaml",
        "/2026/%2e%2e/%2e%2e/questions.yaml",
        "/..%5ccorpus.yaml",
        "//etc/passwd",
        "/%00",
        "/./index.html",
        "/../almanac.localhost/index.html",
    ],
)
def test_no_way_out_of_the_site_folder(pages: Pages, path: str) -> None:
    reply = pages.get("harbourpost.localhost", path)
    assert reply.status == 404
    assert b"base_url" not in reply.body


def test_link_that_leaves_the_site_is_not_followed(page_server: ModuleType, tmp_path: Path) -> None:
    site = tmp_path / "a.localhost"
    site.mkdir()
    (tmp_path / "secret.html").write_text("secret")
    (site / "link.html").symlink_to(tmp_path / "secret.html")
    (site / "page.html").write_text("page")
    assert page_server.find_file(site, "/page.html") == site / "page.html"
    assert page_server.find_file(site, "/link.html") is None


def test_hidden_files_are_not_served(page_server: ModuleType, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("KEY=1")
    assert page_server.find_file(tmp_path, "/.env") is None


def test_folder_is_redirected_to_its_slash(pages: Pages) -> None:
    reply = pages.get("fennwick.localhost", "/releases")
    assert reply.status == 301
    assert reply.headers["location"] == "releases/"
    assert pages.get("fennwick.localhost", "/releases/").status == 200


def test_last_modified_is_the_date_of_the_page(pages: Pages) -> None:
    reply = pages.get("harbourpost.localhost", "/2026/11/14/ondry-bridge-opens.html")
    assert reply.headers["last-modified"] == "Sun, 15 Nov 2026 07:02:00 GMT"


def test_page_without_a_date_has_no_last_modified(pages: Pages) -> None:
    assert "last-modified" not in pages.get("wowbuzz.localhost", "/kettle-explodes.html").headers


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'"datePublished": "2026-01-02"', datetime(2026, 1, 2, tzinfo=UTC)),
        (b'<time datetime="2026-01-02T03:00:00+01:00">', datetime(2026, 1, 2, 2, tzinfo=UTC)),
        (b'"datePublished": "soon" <time datetime="2026-01-02">', datetime(2026, 1, 2, tzinfo=UTC)),
        (b"no date", None),
    ],
)
def test_page_date(page_server: ModuleType, body: bytes, expected: datetime | None) -> None:
    assert page_server.page_date(body) == expected


def test_known_version_is_not_sent_again(pages: Pages) -> None:
    first = pages.get("norrvik.localhost", "/leadership.html")
    again = pages.get("norrvik.localhost", "/leadership.html", If_None_Match=first.headers["etag"])
    other = pages.get("norrvik.localhost", "/leadership.html", If_None_Match='"other"')
    assert (again.status, again.body) == (304, b"")
    assert other.status == 200


def test_head_has_the_length_and_no_body(pages: Pages) -> None:
    full = pages.get("norrvik.localhost", "/leadership.html")
    reply = pages.get("norrvik.localhost", "/leadership.html", method="HEAD")
    assert reply.status == 200
    assert reply.body == b""
    assert int(reply.headers["content-length"]) == len(full.body)


def test_other_methods_are_refused(pages: Pages) -> None:
    reply = pages.get("norrvik.localhost", "/", method="POST", Content_Length="0")
    assert reply.status == 405
    assert reply.headers["allow"] == "GET, HEAD"


def test_robots_txt(pages: Pages) -> None:
    assert b"Disallow: /members/" in pages.get("thequay.localhost", "/robots.txt").body
    assert pages.get("almanac.localhost", "/robots.txt").body == b"User-agent: *\nAllow: /\n"


def test_healthz_answers_on_any_host(pages: Pages) -> None:
    assert pages.get("127.0.0.1", "/healthz").body == b"ok\n"


def test_sigterm_ends_it_cleanly_and_quickly() -> None:
    process = start()
    listening_port(process)
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=10)
    assert process.returncode == 0
    assert errors == ""
    assert time.monotonic() - began < 3


def test_unusable_settings_are_one_clear_line(pages: Pages, tmp_path: Path) -> None:
    for environment, text in (
        ({"PAGES_PORT": str(pages.port)}, "pages: cannot listen on PAGES_PORT"),
        ({"PAGES_PORT": "many"}, "pages: cannot listen on PAGES_PORT many"),
        ({"PAGES_PORT": "70000"}, "pages: cannot listen on PAGES_PORT 70000"),
        ({"CORPUS_DIR": str(tmp_path / "none")}, "pages: CORPUS_DIR is not a folder"),
    ):
        process = start(**environment)
        _, errors = process.communicate(timeout=START_WITHIN_SECONDS)
        assert process.returncode == 1
        assert errors.startswith(text)
        assert errors.count("\n") == 1
