"""Several replicas over one real Redis: turns, rests and pages are shared, and trouble is not."""

import asyncio
import shutil
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pellucid_fetcher.adapters.shared_turns import SharedRateLimit
from pellucid_fetcher.adapters.store_limits import READ_S
from pellucid_fetcher.metrics import STORE_ERRORS
from pellucid_fetcher.outcome import FetchStatus, Method, Purpose
from pellucid_fetcher.politeness.politeness import LocalRateLimit
from pellucid_runtime.breaker import BreakerState
from pellucid_runtime.store_guard import StoreGuard

pytestmark = pytest.mark.redis

SEARCH = Purpose.SEARCH_RESULT
TEXT = "The ferry to the outer islands leaves twice a day from the northern pier in winter."
PAGE = f"<html><title>Ferry</title><main><p>{TEXT}</p></main></html>".encode()
# What the README says a user of the server needs.
ACL = ("~fetch:*", "-@all", "+@read", "+@write", "+@scripting", "+@connection", "+time")


class Redis:
    """A redis-server of the test's own, on a socket in its folder."""

    def __init__(self, folder: Path) -> None:
        self.socket = folder / "redis.sock"
        self.url = f"unix://fetcher:word@{self.socket}"
        self._folder = folder
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [shutil.which("redis-server") or "", "--port", "0", "--unixsocket", str(self.socket),
             "--save", "", "--user", "fetcher", "on", ">word", *ACL],
            cwd=self._folder, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        ends = time.monotonic() + 20
        while not self.socket.exists():
            assert time.monotonic() < ends
            time.sleep(0.01)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.socket.unlink(missing_ok=True)

    async def say(self, *words: str) -> bytes:
        reader, writer = await asyncio.open_unix_connection(str(self.socket))
        parts = [f"${len(word.encode())}\r\n{word}\r\n" for word in words]
        writer.write(f"*{len(words)}\r\n{''.join(parts)}".encode())
        answer = await reader.read(65_536)
        writer.close()
        return answer

    async def keys(self) -> list[str]:
        said = (await self.say("KEYS", "*")).decode().split("\r\n")
        return [line for line in said if ":" in line]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Redis]:
    redis = Redis(tmp_path)
    yield redis
    redis.kill()


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait longer for the store than a page would: a busy test machine is no fault of Redis."""
    for module in ("app", "adapters.shared_turns"):
        monkeypatch.setattr(f"pellucid_fetcher.{module}.READ_S", 5.0)


@pytest.fixture
async def replicas(open_rig: Any, server: Redis, http: Any) -> Any:
    """Three fetchers, each with its own outside that counts what it is asked."""
    asked: list[str] = []

    async def opened(answer: Callable[[str], Awaitable[bytes]] | None = None) -> Any:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1].decode()
            if path != "/robots.txt":
                asked.append(path)
            body = await answer(path) if answer and path != "/robots.txt" else http(PAGE)
            writer.write(http(b"", status=404) if path == "/robots.txt" else body)

        rigs = [await open_rig(redis_url=server.url, fetcher_browser=False) for _ in range(3)]
        for rig in rigs:
            await rig.serve(serve)
        return rigs, asked

    return opened


@pytest.mark.usefixtures("patient")
async def test_one_fetch_for_an_address_over_all_replicas(replicas: Any, http: Any) -> None:
    async def slow(_: str) -> bytes:
        await asyncio.sleep(0.3)
        return http(PAGE)

    rigs, asked = await replicas(slow)
    url = "http://ferry.test/"
    pages = await asyncio.gather(
        *(rig.fetch(url, SEARCH, timeout_s=20) for rig in rigs for _ in range(20))
    )
    assert asked == ["/"]
    assert {page.text for page in pages} == {TEXT}
    assert sorted({page.method for page in pages}) == [Method.CACHE, Method.HTTP]


@pytest.mark.usefixtures("patient")
async def test_when_its_reader_dies_another_takes_over(replicas: Any, http: Any) -> None:
    arrived = asyncio.Event()

    async def first_hangs(_: str) -> bytes:
        if not arrived.is_set():
            arrived.set()
            await asyncio.sleep(60)
        return http(PAGE)

    (first, second, _), asked = await replicas(first_hangs)
    url = "http://ferry.test/"
    leader = asyncio.create_task(first.fetch(url, SEARCH, timeout_s=20))
    await arrived.wait()
    leader.cancel()
    started = time.monotonic()
    page = await second.fetch(url, SEARCH, timeout_s=20)
    assert page.success
    assert asked == ["/", "/"]
    assert time.monotonic() - started < 10


@pytest.mark.usefixtures("patient")
async def test_a_failure_is_shared_for_a_moment(replicas: Any, http: Any) -> None:
    async def gone(_: str) -> bytes:
        return http(b"", status=404)

    rigs, asked = await replicas(gone)
    for rig in rigs:
        page = await rig.fetch("http://ferry.test/", SEARCH)
        await rig.written()
        assert (page.status, page.method) == (FetchStatus.NOT_FOUND, Method.NONE)
    assert asked == ["/"]


@pytest.mark.usefixtures("patient")
async def test_turns_and_rests_are_shared(server: Redis) -> None:
    def limit() -> SharedRateLimit:
        own = LocalRateLimit(1.0, {}, time.monotonic)
        return SharedRateLimit(server.url, 1.0, {"fast.example": 0.0}, own, time.monotonic)

    async with limit() as first, limit() as second:
        turns = []
        for one in (first, second) * 3:
            turn = await one.take("a.example", max_wait_s=60)
            turns.append(time.monotonic() + turn.wait_s)
        assert all(0.5 < later - earlier < 1.5 for earlier, later in pairwise(turns))
        refused = await first.take("a.example", max_wait_s=1.0)
        assert not refused.taken
        assert (await second.take("fast.example", max_wait_s=0)).taken
        await first.cool_down("a.example", 300)
        assert (await second.take("a.example", max_wait_s=60)).wait_s > 290
    assert all(key.startswith("fetch:") for key in await server.keys())
    for key in await server.keys():
        assert "example" not in key
        assert b"example" not in await server.say("HGETALL", key)


@pytest.mark.usefixtures("patient")
async def test_rubbish_in_the_store_is_thrown_away(replicas: Any, server: Redis) -> None:
    (rig, other, _), asked = await replicas()
    url = "http://ferry.test/"
    assert (await rig.fetch(url, SEARCH)).method is Method.HTTP
    await rig.written()
    key = next(key for key in await server.keys() if ":page:" in key)
    for rubbish in ("\x00\xff nonsense", "[" * 90_000, "{}", '{"status": "ok"}', "5"):
        await server.say("SET", key, rubbish)
        page = await other.fetch(url, SEARCH, timeout_s=9)
        assert (page.method, page.text) == (Method.HTTP, TEXT)
        await other.written()
    assert len(asked) == 6
    assert (await rig.fetch(url, SEARCH)).method is Method.CACHE


async def test_a_store_that_goes_away_and_comes_back(replicas: Any, server: Redis) -> None:
    (rig, *_), _ = await replicas()
    assert (await rig.fetch("http://a.test/", SEARCH)).success
    server.kill()
    spent = []
    for number in range(6):
        started = time.monotonic()
        page = await rig.fetch(f"http://host{number}.test/", SEARCH)
        spent.append(time.monotonic() - started)
        assert (page.status, page.method) == (FetchStatus.OK, Method.HTTP)
    assert sorted(spent)[len(spent) // 2] < 3.0
    # This replica's own turns hold meanwhile: never without any limit.
    refused = [await rig.fetch(f"http://a.test/{n}", SEARCH, timeout_s=0.6) for n in range(4)]
    assert FetchStatus.RATE_LIMITED in {page.status for page in refused}
    server.start()
    cache = rig.fetcher._steps.cache
    async with asyncio.timeout(20):
        while (await rig.fetch("http://b.test/", SEARCH)).method is not Method.CACHE:
            await rig.written()
            for breaker in (cache._reads._breaker, cache._writes._breaker):
                if breaker.state is BreakerState.OPEN:
                    breaker._open_until = 0.0  # as if the pause were over


async def test_a_slow_store_is_not_waited_for(replicas: Any, server: Redis) -> None:
    (rig, *_), _ = await replicas()
    assert (await rig.fetch("http://a.test/", SEARCH)).success
    await server.say("CLIENT", "PAUSE", "8000")
    spent = []
    for number in range(5):
        started = time.monotonic()
        assert (await rig.fetch(f"http://slow{number}.test/", SEARCH)).success
        spent.append(time.monotonic() - started)
    assert sorted(spent)[2] < 1.5


async def test_our_own_busy_loop_is_no_fault_of_the_store() -> None:
    guard = StoreGuard(STORE_ERRORS, time.monotonic)

    async def answer() -> bytes:
        for _ in range(3):
            await asyncio.sleep(0)
        return PAGE

    for _ in range(4):  # one more than the failures after which it would be left alone
        waiting = asyncio.create_task(guard.run("get", answer, READ_S))
        await asyncio.sleep(0)
        time.sleep(3 * READ_S)  # noqa: ASYNC251 - the loop is to be busy
        assert await waiting == PAGE


@pytest.mark.usefixtures("patient")
async def test_a_full_store_is_still_read(replicas: Any, server: Redis) -> None:
    (rig, *_), _ = await replicas()
    assert (await rig.fetch("http://a.test/", SEARCH)).success
    await rig.written()
    await server.say("CONFIG", "SET", "maxmemory", "1")
    assert (await rig.fetch("http://a.test/", SEARCH)).method is Method.CACHE
    page = await rig.fetch("http://b.test/", SEARCH)
    assert (page.status, page.method) == (FetchStatus.OK, Method.HTTP)
    await rig.written()
    assert (await rig.fetch("http://a.test/", SEARCH)).method is Method.CACHE


async def test_a_persons_page_is_nowhere_in_redis(replicas: Any, server: Redis, http: Any) -> None:
    canary = "zanzibar-9953-canary"

    async def says(_: str) -> bytes:
        return http(PAGE.replace(b"Ferry", canary.encode()))

    (rig, *_), _ = await replicas(says)
    assert (await rig.fetch(f"http://ferry.test/{canary}")).title == canary
    await rig.written()
    assert await server.keys() == []
    await rig.fetch("http://ferry.test/found", SEARCH)
    await rig.written()
    kept = [await server.say("GET", key) for key in await server.keys() if ":page:" in key]
    assert any(canary.encode() in value for value in kept), "the check can fail"
