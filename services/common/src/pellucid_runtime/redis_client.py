"""Clients of Redis that fail in one way: with an error of redis-py, whatever the event loop raises.

uvloop answers a write to a connection that its peer has just reset with a bare `RuntimeError`. That
is a lost connection like any other, and must not look like a defect of ours.

Where more is asked at once than there are connections, callers wait for one: redis-py's own pool
refuses the 101st at once, with Redis well and idle.
"""

import asyncio
from typing import TYPE_CHECKING, Any

from redis import asyncio as redis
from redis.asyncio.connection import AbstractConnection, BlockingConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as LostConnectionError
from redis.exceptions import MaxConnectionsError

# Connections of one client. An answer takes a fraction of a millisecond, so that these serve more
# than one event loop can ask; further ones would only cost the server memory.
MOST_CONNECTIONS = 32

if TYPE_CHECKING:
    _Connection = AbstractConnection
else:
    _Connection = object


class _LostInOneWay(_Connection):
    """Goes before a connection class of redis-py, plain, encrypted or of a socket file."""

    async def send_packed_command(self, command: Any, check_health: bool = True) -> None:  # noqa: FBT001, FBT002 - redis-py's own signature
        """Send.

        Raises:
            redis.exceptions.RedisError: The connection is lost or too slow.
        """
        try:
            await super().send_packed_command(command, check_health)
        except RuntimeError as error:
            raise LostConnectionError(
                "the connection was closed while it was written to"
            ) from error


def _in_one_way(connection: type[AbstractConnection]) -> type[AbstractConnection]:
    return type(f"LostInOneWay{connection.__name__}", (_LostInOneWay, connection), {})


class _WaitingPool(BlockingConnectionPool):
    """Tells that all connections were in use apart from one that was lost."""

    async def get_connection(self, *args: Any, **options: Any) -> Any:
        """A free connection.

        Raises:
            MaxConnectionsError: None became free in time.
            redis.exceptions.RedisError: A new one could not be made.
        """
        try:
            return await super().get_connection(*args, **options)  # type: ignore[no-untyped-call]
        except LostConnectionError as error:
            if isinstance(error.__cause__, asyncio.TimeoutError):
                raise MaxConnectionsError("no connection became free in time") from error
            raise


def open_redis(
    url: str, *, timeout_s: float | None, most_connections: int = MOST_CONNECTIONS
) -> redis.Redis:
    """A client; it connects with the first use.

    Args:
        url: `redis://`, `rediss://` or `unix://`.
        timeout_s: Longest wait for a free connection, for a new one and for an answer, each; None:
            the caller bounds all.
        most_connections: At once; who comes on top waits.
    """
    pool = _WaitingPool.from_url(
        url,
        max_connections=most_connections,
        timeout=timeout_s,
        socket_timeout=timeout_s,
        socket_connect_timeout=timeout_s,
        # Once more at once: a connection that the server closed while idle is no failure. Not after
        # a timeout, which our own busy loop may cause: what arrived would be done, or count, twice.
        retry=Retry(NoBackoff(), 1, supported_errors=(LostConnectionError,)),
    )
    pool.connection_class = _in_one_way(pool.connection_class)
    return redis.Redis.from_pool(pool)
