"""Leases in Redis: taken when free, renewed and ended only by their owner, each in one step."""

from collections.abc import Awaitable, Callable
from typing import Any, Self

from pellucid_runtime.redis_client import open_redis
from pellucid_runtime.store_guard import StoreGuard
from pellucid_search.adapters.guarded_store import READ_S, WRITE_S
from pellucid_search.metrics import STORE_ERRORS

_PREFIX = "pellucid:search:v1:lease:"
# What another owner or another kind of value holds is left alone.
_IF_MINE = """
if redis.call('TYPE', KEYS[1])['ok'] ~= 'string' then return 0 end
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
"""
_RENEW = _IF_MINE + "return redis.call('PEXPIRE', KEYS[1], ARGV[2])"
_RELEASE = _IF_MINE + "return redis.call('DEL', KEYS[1])"


class RedisLeases:
    """See `ports.LeaseStore`. An asynchronous context manager.

    Args:
        url: Address of the Redis server.
        monotonic: Seconds of a clock that never runs backwards.
    """

    def __init__(self, url: str, monotonic: Callable[[], float]) -> None:
        self._redis = open_redis(url, timeout_s=None, server="cache")
        self._guard = StoreGuard(STORE_ERRORS, monotonic)
        self._renew = self._redis.register_script(_RENEW)
        self._release = self._redis.register_script(_RELEASE)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self._redis.aclose()

    async def acquire(self, name: str, owner: str, *, ttl_s: float) -> bool:
        """Take a lease unless somebody holds it; True also when Redis does not answer."""
        key, life = _PREFIX + name, _milliseconds(ttl_s)
        taken = await self._run(lambda: self._redis.set(key, owner, px=life, nx=True), READ_S)
        return taken is not False

    async def renew(self, name: str, owner: str, *, ttl_s: float) -> bool:
        """Lengthen a lease that is still held; True also when Redis does not answer."""
        keys = [_PREFIX + name]
        values: list[str | int] = [owner, _milliseconds(ttl_s)]
        renewed = await self._run(lambda: self._renew(keys=keys, args=values), WRITE_S)
        return renewed is not False

    async def release(self, name: str, owner: str) -> None:
        """End a lease that the owner still holds."""
        keys = [_PREFIX + name]
        await self._run(lambda: self._release(keys=keys, args=[owner]), WRITE_S)

    async def _run(self, work: Callable[[], Awaitable[Any]], limit_s: float) -> bool | None:
        async def attempt() -> bool:
            return bool(await work())

        return await self._guard.run("lease", attempt, limit_s)


def _milliseconds(seconds: float) -> int:
    return max(1, round(seconds * 1000))
