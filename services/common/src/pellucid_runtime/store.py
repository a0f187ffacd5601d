"""Small shared state: namespaced bytes with a lifetime.

`SqliteStore` keeps it in a file, for one machine; `RedisStore` shares it between replicas. Both
keep the same contract, which one test checks on both. A store that does not answer raises
`DependencyDownError("store")` within about a second; callers decide what they do without it.
"""

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Protocol, Self

from redis.exceptions import RedisError

from pellucid_runtime.clock import Clock, SystemClock
from pellucid_runtime.errors import store_errors
from pellucid_runtime.redis_client import Server, open_redis
from pellucid_runtime.settings import ServiceSettings
from pellucid_runtime.sqlite_file import SqliteFile

# The version stands for the form of keys and values, as in the name of the SQLite table.
PREFIX = "pellucid:v1"
# It answers within a millisecond or is in trouble.
_TIMEOUT_S = 0.5
# Writes between two removals of expired entries.
_PURGE_EVERY = 256
# "For ever" in seconds since 1970, so that every entry has an end and comparisons stay simple.
_NEVER = 1e15


class Store(Protocol):
    """Keys are text, values are bytes; a lifetime in seconds is optional."""

    async def get(self, key: str) -> bytes | None:
        """The value, or None when absent or expired."""
        ...

    async def set(self, key: str, value: bytes, *, ttl_s: float | None = None) -> None:
        """Keep the value, replacing another and its lifetime."""
        ...

    async def set_if_absent(self, key: str, value: bytes, *, ttl_s: float | None = None) -> bool:
        """Keep the value unless the key has one; tell whether it was kept. Atomic."""
        ...

    async def delete(self, key: str) -> bool:
        """Forget the key; tell whether it was there."""
        ...

    async def incr(self, key: str, by: int = 1, *, ttl_s: float | None = None) -> int:
        """Add to a counter, from 0 when absent, and return it. Atomic.

        The lifetime counts from the counter's creation, so a counter is a fixed window.
        """
        ...


async def open_store(
    settings: ServiceSettings,
    stack: AsyncExitStack,
    namespace: str,
    *,
    is_cache: bool = False,
    prefix: str = PREFIX,
) -> Store:
    """The store that the settings choose, closed with the stack.

    Args:
        settings: `redis_url`, `redis_cache_url`, `data_dir`.
        stack: Closes the store.
        namespace: Keeps keys of different uses apart, for example `results`.
        is_cache: Entries may be lost; with Redis they go to the cache server.
        prefix: Beginning of all keys in Redis, where a user of the server may be held to it.

    Raises:
        StartError: The SQLite file cannot be opened.
    """
    url = (settings.redis_cache_url if is_cache else None) or settings.redis_url
    if url is not None:
        server: Server = "cache" if is_cache else "state"
        return await stack.enter_async_context(
            RedisStore(url, namespace=namespace, prefix=prefix, server=server)
        )
    path = settings.data_dir / f"{settings.service_name}.sqlite3"
    return await stack.enter_async_context(SqliteStore(path, namespace=namespace))


_CREATE = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS entries_v1 (
        key TEXT PRIMARY KEY, value BLOB NOT NULL, expires_at REAL NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS entries_v1_expiry ON entries_v1 (expires_at);
"""
_SELECT = "SELECT value FROM entries_v1 WHERE key = :key AND expires_at > :now"
_DELETE = "DELETE FROM entries_v1 WHERE key = :key AND expires_at > :now RETURNING 1"
_PURGE = "DELETE FROM entries_v1 WHERE expires_at <= :now"
_UPSERT = """
    INSERT INTO entries_v1 VALUES (:key, :value, :expires_at)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at
"""
_INSERT = _UPSERT + "WHERE entries_v1.expires_at <= :now RETURNING 1"
_INCREMENT = """
    INSERT INTO entries_v1 VALUES (:key, CAST(CAST(:value AS TEXT) AS BLOB), :expires_at)
    ON CONFLICT (key) DO UPDATE SET
        value = CASE WHEN expires_at <= :now THEN excluded.value
            ELSE CAST(CAST(CAST(value AS INTEGER) + :value AS TEXT) AS BLOB) END,
        expires_at = CASE WHEN expires_at <= :now THEN excluded.expires_at ELSE expires_at END
    RETURNING CAST(value AS INTEGER)
"""


class SqliteStore(SqliteFile):
    """A table in a file; entries survive a restart. An asynchronous context manager.

    Args:
        path: The file; its folder is made when missing.
        namespace: Prefix of all keys.
        clock: What lifetimes refer to.
    """

    create = _CREATE

    def __init__(
        self, path: Path, *, namespace: str = "default", clock: Clock | None = None
    ) -> None:
        super().__init__(path, clock or SystemClock())
        self._namespace = namespace
        self._writes = 0

    async def get(self, key: str) -> bytes | None:
        """See `Store`."""
        rows = await self._at(_SELECT, key)
        return bytes(rows[0][0]) if rows else None

    async def set(self, key: str, value: bytes, *, ttl_s: float | None = None) -> None:
        """See `Store`."""
        await self._write(_UPSERT, key, value=value, ttl_s=ttl_s)

    async def set_if_absent(self, key: str, value: bytes, *, ttl_s: float | None = None) -> bool:
        """See `Store`."""
        return bool(await self._write(_INSERT, key, value=value, ttl_s=ttl_s))

    async def delete(self, key: str) -> bool:
        """See `Store`."""
        return bool(await self._at(_DELETE, key))

    async def incr(self, key: str, by: int = 1, *, ttl_s: float | None = None) -> int:
        """See `Store`."""
        rows = await self._write(_INCREMENT, key, value=by, ttl_s=ttl_s)
        return int(rows[0][0])

    async def _write(
        self, sql: str, key: str, *, value: bytes | int, ttl_s: float | None
    ) -> list[Any]:
        self._writes += 1
        if self._writes % _PURGE_EVERY == 0:
            await self._run(_PURGE)
        expires_at = _NEVER if ttl_s is None else self._now() + ttl_s
        return await self._at(sql, key, value=value, expires_at=expires_at)

    async def _at(self, sql: str, key: str, **values: Any) -> list[Any]:
        return await self._run(sql, key=f"{self._namespace}:{key}", **values)


class RedisStore:
    """Keys of a Redis server. An asynchronous context manager; connects with the first use.

    Args:
        url: Address of the server.
        namespace: Second part of all keys.
        prefix: First part of all keys.
        server: Which of the two it is, for metrics and spans.
    """

    def __init__(
        self,
        url: str,
        *,
        namespace: str = "default",
        prefix: str = PREFIX,
        server: Server = "state",
    ) -> None:
        self._prefix = f"{prefix}:{namespace}:"
        self._redis = open_redis(url, timeout_s=_TIMEOUT_S, server=server)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self._redis.aclose()

    async def get(self, key: str) -> bytes | None:
        """See `Store`."""
        with _redis_errors():
            value: Any = await self._redis.get(self._prefix + key)
            return None if value is None else bytes(value)

    async def set(self, key: str, value: bytes, *, ttl_s: float | None = None) -> None:
        """See `Store`."""
        with _redis_errors():
            await self._redis.set(self._prefix + key, value, px=_milliseconds(ttl_s))

    async def set_if_absent(self, key: str, value: bytes, *, ttl_s: float | None = None) -> bool:
        """See `Store`."""
        with _redis_errors():
            kept = await self._redis.set(
                self._prefix + key, value, px=_milliseconds(ttl_s), nx=True
            )
            return bool(kept)

    async def delete(self, key: str) -> bool:
        """See `Store`."""
        with _redis_errors():
            return bool(await self._redis.delete(self._prefix + key))

    async def incr(self, key: str, by: int = 1, *, ttl_s: float | None = None) -> int:
        """See `Store`."""
        with _redis_errors():
            async with self._redis.pipeline(transaction=True) as both:
                both.set(self._prefix + key, 0, px=_milliseconds(ttl_s), nx=True)
                both.incrby(self._prefix + key, by)
                return int((await both.execute())[1])


def _milliseconds(ttl_s: float | None) -> int | None:
    return None if ttl_s is None else max(1, round(ttl_s * 1000))


def _redis_errors() -> Any:
    return store_errors(RedisError, OSError)
