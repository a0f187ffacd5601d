"""Reader service, web archive and corporate proxy, each played by a faithful server on loopback."""

import asyncio
import base64
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from pydantic import SecretStr, ValidationError

from pellucid_fetcher.outcome import FetchStatus, Method, Purpose
from pellucid_fetcher.settings import FetcherSettings

SENTENCE = "The bakery on the quay closed after ninety years, and the oven went to a museum."
PAGE = f"<html><title>Bakery</title><main><p>{SENTENCE}</p></main></html>".encode()
SEARCH = Purpose.SEARCH_RESULT
READER, ARCHIVE = "http://reader.test", "http://archive.test"


class World:
    """Answers by host; remembers who was asked for what."""

    def __init__(self, http: Callable[..., bytes], site: bytes) -> None:
        self.http = http
        self.site = site
        self.asked: list[tuple[str, str]] = []
        self.heads: list[str] = []
        self.reader = json.dumps({"code": 200, "data": {"title": "Read", "content": SENTENCE}})
        self.snapshots = True

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        path = head.split(" ")[1]
        host = next(line[6:] for line in head.split("\r\n") if line.lower().startswith("host: "))
        self.asked.append((host, path))
        self.heads.append(head)
        writer.write(self.answer(host, path))

    def answer(self, host: str, path: str) -> bytes:
        if path == "/robots.txt":
            return self.http(b"", status=404)
        if host == "reader.test":
            return self.http(self.reader.encode(), kind="application/json")
        if host == "archive.test":
            return self._archive(path)
        return self.site

    def _archive(self, path: str) -> bytes:
        if path.startswith("/wayback/available"):
            url = parse_qs(urlsplit(path).query)["url"][0]
            closest = {"available": True, "status": "200", "timestamp": "20250102030405",
                       "url": f"http://web.archive.example/web/20250102030405/{url}"}  # fmt: skip
            found = {"closest": closest} if self.snapshots else {}
            body = json.dumps({"url": url, "archived_snapshots": found})
            return self.http(body.encode(), kind="application/json")
        good = path.startswith("/web/20250102030405id_/http://gone.test/")
        return self.http(PAGE) if good else self.http(b"", status=404)

    def hosts(self) -> set[str]:
        return {host for host, path in self.asked if path != "/robots.txt"}


@pytest.fixture
async def played(open_rig: Any, http: Any) -> Any:
    """Open a rig whose whole outside is one world."""

    async def opened(status: int, **settings: Any) -> tuple[Any, World]:
        world = World(http, http(b"no", status=status))
        rig = await open_rig(reader_base_url=READER, archive_base_url=ARCHIVE, **settings)
        await rig.serve(world)
        return rig, world

    return opened


async def test_a_refused_search_result_is_read_by_the_reader(played: Any) -> None:
    rig, world = await played(403, reader_api_key=SecretStr("example-key"))
    page = await rig.fetch("http://gone.test/a?b=c", SEARCH)
    assert (page.status, page.method) == (FetchStatus.OK, Method.READER)
    assert page.text == SENTENCE
    assert page.title == "Read"
    assert page.final_url == "http://gone.test/a?b=c"
    assert ("reader.test", "/http://gone.test/a?b=c") in world.asked
    with_key = [head for head in world.heads if "example-key" in head]
    assert len(with_key) == 1
    assert "host: reader.test" in with_key[0].lower()


async def test_a_plain_answer_of_a_reader_is_understood(played: Any) -> None:
    rig, world = await played(403)
    world.reader = f"Title: Plain\n\nURL Source: x\n\nMarkdown Content:\n{SENTENCE}"
    page = await rig.fetch("http://gone.test/", SEARCH)
    assert (page.method, page.title, page.text) == (Method.READER, "Plain", SENTENCE)


@pytest.mark.parametrize(
    "answer",
    ["", "[" * 100_000, '{"data": {"content": ""}}', '{"data": 5}', '{"code": 422}',
     '{"data": {"content": "x", "warning": "Target URL returned error 403: Forbidden"}}'],
)  # fmt: skip
async def test_a_reader_that_fails_leaves_it_to_the_archive(played: Any, answer: str) -> None:
    rig, world = await played(403)
    world.reader = answer
    page = await rig.fetch("http://gone.test/", SEARCH)
    assert (page.status, page.method) == (FetchStatus.OK, Method.ARCHIVE)
    assert {"reader.test", "archive.test"} <= world.hosts()


async def test_a_page_that_is_gone_comes_from_the_archive(played: Any) -> None:
    rig, world = await played(404)
    page = await rig.fetch("http://gone.test/a?b=c", SEARCH)
    assert (page.status, page.method) == (FetchStatus.OK, Method.ARCHIVE)
    assert SENTENCE in page.text
    assert page.final_url == "http://archive.test/web/20250102030405/http://gone.test/a?b=c"
    assert "reader.test" not in world.hosts()
    again = await rig.fetch("http://gone.test/a?b=c", SEARCH)
    assert again.method is Method.CACHE


async def test_without_a_snapshot_the_outcome_stands(played: Any) -> None:
    rig, world = await played(404)
    world.snapshots = False
    page = await rig.fetch("http://gone.test/", SEARCH)
    assert (page.status, page.http_status) == (FetchStatus.NOT_FOUND, 404)
    assert page.text == ""


async def test_a_dead_site_comes_from_the_archive(played: Any) -> None:
    rig, world = await played(200)
    rig.resolver.answers["gone.test"] = [()]
    page = await rig.fetch("http://gone.test/", SEARCH)
    assert page.method is Method.ARCHIVE
    assert world.hosts() == {"archive.test"}


@pytest.mark.parametrize("status", [403, 404, 500])
async def test_what_a_person_named_is_told_to_nobody(played: Any, status: int) -> None:
    rig, world = await played(status)
    page = await rig.fetch("http://gone.test/secret")
    assert page.http_status == status
    assert world.hosts() == {"gone.test"}


async def test_the_operator_may_show_a_persons_page_to_the_reader(played: Any) -> None:
    rig, world = await played(403, fetcher_reader_user_urls=True)
    assert (await rig.fetch("http://gone.test/")).method is Method.READER
    assert "archive.test" not in world.hosts()


@pytest.mark.parametrize("status", [401, 429, 451])
async def test_a_site_that_is_meant_is_respected(played: Any, status: int) -> None:
    rig, world = await played(status)
    assert not (await rig.fetch("http://gone.test/", SEARCH)).success
    assert world.hosts() == {"gone.test"}


async def test_inner_hosts_and_forbidden_targets_are_told_to_nobody(played: Any) -> None:
    inside = {"fetcher_allow_private_hosts": "gone.test:80"}
    rig, world = await played(403, **inside)
    assert not (await rig.fetch("http://gone.test/", SEARCH)).success
    assert not (await rig.fetch("http://gone.test/", SEARCH, internal_only=True)).success
    for url in ("http://127.0.0.1/", "http://wiki/", "http://10.0.0.1/", "file:///etc/passwd"):
        assert (await rig.fetch(url, SEARCH)).status is FetchStatus.BLOCKED_TARGET
    assert world.hosts() == {"gone.test"}


async def test_robots_are_not_walked_around(played: Any, http: Any) -> None:
    rig, world = await played(403)
    rules = http(b"User-agent: *\nDisallow: /", kind="text/plain")
    usual = world.answer
    world.answer = lambda host, path: (
        rules if (host, path) == ("gone.test", "/robots.txt") else usual(host, path)
    )
    page = await rig.fetch("http://gone.test/", SEARCH)
    assert page.status is FetchStatus.ROBOTS_DENIED
    assert world.hosts() == set()


async def test_third_parties_pass_the_same_gate(open_rig: Any, http: Any) -> None:
    rig = await open_rig(reader_base_url="http://127.0.0.1:3000", archive_base_url="http://wiki")
    await rig.pages({"/": http(b"", status=403), "/robots.txt": http(b"", status=404)})
    rig.dialler.dialled.clear()
    assert (await rig.fetch("http://gone.test/", SEARCH)).status is FetchStatus.FORBIDDEN
    assert {address for address, _ in rig.dialler.dialled} == {"93.184.216.34"}


class CorporateProxy:
    """Grants CONNECT and carries bytes to where the rig's site listens."""

    def __init__(self, site_port: int, answer: bytes = b"HTTP/1.1 200 OK\r\n\r\n") -> None:
        self.heads: list[str] = []
        self._site_port = site_port
        self._answer = answer

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(self._answer)
        if not self._answer.startswith(b"HTTP/1.1 200"):
            return
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", self._site_port)
        inner_writer.write(await reader.readuntil(b"\r\n\r\n"))
        writer.write(await inner_reader.read())
        inner_writer.close()


async def _proxied(open_rig: Any, http: Any, **options: Any) -> tuple[Any, CorporateProxy]:
    url = SecretStr("http://me:pass%20word@proxy.example:3128")
    rig = await open_rig(egress_proxy_url=url, fetcher_allow_private_hosts="wiki.corp:80",
                         fetcher_static_hosts="wiki.corp=10.1.2.3")  # fmt: skip
    await rig.pages({"/": http(PAGE)})
    proxy = CorporateProxy(rig.dialler.ports[80], **options)
    await rig.serve(proxy, port=3128)
    return rig, proxy


async def test_the_corporate_proxy_is_asked_for_checked_addresses(open_rig: Any, http: Any) -> None:
    rig, proxy = await _proxied(open_rig, http)
    page = await rig.fetch("http://bakery.test/")
    assert SENTENCE in page.text
    assert rig.dialler.dialled == [("proxy.example", 3128)]
    first, *headers = proxy.heads[0].split("\r\n")
    assert first == "CONNECT 93.184.216.34:80 HTTP/1.1"
    word = base64.b64encode(b"me:pass word").decode()
    assert f"Proxy-Authorization: Basic {word}" in headers
    assert (await rig.fetch("http://10.0.0.1/")).status is FetchStatus.BLOCKED_TARGET
    rig.resolver.answers["evil.test"] = [("10.0.0.9",)]
    assert (await rig.fetch("http://evil.test/")).status is FetchStatus.BLOCKED_TARGET
    assert len(proxy.heads) == 1


async def test_what_is_inside_does_not_go_by_way_of_the_proxy(open_rig: Any, http: Any) -> None:
    rig, proxy = await _proxied(open_rig, http)
    assert (await rig.fetch("http://wiki.corp/")).success
    assert rig.dialler.dialled == [("10.1.2.3", 80)]
    assert proxy.heads == []


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 407 Who\r\n\r\n",
        b"HTTP/1.1 403 No\r\n\r\n",
        b"",
        b"x" * 20_000,
        b"SSH-2.0\r\n\r\n",
    ],
    ids=lambda answer: answer[:12].decode(),
)
async def test_nothing_is_dialled_around_a_proxy_that_refuses(
    open_rig: Any, http: Any, answer: bytes
) -> None:
    rig, _ = await _proxied(open_rig, http, answer=answer)
    page = await rig.fetch("http://bakery.test/")
    assert page.status is FetchStatus.CONNECT_ERROR
    assert {address for address, _ in rig.dialler.dialled} == {"proxy.example"}


@pytest.mark.parametrize("value", ["proxy:3128", "socks5://proxy:1080", "http://", "http://a/b"])
def test_a_wrong_proxy_stops_the_start(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EGRESS_PROXY_URL", value)
    with pytest.raises(ValidationError):
        FetcherSettings()
