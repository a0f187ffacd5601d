"""Token buckets of all replicas together, in Redis: one atomic script, the server's clock.

When Redis does not answer within 100 ms the replica goes on with a bucket of its own that allows
its share; after some failures Redis is left alone for a while.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Self, TypeVar

from redis import asyncio as redis
from redis.exceptions import RedisError

from pellucid_search.breaker import Breaker
from pellucid_search.buckets import LONG_WINDOW_S, SAFETY, LocalGate, Rate, remaining_calls
from pellucid_search.hits import RateWindow
from pellucid_search.metrics import STORE_ERRORS
from pellucid_search.ports import Refusal, Reservation, Standing

T = TypeVar("T")

_LIMIT_S = 0.1
_FAILURES_TO_OPEN = 3
_PAUSE_S = 2.0
# A bucket that nobody used for a month says nothing any more.
_KEPT_S = 31 * 86_400
_SCHEMA = 1
_REFUSALS = {b"cooling": Refusal.COOLING, b"quota": Refusal.QUOTA, b"rate": Refusal.RATE}

# The same arithmetic as `buckets.LocalGate`; times are seconds of the server's clock.
_PRELUDE = f"""
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local function field(name, default)
  return tonumber(redis.call('HGET', KEYS[1], name) or default)
end
local function keep(...)
  redis.call('HSET', KEYS[1], ...)
  redis.call('EXPIRE', KEYS[1], {_KEPT_S})
end
local limit = field('limit', ARGV[1])
local period = field('period', ARGV[2])
local burst = math.max(1, math.floor(limit / 4))
local interval = 0
if limit > 0 then interval = {SAFETY} * period / (limit - burst + 1) end
"""
_RESERVE = (
    _PRELUDE
    + """
local max_wait = tonumber(ARGV[3])
local cool = field('cool_until', 0)
if cool - now > max_wait then return {'cooling', tostring(cool - now)} end
local left, reset = field('long_remaining', -1), field('long_reset_at', 0)
if left == 0 and reset > now then return {'quota', tostring(reset - now)} end
local empty = field('empty_at', 0)
local go = math.max(now, cool, empty - (burst - 1) * interval)
if go - now > max_wait then return {'rate', tostring(go - now)} end
keep('empty_at', string.format('%.6f', math.max(empty, go) + interval))
if left > 0 then keep('long_remaining', left - 1) end
return {'go', tostring(math.max(0, go - now))}
"""
)
_OBSERVE = (
    _PRELUDE
    + f"""
local wanted, remaining = tonumber(ARGV[3]), tonumber(ARGV[4])
local resets, length = tonumber(ARGV[5]), tonumber(ARGV[6])
if length >= {LONG_WINDOW_S} then
  keep('long_remaining', remaining, 'long_reset_at', string.format('%.6f', now + resets))
else
  keep('limit', wanted, 'period', length)
  if remaining <= 0 then
    keep('empty_at', string.format('%.6f', math.max(field('empty_at', 0), now + resets)))
  end
end
return 1
"""
)
_COOL = (
    _PRELUDE
    + """
local till = math.max(field('cool_until', 0), now + tonumber(ARGV[3]))
keep('cool_until', string.format('%.6f', till))
return 1
"""
)
_STANDING = (
    _PRELUDE
    + """
return {tostring(limit), tostring(period), tostring(field('empty_at', 0) - now),
        tostring(field('long_remaining', -1))}
"""
)


class RedisGate:
    """Buckets of all replicas. An asynchronous context manager.

    Args:
        url: Address of the Redis server.
        rates: Seed by provider.
        monotonic: Seconds of a clock that never runs backwards.
        replicas: Replicas that share the limits; the bucket used without Redis allows one share.
    """

    def __init__(
        self,
        url: str,
        rates: Mapping[str, Rate],
        monotonic: Callable[[], float],
        *,
        replicas: int = 1,
    ) -> None:
        self._redis = redis.Redis.from_url(
            url, socket_timeout=_LIMIT_S, socket_connect_timeout=_LIMIT_S
        )
        self._rates = dict(rates)
        shares = {name: Rate(rate.limit, rate.period_s * replicas) for name, rate in rates.items()}
        self._own = LocalGate(shares, monotonic)
        self._breaker = Breaker(
            monotonic, failures_to_open=_FAILURES_TO_OPEN, first_pause_s=_PAUSE_S
        )
        self._reserve, self._observe, self._cool, self._standing = (
            self._redis.register_script(source) for source in (_RESERVE, _OBSERVE, _COOL, _STANDING)
        )

    async def __aenter__(self) -> Self:
        # The first connection takes longer than any later operation.
        await self.standing("none")
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self._redis.aclose()

    async def reserve(self, provider: str, *, max_wait_s: float) -> Reservation:
        """Take one place, at most `max_wait_s` from now."""
        said = await self._run(self._reserve, provider, max_wait_s)
        if said is None:
            return await self._own.reserve(provider, max_wait_s=max_wait_s)
        kind, wait_s = said
        return Reservation(float(wait_s), _REFUSALS.get(kind))

    async def observe(self, provider: str, windows: Sequence[RateWindow]) -> None:
        """Correct the bucket from headers, here and for all."""
        await self._own.observe(provider, windows)
        for window in windows:
            values = (window.limit, window.remaining, window.reset_s, window.period_s)
            await self._run(self._observe, provider, *values)

    async def cool(self, provider: str, seconds: float) -> None:
        """Let no call of any replica through for some seconds."""
        await self._own.cool(provider, seconds)
        await self._run(self._cool, provider, seconds)

    async def standing(self, provider: str) -> Standing:
        """Return what is left."""
        said = await self._run(self._standing, provider)
        if said is None:
            return await self._own.standing(provider)
        limit, period, debt, left = (float(part) for part in said)
        return Standing(remaining_calls(Rate(int(limit), period), debt), int(left))

    async def _run(self, script: Any, provider: str, *arguments: float) -> Any:
        """Return what a script says; None when Redis does not answer, or not with sense."""
        rate = self._rates.get(provider, Rate(0))
        key = f"pellucid:search:v{_SCHEMA}:bucket:{provider}"
        values = [rate.limit, rate.period_s, *arguments]
        return await self._guarded(lambda: script(keys=[key], args=values))

    async def _guarded(self, work: Callable[[], Awaitable[T]]) -> T | None:
        if not self._breaker.admit():
            return None
        try:
            async with asyncio.timeout(_LIMIT_S):
                result = await work()
        except (RedisError, OSError, TimeoutError):
            self._breaker.fail()
            STORE_ERRORS.labels("bucket").inc()
            return None
        except asyncio.CancelledError:
            self._breaker.abandon()
            raise
        self._breaker.succeed()
        return result
