"""What `make run` promises: one clear line when something cannot start, and a clean end."""

import time
from pathlib import Path

import pytest

from rig.installation import Installation, start_installation

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

OFFSET = 11600


def processes_of(data_dir: Path) -> list[str]:
    """Return the command lines of what still runs with this data folder."""
    mark = f"DATA_DIR={data_dir}".encode()
    found = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in entry.read_bytes().split(b"\0"):
                found.append((entry.parent / "cmdline").read_bytes().decode())
        except OSError:
            continue
    return found


def wait_until_gone(installation: Installation) -> None:
    end = time.monotonic() + 10
    while left := processes_of(installation.data_dir):
        assert time.monotonic() < end, left
        time.sleep(0.1)


def test_a_wrong_setting_stops_everything_with_one_line_that_names_it(tmp_path: Path) -> None:
    running = start_installation(tmp_path, OFFSET, {"MAX_CONCURRENT_RPCS": "none"})

    status = running.process.wait(timeout=60)

    assert status == 1
    assert any("MAX_CONCURRENT_RPCS" in line for line in running.lines)
    stopping = [line for line in running.lines if "could not start" in line]
    assert len(stopping) == 1, running.lines
    wait_until_gone(running)


def test_a_port_in_use_stops_everything_with_one_line_that_names_it(
    installation: Installation, tmp_path: Path
) -> None:
    running = start_installation(tmp_path, installation.offset)

    status = running.process.wait(timeout=60)

    assert status == 1
    assert [line for line in running.lines if "could not start" in line], running.lines
    wait_until_gone(running)


def test_ctrl_c_ends_every_process(tmp_path: Path) -> None:
    running = start_installation(tmp_path, OFFSET)
    running.wait_for_line("ready after")

    assert running.stop() == 0
    wait_until_gone(running)
