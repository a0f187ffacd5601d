"""Limits over a Sentinel group whose primary dies: what was given out is not given out again."""

import asyncio
import shutil
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from pellucid_gateway.access.local_limits import LocalLimiter
from pellucid_gateway.adapters.redis_breaker import RedisBreaker
from pellucid_gateway.adapters.redis_scripts import RedisScripts
from pellucid_gateway.adapters.shared_limits import SharedLimiter
from pellucid_gateway.domain.rates import Rate, Take
from pellucid_runtime.clock import SystemClock
from rig.proxy import Proxy
from rig.sentinel import Group, open_group

pytestmark = [pytest.mark.processes, pytest.mark.redis, pytest.mark.timeout(120)]

GATEWAYS = 3
DAY = Rate("day", 100, 86_400)
# What each gateway may give out alone: its share, rounded up.
SHARES = 102


@dataclass
class Pair:
    """Three gateways' limiters on a Sentinel group."""

    primary: "subprocess.Popen[bytes]"
    group: Group
    breakers: list[RedisBreaker]
    limiters: list[SharedLimiter]

    async def admitted(self, subject: str, each: int) -> int:
        """How many of `each` callers on every gateway are let in."""
        takes = [one.take([Take(DAY, subject)]) for one in self.limiters for _ in range(each)]
        return sum(said.allowed for said in await asyncio.gather(*takes))

    async def well_again(self) -> None:
        """Wait until every gateway asks the store again."""
        async with asyncio.timeout(30):
            while not all(one.lets_through() for one in self.breakers):  # noqa: ASYNC110 - they tell nobody
                await asyncio.sleep(0.05)


@pytest.fixture
def primary(tmp_path: Path) -> Iterator[tuple["subprocess.Popen[bytes]", int]]:
    binary = shutil.which("redis-server")
    assert binary, "tests marked redis need redis-server"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [binary, "--port", str(port), "--save", "", "--appendonly", "no"]
    running = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL)
    yield running, port
    running.kill()
    running.wait()


@pytest.fixture
async def pair(
    primary: tuple["subprocess.Popen[bytes]", int], tmp_path: Path
) -> AsyncIterator[Pair]:
    server, port = primary
    async with AsyncExitStack() as stack:
        proxy = await stack.enter_async_context(Proxy("state", 0, port))
        group = await stack.enter_async_context(open_group(tmp_path, port, [proxy]))
        url = f"redis://127.0.0.1:{proxy.port}/0"
        breakers, limiters = [], []
        for _ in range(GATEWAYS):
            breakers.append(await stack.enter_async_context(RedisBreaker(url)))
            scripts = await stack.enter_async_context(RedisScripts(url, breakers[-1]))
            clock = SystemClock()
            limiters.append(SharedLimiter(scripts, LocalLimiter(clock, GATEWAYS)))
        yield Pair(server, group, breakers, limiters)


async def test_after_a_fail_over_nothing_is_given_out_twice(pair: Pair) -> None:
    assert await pair.admitted("ada", 20) == 60
    assert await pair.admitted("bob", 200) >= DAY.limit
    await asyncio.sleep(0.5)  # copied
    pair.primary.kill()
    killed_s = time.monotonic()
    while_down = await pair.admitted("ada", 200)
    await pair.group.taken_over()
    took_s = pair.group.took_over_s - killed_s
    await pair.well_again()
    after = await pair.admitted("ada", 200)

    assert 60 + while_down <= SHARES + 8, "each gateway its share, what it gave out before included"
    assert 60 + after <= DAY.limit + 1, "the new primary knows what the old one gave out"
    assert await pair.admitted("bob", 20) == 0, "who had all has nothing more"
    assert took_s < 15


async def test_while_nobody_has_taken_over_limits_hold_and_people_get_in(pair: Pair) -> None:
    pair.primary.kill()
    admitted = await pair.admitted("ada", 200)
    assert 90 <= admitted <= SHARES + 8
