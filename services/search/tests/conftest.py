"""Fixtures of the search service: fakes of its ports, loopback providers, the real server."""

import asyncio
import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pellucid.search.v1 import search_pb2 as pb
from pellucid.search.v1 import search_pb2_grpc

from pellucid_runtime.clock import FixedClock, SystemClock
from pellucid_runtime.health import Health
from pellucid_runtime.rpc.channel import open_channel
from pellucid_runtime.rpc.server import GrpcServer
from pellucid_search import app, provider_wiring
from pellucid_search.adapters import ddgs_engine, guarded_store, redis_gate, redis_leases
from pellucid_search.dates.other_languages import read_other_language
from pellucid_search.settings import SearchSettings

# Tests are imported without packages; their shared tables stand beside them.
sys.path.insert(0, str(Path(__file__).parent))

Fields = Mapping[str, Any]


class MemoryCounters:
    """Counters in a dictionary."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    async def add(self, key: str, amount: int, *, ttl_s: float) -> int:
        assert ttl_s > 0
        self.numbers[key] = self.numbers.get(key, 0) + amount
        return self.numbers[key]

    async def read(self, key: str) -> int:
        return self.numbers.get(key, 0)


class MemoryCache:
    """A cache in a dictionary, without any end."""

    def __init__(self) -> None:
        self.values: dict[str, bytes] = {}

    async def get(self, key: str) -> bytes | None:
        return self.values.get(key)

    async def set(self, key: str, value: bytes, *, ttl_s: float) -> None:
        assert ttl_s > 0
        self.values[key] = value

    async def delete(self, key: str) -> None:
        self.values.pop(key, None)


@dataclass(frozen=True)
class Answer:
    """What a loopback provider sends; `body` is JSON unless it is bytes."""

    body: Any = b""
    status: int = 200
    headers: Fields = field(default_factory=dict)
    delay_s: float = 0.0
    reset: bool = False
    announced_length: int | None = None


@dataclass(frozen=True)
class Received:
    """One request as a loopback provider saw it."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes
    at: float


@dataclass
class Provider:
    """A provider on loopback whose answer a test chooses."""

    answer: Answer | Callable[[Received], Answer | Awaitable[Answer]]
    requests: list[Received] = field(default_factory=list)
    url: str = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        method, target, _ = first.split(" ")
        headers = {
            n.lower(): v.strip() for n, _, v in (line.partition(":") for line in lines if line)
        }
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        now = asyncio.get_running_loop().time()
        received = Received(method, target, headers, body, now)
        self.requests.append(received)
        answer = self.answer(received) if callable(self.answer) else self.answer
        answer = await answer if isinstance(answer, Awaitable) else answer
        await asyncio.sleep(answer.delay_s)
        if answer.reset:
            writer.transport.abort()
            return False
        payload = (
            answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        )
        length = len(payload) if answer.announced_length is None else answer.announced_length
        extra = "".join(f"{name}: {value}\r\n" for name, value in answer.headers.items())
        writer.write(
            f"HTTP/1.1 {answer.status} X\r\nContent-Length: {length}\r\n{extra}\r\n".encode()
        )
        writer.write(payload)
        await writer.drain()
        return length == len(payload)


@pytest.fixture
async def serve_provider() -> AsyncIterator[Callable[..., Awaitable[Provider]]]:
    """Start loopback providers; each is stopped after the test."""
    async with AsyncExitStack() as stack:

        async def start(answer: Any) -> Provider:
            provider = Provider(answer)
            server = await asyncio.start_server(provider.serve, "127.0.0.1", 0)
            provider.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"

            stack.push_async_callback(_stop, server)
            return provider

        yield start


async def _stop(server: asyncio.Server) -> None:
    server.close()
    await asyncio.sleep(0)


@dataclass
class Ddgs:
    """What the ddgs library does when it is called."""

    rows: Sequence[Fields] = ()
    failure: Exception | None = None
    calls: list[Fields] = field(default_factory=list)

    def fetch(self, arguments: Fields, _news: bool, _timeout_s: float) -> Sequence[Fields]:  # noqa: FBT001
        self.calls.append(arguments)
        if self.failure is not None:
            raise self.failure
        return self.rows


@pytest.fixture
def ddgs_library(monkeypatch: pytest.MonkeyPatch) -> Ddgs:
    """The library replaced by rows, and no look for a network."""
    library = Ddgs()
    monkeypatch.setattr(provider_wiring, "fetch_rows", lambda _proxy: library.fetch)
    monkeypatch.setattr(ddgs_engine.DdgsEngine, "_look_for_network", _nothing)
    return library


async def _nothing(_self: object) -> None:
    return None


@pytest.fixture
def clock() -> FixedClock:
    """A clock that a test moves."""
    return FixedClock()


@pytest.fixture
def system_clock() -> SystemClock:
    """The machine's clock."""
    return SystemClock()


@pytest.fixture(autouse=True)
def patience_with_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine is no reason to go without a store that is well.

    Tests of stores in trouble have a fixture of the same name, and with it the service's limits.
    """
    for module, names in (
        (guarded_store, ("READ_S", "COUNT_S", "WRITE_S")),
        (redis_leases, ("READ_S", "WRITE_S")),
        (redis_gate, ("_LIMIT_S",)),
    ):
        for name in names:
            monkeypatch.setattr(module, name, 5.0)


Start = Callable[..., Awaitable[Any]]


@asynccontextmanager
async def _running(settings: SearchSettings) -> AsyncIterator[Any]:
    async with AsyncExitStack() as stack:
        servicer = await app.build_servicer(settings, stack)
        server = GrpcServer(
            settings,
            register=[lambda s: search_pb2_grpc.add_SearchServiceServicer_to_server(servicer, s)],
            services=[app.SERVICE],
            health=Health(),
        )
        await stack.enter_async_context(server)
        channel = open_channel(server.target, service=app.SERVICE)
        stack.push_async_callback(channel.close)
        stub = search_pb2_grpc.SearchServiceStub(channel)
        stub.target = server.target
        yield stub


@pytest.fixture(scope="session")
def loaded_languages() -> None:
    """The library for dates, loaded before time is measured; in a service it loads at the start."""
    read_other_language("3 dny nazpět", datetime.now(UTC))


@pytest.fixture
async def start_service(tmp_path: Path) -> AsyncIterator[Start]:
    """Start the real service on port 0 with some settings and return a client."""
    async with AsyncExitStack() as stack:

        async def start(**values: Any) -> Any:
            values = {"grpc_port": 0, "data_dir": tmp_path, "search_providers": "auto", **values}
            return await stack.enter_async_context(_running(SearchSettings(**values)))

        yield start


@pytest.fixture
def ask() -> Callable[..., pb.SearchRequest]:
    """Make a request out of query texts."""

    def make(*texts: str, **values: Any) -> pb.SearchRequest:
        return pb.SearchRequest(queries=[pb.SearchQuery(text=text) for text in texts], **values)

    return make


@pytest.fixture
def answer() -> type[Answer]:
    """Make a loopback provider's answer."""
    return Answer


@dataclass
class Redis:
    """A redis-server process of the test's own, on a socket in its folder."""

    folder: Path
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"unix://{self.folder}/redis.sock"

    def start(self, *options: str) -> None:
        binary = shutil.which("redis-server")
        assert binary, "tests marked redis need redis-server"
        socket_path = self.folder / "redis.sock"
        self.process = subprocess.Popen(
            [binary, "--port", "0", "--unixsocket", str(socket_path), "--save", "", *options],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 10
        while not socket_path.exists():
            assert time.monotonic() < deadline, "redis-server did not start"
            time.sleep(0.01)

    def command(self, *words: str) -> str:
        """Send one inline command and return the raw answer."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(self.folder / "redis.sock"))
            connection.sendall(" ".join(words).encode() + b"\r\n")
            return connection.recv(65_536).decode()

    def errors(self, kind: str) -> int:
        """Return how many errors of a kind (`OOM`) it has answered with."""
        lines = self.command("INFO", "errorstats").splitlines()
        found = [line for line in lines if line.startswith(f"errorstat_{kind}:")]
        return int(found[0].partition("count=")[2]) if found else 0

    @property
    def keys(self) -> int:
        """Number of keys."""
        return int(self.command("DBSIZE").strip().removeprefix(":"))

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
            (self.folder / "redis.sock").unlink(missing_ok=True)


@pytest.fixture
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    """A running Redis."""
    server = Redis(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.kill()


@pytest.fixture
def counters() -> MemoryCounters:
    """Counters in this process."""
    return MemoryCounters()


@pytest.fixture
def memory_cache() -> MemoryCache:
    """A cache in this process."""
    return MemoryCache()
