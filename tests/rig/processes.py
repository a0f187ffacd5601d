"""Processes of one installation, each started, killed, frozen and watched on its own."""

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import httpx

READY_WITHIN_S = 90.0
STOP_WITHIN_S = 30.0


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process holds: open descriptors, threads, resident bytes."""

    descriptors: int
    threads: int
    resident: int


@dataclass
class Process:
    """One program.

    Attributes:
        name: In messages and of the log file.
        command: Arguments; the first is an executable.
        environment: All of it.
        log: Where its output goes; a device file shows what a full disk does.
        ready_url: Answers 200 once it takes work; empty: it is ready at once.
    """

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    log: Path
    ready_url: str = ""
    running: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def start(self, **changes: str) -> None:
        """Start it, with some variables changed; does not wait."""
        with self.log.open("ab") as output:
            self.running = subprocess.Popen(
                self.command,
                env={**self.environment, **changes},
                stdout=output,
                stderr=output,
                stdin=subprocess.DEVNULL,
            )

    @property
    def pid(self) -> int:
        """Id of the running process."""
        assert self.running is not None, f"{self.name} was never started"
        return self.running.pid

    @property
    def is_alive(self) -> bool:
        """Whether it runs; a frozen one does."""
        return self.running is not None and self.running.poll() is None

    def is_ready(self) -> bool:
        """Whether it says that it takes work."""
        if not self.is_alive:
            return False
        if not self.ready_url:
            return True
        try:
            return httpx.get(self.ready_url, timeout=2, trust_env=False).status_code == 200
        except httpx.TransportError:
            return False

    def wait_ready(self) -> None:
        """Wait until it takes work; fails when it ends or does not in time."""
        end = time.monotonic() + READY_WITHIN_S
        while not self.is_ready():
            assert self.is_alive, f"{self.name} ended: {self.tail()}"
            assert time.monotonic() < end, f"{self.name} is not ready: {self.tail()}"
            time.sleep(0.1)

    def kill(self) -> None:
        """SIGKILL, and wait until it is gone."""
        self.signal(signal.SIGKILL)
        assert self.running is not None
        self.running.wait(STOP_WITHIN_S)

    def signal(self, number: int) -> None:
        """Send a signal."""
        os.kill(self.pid, number)

    def stop(self) -> int:
        """SIGTERM, and wait; returns the exit status, -9 when it had to be killed."""
        assert self.running is not None
        if self.running.poll() is None:
            self.signal(signal.SIGCONT)
            self.signal(signal.SIGTERM)
        try:
            return self.running.wait(STOP_WITHIN_S)
        except subprocess.TimeoutExpired:
            self.kill()
            return -signal.SIGKILL

    def usage(self) -> Usage:
        """What it holds now."""
        folder = Path("/proc") / str(self.pid)
        status = (folder / "status").read_text()
        words = {key: rest for key, _, rest in (line.partition(":") for line in status.split("\n"))}
        return Usage(
            descriptors=len(tuple((folder / "fd").iterdir())),
            threads=int(words["Threads"]),
            resident=int(words["VmRSS"].split()[0]) * 1024,
        )

    def limit_descriptors(self, most: int) -> int:
        """Allow so many open descriptors; returns what was allowed before."""
        soft, hard = resource.prlimit(self.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(self.pid, resource.RLIMIT_NOFILE, (most, hard))
        return soft

    def tail(self) -> str:
        """The last of its log."""
        return self.log.read_text(errors="replace")[-1500:] if self.log.is_file() else ""


def service_command(name: str) -> tuple[str, ...]:
    """How a service is started."""
    return (sys.executable, "-m", f"pellucid_{name}")
