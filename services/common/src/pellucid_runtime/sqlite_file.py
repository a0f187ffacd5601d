"""A SQLite file, which keeps state for one machine: opened, asked and closed in one way."""

import sqlite3
from pathlib import Path
from typing import Any, ClassVar, Self

import aiosqlite

from pellucid_runtime.clock import Clock
from pellucid_runtime.errors import store_errors
from pellucid_runtime.listener import StartError

# A file answers within a millisecond or is in trouble.
_TIMEOUT_S = 0.5


class SqliteFile:
    """Base of what keeps its tables in a file. An asynchronous context manager.

    Args:
        path: The file; its folder is made when missing.
        clock: What lifetimes refer to.
    """

    create: ClassVar[str]
    """Statements that make the tables where they are missing."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock

    async def __aenter__(self) -> Self:
        """Open the file.

        Raises:
            StartError: It cannot be opened.
        """
        try:
            await self._open()
        except (OSError, sqlite3.Error) as error:
            said = f"{self._path} cannot be opened: {error} (setting DATA_DIR)"
            raise StartError(said) from error
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self._db.close()

    async def _open(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._db = await aiosqlite.connect(self._path, isolation_level=None, timeout=_TIMEOUT_S)
        try:
            await self._db.executescript(self.create)
        except sqlite3.Error:
            await self._db.close()  # its thread would outlive the failure
            raise

    async def _run(self, sql: str, **values: Any) -> list[Any]:
        """Rows of a statement, which may name `:now`.

        Raises:
            DependencyDownError: The file does not answer.
        """
        # Fetched whole: a cursor that reached this thread would be freed in it, which resets a
        # statement that the connection's own thread may be running again.
        with store_errors(sqlite3.Error):
            return list(await self._db.execute_fetchall(sql, {"now": self._now(), **values}))

    def _now(self) -> float:
        return self._clock.now().timestamp()
