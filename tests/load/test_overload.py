"""More turns than there is room for: the excess is refused at once, the rest are answered."""

import asyncio
from pathlib import Path

import pytest

from load.fleet import Fleet, Pace, open_fleet
from rig.history import Outcome, Record
from rig.invented_web import companies
from rig.load import Load, http_client

pytestmark = [pytest.mark.load, pytest.mark.redis, pytest.mark.timeout(400)]

SEED = 20261122
# Far beyond what two cores do, and beyond what the bound below lets in.
RATE = 20.0
SECONDS = 20.0
QUIET_RATE = 1.0
QUIET_S = 5.0
MOST_SEARCHES = 4
# No service may grow by more than this while it refuses.
MOST_GROWTH = 1.5
PACE = Pace(search_s=0.3, page_s=0.05, first_s=0.1, tokens=30)
SETTINGS = {"GATEWAY_MAX_SEARCHES": str(MOST_SEARCHES), "GATEWAY_MAX_LAG_MS": "60000"}


async def ask(load: Load, rate: float, seconds: float, phase: str) -> list[Record]:
    """Ask at a rate for a while; the requests of the phase."""
    load.phase = phase
    stopping = asyncio.Event()
    running = asyncio.create_task(load.run(rate, stopping))
    await asyncio.sleep(seconds)
    stopping.set()
    await running
    return [record for record in load.records if record.phase == phase]


async def follow_memory(fleet: Fleet, seen: list[int]) -> None:
    """Follow the memory of all replicas together, in bytes."""
    while True:
        seen.append(sum(fleet.resident_bytes().values()))
        await asyncio.sleep(1)


async def test_the_excess_is_refused_and_the_rest_is_answered(tmp_path: Path) -> None:
    async with (
        open_fleet(tmp_path, pace=PACE, settings=SETTINGS) as fleet,
        http_client() as client,
    ):
        load = Load(client, fleet.gateway, companies(SEED), chat_every=0)
        await ask(load, QUIET_RATE, QUIET_S, "before")
        memory = [sum(fleet.resident_bytes().values())]
        following = asyncio.create_task(follow_memory(fleet, memory))
        pids = {name: fleet.processes[name].pid for name in fleet.members_of_all}
        crowd = await ask(load, RATE, SECONDS, "crowd")
        following.cancel()
        after = await ask(load, QUIET_RATE, QUIET_S, "after")
        still = {n: fleet.processes[n].pid for n in pids if fleet.processes[n].is_alive}

    refused = [record for record in crowd if record.status == 503]
    answered = [record for record in crowd if record.status == 200]
    assert len(refused) + len(answered) == len(crowd)
    assert {record.why for record in refused} == {"OVERLOADED"}
    assert len(refused) > len(crowd) / 4
    assert len(answered) > MOST_SEARCHES
    assert not [record for record in answered if record.outcome is Outcome.BROKEN]
    assert still == pids
    assert max(memory) < MOST_GROWTH * memory[0]
    assert [record.status for record in after] == [200] * len(after)
