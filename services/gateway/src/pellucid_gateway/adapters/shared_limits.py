"""Limits over all replicas in Redis; this process's share of them while Redis is down.

Time is Redis's own, so a replica whose clock is wrong counts like the others. Takes that Redis
allowed are also counted here, and takes that were allowed here while it was down are told to it
afterwards: neither a failure nor its end gives a limit out twice.
"""

from collections.abc import Sequence

from pellucid_gateway.access.local_limits import LocalLimiter, new_token
from pellucid_gateway.adapters.redis_scripts import RedisScripts, Script
from pellucid_gateway.domain.rates import SLICES, Counted, Take, Verdict, verdict
from pellucid_gateway.metrics import LIMITER_LOCAL
from pellucid_runtime.errors import DependencyDownError

# The version stands for the form of keys and values.
_PREFIX = "pellucid:v2:limit:"
# Subjects whose local takes are still to be told; beyond it they are forgotten, oldest first.
_MOST_DEBTS = 10_000
_LOCAL_TOKEN = "local-"  # noqa: S105 - a mark, no secret

# KEYS: one a window. ARGV: limit, window in ms and takes to add beforehand, for each. A window is
# a hash of takes by the number of their slice. The reply: whether all were taken, and for each
# window the ms of the current slice that have passed, then age and takes of every slice.
_WINDOWS = Script(
    f"""
local SLICES = {SLICES}
"""
    """
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local seen, ok = {}, 1
for k = 1, #KEYS do
  local limit, window, debt = ARGV[3*k-2] + 0, ARGV[3*k-1] + 0, ARGV[3*k] + 0
  local slice = window / SLICES
  local index = math.floor(now / slice)
  local kept = redis.call('HGETALL', KEYS[k])
  local counts, used, old = {[index] = debt}, debt, {}
  for f = 1, #kept, 2 do
    local i, c = tonumber(kept[f]), tonumber(kept[f+1]) or 0
    if i and index - i <= SLICES then
      counts[i] = (counts[i] or 0) + c
      used = used + c
    else
      old[#old+1] = kept[f]
    end
  end
  if limit > 0 and used + 1 > limit then ok = 0 end
  seen[k] = {index, counts, now - index * slice, window, limit, debt, old}
end
local reply = {ok}
for k = 1, #KEYS do
  local index, counts, elapsed, window, limit, debt, old = unpack(seen[k])
  if ok == 1 or limit == 0 then counts[index] = counts[index] + 1 end
  if ok == 1 or limit == 0 or debt > 0 then
    redis.call('HSET', KEYS[k], index, counts[index])
    if #old > 0 then redis.call('HDEL', KEYS[k], unpack(old)) end
    redis.call('PEXPIRE', KEYS[k], 2 * window)
  end
  local told = {elapsed}
  for i, c in pairs(counts) do
    told[#told+1] = index - i
    told[#told+1] = c
  end
  reply[#reply+1] = told
end
return reply
"""
)

# KEYS: the places of a subject, members by the end of their lease. ARGV: limit, lease in ms, token.
_ACQUIRE = Script("""
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= ARGV[1] + 0 then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
""")

_RELEASE = Script("return redis.call('ZREM', KEYS[1], ARGV[1])")


class SharedLimiter:
    """Implements `state_ports.Limiter` on Redis.

    Args:
        scripts: Runs the scripts.
        local: This process's share.
    """

    def __init__(self, scripts: RedisScripts, local: LocalLimiter) -> None:
        self._scripts = scripts
        self._local = local
        self._debts: dict[str, int] = {}

    async def take(self, takes: Sequence[Take]) -> Verdict:
        """See `Limiter`."""
        keys = [_key(take) for take in takes]
        debts = [self._debts.pop(key, 0) for key in keys]
        values = [
            value
            for take, debt in zip(takes, debts, strict=True)
            for value in (take.rate.limit, take.rate.window_s * 1000, debt)
        ]
        try:
            reply = await self._scripts.run(_WINDOWS, keys, values)
        except DependencyDownError:
            return self._take_locally(takes, keys, debts)
        counted = [_counted(told) for told in reply[1:]]
        said = verdict(takes, counted, allowed=bool(reply[0]))
        if said.allowed:
            self._local.windows.note(takes)
        return said

    def _take_locally(
        self, takes: Sequence[Take], keys: Sequence[str], debts: Sequence[int]
    ) -> Verdict:
        LIMITER_LOCAL.inc()
        said = self._local.windows.take(takes)
        for key, debt in zip(keys, debts, strict=True):
            self._debts[key] = self._debts.get(key, 0) + debt + int(said.allowed)
        while len(self._debts) > _MOST_DEBTS:
            del self._debts[next(iter(self._debts))]
        return said

    async def acquire(self, subject: str, limit: int, lease_s: float) -> str | None:
        """See `Limiter`."""
        token = new_token()
        try:
            given = await self._scripts.run(
                _ACQUIRE, [_places(subject)], [limit, round(lease_s * 1000), token]
            )
        except DependencyDownError:
            local = await self._local.acquire(subject, limit, lease_s)
            return None if local is None else _LOCAL_TOKEN + local
        return token if given else None

    async def release(self, subject: str, token: str) -> None:
        """See `Limiter`. A place that cannot be given back now ends with its lease."""
        if token.startswith(_LOCAL_TOKEN):
            await self._local.release(subject, token.removeprefix(_LOCAL_TOKEN))
            return
        try:
            await self._scripts.run(_RELEASE, [_places(subject)], [token])
        except DependencyDownError:
            return


def _counted(told: Sequence[int]) -> Counted:
    elapsed_ms, *slices = told
    return Counted(dict(zip(slices[::2], slices[1::2], strict=True)), elapsed_ms / 1000)


def _key(take: Take) -> str:
    return f"{_PREFIX}{take.rate.name}:{{{take.subject}}}"


def _places(subject: str) -> str:
    return f"{_PREFIX}places:{{{subject}}}"
