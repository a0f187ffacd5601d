"""Turns at hosts for all replicas together, in Redis: one atomic script, the server's clock.

Hosts stand in the keys as hashes. While Redis does not answer, this replica goes on with its share.
"""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, Final, Self

from pellucid_fetcher.adapters.store_limits import READ_S
from pellucid_fetcher.metrics import STORE_ERRORS
from pellucid_fetcher.politeness.politeness import MAX_REST_S, LocalRateLimit
from pellucid_fetcher.ports import Turn
from pellucid_runtime.redis_client import open_redis
from pellucid_runtime.store_guard import StoreGuard

PREFIX: Final = "fetch:v1:turn:"  # a Redis user for the fetcher needs fetch:* and nothing else
_CONNECT_S: Final = 0.5

# The same arithmetic as `politeness.LocalRateLimit`; times are seconds of the server's clock.
_PRELUDE: Final = """
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local kind = redis.call('TYPE', KEYS[1])['ok']
if kind ~= 'hash' and kind ~= 'none' then redis.call('DEL', KEYS[1]) end
local function field(name) return tonumber(redis.call('HGET', KEYS[1], name) or 0) or 0 end
local function keep(name, value)
  redis.call('HSET', KEYS[1], name, string.format('%.6f', value))
  local last = math.max(value, field('rest'), field('next'))
  redis.call('EXPIRE', KEYS[1], math.ceil(last - now) + 1)
end
"""
_TAKE: Final = (
    _PRELUDE
    + """
local turn = math.max(now, field('next'), field('rest'))
if turn - now > tonumber(ARGV[2]) then return {0, tostring(turn - now)} end
local interval = tonumber(ARGV[1])
if interval > 0 then keep('next', turn + interval) end
return {1, tostring(turn - now)}
"""
)
_REST: Final = (
    _PRELUDE
    + """
keep('rest', math.max(field('rest'), now + tonumber(ARGV[1])))
return 1
"""
)


class SharedRateLimit:
    """A queue of turns for each host, over all replicas. An asynchronous context manager.

    Args:
        url: Address of the Redis server.
        per_second: Turns a second for a host over all replicas; 0 means no limit.
        overrides: The same for hosts by name.
        own: This replica's share, used while Redis does not answer.
        monotonic: Seconds that never go back.
    """

    def __init__(
        self,
        url: str,
        per_second: float,
        overrides: Mapping[str, float],
        own: LocalRateLimit,
        monotonic: Callable[[], float],
    ) -> None:
        self._redis = open_redis(url, timeout_s=_CONNECT_S)
        self._per_second = per_second
        self._overrides = overrides
        self._own = own
        self._guard = StoreGuard(STORE_ERRORS, monotonic)
        self._take = self._redis.register_script(_TAKE)
        self._rest = self._redis.register_script(_REST)

    async def __aenter__(self) -> Self:
        # The first connection takes longer than any later operation.
        await self._guard.run("turn", self._redis.ping, READ_S)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._redis.aclose()

    async def take(self, host: str, *, max_wait_s: float) -> Turn:
        """Take the next turn unless it is further away than ``max_wait_s``."""
        rate = self._overrides.get(host, self._per_second)
        interval_s = 1.0 / rate if rate > 0 else 0.0
        said = await self._run(self._take, host, interval_s, max_wait_s)
        if said is None:
            return await self._own.take(host, max_wait_s=max_wait_s)
        taken, wait_s = said
        return Turn(max(0.0, float(wait_s)), taken=bool(taken))

    async def cool_down(self, host: str, seconds: float) -> None:
        """Give the host a rest of at most an hour, here and for all."""
        await self._own.cool_down(host, seconds)
        await self._run(self._rest, host, min(seconds, MAX_REST_S))

    async def _run(self, script: Any, host: str, *arguments: float) -> Any:
        key = PREFIX + hashlib.sha256(host.encode()).hexdigest()[:32]
        return await self._guard.run("turn", lambda: script(keys=[key], args=arguments), READ_S)
