"""Clients of Redis that fail in one way: with an error of redis-py, whatever the event loop raises.

uvloop answers a write to a connection that its peer has just reset with a bare `RuntimeError`. That
is a lost connection like any other, and must not look like a defect of ours.

Where more is asked at once than there are connections, callers wait for one: redis-py's own pool
refuses the 101st at once, with Redis well and idle. And what a crowd opened is closed after it:
redis-py's own pool keeps every connection for good.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode
from redis import asyncio as redis
from redis.asyncio.client import Pipeline
from redis.asyncio.connection import AbstractConnection, BlockingConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as LostConnectionError
from redis.exceptions import MaxConnectionsError, OutOfMemoryError, RedisError, ResponseError

from pellucid_runtime.sweeping import Sweeper
from pellucid_runtime.telemetry.metrics import REDIS_SECONDS
from pellucid_runtime.telemetry.tracing import TRACER

# Which of the two servers: `REDIS_URL` or `REDIS_CACHE_URL`; for metrics and spans.
Server = Literal["state", "cache"]

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


class _Observed(redis.Redis):
    """A client whose commands are timed, counted and, within a trace that is kept, drawn."""

    server: Server = "state"

    async def execute_command(self, *args: Any, **options: Any) -> Any:
        """Run one command.

        Raises:
            redis.exceptions.RedisError: As redis-py does.
        """
        with _observed(self.server, str(args[0])):
            return await super().execute_command(*args, **options)  # type: ignore[no-untyped-call]

    def pipeline(self, transaction: bool = True, shard_hint: str | None = None) -> Pipeline:  # noqa: FBT001, FBT002 - redis-py's own signature
        """Several commands as one; observed as one."""
        commands = _ObservedPipeline(
            self.connection_pool, self.response_callbacks, transaction, shard_hint
        )
        commands.server = self.server
        return commands


class _ObservedPipeline(Pipeline):
    server: Server = "state"

    async def execute(self, raise_on_error: bool = True) -> list[Any]:  # noqa: FBT001, FBT002 - redis-py's own signature
        """Run all commands.

        Raises:
            redis.exceptions.RedisError: As redis-py does.
        """
        with _observed(self.server, "MULTI" if self.is_transaction else "PIPELINE"):
            return await super().execute(raise_on_error)


@contextmanager
def _observed(server: Server, command: str) -> Iterator[None]:
    """Time the enclosed command; keys and values are never looked at."""
    started_s = time.perf_counter()
    span = _span(server, command)
    outcome = "cancelled"
    try:
        yield
        outcome = "ok"
    except (RedisError, OSError) as error:
        outcome = _outcome(error)
        raise
    finally:
        REDIS_SECONDS.labels(server, outcome).observe(time.perf_counter() - started_s)
        if span is not None:
            span.set_attribute("pellucid.outcome", outcome)
            if outcome in {"lost", "full"}:
                span.set_status(Status(StatusCode.ERROR, outcome))
            span.end()


def _outcome(error: Exception) -> str:
    """`full`: no memory left; `lost`: no answer; `refused`: an answer that says no."""
    if isinstance(error, OutOfMemoryError):
        return "full"
    if isinstance(error, ResponseError):
        return "refused"
    return "lost"


def _span(server: Server, command: str) -> Span | None:
    """None outside a kept trace: background work would make traces of one span each."""
    if not trace.get_current_span().is_recording():
        return None
    attributes = {
        "db.system.name": "redis",
        "db.operation.name": command,
        "db.namespace": server,
    }
    return TRACER.start_span(command, kind=SpanKind.CLIENT, attributes=attributes)


def open_redis(
    url: str,
    *,
    timeout_s: float | None,
    most_connections: int = MOST_CONNECTIONS,
    server: Server = "state",
) -> redis.Redis:
    """A client; it connects with the first use.

    Args:
        url: `redis://`, `rediss://` or `unix://`.
        timeout_s: Longest wait for a free connection, for a new one and for an answer, each; None:
            the caller bounds all.
        most_connections: At once; who comes on top waits.
        server: Which of the two it is, for metrics and spans.
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
    client = _Observed(connection_pool=pool)
    client.auto_close_connection_pool = True
    client.server = server
    return client
