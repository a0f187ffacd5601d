"""supervisord event listener: says when all services are ready, stops all when one cannot start.

A service that ends before it was up cannot start (a wrong setting, a port in use); one that was up
before is supervisord's to restart. Up means that it stayed for supervisord's start seconds and
that its probe answered: another installation on the same ports would answer the probe alone.
Standard output carries supervisord's protocol, so all text for people goes to standard error.
"""

import os
import signal
import sys
import threading
import time
import urllib.request
from pathlib import Path

from services import Program, gateway_url, programs
from supervisor import childutils

POLL_SECONDS = 0.1
PROBE_TIMEOUT_SECONDS = 1.0
# A start takes 5 to 20 s; on a machine that is busy with much else it has taken two minutes.
READY_WITHIN_SECONDS = 300.0
ENDED_STATES = frozenset({"PROCESS_STATE_EXITED", "PROCESS_STATE_BACKOFF", "PROCESS_STATE_FATAL"})


def say(text: str) -> None:
    """Print one line for people."""
    print(f"pellucid: {text}", file=sys.stderr, flush=True)


def is_ready(probe: str) -> bool:
    """Return whether the probe answers well.

    Args:
        probe: `<port>/<path>` on loopback.
    """
    try:
        with urllib.request.urlopen(
            f"http://127.0.0.1:{probe}", timeout=PROBE_TIMEOUT_SECONDS
        ) as answer:
            return bool(answer.status == 200)  # noqa: PLR2004
    except OSError:
        return False


class Watch:
    """Knows which programs were ever ready, and stops all when one never will be."""

    def __init__(self, items: tuple[Program, ...], offset: int) -> None:
        self._items = items
        self._offset = offset
        self._ready: set[str] = set()
        self._stayed: set[str] = set()
        self._stopping = False

    def poll(self) -> None:
        """Ask until every program was ready once, then say so."""
        begun = time.monotonic()
        while not self._all_up() and not self._stopping:
            self._ready.update(
                item.name
                for item in self._items
                if item.name not in self._ready and is_ready(item.probe)
            )
            if time.monotonic() - begun > READY_WITHIN_SECONDS:
                names = {item.name for item in self._items}
                missing = sorted(names - (self._ready & self._stayed))
                self.give_up(f"not ready within {READY_WITHIN_SECONDS:.0f} s: {', '.join(missing)}")
            time.sleep(POLL_SECONDS)
        if not self._stopping:
            took = time.monotonic() - begun
            say(f"ready after {took:.1f} s - open {gateway_url(self._offset)} (Ctrl-C stops all)")

    def _all_up(self) -> bool:
        return len(self._ready & self._stayed) == len(self._items)

    def stayed(self, name: str) -> None:
        """Note that a program has run for supervisord's start seconds."""
        self._stayed.add(name)

    def ended(self, name: str) -> None:
        """Note that a program ended."""
        if name in self._ready & self._stayed:
            say(f"{name} stopped and is being restarted")
        elif not self._stopping:
            self.give_up(f"{name} could not start; its last line above says why. Stopping all.")

    def give_up(self, reason: str) -> None:
        """Say why and stop supervisord, which stops the rest."""
        self._stopping = True
        say(reason)
        Path(os.environ["PELLUCID_FAILED_MARK"]).write_text(reason)
        os.kill(os.getppid(), signal.SIGTERM)


def main() -> None:
    """Serve supervisord's events until it ends."""
    offset = int(sys.argv[1])
    watch = Watch(programs(offset), offset)
    known = {item.name for item in programs(offset)}
    threading.Thread(target=watch.poll, daemon=True).start()
    while True:
        headers, payload = childutils.listener.wait(sys.stdin, sys.stdout)
        event = childutils.get_headers(payload)
        if event["processname"] in known:
            if headers["eventname"] == "PROCESS_STATE_RUNNING":
                watch.stayed(event["processname"])
            elif headers["eventname"] in ENDED_STATES:
                watch.ended(event["processname"])
        childutils.listener.ok(sys.stdout)


if __name__ == "__main__":
    main()
