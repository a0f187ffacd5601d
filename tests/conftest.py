"""Fixtures of the tests that run against real processes."""

import os
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from rig.fake_model import FakeModel
from rig.installation import Installation, start_installation
from rig.scorer_process import scorer_at
from rig.watched import Watched, start_watched

# Away from the default ports, so that a running installation is left alone; all of the shifted
# ports lie outside the range that the system hands out to outgoing connections.
# Two processes run such tests at a time, each with ports of its own.
_SHIFT = 100 if os.environ.get("PYTEST_XDIST_WORKER") == "gw1" else 0
PORT_OFFSET, WATCHED_OFFSET = 11000 + _SHIFT, 11200 + _SHIFT
CLIENT_TIMEOUT_S = 30.0
# Fixtures that are processes, started once.
SHARED = ("installation", "watched", "scorer")
# Files of a minute each: begun last, one core would wait for the other.
LONGEST = Path(__file__).parent / "quality"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of real processes out of the run that uses every core."""
    for item in items:
        if "e2e" in item.keywords or set(SHARED) & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.processes)
    items.sort(key=lambda item: not item.path.is_relative_to(LONGEST))


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """One installation without a language model, shared by all tests that leave it ready."""
    running = start_installation(tmp_path_factory.mktemp("data"), PORT_OFFSET)
    try:
        running.wait_for_line("ready after")
        yield running
    finally:
        if running.process.poll() is None:
            running.stop()


@pytest.fixture(scope="session")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """One installation with keys, a language model and a collector of its traces."""
    with start_watched(tmp_path_factory.mktemp("watched"), WATCHED_OFFSET) as running:
        yield running


@pytest.fixture
def model(watched: Watched) -> Iterator[FakeModel]:
    """The language model of `watched`, afterwards as it was."""
    yield watched.model
    watched.model.forget()


@pytest.fixture(scope="session")
def scorer() -> Iterator[str]:
    """Address of a scorer whose trained model decides, for tests that run the rest in process."""
    with scorer_at() as target:
        yield target


@pytest.fixture
def client(installation: Installation) -> Iterator[httpx.Client]:
    """An HTTP client of the gateway."""
    with httpx.Client(base_url=installation.url, timeout=CLIENT_TIMEOUT_S, trust_env=False) as http:
        yield http
