"""Leaves out side calls of a kind that is always late: the answer does not wait for them."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

import structlog

from pellucid_runtime.errors import DeadlineExceededError
from pellucid_runtime.llm.model import LlmTimeoutError
from pellucid_runtime.rpc.deadline import is_late

LEFT_OUT_S = 600.0
MOST_LATE = 3
# Kinds are a handful; models are the settings'.
_MOST_KINDS = 256

_log = structlog.get_logger("pellucid_runtime.llm")


class SideCalls:
    """How late the side calls of each kind are.

    Args:
        now: Seconds of a stopwatch.
    """

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._late: dict[tuple[str, str], int] = {}
        self._until: dict[tuple[str, str], float] = {}

    @contextmanager
    def watched(self, task: str, model: str) -> Iterator[None]:
        """Watch one call.

        Args:
            task: Its kind; empty: it is no side call, and never left out.
            model: Model that is asked.

        Raises:
            LlmTimeoutError: Calls of this kind are left out for now.
        """
        kind = (task, model)
        if task and self._until.get(kind, 0.0) > self._now():
            raise LlmTimeoutError("such calls were always late", model=model)
        try:
            yield
        except (LlmTimeoutError, DeadlineExceededError):
            self._was_late(kind)
            raise
        except asyncio.CancelledError:
            if is_late():
                self._was_late(kind)
            raise
        self._late.pop(kind, None)

    def _was_late(self, kind: tuple[str, str]) -> None:
        task, model = kind
        if not task or (len(self._late) >= _MOST_KINDS and kind not in self._late):
            return
        self._late[kind] = self._late.get(kind, 0) + 1
        if self._late[kind] >= MOST_LATE:
            del self._late[kind]
            self._until[kind] = self._now() + LEFT_OUT_S
            _log.warning("side_calls_left_out", task=task, model=model, seconds=LEFT_OUT_S)
