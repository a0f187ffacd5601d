"""Whole turns over the five real processes: rates, latencies, processor time, cost.

Open loop: turns begin when they are due, and latency counts from then. The provider takes 600 ms,
a page 150 ms, the model 300 ms to its first token and then 50 tokens a second, 150 in all. Three
kinds of turns: `cold` (a question that was never asked), `warm` (asked before: caches answer) and
`chat` (small talk, no search). The rate rises until less than 95 % are answered in full or the
first word takes twice as long as at the lowest rate. Prints tables and writes them to
`bench/results/capacity.json`; `bench/capacity_model.py` predicts from them.

    python bench/capacity.py                 all of it, some minutes
    python bench/capacity.py --overload      the three-fold rate for a minute as well

Provider and model run in this process, on the same cores; their time is told as `rig`.
"""

import argparse
import asyncio
import itertools
import json
import os
import re
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import httpx
import uvloop

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from capacity_model import Pauses, by_cores, report, simulated_rate

from load.fleet import SERVICES, Fleet, open_fleet
from rig.history import Outcome, Record, percentile
from rig.invented_web import companies
from rig.load import Load, http_client

RESULTS = Path(__file__).parent / "results" / "capacity.json"
RATES = (2.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 12.0, 15.0, 20.0, 30.0, 40.0)
STEP_S = 15.0
# Until the first turns of a step have ended; answers of the rest of it are goodput.
UNSTEADY_S = 5.0
OVERLOAD_S = 60.0
LEAST_FULL = 0.95
MOST_SLOWDOWN = 2.0
WARM_NAMES = 20
# On demand, one virtual core with 2 GiB of a general cloud machine; change it to yours.
USD_PER_CORE_HOUR = 0.04
# List price of one provider call: Brave's, 5 USD for 1,000.
USD_PER_CALL = 0.005
KINDS = {"cold": 0, "warm": 0, "chat": 1}
_CALLS = re.compile(r"^pellucid_search_provider_seconds_count\{[^}]*\} (\S+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Step:
    """One rate of one kind. Times in seconds, processor time in milliseconds of one turn.

    Attributes:
        stage_ms: 50th, 95th and 99th percentile of each stage of whole turns.
        lost: Degraded answers by what they lack.
    """

    kind: str
    rate: float
    turns: int
    full_share: float
    refused: int
    goodput: float
    first_p50_s: float
    first_p95_s: float
    first_p99_s: float
    total_p50_s: float
    total_p95_s: float
    refused_p50_s: float
    refused_p95_s: float
    cpu_ms: dict[str, float]
    stage_ms: dict[str, tuple[int, int, int]]
    redis_commands: float
    provider_calls: float
    machine_load: float
    lost: dict[str, int]


@dataclass(frozen=True, slots=True)
class Asked:
    """What one step asks for."""

    kind: str
    rate: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Counters:
    """What has been counted up to an instant: processor seconds, Redis commands, paid calls."""

    cpu_s: dict[str, float]
    redis: int
    provider: float


async def counters(fleet: Fleet, client: httpx.AsyncClient) -> Counters:
    """Read all of them."""
    cpu_s = fleet.cpu_s() | {"rig": time.process_time()}
    return Counters(cpu_s, await redis_commands(fleet), await provider_calls(fleet, client))


async def provider_calls(fleet: Fleet, client: httpx.AsyncClient) -> float:
    """Calls of the search provider that were answered or not, each of which costs."""
    url = f"http://127.0.0.1:{fleet.port('metrics-search-0')}/metrics"
    return sum(float(count) for count in _CALLS.findall((await client.get(url)).text))


async def redis_commands(fleet: Fleet) -> int:
    """Commands that Redis has done, scripts as one."""
    reader, writer = await asyncio.open_connection("127.0.0.1", fleet.port("redis"))
    writer.write(b"INFO stats\r\n")
    text = b""
    while b"total_commands_processed" not in text:
        text += await reader.readuntil(b"\n")
    writer.close()
    return int(text.rpartition(b":")[2])


def stage_percentiles(records: list[Record]) -> dict[str, tuple[int, int, int]]:
    """50th, 95th and 99th percentile of each stage in milliseconds, as the turns report them."""
    names = dict.fromkeys(name for record in records for name in record.timings_ms)
    taken = {name: [r.timings_ms[name] for r in records if name in r.timings_ms] for name in names}
    return {
        name: (
            round(percentile(each, 0.50)),
            round(percentile(each, 0.95)),
            round(percentile(each, 0.99)),
        )
        for name, each in taken.items()
    }


def names_of(kind: str, fresh: Iterator[str], known: list[str]) -> Iterator[str]:
    """Companies to ask about: always new ones, or the same over and over."""
    return itertools.cycle(known) if kind == "warm" else fresh


async def one_step(
    fleet: Fleet, client: httpx.AsyncClient, names: Iterator[str], asked: Asked
) -> Step:
    """Ask at a rate for a while and sum up."""
    load = Load(client, fleet.gateway, names, chat_every=KINDS[asked.kind])
    before = await counters(fleet, client)
    stopping = asyncio.Event()
    running = asyncio.create_task(load.run(asked.rate, stopping))
    await asyncio.sleep(asked.seconds)
    stopping.set()
    await running
    return summed(asked, load.records, before, await counters(fleet, client))


def summed(asked: Asked, records: list[Record], before: Counters, after: Counters) -> Step:
    """Figures of one step."""
    full = [r for r in records if r.outcome is Outcome.FULL]
    firsts = [r.first_s - r.due_s for r in full if r.first_s is not None]
    refused = [r.ended_s - r.sent_s for r in records if r.status == httpx.codes.SERVICE_UNAVAILABLE]
    begun = min(r.due_s for r in records)
    steady = [r for r in full if UNSTEADY_S <= r.ended_s - begun <= asked.seconds]
    turns = len(records)
    spent = {name: (after.cpu_s[name] - before.cpu_s[name]) / turns for name in after.cpu_s}
    return Step(
        kind=asked.kind,
        rate=asked.rate,
        turns=turns,
        full_share=round(len(full) / turns, 3),
        refused=len(refused),
        goodput=round(len(steady) / (asked.seconds - UNSTEADY_S), 2),
        first_p50_s=round(percentile(firsts, 0.50), 3),
        first_p95_s=round(percentile(firsts, 0.95), 3),
        first_p99_s=round(percentile(firsts, 0.99), 3),
        total_p50_s=round(percentile((r.took_s for r in full), 0.50), 3),
        total_p95_s=round(percentile((r.took_s for r in full), 0.95), 3),
        refused_p50_s=round(percentile(refused, 0.50), 3) if refused else 0.0,
        refused_p95_s=round(percentile(refused, 0.95), 3) if refused else 0.0,
        cpu_ms={name: round(each * 1000, 1) for name, each in spent.items()},
        stage_ms=stage_percentiles(full),
        redis_commands=round((after.redis - before.redis) / turns, 1),
        provider_calls=round((after.provider - before.provider) / turns, 2),
        machine_load=round(os.getloadavg()[0], 1),
        lost=dict(Counter(part for r in records for part in r.degraded)),
    )


def stage_table(step: Step) -> str:
    """Stages of one step as a Markdown table, the longest first."""
    lines = ["| stage | p50 ms | p95 ms | p99 ms |", "| --- | --- | --- | --- |"]
    longest_first = sorted(step.stage_ms.items(), key=lambda item: -item[1][0])
    lines += [f"| {name} | {p50} | {p95} | {p99} |" for name, (p50, p95, p99) in longest_first]
    return "\n".join(lines)


def is_sustained(step: Step, first: Step) -> bool:
    """Whether nearly all were answered in full and in time."""
    in_time = step.first_p95_s <= MOST_SLOWDOWN * max(first.first_p95_s, 0.2)
    return step.full_share >= LEAST_FULL and in_time


async def ramp(
    fleet: Fleet, client: httpx.AsyncClient, kind: str, names: Iterator[str], rates: list[float]
) -> list[Step]:
    """Raise the rate until it is too much; the last step is the one that was."""
    steps: list[Step] = []
    for rate in rates:
        steps.append(await one_step(fleet, client, names, Asked(kind, rate, STEP_S)))
        say(steps[-1])
        if not is_sustained(steps[-1], steps[0]):
            break
    return steps


def say(step: Step) -> None:
    """One line for whoever watches."""
    cpu = " ".join(f"{name} {each:.0f}" for name, each in step.cpu_ms.items())
    print(
        f"{step.kind:<5} {step.rate:>5.1f}/s full {step.full_share:>6.1%} refused {step.refused:>4}"
        f" (p50/p95 {step.refused_p50_s * 1000:.0f}/{step.refused_p95_s * 1000:.0f} ms)"
        f" goodput {step.goodput:>4.1f}/s"
        f" first p50/p95/p99 {step.first_p50_s:.2f}/{step.first_p95_s:.2f}/{step.first_p99_s:.2f} s"
        f" total p50/p95 {step.total_p50_s:.2f}/{step.total_p95_s:.2f} s"
        f" cpu ms/turn: {cpu} (load {step.machine_load}) lost {step.lost}",
        flush=True,
    )


def sustainable(steps: list[Step]) -> float:
    """Highest rate that was sustained; 0 when none was."""
    return max((step.rate for step in steps if is_sustained(step, steps[0])), default=0.0)


def cost_usd(cpu_ms: dict[str, float], calls: float) -> float:
    """Machines and provider for 1,000 turns; the model is not in it."""
    cpu_s = sum(each for name, each in cpu_ms.items() if name in SERVICES)
    return round(cpu_s / 3600 * USD_PER_CORE_HOUR + calls * 1000 * USD_PER_CALL, 3)


async def measure(folder: Path, kinds: list[str], rates: list[float]) -> dict[str, list[Step]]:
    """Ramps of all kinds, each on a fresh fleet: the end of one ramp is too much, and lingers."""
    fresh = companies(int(time.time()))
    known = list(itertools.islice(fresh, WARM_NAMES))
    ramps = {}
    for kind in kinds:
        (folder / kind).mkdir()
        async with open_fleet(folder / kind) as fleet, http_client() as client:
            warming = Asked("cold", 2.0, WARM_NAMES / 2)
            await one_step(fleet, client, itertools.cycle(known), warming)
            ramps[kind] = await ramp(fleet, client, kind, names_of(kind, fresh, known), rates)
    return ramps


async def overload(folder: Path, rate: float) -> tuple[Step, Step, Step]:
    """At the sustained rate, at three times it, and at it again."""
    fresh = companies(int(time.time()))
    async with open_fleet(folder) as fleet, http_client() as client:
        await one_step(fleet, client, fresh, Asked("cold", 2.0, WARM_NAMES / 2))
        steps = []
        for factor, seconds in ((1, 20.0), (3, OVERLOAD_S), (1, 20.0)):
            steps.append(
                await one_step(fleet, client, fresh, Asked("cold", factor * rate, seconds))
            )
            say(steps[-1])
        return steps[0], steps[1], steps[2]


def best_of(steps: list[Step]) -> Step:
    """Of the steps that were sustained the one with the most turns; start-up weighs least in it."""
    sustained = [step for step in steps if is_sustained(step, steps[0])]
    return max(sustained, key=lambda step: step.turns, default=steps[0])


def found_in(ramps: dict[str, list[Step]]) -> dict[str, Any]:
    """What is written down."""
    cores = os.cpu_count() or 1
    best = {kind: best_of(steps) for kind, steps in ramps.items()}
    loads = [step.machine_load for steps in ramps.values() for step in steps]
    return {
        "cores": cores,
        "machine_load": statistics.median(loads),
        "sustainable_per_s": {kind: sustainable(steps) for kind, steps in ramps.items()},
        "predicted_per_s": {
            kind: simulated_rate(cores, step.cpu_ms, Pauses()) for kind, step in best.items()
        },
        "full_per_s": {kind: round(by_cores(cores, step.cpu_ms), 1) for kind, step in best.items()},
        "cpu_ms": {kind: step.cpu_ms for kind, step in best.items()},
        "redis_commands": {kind: step.redis_commands for kind, step in best.items()},
        "provider_calls": {kind: step.provider_calls for kind, step in best.items()},
        "usd_per_1000": {
            kind: cost_usd(step.cpu_ms, step.provider_calls) for kind, step in best.items()
        },
        "best": best,
        "steps": [step for steps in ramps.values() for step in steps],
    }


def with_earlier(found: dict[str, Any]) -> dict[str, Any]:
    """The figures with those of earlier runs of kinds that were not measured in this one."""
    earlier = json.loads(RESULTS.read_text("utf-8")) if RESULTS.is_file() else {}
    kept = {
        name: earlier.get(name, {}) | figures
        for name, figures in found.items()
        if isinstance(figures, dict)
    }
    return earlier | found | kept


def main() -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="capacity", description=__doc__)
    parser.add_argument("--overload", action="store_true", help="three times the rate as well")
    parser.add_argument("--kinds", nargs="*", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--rates", nargs="*", type=float, default=list(RATES))
    options = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory(prefix="pellucid-capacity-") as folder:
        found = found_in(uvloop.run(measure(Path(folder), options.kinds, options.rates)))
    rate = found["sustainable_per_s"].get("cold")
    if options.overload and rate:
        with tempfile.TemporaryDirectory(prefix="pellucid-overload-") as folder:
            steps = uvloop.run(overload(Path(folder), rate))
        found["overload"] = steps
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(with_earlier(found), indent=1, default=asdict), "utf-8")
    for name in ("sustainable_per_s", "predicted_per_s", "full_per_s", "usd_per_1000"):
        print(f"{name}: {found[name]}")
    print(report(found))
    for kind, step in found["best"].items():
        print(f"stages of {kind} at {step.rate}/s\n\n{stage_table(step)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
