"""Name resolution through the system's resolver, in threads of its own."""

import asyncio
import socket
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Final

from pellucid_runtime.bounded import BoundedDict

NEGATIVE_TTL_S: Final = 30.0
_MAX_REMEMBERED: Final = 1024


class SystemResolver:
    """``getaddrinfo`` for absolute names, with failures remembered for a while.

    Args:
        executor: Threads for the blocking calls; a hung resolver blocks only these.
        monotonic: Seconds that never go back.
    """

    def __init__(self, executor: Executor, monotonic: Callable[[], float]) -> None:
        self._executor = executor
        self._monotonic = monotonic
        self._failed: BoundedDict[str, float] = BoundedDict(_MAX_REMEMBERED)

    async def resolve(self, host: str) -> tuple[str, ...]:
        """Return the addresses of a name; empty when there are none."""
        if self._failed.get(host, 0.0) > self._monotonic():
            return ()
        loop = asyncio.get_running_loop()
        answers = await loop.run_in_executor(self._executor, _lookup, host)
        if not answers:
            self._failed[host] = self._monotonic() + NEGATIVE_TTL_S
        return answers


def _lookup(host: str) -> tuple[str, ...]:
    # The final dot makes the name absolute: search domains of the machine do not apply.
    try:
        found = socket.getaddrinfo(f"{host}.", None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return ()
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))
