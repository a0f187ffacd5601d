"""What every process of the tests does first: keep what it loads, and end servers at once."""

import asyncio
import gc
from types import SimpleNamespace

import uvicorn.server

# Half of the time to load all tests went into looking through what stays for the whole run.
gc.disable()


async def _shortly(delay_s: float) -> None:
    await asyncio.sleep(delay_s / 20)


# A server looks every 0.1 s whether it is to end, and again whether its connections have.
uvicorn.server.asyncio = SimpleNamespace(**vars(asyncio) | {"sleep": _shortly})


def pytest_collection_finish() -> None:
    """Collect only what the tests themselves leave."""
    gc.freeze()
    gc.enable()
