"""Fixtures of the fetcher's tests; the rig itself is in `pretended`."""

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pellucid_fetcher.document import Document, Extracted
from pellucid_fetcher.extraction.reading import sniffing
from pellucid_fetcher.extraction.reading.dispatch import open_readers, read
from pellucid_fetcher.settings import FetcherSettings

# Tests are imported without packages; what they share stands beside them.
sys.path.insert(0, str(Path(__file__).parent))

from pretended import ReaderHere, Rig, http, opened_rig


@pytest.fixture(name="http")
def http_fixture() -> Callable[..., bytes]:
    return http


@pytest.fixture
def settings(tmp_path: Path) -> FetcherSettings:
    return FetcherSettings(
        data_dir=tmp_path, grpc_port=0, metrics_port=0, fetcher_extract_workers=1
    )


@pytest.fixture
async def open_rig(
    settings: FetcherSettings,
) -> AsyncIterator[Callable[..., Awaitable[Rig]]]:
    """Open rigs with changed settings."""
    async with AsyncExitStack() as stack:

        async def opened(**changes: Any) -> Rig:
            return await opened_rig(settings.model_copy(update=changes), stack, ReaderHere())

        yield opened


@pytest.fixture
async def rig(open_rig: Callable[..., Awaitable[Rig]]) -> Rig:
    """A fetcher with default settings."""
    return await open_rig()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hurried_rig(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Rig]:
    """A fetcher with real worker processes and short limits, for all tests of a module."""
    settings = FetcherSettings(
        data_dir=tmp_path_factory.mktemp("data"),
        fetcher_extract_workers=1,
        fetcher_connect_timeout_s=0.6,
        fetcher_silence_timeout_s=0.6,
        fetcher_total_timeout_s=2.5,
        fetcher_browser=False,
    )
    async with AsyncExitStack() as stack:
        yield await opened_rig(settings, stack, None)


@pytest.fixture(scope="session")
def extract() -> Callable[..., Extracted]:
    """Read a document as the fetcher does, from text or bytes."""
    readers = open_readers()

    def extracted(body: str | bytes, kind: str = sniffing.HTML, **fields: Any) -> Extracted:
        data = body.encode() if isinstance(body, str) else body
        url = fields.pop("url", "http://lantern.example/x")
        return read(readers, Document(data, url, kind, **fields))

    return extracted
