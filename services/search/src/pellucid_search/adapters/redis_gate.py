"""Token buckets of all replicas together, in Redis: one atomic script, the server's clock.

When Redis does not answer within 100 ms the replica goes on with a bucket of its own that allows
its share; after some failures Redis is left alone for a while. What Redis holds is not trusted: a
key of another type is removed, and a number that makes no sense counts as absent.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Self

from pellucid_runtime.redis_client import open_redis
from pellucid_runtime.store_guard import StoreGuard
from pellucid_search.asking.buckets import LONG_WINDOW_S, SAFETY, LocalGate, Rate, remaining_calls
from pellucid_search.hits import RateWindow
from pellucid_search.metrics import STORE_ERRORS
from pellucid_search.ports import Pace, Refusal, Reservation, Standing

_LIMIT_S = 0.1
# A bucket that nobody used for a month says nothing any more.
_KEPT_S = 31 * 86_400
_SCHEMA = 2
_REFUSALS = {refusal.value.encode(): refusal for refusal in Refusal}

# The same arithmetic as `buckets.LocalGate`; times are seconds of the server's clock.
_PRELUDE = f"""
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local kind = redis.call('TYPE', KEYS[1])['ok']
if kind ~= 'hash' and kind ~= 'none' then redis.call('DEL', KEYS[1]) end
local function field(name, default, most)
  local number = tonumber(redis.call('HGET', KEYS[1], name) or default)
  if number and number >= -1 and number <= most then return number end
  return tonumber(default)
end
local far = now + {_KEPT_S}
local function keep(...)
  redis.call('HSET', KEYS[1], ...)
  redis.call('EXPIRE', KEYS[1], {_KEPT_S})
end
local limit = field('limit', ARGV[1], 1e6)
local period = field('period', ARGV[2], {_KEPT_S})
if limit <= 0 then limit = tonumber(ARGV[1]) end
if period <= 0 then period = tonumber(ARGV[2]) end
local burst = math.max(1, math.floor(limit / 4))
local interval = 0
if limit > 0 then interval = {SAFETY} * period / (limit - burst + 1) end
"""
_RESERVE = (
    _PRELUDE
    + """
local max_wait = tonumber(ARGV[3])
local shut = field('shut_until', 0, far)
if shut > now then
  local quota = redis.call('HGET', KEYS[1], 'shut_reason') ~= 'bad_key'
  return {quota and 'quota' or 'bad_key', tostring(shut - now)}
end
local cool = field('cool_until', 0, far)
if cool - now > max_wait then return {'cooling', tostring(cool - now)} end
local left, reset = field('long_remaining', -1, 1e9), field('long_reset_at', 0, far)
if left == 0 and reset > now then return {'quota', tostring(reset - now)} end
local empty = field('empty_at', 0, far)
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
    keep('empty_at', string.format('%.6f', math.max(field('empty_at', 0, far), now + resets)))
  end
end
return 1
"""
)
_COOL = (
    _PRELUDE
    + """
local till = math.max(field('cool_until', 0, far), now + tonumber(ARGV[3]))
keep('cool_until', string.format('%.6f', till))
return 1
"""
)
_SHUT = (
    _PRELUDE
    + """
local till = string.format('%.6f', now + tonumber(ARGV[3]))
keep('shut_until', till, 'shut_reason', ARGV[4])
return 1
"""
)
_STANDING = (
    _PRELUDE
    + """
return {tostring(limit), tostring(period), tostring(field('empty_at', 0, far) - now),
        tostring(field('long_remaining', -1, 1e9))}
"""
)


class RedisGate:
    """Buckets of all replicas. An asynchronous context manager.

    Args:
        url: Address of the Redis server.
        rates: Seed by provider.
        monotonic: Seconds of a clock that never runs backwards.
        replicas: Replicas that share the limits; the bucket used without Redis allows one share.
        accounts: What tells one key of a provider from another, so that a new key starts afresh.
    """

    def __init__(
        self,
        url: str,
        rates: Mapping[str, Rate],
        monotonic: Callable[[], float],
        *,
        replicas: int = 1,
        accounts: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._redis = open_redis(url, timeout_s=None)
        self._rates = dict(rates)
        self._accounts = dict(accounts)
        self._telling: dict[str, set[asyncio.Task[Any]]] = {}
        self._own = LocalGate(rates, monotonic, replicas=replicas)
        self._guard = StoreGuard(STORE_ERRORS, monotonic)
        self._reserve, self._observe, self._cool, self._shut, self._standing = (
            self._redis.register_script(source)
            for source in (_RESERVE, _OBSERVE, _COOL, _SHUT, _STANDING)
        )

    async def __aenter__(self) -> Self:
        # The first connection takes longer than any later operation.
        await self.standing("none")
        return self

    async def __aexit__(self, *_exc: object) -> None:
        for provider in self._telling:
            await self._told(provider)
        await self._redis.aclose()

    def _tell(self, provider: str, work: Coroutine[Any, Any, Any]) -> None:
        """Let the others know, in the background; nobody waits for it but the next reservation."""
        task = asyncio.create_task(work, name="tell-gate")
        telling = self._telling.setdefault(provider, set())
        telling.add(task)
        task.add_done_callback(telling.discard)

    async def _told(self, provider: str) -> None:
        """Wait until what was told about a provider has arrived, or was given up."""
        telling = self._telling.get(provider)
        if telling:
            await asyncio.wait(tuple(telling))

    async def reserve(self, provider: str, *, max_wait_s: float) -> Reservation:
        """Take one place, at most `max_wait_s` from now."""
        known = self._own.refusal(provider, max_wait_s)
        if known is not None:
            return known
        await self._told(provider)
        said = await self._run(self._reserve, provider, max_wait_s)
        if said is None:
            return await self._own.reserve(provider, max_wait_s=max_wait_s)
        kind, wait_s = said
        refusal = _REFUSALS.get(kind)
        if refusal is None:
            self._own.note(provider, float(wait_s))
        return Reservation(float(wait_s), refusal)

    def pace(self, provider: str) -> Pace:
        """Return the provider's limit, and this replica's part of it as an interval."""
        return self._own.pace(provider)

    async def observe(self, provider: str, windows: Sequence[RateWindow]) -> None:
        """Correct the bucket from headers, here at once and soon for all."""
        await self._own.observe(provider, windows)
        for window in windows:
            values = (window.limit, window.remaining, window.reset_s, window.period_s)
            self._tell(provider, self._run(self._observe, provider, *values))

    async def cool(self, provider: str, seconds: float) -> None:
        """Let no call of any replica through for some seconds."""
        await self._own.cool(provider, seconds)
        self._tell(provider, self._run(self._cool, provider, seconds))

    async def shut(self, provider: str, seconds: float, reason: Refusal) -> None:
        """Refuse every call of every replica that uses this key."""
        await self._own.shut(provider, seconds, reason)
        self._tell(provider, self._run(self._shut, provider, seconds, reason.value))

    async def standing(self, provider: str) -> Standing:
        """Return what is left."""
        await self._told(provider)
        said = await self._run(self._standing, provider)
        if said is None:
            return await self._own.standing(provider)
        limit, period, debt, left = (float(part) for part in said)
        return Standing(remaining_calls(Rate(int(limit), period), debt), int(left))

    async def _run(self, script: Any, provider: str, *arguments: float | str) -> Any:
        """Return what a script says; None when Redis does not answer, or not with sense."""
        rate = self._rates.get(provider, Rate(0))
        account = self._accounts.get(provider, "")
        key = f"pellucid:search:v{_SCHEMA}:bucket:{provider}:{account}"
        values = [rate.limit, rate.period_s, *arguments]
        return await self._guard.run("bucket", lambda: script(keys=[key], args=values), _LIMIT_S)
