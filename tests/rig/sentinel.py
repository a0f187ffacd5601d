"""A Redis primary with a replica, a Sentinel that watches them, and whoever leads callers on.

Sentinel is the server's own program. What stands before the pair in an installation, HAProxy or a
managed service's address, is a `Proxy` here that follows the primary as they do.
"""

import asyncio
import shutil
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from redis import asyncio as redis
from redis import exceptions as redis_errors

from rig.proxy import Proxy

DOWN_AFTER_MS = 500
_NAME = "state"
_LOOK_S = 0.05
_WITHIN_S = 30.0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Group:
    """A primary, its replica and their Sentinel.

    Attributes:
        primary: Port of the server that began as the primary; somebody else's process.
        proxies: Follow the primary of the moment.
        took_over_s: When the other one took over, by the monotonic clock; 0: not yet.
    """

    folder: Path
    primary: int
    proxies: Sequence[Proxy]
    replica: int = field(default_factory=_free_port)
    sentinel: int = field(default_factory=_free_port)
    took_over_s: float = 0.0
    _running: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    async def open(self) -> None:
        """Start the replica and the Sentinel; returns once all is copied and watched."""
        self._start("--port", str(self.replica), "--save", "", "--appendonly", "no")
        async with _client(self.replica) as replica:
            await _until(replica.ping)
            await replica.replicaof("127.0.0.1", str(self.primary))
            await _until(lambda: _is_linked(replica))
        told = self.folder / "sentinel.conf"
        told.write_text(
            f"port {self.sentinel}\n"
            f"sentinel monitor {_NAME} 127.0.0.1 {self.primary} 1\n"
            f"sentinel down-after-milliseconds {_NAME} {DOWN_AFTER_MS}\n"
            f"sentinel failover-timeout {_NAME} 3000\n"
        )
        self._start(str(told), "--sentinel")
        async with _client(self.sentinel) as sentinel:
            await _until(lambda: _sees_a_replica(sentinel))

    async def follow(self) -> None:
        """Lead new connections to the primary of the moment, and end the old ones; never ends."""
        async with _client(self.sentinel) as sentinel:
            while True:
                with suppress(redis_errors.RedisError, OSError):
                    _host, port = await sentinel.sentinel_get_master_addr_by_name(_NAME)
                    self._lead_to(int(port))
                await asyncio.sleep(_LOOK_S)

    def _lead_to(self, port: int) -> None:
        for proxy in self.proxies:
            if proxy.upstream != port:
                proxy.upstream = port
                proxy.reset_peers()
        if port == self.replica and not self.took_over_s:
            self.took_over_s = time.monotonic()

    async def taken_over(self) -> None:
        """Wait until callers are led to the former replica."""
        async with asyncio.timeout(_WITHIN_S):
            while not self.took_over_s:  # noqa: ASYNC110 - another task sees it
                await asyncio.sleep(_LOOK_S)

    def close(self) -> None:
        """End both processes, and lead callers back to where they began."""
        for one in self._running:
            one.kill()
            one.wait()
        self._lead_to(self.primary)

    def _start(self, *arguments: str) -> None:
        binary = shutil.which("redis-server")
        assert binary, "tests marked redis need redis-server"
        self._running.append(
            subprocess.Popen([binary, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL)
        )


@asynccontextmanager
async def open_group(folder: Path, primary: int, proxies: Sequence[Proxy]) -> AsyncIterator[Group]:
    """Put a running server under a Sentinel's watch, with a replica beside it."""
    group = Group(folder, primary, proxies)
    try:
        await group.open()
        following = asyncio.create_task(group.follow())
        yield group
        following.cancel()
        await asyncio.wait({following})
    finally:
        group.close()


def _client(port: int) -> "redis.Redis":
    return redis.Redis(port=port, decode_responses=True)


async def _is_linked(replica: "redis.Redis") -> bool:
    return bool((await replica.info("replication"))["master_link_status"] == "up")


async def _sees_a_replica(sentinel: "redis.Redis") -> bool:
    return len(await sentinel.sentinel_slaves(_NAME)) == 1


async def _until(asked: Callable[[], Awaitable[bool]]) -> None:
    """Ask until the answer is yes."""
    async with asyncio.timeout(_WITHIN_S):
        while True:
            with suppress(redis_errors.RedisError, OSError):
                if await asked():
                    return
            await asyncio.sleep(_LOOK_S)
