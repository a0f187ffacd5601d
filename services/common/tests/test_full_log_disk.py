"""A log that cannot be written loses lines and nothing else."""

import subprocess
import sys

_PROGRAM = """
import structlog
from pellucid_runtime.telemetry.logs import configure_logging
from pellucid_runtime.settings import ServiceSettings
configure_logging(ServiceSettings())
structlog.get_logger().info("listening")
print("alive")
"""


def test_a_full_disk_ends_no_service() -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123 - a device
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM],
            check=True,
            stdout=subprocess.PIPE,
            stderr=full,
            timeout=60,
        )
    assert done.stdout == b"alive\n"
