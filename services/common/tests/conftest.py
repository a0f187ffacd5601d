"""A scorer and a gateway whose answers a test chooses, behind the runtime's real server."""

import asyncio
import logging
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import structlog
from aiohttp import web
from pellucid.gateway.v1 import gateway_pb2 as gateway
from pellucid.gateway.v1 import gateway_pb2_grpc
from pellucid.scorer.v1 import scorer_pb2 as scorer
from pellucid.scorer.v1 import scorer_pb2_grpc

sys.path.insert(0, str(Path(__file__).parent))

from model_server import ModelServer, StartModel

from pellucid_runtime.health import Health
from pellucid_runtime.rpc.admission import Admission
from pellucid_runtime.rpc.channel import open_channel
from pellucid_runtime.rpc.server import GrpcServer
from pellucid_runtime.rpc.unread import Refuses, refuses_nothing
from pellucid_runtime.settings import ServiceSettings

SCORER = "pellucid.scorer.v1.ScorerService"
GATEWAY = "pellucid.gateway.v1.GatewayService"


async def _answer_one(_request: Any, _context: Any) -> scorer.SimilarityResponse:
    return scorer.SimilarityResponse(similarities=[1.0])


async def _stream_three(_request: Any, _context: Any) -> AsyncIterator[gateway.ChatResponse]:
    for _ in range(3):
        yield gateway.ChatResponse()


@dataclass
class Handlers(scorer_pb2_grpc.ScorerServiceServicer, gateway_pb2_grpc.GatewayServiceServicer):
    """What the two services do when called."""

    similarity: Callable[[Any, Any], Awaitable[scorer.SimilarityResponse]] = _answer_one
    chat: Callable[[Any, Any], AsyncIterator[gateway.ChatResponse]] = _stream_three
    calls: int = 0
    trace_parents: list[str] = field(default_factory=list)

    async def Similarity(self, request: Any, context: Any) -> scorer.SimilarityResponse:  # noqa: N802
        self.calls += 1
        self.trace_parents += [v for k, v in context.invocation_metadata() if k == "traceparent"]
        return await self.similarity(request, context)

    async def Chat(self, request: Any, context: Any) -> AsyncIterator[gateway.ChatResponse]:  # noqa: N802
        self.calls += 1
        async for response in self.chat(request, context):
            yield response


@dataclass
class Rig:
    """A running server with a client for each of its services."""

    server: GrpcServer
    health: Health
    handlers: Handlers
    scorer: "scorer_pb2_grpc.ScorerServiceAsyncStub"
    gateway: "gateway_pb2_grpc.GatewayServiceAsyncStub"


@pytest.fixture(autouse=True)
async def _no_task_left() -> AsyncIterator[None]:
    """Every task that a test starts has ended shortly after it."""
    before = asyncio.all_tasks()
    yield
    left = asyncio.all_tasks() - before - {asyncio.current_task()}
    if left:
        await asyncio.wait(left, timeout=10)
    assert not [task for task in left if not task.done()]


@pytest.fixture(autouse=True)
def _own_log_settings() -> Iterator[None]:
    """Undo what a test configures: its stream is gone when the next test logs."""
    root = logging.getLogger()
    handlers = root.handlers[:]
    yield
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()
    root.handlers[:] = handlers


StartRig = Callable[..., Awaitable[Rig]]


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ServiceSettings:
    monkeypatch.chdir(tmp_path)
    return ServiceSettings()


@pytest.fixture
async def start_rig(settings: ServiceSettings) -> AsyncIterator[StartRig]:
    """Starts servers with real chains; all are stopped after the test."""
    async with AsyncExitStack() as stack:

        async def start(
            handlers: Handlers | None = None,
            *,
            admission: Admission | None = None,
            with_settings: ServiceSettings = settings,
            refuses: Refuses = refuses_nothing,
        ) -> Rig:
            handlers, health = handlers or Handlers(), Health()
            server = GrpcServer(
                with_settings,
                register=[
                    lambda s: scorer_pb2_grpc.add_ScorerServiceServicer_to_server(handlers, s),
                    lambda s: gateway_pb2_grpc.add_GatewayServiceServicer_to_server(handlers, s),
                ],
                services=[SCORER, GATEWAY],
                health=health,
                admission=admission,
                refuses=refuses,
            )
            await stack.enter_async_context(server)
            to_scorer = await stack.enter_async_context(open_channel(server.target, service=SCORER))
            to_gateway = await stack.enter_async_context(
                open_channel(server.target, service=GATEWAY)
            )
            return Rig(
                server,
                health,
                handlers,
                scorer_pb2_grpc.ScorerServiceStub(to_scorer),
                gateway_pb2_grpc.GatewayServiceStub(to_gateway),
            )

        yield start


@pytest.fixture
def ask() -> scorer.SimilarityRequest:
    """A valid request."""
    return scorer.SimilarityRequest(text="wind power", others=["solar power"])


@pytest.fixture
def chat() -> gateway.ChatRequest:
    """A valid request."""
    return gateway.ChatRequest(messages=[{"role": "ROLE_USER", "content": "hello"}])


@pytest.fixture
def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class RedisServer:
    """A redis-server process of the test's own."""

    port: int
    folder: Path
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        binary = shutil.which("redis-server")
        assert binary, "tests marked redis need redis-server"
        self.process = subprocess.Popen(
            [binary, "--port", str(self.port), "--bind", "127.0.0.1", "--save", ""],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        pytest.fail("redis-server did not start")

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@pytest.fixture
def redis_server(free_port: int, tmp_path: Path) -> Iterator[RedisServer]:
    server = RedisServer(free_port, tmp_path)
    server.start()
    yield server
    server.kill()


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as opened:
        yield opened


@pytest.fixture
async def start_model(stack: AsyncExitStack) -> StartModel:
    async def start() -> ModelServer:
        server = ModelServer()
        app = web.Application()
        app.router.add_post("/v1/chat/completions", server.handle)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        stack.callback(server.ends.set)
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        server.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        return server

    return start
