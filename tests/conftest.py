"""Fixtures of the tests that run against real processes."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from rig.installation import Installation, start_installation
from rig.scorer_process import scorer_at

# Away from the default ports, so that a running installation is left alone; all of the shifted
# ports lie outside the range that the system hands out to outgoing connections.
PORT_OFFSET = 11000
CLIENT_TIMEOUT_S = 30.0
HERE = Path(__file__).parent
# Their tests start processes on fixed ports, or break things beside running ones.
ALONE = tuple(HERE / name for name in ("e2e", "faults", "integration"))
# Files of a minute each: begun last, one core would wait for the other.
LONGEST = HERE / "quality"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of real processes out of the run that uses every core."""
    for item in items:
        by_fixture = "installation" in getattr(item, "fixturenames", ())
        if by_fixture or any(item.path.is_relative_to(folder) for folder in ALONE):
            item.add_marker(pytest.mark.alone)
    items.sort(key=lambda item: "alone" in item.keywords or not item.path.is_relative_to(LONGEST))


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
def scorer() -> Iterator[str]:
    """Address of a scorer whose trained model decides, for tests that run the rest in process."""
    with scorer_at() as target:
        yield target


@pytest.fixture
def client(installation: Installation) -> Iterator[httpx.Client]:
    """An HTTP client of the gateway."""
    with httpx.Client(base_url=installation.url, timeout=CLIENT_TIMEOUT_S, trust_env=False) as http:
        yield http
