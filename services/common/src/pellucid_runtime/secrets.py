"""Secrets from mounted files, followed when they are replaced; how old each one is.

A value from the environment cannot change while a process runs and has no age. A file can: its
newest content is used from the next call on, and its age is a metric, so that keys nobody has
renewed for a quarter are found.
"""

import time
from collections.abc import Callable
from pathlib import Path

import structlog
from prometheus_client import Gauge

SECRET_AGE_SECONDS = Gauge(
    "pellucid_secret_age_seconds", "Time since the file of a secret was written.", ("name",)
)
# A look at the file's date costs microseconds, but not for every call.
_LOOK_PERIOD_S = 2.0

_log = structlog.get_logger("pellucid_runtime.secrets")


class SecretFile:
    """The content of one file, without the line's end.

    Args:
        path: The file; its name names the secret in metrics and logs.
        monotonic: Seconds, only ever growing.

    Raises:
        OSError: The file cannot be read.
    """

    def __init__(self, path: Path, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._monotonic = monotonic
        self._looked_s = monotonic()
        self._written_s = path.stat().st_mtime
        self._value = _read(path)
        SECRET_AGE_SECONDS.labels(path.name).set_function(
            lambda: max(0.0, time.time() - self._written_s)
        )

    def __call__(self) -> str:
        """The newest content; the last one while the file cannot be read or is empty."""
        now_s = self._monotonic()
        if now_s - self._looked_s >= _LOOK_PERIOD_S:
            self._looked_s = now_s
            self._look()
        return self._value

    def _look(self) -> None:
        try:
            written_s = self._path.stat().st_mtime
            if written_s == self._written_s:
                return
            value = _read(self._path)
        except OSError as error:
            _log.warning("secret_not_readable", name=self._path.name, error=error.strerror)
            return
        if value:
            self._value, self._written_s = value, written_s
            _log.info("secret_reloaded", name=self._path.name)


def _read(path: Path) -> str:
    return path.read_text("utf-8").strip()
