"""Start everything on this machine: `make run`.

Reads `.env`, adds the embedded defaults, writes a supervisord configuration and runs supervisord in
the foreground. supervisord restarts what dies, with growing pauses; `watch.py`, its event listener,
says when all are ready and stops all when one cannot start.
"""

import configparser
import getpass
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

from dotenv import load_dotenv
from services import ROOT, Program, defaults, programs

# What ends sooner could not start. The slowest known failure, a port in use that is found after
# the imports, takes about 2 s on a loaded machine.
START_SECONDS = 3
# Pauses grow by one second per attempt; 30 attempts are about eight minutes.
START_RETRIES = 30
# A little more than the services' own grace, so that they may finish their streams.
STOP_WAIT_SECONDS = 35


def supervisord_config(
    items: tuple[Program, ...], run_dir: Path, offset: int
) -> configparser.ConfigParser:
    """Return the configuration for the given programs.

    Args:
        items: What to start.
        run_dir: Folder for the pid file; exists.
        offset: Port offset, handed to the event listener.
    """
    config = configparser.ConfigParser(interpolation=None)
    config["supervisord"] = {
        "nodaemon": "true",
        "user": getpass.getuser(),
        "logfile": "/dev/null",
        "logfile_maxbytes": "0",
        "loglevel": "critical",
        "pidfile": str(run_dir / "supervisord.pid"),
        "strip_ansi": "false",
    }
    for item in items:
        config[f"program:{item.name}"] = _program_section(item)
    # One group, because groups are stopped one after the other.
    config["group:pellucid"] = {"programs": ",".join(item.name for item in items)}
    watch = Path(__file__).with_name("watch.py")
    config["eventlistener:watch"] = {
        "command": _quote((sys.executable, str(watch), str(offset))),
        "events": "PROCESS_STATE",
        "buffer_size": "1000",
        "stderr_logfile": "/dev/stdout",
        "stderr_logfile_maxbytes": "0",
        "priority": "1",
    }
    return config


def _program_section(item: Program) -> dict[str, str]:
    return {
        "command": _quote(item.command),
        "environment": ",".join(f'{key}="{value}"' for key, value in item.environment.items()),
        "autorestart": "true",
        "startsecs": str(START_SECONDS),
        "startretries": str(START_RETRIES),
        "stopwaitsecs": str(STOP_WAIT_SECONDS),
        "stopasgroup": "false",
        "killasgroup": "true",
        "redirect_stderr": "true",
        "stdout_logfile": "/dev/stdout",
        "stdout_logfile_maxbytes": "0",
    }


def _quote(command: tuple[str, ...]) -> str:
    return " ".join(f'"{part}"' for part in command).replace("%", "%%")


def port_in_use(items: tuple[Program, ...]) -> str | None:
    """Return the first port that another process holds, with its program; None: all are free."""
    for item in items:
        for name, port in item.environment.items():
            if name.endswith("_PORT") and not _is_free(int(port)):
                return f"port {port} ({item.name})"
    return None


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        # Connections of an installation that has just ended do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def main() -> int:
    """Run until Ctrl-C. Returns 0, or 1 when a service could not start."""
    load_dotenv(ROOT / ".env")
    try:
        offset = int(os.environ.get("PORT_OFFSET") or "0")
        items = programs(offset)
    except ValueError:
        print("pellucid: PORT_OFFSET and GATEWAY_PORT must be whole numbers")
        return 1
    if taken := port_in_use(items):
        print(
            f"pellucid: could not start: {taken} is in use, perhaps by another installation. "
            "Stop it, or shift all ports: PORT_OFFSET=100 make run"
        )
        return 1
    for name, value in defaults(offset).items():
        os.environ.setdefault(name, value)
    run_dir = Path(os.environ["DATA_DIR"]) / "run"
    run_dir.mkdir(parents=True, exist_ok=True)
    failed = run_dir / "failed"
    failed.unlink(missing_ok=True)
    os.environ["PELLUCID_FAILED_MARK"] = str(failed)
    path = run_dir / "supervisord.conf"
    with path.open("w") as file:
        supervisord_config(items, run_dir, offset).write(file)
    command = [sys.executable, "-m", "supervisor.supervisord", "-c", str(path)]
    process = subprocess.Popen(command)  # noqa: S603 - our own configuration
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: process.send_signal(signal.SIGTERM))
    process.wait()
    return 1 if failed.exists() else process.returncode


if __name__ == "__main__":
    sys.exit(main())
