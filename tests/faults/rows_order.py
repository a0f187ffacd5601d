"""Row H: the parts of an installation start in one order or another."""

import asyncio
import time
from collections.abc import Sequence

from rig.fault_table import row
from rig.history import Outcome, Record
from rig.site import SCORERS
from rig.trial import Trial

_GATEWAYS = ("gateway", "gateway2")
# A Kubernetes cluster starts what it can when it can; a scorer's replicas are alike.
_PARTS = ("redis", "decision", "search", "scorer", "fetcher", *_GATEWAYS)
_APART_S = 0.7
_WHOLE_WITHIN_S = 10.0


def orders() -> list[tuple[str, ...]]:
    """Each part is the first once and the last once, and all stand in the reverse order once."""
    turned = [(*_PARTS[at:], *_PARTS[:at]) for at in range(len(_PARTS))]
    return [*turned, _PARTS[::-1]]


def _processes(part: str) -> tuple[str, ...]:
    return SCORERS if part == "scorer" else (part,)


@row(
    "H",
    "the parts start one after the other, in each of eight orders",
    "every part becomes ready without a restart; both gateways answer completely and know each "
    "other's turns",
    tests=("services/gateway/tests/test_identity_key.py",),
    cannot="all 5,040 orders: every part is first once and last once",
)
async def parts_in_any_order(trial: Trial) -> None:
    tried = orders()
    for order in tried:
        await _start_over(trial, order)
        await _promise_whole(trial, order)
    trial.occurred(f"{len(tried)} orders", tried)
    trial.gateway, trial.load.phase = None, "warm"
    async with trial.asking():
        await trial.fault()
        trial.promise_no_failure()
        await trial.recover()
    await asyncio.to_thread(trial.site.processes["gateway2"].stop)


async def _start_over(trial: Trial, order: Sequence[str]) -> None:
    site = trial.site
    names = [name for part in order for name in _processes(part)]
    trial.restarted.update(names)
    alive = [site.processes[name] for name in names if site.processes[name].is_alive]
    await asyncio.gather(*(asyncio.to_thread(process.stop) for process in alive))
    for part in order:
        for name in _processes(part):
            site.processes[name].start()
        await asyncio.sleep(_APART_S)
    for name in names:
        await asyncio.to_thread(site.processes[name].wait_ready)


async def _promise_whole(trial: Trial, order: Sequence[str]) -> None:
    first, second = [await _whole_answer(trial, gateway) for gateway in _GATEWAYS]
    of_each_other = [
        await _knows(trial, "gateway2", first),
        await _knows(trial, "gateway", second),
    ]
    said = f"{order[0]} first, {order[-1]} last: "
    whole = all(r.outcome is Outcome.FULL for r in (first, second))
    lost = sorted(first.degraded | second.degraded)
    trial.promise(f"{said}both answer whole{f' (lost: {lost})' if lost else ''}", whole)
    trial.promise(f"{said}each gateway knows the other's turns", all(of_each_other))


async def _whole_answer(trial: Trial, gateway: str) -> Record:
    """The first answer with nothing lost; the last one where that takes too long."""
    trial.gateway = lambda: f"http://127.0.0.1:{trial.site.port(f'{gateway}-http')}"
    trial.load.phase = "mending"
    end = time.monotonic() + _WHOLE_WITHIN_S
    while True:
        await trial.load.ask(0, time.monotonic())
        record = trial.records[-1]
        if record.outcome is Outcome.FULL or time.monotonic() > end:
            return record
        await asyncio.sleep(0.2)


async def _knows(trial: Trial, gateway: str, record: Record) -> bool:
    """Whether a gateway can show the evidence of a turn that the other one answered."""
    address = f"http://127.0.0.1:{trial.site.port(f'{gateway}-http')}"
    found = await trial.client.get(
        f"{address}/v1/evidence/{record.turn_id}", params={"user_id": record.user}
    )
    return found.status_code == 200
