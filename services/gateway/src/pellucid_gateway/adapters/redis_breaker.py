"""Whether Redis is worth asking: one judgement for everything that the gateway keeps there.

A turn asks it several times, one after the other, so that waits which are each bounded would add
up. After a failure, and after an answer that took long, nobody waits any more: a task asks in
everybody's place, and only when it is answered soon does anybody else ask again.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final, Self

from redis.exceptions import RedisError

from pellucid_runtime.errors import DependencyDownError
from pellucid_runtime.redis_client import open_redis
from pellucid_runtime.time_limit import within

# Redis answers within a millisecond or is in trouble.
_SOON_S: Final = 0.14
# Of a look that may have to connect first, which takes a busy loop several rounds.
_CONNECTED_S: Final = 0.5
# An answer that took longer makes us look, apart from the requests, whether Redis is slow.
_SLOW_S: Final = 0.1
# Between two looks while it is in trouble, spread by a quarter, so that replicas that lost it
# together do not come back to it in the same moment.
_PAUSE_S: Final = 0.5


class RedisBreaker:
    """Lets callers through while Redis answers soon. An asynchronous context manager.

    Args:
        url: Address of the server.
        before_use: Done whenever it is well again, and once at the start, before anybody is let
            through; DependencyDownError from it: it is not well yet. None: nothing.
    """

    def __init__(self, url: str, before_use: Callable[[], Awaitable[None]] | None = None) -> None:
        self._redis: Any = open_redis(url, timeout_s=None)
        self._before_use = before_use
        self._is_open = False
        self._looking: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        if self._before_use is not None and not await self._is_well():
            self.failed()
        return self

    async def __aexit__(self, *_exc: object) -> None:
        if self._looking is not None:
            self._looking.cancel()
            with suppress(asyncio.CancelledError):
                await self._looking
        await self._redis.aclose()

    def lets_through(self) -> bool:
        """Whether asking is worth it."""
        return not self._is_open

    def failed(self) -> None:
        """Redis could not be asked or did not answer: nobody asks until it is seen to be well."""
        self._is_open = True
        self._look()

    def answered(self, took_s: float) -> None:
        """Redis answered after so many seconds; a late answer alone turns nobody away."""
        if took_s > _SLOW_S:
            self._look()

    def _look(self) -> None:
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._until_well(), name="redis-breaker")

    async def _until_well(self) -> None:
        while True:
            self._is_open = not await self._is_well()
            if not self._is_open:
                return
            await asyncio.sleep(_PAUSE_S * random.uniform(0.75, 1.25))  # noqa: S311 - no secret

    async def _is_well(self) -> bool:
        if not await self._answers_soon():
            return False
        try:
            if self._before_use is not None:
                await self._before_use()
        except DependencyDownError:
            return False
        return True

    async def _answers_soon(self) -> bool:
        try:
            await within(_CONNECTED_S, self._redis.ping())
            await within(_SOON_S, self._redis.ping())
        except (RedisError, OSError, TimeoutError):
            return False
        return True
