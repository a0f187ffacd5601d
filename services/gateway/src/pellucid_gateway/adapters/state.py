"""Opens what is kept between requests: Redis when there is one, else a file and this process."""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

from pellucid_gateway.access.local_limits import LocalLimiter
from pellucid_gateway.adapters.redis_breaker import RedisBreaker
from pellucid_gateway.adapters.redis_scripts import RedisScripts
from pellucid_gateway.adapters.redis_state import RedisState
from pellucid_gateway.adapters.shared_limits import SharedLimiter
from pellucid_gateway.adapters.sqlite_state import SqliteState
from pellucid_gateway.domain.state_ports import Records, State
from pellucid_runtime.clock import Clock
from pellucid_runtime.settings import ServiceSettings


async def open_state(
    settings: ServiceSettings,
    stack: AsyncExitStack,
    clock: Clock,
    replicas: int,
    *,
    evidence_url: str | None = None,
    before_use: Callable[[], Awaitable[None]] | None = None,
) -> State:
    """The state that the settings choose, closed with the stack.

    Args:
        settings: `redis_url`, `data_dir`.
        stack: Closes it.
        clock: Lifetimes and stopwatch.
        replicas: Gateways that share the limits, for when Redis is down.
        evidence_url: Redis for evidence alone; None: where the rest is.
        before_use: See `RedisBreaker`.

    Raises:
        StartError: The SQLite file cannot be opened.
    """
    if settings.redis_url is None:
        return await _open_file(settings, stack, clock)
    breaker = await stack.enter_async_context(RedisBreaker(settings.redis_url, before_use))
    scripts = await stack.enter_async_context(RedisScripts(settings.redis_url, breaker))
    kept = await stack.enter_async_context(RedisState(settings.redis_url, breaker))
    limiter = SharedLimiter(scripts, LocalLimiter(clock, replicas))
    return State(kept, await _evidence(evidence_url, stack) or kept, kept, limiter)


async def _evidence(url: str | None, stack: AsyncExitStack) -> Records | None:
    """A server apart is judged apart: when it is full or gone, the rest is not."""
    if url is None:
        return None
    breaker = await stack.enter_async_context(RedisBreaker(url))
    return await stack.enter_async_context(RedisState(url, breaker))


async def _open_file(settings: ServiceSettings, stack: AsyncExitStack, clock: Clock) -> State:
    path = settings.data_dir / f"{settings.service_name}-state.sqlite3"
    kept = await stack.enter_async_context(SqliteState(path, clock))
    return State(kept, kept, kept, LocalLimiter(clock))
