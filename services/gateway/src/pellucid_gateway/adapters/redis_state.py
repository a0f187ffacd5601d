"""Records and rollups on Redis, shared by all replicas."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self

from redis.exceptions import MaxConnectionsError, RedisError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from pellucid_gateway.access.callers import PROVISIONAL
from pellucid_gateway.adapters.record_scripts import DELETE, OVERHEAD_BYTES, PUT
from pellucid_gateway.adapters.redis_breaker import RedisBreaker
from pellucid_gateway.domain.state_ports import Entry
from pellucid_runtime.errors import DependencyDownError
from pellucid_runtime.redis_client import open_redis

_TIMEOUT_S = 0.5
# The version stands for the form of keys and values.
_RECORDS = "pellucid:v1:record:"
_SUMS = "pellucid:v1:sum:"
_SHELVES = "pellucid:v1:shelf:"


class RedisState:
    """Implements `state_ports.Records` and `state_ports.Rollups`. An asynchronous context manager.

    Args:
        url: Address of the server.
        breaker: Of the same server; open: nobody asks.
    """

    def __init__(self, url: str, breaker: RedisBreaker) -> None:
        self._redis: Any = open_redis(url, timeout_s=_TIMEOUT_S)
        self._put = self._redis.register_script(PUT)
        self._remove = self._redis.register_script(DELETE)
        self._breaker = breaker

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self._redis.aclose()

    async def put(
        self,
        owner: str,
        kind: str,
        entry: Entry,
        *,
        ttl_s: float,
        most: int = 1000,
        room_bytes: int = 0,
    ) -> None:
        """See `Records`."""
        keys = [f"{_of(owner)}{kind}:{entry.id}", _index(owner, kind), _kinds(owner), *_shelf(kind)]
        told: list[Any] = [owner, entry.id, entry.value, _ms(ttl_s), most, kind]
        with self._errors(owner):
            await self._put(keys, [*told, room_bytes, _RECORDS, OVERHEAD_BYTES])

    async def get(self, owner: str, kind: str, entry_id: str) -> bytes | None:
        """See `Records`."""
        with self._errors(owner):
            value: bytes | None = await self._redis.get(f"{_of(owner)}{kind}:{entry_id}")
            return value

    async def newest(self, owner: str, kind: str, most: int) -> tuple[Entry, ...]:
        """See `Records`. Ids whose value has expired are looked past."""
        with self._errors(owner):
            ids = [i.decode() for i in await self._redis.zrevrange(_index(owner, kind), 0, -1)]
            if not ids:
                return ()
            values = await self._redis.mget([f"{_of(owner)}{kind}:{i}" for i in ids])
        kept = [Entry(i, v) for i, v in zip(ids, values, strict=True) if v is not None]
        return tuple(kept[:most])

    async def delete(self, owner: str, kind: str, entry_id: str) -> bool:
        """See `Records`."""
        return bool(await self._delete(owner, kind, entry_id))

    async def delete_kind(self, owner: str, kind: str) -> int:
        """See `Records`."""
        return await self._delete(owner, kind, "")

    async def _delete(self, owner: str, kind: str, entry_id: str) -> int:
        keys = [_index(owner, kind), _kinds(owner), *_shelf(kind)]
        with self._errors(owner):
            return int(await self._remove(keys, [owner, kind, _RECORDS, entry_id]))

    async def delete_owner(self, owner: str) -> int:
        """See `Records`."""
        with self._errors(owner):
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
    def _errors(self, owner: str = "") -> Iterator[None]:
        if owner.startswith(PROVISIONAL) or not self._breaker.lets_through():
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


def _shelf(kind: str) -> tuple[str, str]:
    return f"{_SHELVES}{kind}", f"{_SHELVES}{kind}:sizes"


def _ms(ttl_s: float) -> int:
    return max(1, round(ttl_s * 1000))
