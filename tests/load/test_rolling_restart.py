"""Every replica of every service replaced, one after the other, while turns run: none fails.

At a rate that two cores sustain while they also start ten processes: with warm caches the one that
`make bench` finds sustainable, and apart from it a lower one for questions that were never asked.
"""

import asyncio
import itertools
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from load.fleet import Fleet, Pace, open_fleet
from rig.history import Kind, Outcome, Record, percentile
from rig.invented_web import companies
from rig.load import Load, http_client

pytestmark = [pytest.mark.load, pytest.mark.redis, pytest.mark.timeout(900)]

SEED = 20261121
WARM_NAMES = 16
WARMING_RATE = 2.0
AFTER_S = 3.0
# Processes that start take processor time that turns lack, so some may lose a part; none may fail.
MOST_DEGRADED = 0.05
# Short answers, so that a stream in progress does not decide how long a restart takes.
PACE = Pace(search_s=0.2, page_s=0.05, first_s=0.1, tokens=40)
# Wide, so that a busy machine is not taken for a lost call: a call that is lost is lost at once.
STAGES = ("decision_s", "search_s", "score_s", "similarity_s", "support_s", "evidence_s")
SETTINGS = {
    "GATEWAY_BUDGETS": json.dumps(dict.fromkeys(STAGES, 8.0)),
    "GATEWAY_MAX_LAG_MS": "60000",
    "GATEWAY_MIN_SEARCHES": "64",
    "GATEWAY_DEPTHS": json.dumps({"standard": {"total_s": 40}}),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked while replicas are replaced: how often, and whether it was asked before."""

    caches: str
    rate: float

    def names(self, fresh: Iterator[str], known: list[str]) -> Iterator[str]:
        """Companies to ask about."""
        return itertools.cycle(known) if self.caches == "warm" else fresh


async def replace_all(fleet: Fleet) -> dict[str, int]:
    """Restart one replica after the other; the exit status of each."""
    return {name: await fleet.restart(name) for name in fleet.members_of_all}


def those(records: list[Record], *outcomes: Outcome) -> list[str]:
    """What became of requests that ended so."""
    return [
        f"{record.phase} {record.kind} {record.outcome} {record.why} {sorted(record.degraded)}"
        for record in records
        if record.outcome in outcomes
    ]


async def warm_up(load: Load) -> None:
    """Every known question once."""
    stopping = asyncio.Event()
    running = asyncio.create_task(load.run(WARMING_RATE, stopping))
    await asyncio.sleep(WARM_NAMES / WARMING_RATE)
    stopping.set()
    await running


def told(asked: Asked, records: list[Record], seconds: float) -> str:
    """The run in one line."""
    searches = [r.took_s for r in records if r.kind is Kind.SEARCH]
    failed = len(those(records, Outcome.BROKEN, Outcome.ERROR))
    return (
        f"{asked.caches} at {asked.rate}/s: {failed} of {len(records)} turns failed, "
        f"{len(those(records, Outcome.DEGRADED))} degraded, ten processes replaced in "
        f"{seconds:.0f} s, whole turn p50 {percentile(searches, 0.5):.2f} s, "
        f"p95 {percentile(searches, 0.95):.2f} s"
    )


@pytest.mark.parametrize("asked", [Asked("warm", 5.0), Asked("cold", 2.0)], ids=lambda a: a.caches)
async def test_no_turn_fails_while_all_replicas_are_replaced(tmp_path: Path, asked: Asked) -> None:
    async with (
        open_fleet(tmp_path, replicas=2, pace=PACE, settings=SETTINGS) as fleet,
        http_client() as client,
    ):
        fresh = companies(SEED)
        known = list(itertools.islice(fresh, WARM_NAMES))
        await warm_up(Load(client, fleet.gateway, itertools.cycle(known), chat_every=0))
        load = Load(client, fleet.gateway, asked.names(fresh, known))
        before = {name: fleet.processes[name].pid for name in fleet.members_of_all}
        stopping, loop = asyncio.Event(), asyncio.get_running_loop()
        running = asyncio.create_task(load.run(asked.rate, stopping))
        begun = loop.time()
        statuses = await replace_all(fleet)
        took_s = loop.time() - begun
        await asyncio.sleep(AFTER_S)
        stopping.set()
        await running
        after = {name: fleet.processes[name].pid for name in fleet.members_of_all}
    sys.stdout.write(told(asked, load.records, took_s) + "\n")

    assert statuses == dict.fromkeys(before, 0)
    assert not set(before.values()) & set(after.values())
    assert len(load.records) > 10 * asked.rate
    assert those(load.records, Outcome.BROKEN, Outcome.ERROR) == []
    degraded = those(load.records, Outcome.DEGRADED)
    assert len(degraded) <= MOST_DEGRADED * len(load.records), degraded
