"""A gateway on a port, over a scripted model and a scripted web, for clients of other products."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[2] / "services/gateway/tests"))

import scripted_model
from scripted_gateway import opened_gateway

from pellucid_runtime.http_server import HttpServer


@pytest.fixture
async def model() -> AsyncIterator[str]:
    """Base address of the scripted model's API."""
    server = HttpServer(scripted_model.app(), "127.0.0.1", 0)
    await server.start()
    yield f"http://127.0.0.1:{server.port}/v1"
    await server.stop(0)


@pytest.fixture
async def gateway(model: str) -> AsyncIterator[str]:
    """Address of the gateway."""
    async with opened_gateway(model) as address:
        yield address
