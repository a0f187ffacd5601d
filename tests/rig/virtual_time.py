"""Time that passes only while everything waits: minutes take milliseconds, under any load.

For stories of one process without threads and sockets.
"""

import asyncio
import functools
import selectors
from collections.abc import Callable, Coroutine
from typing import Any

from pellucid_runtime.clock import SystemClock


class _Selector(selectors.SelectSelector):
    """Moves the hands instead of waiting."""

    now_s = 0.0

    def select(self, timeout: float | None = None) -> Any:
        """See the base class."""
        ready = super().select(0)
        if not ready:
            assert timeout is not None, "nothing will ever happen"
            self.now_s += timeout
        return ready


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._hands = _Selector()
        super().__init__(self._hands)

    def time(self) -> float:
        """Virtual seconds."""
        return self._hands.now_s


class VirtualClock(SystemClock):
    """A stopwatch by the virtual time of the loop that runs."""

    def monotonic(self) -> float:
        """See the base class."""
        return asyncio.get_running_loop().time()


def in_virtual_time(
    test: Callable[..., Coroutine[Any, Any, None]],
) -> Callable[..., None]:
    """Run a test in virtual time; its clock is a `VirtualClock`."""

    @functools.wraps(test)
    def run(**fixtures: Any) -> None:
        with asyncio.Runner(loop_factory=_Loop) as runner:
            runner.run(test(**fixtures))

    return run
