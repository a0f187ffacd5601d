"""Rules from a folder, read again when a file changes; a bad change keeps the old rules."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import structlog

from pellucid_decision.errors import RulesError
from pellucid_decision.intent.rulebook import Rulebook, load_rulebook

PACKAGED_RULES = Path(__file__).resolve().parent.parent / "data"
_log = structlog.get_logger("pellucid_decision.rules")


class RulesFolder:
    """Holds the newest rules that loaded without error.

    Args:
        folder: Rules folder.
        extra: Operator's matrix file; None for none.
        reloaded: Told "ok" or "error" after each reading that a change caused.

    Raises:
        RulesError: The first reading failed.
    """

    def __init__(
        self,
        folder: Path = PACKAGED_RULES,
        extra: Path | None = None,
        reloaded: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._folder = folder
        self._extra = extra
        self._reloaded = reloaded
        self._stamp = self._current_stamp()
        self._book = load_rulebook(folder, extra)

    @property
    def book(self) -> Rulebook:
        """The rules in force."""
        return self._book

    def refresh(self) -> bool:
        """Read the files again if they changed; return True when new rules came into force."""
        stamp = self._current_stamp()
        if stamp == self._stamp:
            return False
        self._stamp = stamp
        try:
            self._book = load_rulebook(self._folder, self._extra)
        except RulesError as error:
            self._reloaded("error")
            _log.error("rules_rejected", error=str(error), kept=self._book.version)
            return False
        self._reloaded("ok")
        _log.info("rules_reloaded", version=self._book.version)
        return True

    async def watch(self, interval_s: float) -> None:
        """Look for changes until cancelled."""
        while True:
            await asyncio.sleep(interval_s)
            await asyncio.to_thread(self.refresh)

    def _current_stamp(self) -> tuple[tuple[str, int, int], ...]:
        files = [*self._folder.rglob("*.yaml"), *([self._extra] if self._extra else [])]
        found = []
        for path in sorted(files):
            try:
                status = path.stat()
            except OSError:
                continue
            found.append((str(path), status.st_mtime_ns, status.st_size))
        return tuple(found)
