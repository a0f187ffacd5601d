"""Clients of Redis that fail in one way: with an error of redis-py, whatever the event loop raises.

uvloop answers a write to a connection that its peer has just reset with a bare `RuntimeError`. That
is a lost connection like any other, and must not look like a defect of ours.

Where more is asked at once than there are connections, callers wait for one: redis-py's own pool
refuses the 101st at once, with Redis well and idle. And what a crowd opened is closed after it:
redis-py's own pool keeps every connection for good.
"""

import asyncio
from typing import TYPE_CHECKING, Any

from redis import asyncio as redis
from redis.asyncio.connection import AbstractConnection, BlockingConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as LostConnectionError
from redis.exceptions import MaxConnectionsError

from pellucid_runtime.sweeping import Sweeper

# Connections of one client. An answer takes a fraction of a millisecond, so that these serve more
# than one event loop can ask; further ones would only cost the server memory.
MOST_CONNECTIONS = 32
# A connection that nobody needed for so long is closed when it is next looked for, at the latest
# after twice the time; one is kept for whoever comes next.
IDLE_S = 5.0

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
    """Tells that all connections were in use apart from one that was lost; closes idle ones.

    Free connections are a stack, so those that were not needed lie at its bottom, and the least
    height of the stack between two looks is their number.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._unneeded = 0
        self._sweeper = Sweeper(self._give_back, IDLE_S)

    async def get_connection(self, *args: Any, **options: Any) -> Any:
        """A free connection.

        Raises:
            MaxConnectionsError: None became free in time.
            redis.exceptions.RedisError: A new one could not be made.
        """
        try:
            connection = await super().get_connection(*args, **options)  # type: ignore[no-untyped-call]
        except LostConnectionError as error:
            if isinstance(error.__cause__, asyncio.TimeoutError):
                raise MaxConnectionsError("no connection became free in time") from error
            raise
        self._unneeded = min(self._unneeded, len(self._available_connections))
        return connection

    async def release(self, connection: AbstractConnection) -> None:
        """Take a connection back."""
        await super().release(connection)
        if len(self._available_connections) > 1:
            self._sweeper.wake()

    async def aclose(self) -> None:
        """Close all connections."""
        await self._sweeper.close()
        await super().aclose()

    async def _give_back(self) -> bool:
        """Close what nobody needed since the last look, all but one; True: there is more to do."""
        free = self._available_connections
        idle = free[: min(self._unneeded, len(free) - 1)]
        del free[: len(idle)]
        self._unneeded = len(free)
        for connection in idle:
            await connection.disconnect(nowait=True)
        return len(free) > 1


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
