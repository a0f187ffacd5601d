"""Lua scripts on Redis, many callers to one round trip, and none while Redis is down.

A batch goes out whenever the one before is answered, over a single connection, so a burst of
callers costs Redis and the loop a few exchanges.
"""

import asyncio
import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self

from redis.exceptions import NoScriptError, RedisError

from pellucid_gateway.adapters.redis_breaker import RedisBreaker
from pellucid_runtime.errors import DependencyDownError
from pellucid_runtime.redis_client import open_redis
from pellucid_runtime.time_limit import within

# For all callers of a batch together.
_LIMIT_S = 0.3
_MOST_PER_BATCH = 256


@dataclass(frozen=True, slots=True)
class Script:
    """A Lua script with the name by which Redis remembers it."""

    text: str

    @property
    def sha(self) -> str:
        """SHA-1 of the text, as EVALSHA wants it."""
        return hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()


@dataclass(frozen=True, slots=True)
class _Call:
    script: Script
    sha: str
    keys: Sequence[str]
    values: Sequence[str | int]
    answer: "asyncio.Future[Any]"


class RedisScripts:
    """Runs scripts on one server. An asynchronous context manager; connects with the first use.

    Args:
        url: Address of the server.
        breaker: Of the same server; open: nobody asks.
    """

    def __init__(self, url: str, breaker: RedisBreaker) -> None:
        self._redis: Any = open_redis(url, timeout_s=None)
        self._breaker = breaker
        self._waiting: list[_Call] = []
        self._sender: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exc: object) -> None:
        if self._sender is not None:
            self._sender.cancel()
            with suppress(asyncio.CancelledError):
                await self._sender
        await self._redis.aclose()

    async def run(self, script: Script, keys: Sequence[str], values: Sequence[str | int]) -> Any:
        """The script's reply.

        Raises:
            DependencyDownError: Redis cannot be asked, does not answer or refuses to write.
        """
        if not self._breaker.lets_through():
            raise DependencyDownError("store")
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Call(script, script.sha, keys, values, answer))
        if self._sender is None or self._sender.done():
            self._sender = asyncio.create_task(self._send(), name="redis-scripts")
        return await answer

    async def _send(self) -> None:
        while self._waiting:
            batch = self._waiting[:_MOST_PER_BATCH]
            del self._waiting[:_MOST_PER_BATCH]
            asked_s = asyncio.get_running_loop().time()
            try:
                replies = await within(_LIMIT_S, self._exchange(batch))
            except (RedisError, OSError, TimeoutError):
                self._breaker.failed()
                self._fail(batch + self._waiting)
                self._waiting.clear()
                return
            self._breaker.answered(asyncio.get_running_loop().time() - asked_s)
            for call, reply in zip(batch, replies, strict=True):
                _settle(call.answer, reply)

    async def _exchange(self, batch: Sequence[_Call]) -> list[Any]:
        """Replies in order; a script that Redis does not know is told to it first."""
        replies = await self._pipeline(batch)
        unknown = {c.script for c, r in zip(batch, replies, strict=True) if _is_unknown(r)}
        if not unknown:
            return replies
        for script in unknown:
            await self._redis.script_load(script.text)
        again = [c for c, r in zip(batch, replies, strict=True) if _is_unknown(r)]
        late = iter(await self._pipeline(again))
        return [next(late) if _is_unknown(reply) else reply for reply in replies]

    async def _pipeline(self, batch: Sequence[_Call]) -> list[Any]:
        async with self._redis.pipeline(transaction=False) as pipe:
            for call in batch:
                pipe.evalsha(call.sha, len(call.keys), *call.keys, *call.values)
            replies: list[Any] = await pipe.execute(raise_on_error=False)
            return replies

    def _fail(self, calls: Sequence[_Call]) -> None:
        for call in calls:
            _settle(call.answer, DependencyDownError("store"))


def _is_unknown(reply: Any) -> bool:
    return isinstance(reply, NoScriptError)


def _settle(answer: "asyncio.Future[Any]", reply: Any) -> None:
    """Tell a caller; one that has left hears nothing. A refused write is a store that is down."""
    if answer.done():
        return
    if isinstance(reply, Exception):
        answer.set_exception(DependencyDownError("store"))
    else:
        answer.set_result(reply)
