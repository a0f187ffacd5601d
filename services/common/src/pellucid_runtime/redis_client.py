"""Clients of Redis that fail in one way: with an error of redis-py, whatever the event loop raises.

uvloop answers a write to a connection that its peer has just reset with a bare `RuntimeError`. That
is a lost connection like any other, and must not look like a defect of ours.
"""

from typing import TYPE_CHECKING, Any

from redis import asyncio as redis
from redis.asyncio.connection import AbstractConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as LostConnectionError

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


def open_redis(url: str, *, timeout_s: float | None) -> redis.Redis:
    """A client; it connects with the first use.

    Args:
        url: `redis://`, `rediss://` or `unix://`.
        timeout_s: Longest wait for a connection and for an answer; None: the caller bounds both.
    """
    client = redis.Redis.from_url(
        url,
        socket_timeout=timeout_s,
        socket_connect_timeout=timeout_s,
        # Once more at once: a connection that the server closed while idle is no failure.
        retry=Retry(NoBackoff(), 1),
    )
    pool = client.connection_pool
    pool.connection_class = _in_one_way(pool.connection_class)
    return client
