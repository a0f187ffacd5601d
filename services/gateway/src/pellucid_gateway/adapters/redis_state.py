"""Records and rollups on Redis, shared by all replicas."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self

from redis.exceptions import MaxConnectionsError, RedisError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from pellucid_gateway.adapters.redis_breaker import RedisBreaker
from pellucid_gateway.state_ports import Entry
from pellucid_runtime.errors import DependencyDownError
from pellucid_runtime.redis_client import open_redis

_TIMEOUT_S = 0.5
# The version stands for the form of keys and values.
_RECORDS = "pellucid:v1:record:"
_SUMS = "pellucid:v1:sum:"

# KEYS: value, index of the kind, kinds of the owner. ARGV: prefix of values, id, value, lifetime
# in ms, most, kind. The index is ordered by a counter of its own, so that no clock matters.
_PUT = """
local n = redis.call('INCR', KEYS[2] .. ':n')
redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
redis.call('ZADD', KEYS[2], n, ARGV[2])
redis.call('SADD', KEYS[3], ARGV[6])
local old = redis.call('ZRANGE', KEYS[2], 0, -(ARGV[5] + 1))
for _, id in ipairs(old) do
  redis.call('DEL', ARGV[1] .. id)
  redis.call('ZREM', KEYS[2], id)
end
for _, key in ipairs({KEYS[2], KEYS[2] .. ':n', KEYS[3]}) do
  if redis.call('PTTL', key) < ARGV[4] + 0 then redis.call('PEXPIRE', key, ARGV[4]) end
end
"""


class RedisState:
    """Implements `state_ports.Records` and `state_ports.Rollups`. An asynchronous context manager.

    Args:
        url: Address of the server.
        breaker: Of the same server; open: nobody asks.
    """

    def __init__(self, url: str, breaker: RedisBreaker) -> None:
        self._redis: Any = open_redis(url, timeout_s=_TIMEOUT_S)
        self._breaker = breaker

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self._redis.aclose()

    async def put(
        self, owner: str, kind: str, entry: Entry, *, ttl_s: float, most: int = 1000
    ) -> None:
        """See `Records`."""
        values = f"{_of(owner)}{kind}:"
        keys = [f"{values}{entry.id}", _index(owner, kind), _kinds(owner)]
        with self._errors():
            await self._redis.eval(
                _PUT, len(keys), *keys, values, entry.id, entry.value, _ms(ttl_s), most, kind
            )

    async def get(self, owner: str, kind: str, entry_id: str) -> bytes | None:
        """See `Records`."""
        with self._errors():
            value: bytes | None = await self._redis.get(f"{_of(owner)}{kind}:{entry_id}")
            return value

    async def newest(self, owner: str, kind: str, most: int) -> tuple[Entry, ...]:
        """See `Records`. Ids whose value has expired are looked past."""
        with self._errors():
            ids = [i.decode() for i in await self._redis.zrevrange(_index(owner, kind), 0, -1)]
            if not ids:
                return ()
            values = await self._redis.mget([f"{_of(owner)}{kind}:{i}" for i in ids])
        kept = [Entry(i, v) for i, v in zip(ids, values, strict=True) if v is not None]
        return tuple(kept[:most])

    async def delete(self, owner: str, kind: str, entry_id: str) -> bool:
        """See `Records`."""
        with self._errors():
            async with self._redis.pipeline(transaction=True) as both:
                both.delete(f"{_of(owner)}{kind}:{entry_id}")
                both.zrem(_index(owner, kind), entry_id)
                return bool((await both.execute())[0])

    async def delete_kind(self, owner: str, kind: str) -> int:
        """See `Records`."""
        with self._errors():
            ids = [i.decode() for i in await self._redis.zrange(_index(owner, kind), 0, -1)]
            async with self._redis.pipeline(transaction=True) as both:
                both.delete(*[f"{_of(owner)}{kind}:{i}" for i in ids] or [_index(owner, kind)])
                both.delete(_index(owner, kind), _index(owner, kind) + ":n")
                both.srem(_kinds(owner), kind)
                gone = (await both.execute())[0]
        return int(gone) if ids else 0

    async def delete_owner(self, owner: str) -> int:
        """See `Records`."""
        with self._errors():
            kinds = [kind.decode() for kind in await self._redis.smembers(_kinds(owner))]
        return sum([await self.delete_kind(owner, kind) for kind in kinds])

    async def add(self, sums: Mapping[str, Mapping[str, int]], *, ttl_s: float) -> None:
        """See `Rollups`."""
        with self._errors():
            async with self._redis.pipeline(transaction=True) as all_or_none:
                for bucket, fields in sums.items():
                    for field, value in fields.items():
                        all_or_none.hincrby(_SUMS + bucket, field, value)
                    all_or_none.pexpire(_SUMS + bucket, _ms(ttl_s))
                await all_or_none.execute()

    async def read(self, buckets: Sequence[str]) -> tuple[Mapping[str, int], ...]:
        """See `Rollups`."""
        with self._errors():
            async with self._redis.pipeline(transaction=False) as pipe:
                for bucket in buckets:
                    pipe.hgetall(_SUMS + bucket)
                found = await pipe.execute()
        return tuple({f.decode(): int(v) for f, v in fields.items()} for fields in found)

    async def delete_buckets(self, buckets: Sequence[str]) -> None:
        """See `Rollups`."""
        keys = [_SUMS + bucket for bucket in buckets]
        if keys:
            with self._errors():
                await self._redis.delete(*keys)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        if not self._breaker.lets_through():
            raise DependencyDownError("store")
        asked_s = asyncio.get_running_loop().time()
        try:
            yield
        except (ResponseError, MaxConnectionsError) as error:
            # It refuses at once, being full or read-only, or we have asked too much of it at once.
            raise DependencyDownError("store") from error
        except RedisTimeoutError as error:  # or our own loop was busy for so long
            self._breaker.answered(_TIMEOUT_S)
            raise DependencyDownError("store") from error
        except (RedisError, OSError) as error:
            self._breaker.failed()
            raise DependencyDownError("store") from error
        self._breaker.answered(asyncio.get_running_loop().time() - asked_s)


def _of(owner: str) -> str:
    return f"{_RECORDS}{{{owner}}}:"


def _index(owner: str, kind: str) -> str:
    return f"{_of(owner)}index:{kind}"


def _kinds(owner: str) -> str:
    return f"{_of(owner)}kinds"


def _ms(ttl_s: float) -> int:
    return max(1, round(ttl_s * 1000))
