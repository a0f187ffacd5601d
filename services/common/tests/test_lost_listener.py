"""A service one of whose listeners ends by itself ends as a whole, in order."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from pellucid_runtime.health import Health
from pellucid_runtime.service import ListenerLostError, Service, serve
from pellucid_runtime.settings import ServiceSettings


class Answering:
    """A listener that a test ends."""

    port = 0

    def __init__(self, name: str) -> None:
        self.name = name
        self.broken = asyncio.Event()
        self.stopped = False

    async def start(self) -> None:
        """Begin."""

    async def ended(self) -> None:
        """Wait for the test."""
        await self.broken.wait()
        raise ConnectionAbortedError

    async def stop(self, grace_s: float) -> None:
        """Note it."""
        del grace_s
        self.stopped = True


async def test_the_others_are_stopped_and_the_error_names_the_lost_one(
    settings: ServiceSettings,
) -> None:
    one, other, health = Answering("grpc"), Answering("http"), Health()

    async def build(_settings: ServiceSettings, _stack: AsyncExitStack) -> Service:
        return Service("of the test", [one, other], health)

    running = asyncio.create_task(serve(build, settings))
    await asyncio.sleep(0.1)
    assert not running.done()
    other.broken.set()
    with pytest.raises(ListenerLostError, match="http"):
        await asyncio.wait_for(running, 10)

    assert one.stopped
    assert other.stopped
    assert not health.ready
