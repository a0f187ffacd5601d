"""Asking a host's robots.txt once in a while.

Decides how long rules are believed and what silence means; the rules themselves are read in
``robots``.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from pellucid_fetcher.egress.address import Target
from pellucid_fetcher.errors import FetchFault
from pellucid_fetcher.outcome import PageRequest, Purpose
from pellucid_fetcher.politeness.robots import MAX_BYTES, Robots, read_robots
from pellucid_fetcher.strategies.http_path import HttpPath, Trail
from pellucid_runtime.bounded import BoundedDict

RULES_TTL_S: Final = 3600.0
TROUBLE_TTL_S: Final = 120.0
_TIMEOUT_S: Final = 1.5  # then the page is read without
_MAX_ORIGINS: Final = 2048
_ALLOW_ALL: Final = Robots()


class RobotsGuard:
    """Rules by origin, remembered for an hour.

    Args:
        http: Reads robots.txt through the same gate as pages.
        agent: Product token that rules may name.
        monotonic: Seconds that never go back.
    """

    def __init__(self, http: HttpPath, agent: str, monotonic: Callable[[], float]) -> None:
        self._http = http
        self._agent = agent
        self._monotonic = monotonic
        self._known: BoundedDict[str, tuple[float, Robots]] = BoundedDict(_MAX_ORIGINS)
        self._asking: dict[str, asyncio.Lock] = {}

    async def allows(self, target: Target, *, timeout_s: float) -> bool:
        """Tell whether the target may be read."""
        origin = f"{target.scheme}://{target.host}:{target.port}"
        robots = self._remembered(origin)
        if robots is None:
            robots = await self._ask_once(origin, min(timeout_s, _TIMEOUT_S))
        return robots.allows(target.request_path)

    def _remembered(self, origin: str) -> Robots | None:
        until, robots = self._known.get(origin, (0.0, _ALLOW_ALL))
        return robots if until > self._monotonic() else None

    async def _ask_once(self, origin: str, timeout_s: float) -> Robots:
        """Ask, with one question at a time for each origin."""
        lock = self._asking.setdefault(origin, asyncio.Lock())
        try:
            async with asyncio.timeout(timeout_s), lock:
                return self._remembered(origin) or await self._ask(origin, timeout_s)
        except TimeoutError:
            self._remember(origin, _ALLOW_ALL, TROUBLE_TTL_S)
            return _ALLOW_ALL
        finally:
            if not lock.locked():
                self._asking.pop(origin, None)

    async def _ask(self, origin: str, timeout_s: float) -> Robots:
        request = PageRequest(f"{origin}/robots.txt", Purpose.SEARCH_RESULT, 1, timeout_s)
        trail = Trail()
        try:
            intake = await self._http.read(request, trail, timeout_s=timeout_s)
        except FetchFault:
            settled = 400 <= trail.http_status < 500  # noqa: PLR2004 - RFC 9309: unavailable
            self._remember(origin, _ALLOW_ALL, RULES_TTL_S if settled else TROUBLE_TTL_S)
            return _ALLOW_ALL
        text = intake.body[:MAX_BYTES].decode("utf-8", "replace")
        robots = read_robots(text, self._agent)
        self._remember(origin, robots, RULES_TTL_S)
        return robots

    def _remember(self, origin: str, robots: Robots, ttl_s: float) -> None:
        self._known[origin] = (self._monotonic() + ttl_s, robots)
