"""A whole installation as `make run` starts it, on shifted ports."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
READY_WITHIN_S = 120.0
STOP_WITHIN_S = 45.0
# The day that the corpus calls today.
CORPUS_TODAY = "2026-11-21T12:00:00Z"
# Settings of the desk must not leak into the tests.
DROPPED = (
    *("OPENAI_BASE_URL", "OPENAI_API_KEY", "LLM_MODEL", "REDIS_URL", "SEARCH_PROVIDERS"),
    *("GATEWAY_HOST", "GATEWAY_PORT"),
)


@dataclass
class Installation:
    """The running processes with their common log.

    Attributes:
        url: Address of the gateway.
        lines: Everything that was printed so far.
    """

    process: subprocess.Popen[str]
    url: str
    data_dir: Path
    offset: int
    lines: list[str] = field(default_factory=list)

    def wait_for_line(self, text: str, within_s: float = READY_WITHIN_S) -> str:
        """Return the first line that contains the text; fails when none comes in time."""
        end = time.monotonic() + within_s
        seen = 0
        while time.monotonic() < end:
            for line in self.lines[seen:]:
                seen += 1
                if text in line:
                    return line
            if self.process.poll() is not None and seen == len(self.lines):
                break
            time.sleep(0.05)
        log = "\n".join(self.lines[-60:])
        raise AssertionError(f"no line with {text!r} within {within_s} s; the log ends:\n{log}")

    def pid_of(self, service: str) -> int:
        """Return the process id of a service, found by its command line below our supervisor."""
        for entry in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                command = entry.read_bytes().split(b"\0")
                environment = (entry.parent / "environ").read_bytes()
            except OSError:
                continue
            ours = f"DATA_DIR={self.data_dir}".encode() in environment.split(b"\0")
            if ours and f"pellucid_{service}".encode() in command:
                return int(entry.parent.name)
        raise AssertionError(f"{service} does not run")

    def kill(self, service: str) -> int:
        """Kill a service the hard way; returns the id it had."""
        pid = self.pid_of(service)
        os.kill(pid, signal.SIGKILL)
        return pid

    def stop(self) -> int:
        """Stop as Ctrl-C does; returns the exit status."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=STOP_WITHIN_S)


def start_installation(
    data_dir: Path, offset: int, environment: dict[str, str] | None = None
) -> Installation:
    """Start everything; does not wait until it is ready."""
    clean = {name: value for name, value in os.environ.items() if name not in DROPPED}
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "deploy" / "local" / "run.py")],
        env={
            **clean,
            "PORT_OFFSET": str(offset),
            "DATA_DIR": str(data_dir),
            "SEARCH_PROVIDERS": "local",
            "PELLUCID_CLOCK": CORPUS_TODAY,
            # A busy or slow machine is no reason for another decision or another answer.
            "DECISION_UNDERSTAND_TIMEOUT_S": "1",
            "GATEWAY_BUDGETS": json.dumps({"score_s": 3.0, "similarity_s": 4.0, "support_s": 3.0}),
            "FETCHER_EXTRACT_WORKERS": "1",
            **(environment or {}),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
    )
    installation = Installation(process, f"http://127.0.0.1:{8080 + offset}", data_dir, offset)
    threading.Thread(target=_collect, args=(installation,), daemon=True).start()
    return installation


def _collect(installation: Installation) -> None:
    assert installation.process.stdout is not None
    with installation.process.stdout as output:
        for line in output:
            installation.lines.append(line.rstrip("\n"))
