"""Secrets from mounted files, followed when they are replaced; how old each one is.

A value from the environment cannot change while a process runs. A file can: its newest content is
used from the next call on. The age of either counts from the day that the operator gives in
`SECRETS_CREATED`: the date of a mounted file is the day of the mount, however old the key is.
"""

import math
import time
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from pathlib import Path

import structlog
from prometheus_client import Gauge

SECRET_AGE_SECONDS = Gauge(
    "pellucid_secret_age_seconds", "Time since the day that SECRETS_CREATED gives.", ("name",)
)
# A look at the file's date costs microseconds, but not for every call.
_LOOK_PERIOD_S = 2.0

_log = structlog.get_logger("pellucid_runtime.secrets")


class SecretFile:
    """The content of one file, without the line's end.

    Args:
        path: The file; its name names the secret in metrics and logs.
        monotonic: Seconds, only ever growing.
        otherwise: The value while there is no file, which may come later.
    """

    def __init__(
        self,
        path: Path,
        monotonic: Callable[[], float] = time.monotonic,
        *,
        otherwise: str = "",
    ) -> None:
        self._path = path
        self._monotonic = monotonic
        self._looked_s = monotonic()
        self._written_s = 0.0
        self._value = otherwise
        self._look()

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
        except FileNotFoundError:
            return
        except OSError as error:
            _log.warning("secret_not_readable", name=self._path.name, error=error.strerror)
            return
        if value:
            if self._written_s:
                _log.info("secret_reloaded", name=self._path.name)
            self._value, self._written_s = value, written_s


def read_days(text: str) -> Mapping[str, date]:
    """The day on which each secret was made.

    Args:
        text: `name=YYYY-MM-DD`, separated by commas or lines; the name is the setting's.

    Raises:
        ValueError: A part is not of that form.

    >>> read_days("openai_api_key=2026-08-01, brave_search_api_key=2026-09-15")["openai_api_key"]
    datetime.date(2026, 8, 1)
    """
    parts = [part.strip() for part in text.replace("\n", ",").split(",")]
    named = [part.partition("=") for part in parts if part]
    return {name.strip().lower(): date.fromisoformat(day.strip()) for name, _, day in named}


def report_age(name: str, days: Callable[[], str]) -> None:
    """Show a secret's age as a metric from now on; not a number while its day is not known.

    Args:
        name: The setting's name in lower case.
        days: Gives the newest `SECRETS_CREATED`.
    """
    SECRET_AGE_SECONDS.labels(name).set_function(lambda: _age_s(name, days()))


def _age_s(name: str, days: str) -> float:
    try:
        day = read_days(days).get(name)
    except ValueError:  # replaced by something wrong while the process ran
        return math.nan
    if day is None:
        return math.nan
    made = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return max(0.0, time.time() - made.timestamp())


def _read(path: Path) -> str:
    return path.read_text("utf-8").strip()
