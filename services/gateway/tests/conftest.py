"""Fixtures for tests of the gateway's parts."""

import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Browser, ConsoleMessage, Page, async_playwright, expect
from starlette.types import ASGIApp

sys.path.insert(0, str(Path(__file__).parent))

from api_fakes import FakeEngine, MakeApp
from upstream_fakes import FakeUpstream

from pellucid_gateway.adapters.model_server import open_model_server
from pellucid_gateway.api.application import ApiParts, http_app
from pellucid_gateway.api.http.guard import GuardRules
from pellucid_gateway.api.http.identity import Identity
from pellucid_gateway.settings import GatewaySettings
from pellucid_gateway.turn import orchestrator
from pellucid_runtime.health import Health
from pellucid_runtime.http_server import HttpServer

# What a page is to show it shows at once, but for a busy machine, on which five seconds pass.
expect.set_options(timeout=20_000)


@pytest.fixture(autouse=True)
def _stages_keep_the_deadline_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """No turn is ended in their place: neither on a busy machine nor to the help of a test."""
    monkeypatch.setattr(orchestrator, "_OVERRUN_S", 10.0)


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine()


@pytest.fixture
def make_app(engine: FakeEngine) -> MakeApp:
    def make(**changes: Any) -> ASGIApp:
        given: dict[str, Any] = {
            "engine": engine,
            "identity": Identity(b"0123456789abcdef"),
            "health": Health(),
            "rules": GuardRules(),
            "observe": lambda *_: None,
        }
        return http_app(ApiParts(**given | changes))

    return make


@pytest.fixture
async def http(make_app: MakeApp) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the faces, without sockets."""
    transport = httpx.ASGITransport(make_app(), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8080") as client:
        yield client


@pytest.fixture
def upstream() -> FakeUpstream:
    return FakeUpstream()


@pytest.fixture
async def gateway(make_app: MakeApp, upstream: FakeUpstream) -> AsyncIterator[str]:
    """Address of the faces on a port, with a model server behind."""
    async with AsyncExitStack() as stack:
        model = HttpServer(upstream.app(), "127.0.0.1", 0)
        await model.start()
        base_url = f"http://127.0.0.1:{model.port}/v1"
        settings = GatewaySettings(openai_base_url=base_url, openai_api_key="upstream-key")
        model_server = await open_model_server(settings, stack)
        server = HttpServer(make_app(upstream=model_server, own_model="m"), "127.0.0.1", 0)
        await server.start()
        yield f"http://127.0.0.1:{server.port}"
        await server.stop(0)
        await model.stop(0)


ARGUMENTS = (
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """One for all files; each test has a context of its own."""
    async with async_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("chromium-browser")
        running = await playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield running
        await running.close()


@pytest_asyncio.fixture(loop_scope="session")
async def address(make_app: MakeApp) -> AsyncIterator[str]:
    server = HttpServer(make_app(), "127.0.0.1", 0)
    await server.start()
    yield f"http://127.0.0.1:{server.port}/"
    await server.stop(0)


def is_trouble(message: ConsoleMessage) -> bool:
    """Chromium itself writes a line for every refused request; that is no trouble."""
    return message.type == "error" and "the server responded with a status" not in message.text


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Browser, address: str) -> AsyncIterator[Page]:
    """The open page; fails the test on any script error or policy violation."""
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    opened = await context.new_page()
    trouble: list[str] = []
    opened.on("pageerror", lambda error: trouble.append(str(error)))
    opened.on("console", lambda m: trouble.append(m.text) if is_trouble(m) else None)
    requested: list[str] = []
    opened.on("request", lambda request: requested.append(request.url))
    await opened.goto(address)
    yield opened
    await context.close()
    assert trouble == []
    assert all(url.startswith(address) for url in requested)
