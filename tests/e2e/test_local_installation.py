"""What `make run` promises: one clear line when something cannot start, and a clean end."""

import re
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from rig.installation import ROOT, Installation, start_installation

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


def test_a_port_in_use_stops_everything_with_one_line_that_names_it_and_the_way_out(
    installation: Installation, tmp_path: Path
) -> None:
    running = start_installation(tmp_path, installation.offset)

    status = running.process.wait(timeout=60)

    assert status == 1
    (line,) = running.lines
    assert "could not start: port " in line
    assert "PORT_OFFSET=" in line
    wait_until_gone(running)


def container_setup() -> dict[str, str]:
    """What docs/connecting sets for a frontend in a container, without the file of the keys."""
    page = (ROOT / "docs" / "connecting" / "README.md").read_text("utf-8")
    (words,) = re.findall(r"^(GATEWAY_.*) make run$", page, re.MULTILINE)
    settings = dict(word.split("=", 1) for word in words.split())
    assert settings.pop("GATEWAY_KEYS_FILE")
    return settings


def test_the_set_up_for_containers_starts_on_the_port_that_was_set_and_ctrl_c_ends_all(
    tmp_path: Path,
) -> None:
    port = str(OFFSET + 9)
    keys = tmp_path / "keys"
    command = [Path(sys.executable).with_name("pellucid-gateway-key"), "desk", "--file", keys]
    made = subprocess.run(command, capture_output=True, text=True, check=True)
    key = made.stdout.split()[-1]
    settings = {**container_setup(), "GATEWAY_KEYS_FILE": str(keys), "GATEWAY_PORT": port}
    running = start_installation(tmp_path, OFFSET, settings)

    assert f"open http://127.0.0.1:{port} " in running.wait_for_line("ready after")
    models = f"http://127.0.0.1:{port}/v1/models"
    assert httpx.get(models).status_code == 401
    headers = {"Authorization": f"Bearer {key}", "Host": "host.docker.internal:8080"}
    assert httpx.get(models, headers=headers).status_code == 200
    assert running.stop() == 0
    wait_until_gone(running)
