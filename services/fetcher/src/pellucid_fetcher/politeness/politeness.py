"""Turns at a host: at most so many requests a second, and a rest when it asks for one.

Decides waiting times in this process. With a shared store the same arithmetic runs there, for all
replicas together, and this one stands in while the store is away.
"""

from collections.abc import Callable, Mapping
from typing import Final

from pellucid_fetcher.ports import Turn
from pellucid_runtime.bounded import BoundedDict

_MAX_HOSTS: Final = 4096
MAX_REST_S: Final = 3600.0


class LocalRateLimit:
    """A queue of turns for each host.

    Args:
        per_second: Turns a second for a host; 0 means no limit.
        overrides: The same for hosts by name.
        monotonic: Seconds that never go back.
    """

    def __init__(
        self,
        per_second: float,
        overrides: Mapping[str, float],
        monotonic: Callable[[], float],
    ) -> None:
        self._per_second = per_second
        self._overrides = overrides
        self._monotonic = monotonic
        self._next_turn: BoundedDict[str, float] = BoundedDict(_MAX_HOSTS)
        self._rest_until: BoundedDict[str, float] = BoundedDict(_MAX_HOSTS)

    async def take(self, host: str, *, max_wait_s: float) -> Turn:
        """Take the next turn unless it is further away than ``max_wait_s``."""
        now = self._monotonic()
        turn = max(now, self._next_turn.get(host, 0.0), self._rest_until.get(host, 0.0))
        if turn - now > max_wait_s:
            return Turn(turn - now, taken=False)
        rate = self._overrides.get(host, self._per_second)
        if rate > 0:
            self._next_turn[host] = turn + 1.0 / rate
        return Turn(turn - now, taken=True)

    async def cool_down(self, host: str, seconds: float) -> None:
        """Give the host a rest of at most an hour; a longer one that it has already stays."""
        until = self._monotonic() + min(seconds, MAX_REST_S)
        self._rest_until[host] = max(until, self._rest_until.get(host, 0.0))
