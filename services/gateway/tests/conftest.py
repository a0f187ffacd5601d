"""Fixtures for tests of the gateway's doors."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.types import ASGIApp

sys.path.insert(0, str(Path(__file__).parent))

from door_fakes import FakeEngine, MakeApp

from pellucid_gateway.faces.guard import GuardRules
from pellucid_gateway.faces.http import Doors, http_app
from pellucid_gateway.faces.identity import Identity
from pellucid_runtime.health import Health


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
        return http_app(Doors(**given | changes))

    return make


@pytest.fixture
async def http(make_app: MakeApp) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the faces, without sockets."""
    transport = httpx.ASGITransport(make_app(), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8080") as client:
        yield client
