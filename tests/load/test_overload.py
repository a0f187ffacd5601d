"""More turns than there is room for: the excess is refused at once, the rest are answered whole.

No bound is set: the gateway finds out by itself how much there is room for.
"""

import asyncio
import sys
from pathlib import Path

import pytest

from load.fleet import Fleet, Pace, open_fleet
from rig.history import Outcome, Record, percentile
from rig.invented_web import companies
from rig.load import Load, http_client

pytestmark = [pytest.mark.load, pytest.mark.redis, pytest.mark.timeout(400)]

SEED = 20261122
# Far beyond what two cores do.
RATE = 25.0
SECONDS = 30.0
# Until it is found out what there is room for, and what was let in before is done.
UNSTEADY_S = 10.0
# Of the answers after that; all of them on a machine that does nothing else, two thirds beside a
# test suite, three in a hundred without a bound.
LEAST_WHOLE = 0.6
MOST_REFUSAL_S = 0.05
QUIET_RATE = 1.0
QUIET_S = 5.0
# No service may grow by more than this while it refuses.
MOST_GROWTH = 1.5
PACE = Pace(search_s=0.3, page_s=0.05, first_s=0.1, tokens=30)


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


def told(refused: list[Record], answered: list[Record], whole: float) -> str:
    """The run in one line."""
    waits = [record.ended_s - record.sent_s for record in refused]
    return (
        f"{RATE}/s: {len(refused)} refused within {percentile(waits, 0.5) * 1000:.0f} ms (p50), "
        f"{percentile(waits, 0.95) * 1000:.0f} ms (p95); {len(answered)} answered, of those after "
        f"{UNSTEADY_S:.0f} s {whole:.0%} whole"
    )


async def test_the_excess_is_refused_and_the_rest_is_answered(tmp_path: Path) -> None:
    async with (
        open_fleet(tmp_path, pace=PACE) as fleet,
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
    steady_s = min(record.due_s for record in crowd) + UNSTEADY_S
    steady = [record.outcome for record in answered if record.due_s > steady_s]
    whole = steady.count(Outcome.FULL) / len(steady)
    sys.stdout.write(told(refused, answered, whole) + "\n")

    assert len(refused) + len(answered) == len(crowd)
    assert {record.why for record in refused} == {"OVERLOADED"}
    assert len(refused) > len(crowd) / 4
    assert whole >= LEAST_WHOLE
    assert percentile((r.ended_s - r.sent_s for r in refused), 0.5) <= MOST_REFUSAL_S
    assert not [record for record in answered if record.outcome is Outcome.BROKEN]
    assert still == pids
    assert max(memory) < MOST_GROWTH * memory[0]
    assert [record.status for record in after] == [200] * len(after)
