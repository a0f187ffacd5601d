"""Lists of malicious places: their forms, what they name, and how they are kept fresh."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pellucid_runtime.clock import SystemClock
from pellucid_runtime.malicious import lists
from pellucid_runtime.malicious.entries import joined, parsed
from pellucid_runtime.malicious.lists import MaliciousLists, watched
from pellucid_runtime.malicious.settings import MaliciousSettings
from pellucid_runtime.telemetry.metrics import (
    MALICIOUS_ENTRIES,
    MALICIOUS_FAILURES,
    MALICIOUS_READ_AT,
)

HOSTS = """# hosts file
127.0.0.1\tlocalhost
127.0.0.1\tbad.example
0.0.0.0 worse.example www.worse.example # both
::1 ip6-bad.example
"""
NAMES = """! names
plain.example
*.below.example
||filtered.example^
||filtered2.example^$all
198.51.100.7
not a host
com
"""
ADDRESSES = "http://files.example/a/x.exe\nhttps://cdn.example:8443/y?z=1#part\n"
CSV = (
    '# "id","dateadded","url","url_status"\r\n'
    '"1","2026-11-20 10:00:00","http://host.example/i.sh","online","2026-11-21","malware",'
    '"elf","https://list.example/url/1/","reporter"\r\n'
)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        (HOSTS, "http://bad.example/"),
        (HOSTS, "https://any.below.bad.example/x?y"),
        (HOSTS, "http://WWW.worse.example:8080/"),
        (HOSTS, "http://ip6-bad.example./"),
        (NAMES, "https://plain.example/x"),
        (NAMES, "https://a.below.example/x"),
        (NAMES, "https://filtered.example/"),
        (NAMES, "https://filtered2.example/"),
        (NAMES, "http://198.51.100.7/x"),
        (ADDRESSES, "http://files.example/a/x.exe"),
        (ADDRESSES, "https://files.example:443/a/x.exe#top"),
        (ADDRESSES, "https://cdn.example:8443/y?z=1"),
        (CSV, "http://host.example/i.sh"),
    ],
)
def test_what_a_list_names_is_known(text: str, url: str) -> None:
    assert parsed(text).names(url)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        (HOSTS, "http://localhost/"),
        (HOSTS, "http://notbad.example/"),
        (HOSTS, "http://example/"),
        (NAMES, "https://other.com/"),
        (ADDRESSES, "http://files.example/"),
        (ADDRESSES, "http://files.example/a/y.exe"),
        (ADDRESSES, "https://cdn.example/y?z=1"),
        (CSV, "https://host.example/"),
        (CSV, "https://list.example/"),
        ("", "http://bad.example/"),
        (HOSTS, "http://[bad.example/"),
    ],
)
def test_what_it_does_not_name_is_not(text: str, url: str) -> None:
    assert not parsed(text).names(url)


def test_lists_are_joined() -> None:
    every = joined([parsed(HOSTS), parsed(ADDRESSES)])

    assert len(every) == 6
    assert every.names("http://files.example/a/x.exe")


class _List(BaseHTTPRequestHandler):
    said: str = HOSTS
    status: int = 200

    def do_GET(self) -> None:
        body = _List.said.encode()
        self.send_response(_List.status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(name="address")
def address_fixture() -> Iterator[str]:
    _List.said, _List.status = HOSTS, 200
    with ThreadingHTTPServer(("127.0.0.1", 0), _List) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/list"
        server.shutdown()
        thread.join()


async def test_lists_are_read_again_and_the_last_good_state_stays(
    address: str, tmp_path: Path
) -> None:
    file = tmp_path / "own.txt"
    file.write_text("mine.example\n")
    known = MaliciousLists([address, str(file)], refresh_s=300, clock=SystemClock())
    assert not known.names("http://bad.example/")

    await known.refresh()
    assert known.names("http://bad.example/")
    assert known.names("http://mine.example/")
    assert MALICIOUS_ENTRIES._value.get() == 5
    assert MALICIOUS_READ_AT._value.get() > 0

    _List.said = "new.example"
    file.write_text("other.example\n")
    await known.refresh()
    assert known.names("http://new.example/")
    assert known.names("http://other.example/")
    assert not known.names("http://bad.example/")
    assert not known.names("http://mine.example/")

    before = MALICIOUS_FAILURES._value.get()
    _List.status = 500
    file.unlink()
    await known.refresh()
    assert MALICIOUS_FAILURES._value.get() == before + 2
    assert known.names("http://new.example/")
    assert known.names("http://other.example/")


async def test_a_list_without_end_is_cut(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "MOST_BYTES", 10)
    known = MaliciousLists([address], refresh_s=300, clock=SystemClock())
    before = MALICIOUS_FAILURES._value.get()

    await known.refresh()

    assert MALICIOUS_FAILURES._value.get() == before + 1
    assert not known.names("http://bad.example/")


async def test_a_service_keeps_its_lists_fresh(tmp_path: Path) -> None:
    file = tmp_path / "own.txt"
    file.write_text("mine.example\n")
    settings = MaliciousSettings(service_name="x", malicious_lists=f" {file}, ")
    async with AsyncExitStack() as stack:
        names = watched(settings, stack, SystemClock())
        async with asyncio.timeout(10):
            while not names("http://mine.example/"):  # noqa: ASYNC110 - read in the background
                await asyncio.sleep(0.01)
    assert not watched(MaliciousSettings(service_name="x"), AsyncExitStack(), SystemClock())(
        "http://mine.example/"
    )
