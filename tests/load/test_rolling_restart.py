"""Every replica of every service replaced, one after the other, while turns run: none fails."""

import asyncio
import json
from pathlib import Path

import pytest

from load.fleet import Fleet, Pace, open_fleet
from rig.history import Outcome, Record
from rig.invented_web import companies
from rig.load import Load, http_client

pytestmark = [pytest.mark.load, pytest.mark.redis, pytest.mark.timeout(900)]

RATE = 2.0
SEED = 20261121
WARM_S = 4.0
AFTER_S = 3.0
# Short answers, so that a stream in progress does not decide how long a restart takes.
PACE = Pace(search_s=0.2, page_s=0.05, first_s=0.1, tokens=40)
# Wide, so that a busy machine is not taken for a lost call: a call that is lost is lost at once.
STAGES = ("decision_s", "search_s", "score_s", "similarity_s", "support_s", "evidence_s")
SETTINGS = {
    "GATEWAY_BUDGETS": json.dumps(dict.fromkeys(STAGES, 8.0)),
    "GATEWAY_MAX_LAG_MS": "60000",
    "GATEWAY_DEPTHS": json.dumps({"standard": {"total_s": 40}}),
}


async def replace_all(fleet: Fleet) -> dict[str, int]:
    """Restart one replica after the other; the exit status of each."""
    return {name: await fleet.restart(name) for name in fleet.members_of_all}


def not_whole(records: list[Record]) -> list[str]:
    """What became of requests that were not answered in full."""
    return [
        f"{record.phase} {record.kind} {record.outcome} {record.why} {sorted(record.degraded)}"
        for record in records
        if record.outcome is not Outcome.FULL
    ]


async def test_no_turn_fails_or_is_degraded_while_all_replicas_are_replaced(
    tmp_path: Path,
) -> None:
    async with (
        open_fleet(tmp_path, replicas=2, pace=PACE, settings=SETTINGS) as fleet,
        http_client() as client,
    ):
        load = Load(client, fleet.gateway, companies(SEED))
        before = {name: fleet.processes[name].pid for name in fleet.members_of_all}
        stopping = asyncio.Event()
        running = asyncio.create_task(load.run(RATE, stopping))
        await asyncio.sleep(WARM_S)
        load.phase = "restarts"
        statuses = await replace_all(fleet)
        await asyncio.sleep(AFTER_S)
        stopping.set()
        await running
        after = {name: fleet.processes[name].pid for name in fleet.members_of_all}

    assert statuses == dict.fromkeys(before, 0)
    assert not set(before.values()) & set(after.values())
    assert len([r for r in load.records if r.phase == "restarts"]) > 10 * RATE
    assert not_whole(load.records) == []
