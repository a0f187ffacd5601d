"""A Redis in trouble is waited for once, not once for each thing that is kept there."""

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import pytest
from state_fakes import RedisServer, well_again

from pellucid_gateway.access.local_limits import LocalLimiter
from pellucid_gateway.adapters.redis_breaker import RedisBreaker
from pellucid_gateway.adapters.redis_scripts import RedisScripts
from pellucid_gateway.adapters.redis_state import RedisState
from pellucid_gateway.adapters.shared_limits import SharedLimiter
from pellucid_gateway.domain.rates import Rate, Take
from pellucid_runtime.clock import SystemClock
from pellucid_runtime.errors import DependencyDownError

MINUTE = Rate("minute", 1000, 60)
DELAY_S = 0.2


@dataclass
class SlowLink:
    """Hands on what both sides say; what Redis says arrives late."""

    to_port: int
    delay_s: float = 0.0
    late: int = 0
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_redis, to_redis = await asyncio.open_connection("127.0.0.1", self.to_port)
        self.tasks.add(asyncio.create_task(self._hand_on(reader, to_redis, slowly=False)))
        self.tasks.add(asyncio.create_task(self._hand_on(from_redis, writer, slowly=True)))

    async def _hand_on(
        self, source: asyncio.StreamReader, target: asyncio.StreamWriter, *, slowly: bool
    ) -> None:
        try:
            while said := await source.read(65_536):
                if slowly and self.delay_s:
                    self.late += 1
                    await asyncio.sleep(self.delay_s)
                target.write(said)
                await target.drain()
        except ConnectionError:
            pass
        finally:
            target.close()


@dataclass
class Gateway:
    """What a gateway keeps on Redis, and the way there."""

    server: RedisServer
    link: SlowLink
    breaker: RedisBreaker
    records: RedisState
    limiter: SharedLimiter

    async def turn_s(self) -> float:
        """Seconds for what a turn asks of Redis, whether it is answered or not."""
        begun = asyncio.get_running_loop().time()
        await self.limiter.take([Take(MINUTE, "ada")])
        place = await self.limiter.acquire("ada", 100, 5.0)
        for kind in ("conversation", "memory", "habit"):
            try:
                await self.records.newest("ada", kind, 5)
            except DependencyDownError:
                continue
        await self.limiter.release("ada", str(place))
        return asyncio.get_running_loop().time() - begun


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    running = RedisServer(tmp_path)
    running.start()
    yield running
    running.kill()


@pytest.fixture
async def gateway(server: RedisServer) -> AsyncIterator[Gateway]:
    link = SlowLink(int(server.url.rpartition(":")[2].partition("/")[0]))
    async with AsyncExitStack() as stack:
        listening = await asyncio.start_server(link.serve, "127.0.0.1", 0)
        stack.callback(listening.close)
        url = f"redis://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        breaker = await stack.enter_async_context(RedisBreaker(url))
        scripts = await stack.enter_async_context(RedisScripts(url, breaker))
        records = await stack.enter_async_context(RedisState(url, breaker))
        clock = SystemClock()
        limiter = SharedLimiter(scripts, LocalLimiter(clock))
        yield Gateway(server, link, breaker, records, limiter)
    for task in link.tasks:
        task.cancel()
    await asyncio.gather(*link.tasks, return_exceptions=True)


@pytest.mark.redis
async def test_a_slow_redis_is_waited_for_by_the_first_turn_only(gateway: Gateway) -> None:
    await gateway.turn_s()
    gateway.link.delay_s = DELAY_S
    first = await gateway.turn_s()
    late = gateway.link.late
    others = [await gateway.turn_s() for _ in range(20)]
    gateway.link.delay_s = 0.0
    await well_again(gateway.breaker)
    counted = gateway.link.late
    await gateway.records.newest("ada", "memory", 5)

    assert first > DELAY_S
    # One after the other all six would take 1.2 s.
    assert median(others) < DELAY_S
    assert late >= 1
    assert counted >= late


@pytest.mark.redis
async def test_a_silent_redis_is_waited_for_once_by_all_that_is_kept(gateway: Gateway) -> None:
    await gateway.turn_s()
    assert gateway.server.process is not None
    gateway.server.process.send_signal(signal.SIGSTOP)
    await gateway.turn_s()
    others = [await gateway.turn_s() for _ in range(20)]
    gateway.server.process.send_signal(signal.SIGCONT)
    await well_again(gateway.breaker)

    assert median(others) < DELAY_S
    assert await gateway.records.newest("ada", "memory", 5) == ()


@pytest.mark.redis
async def test_a_redis_that_refuses_to_write_is_still_read(gateway: Gateway) -> None:
    gateway.server.command("REPLICAOF", "127.0.0.1", "1")
    with pytest.raises(DependencyDownError):
        await gateway.records.add({"m": {"n": 1}}, ttl_s=60.0)

    assert await gateway.records.read(["m"]) == ({},)
