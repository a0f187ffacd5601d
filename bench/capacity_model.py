"""How many replicas a rate of turns needs, and what breaks first: `python bench/capacity_model.py`.

Two views of the same measured figures (`bench/results/capacity.json`, written by
`bench/capacity.py`). The table divides: rate times processor time by what a replica may use of its
core. The simulation lets turns queue for cores stage by stage, which shows from which rate on the
first word comes late; on one machine with all services its answer is compared with what was
measured there.
"""

import heapq
import json
import math
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

RESULTS = Path(__file__).parent / "results" / "capacity.json"
RATES = (10, 100, 1_000, 10_000)
# A replica is one Python process (the scorer: one thread a core), so it fills one core; above this
# share of it queues grow fast (a single server at 70 % waits 2.3 service times on average).
USED_SHARE = 0.7
# One more than needed, so that a restart or a lost machine takes no turn.
SPARE = 1
LEAST_REPLICAS = 2
# Calls of a provider that one search replica has in progress (SEARCH_PROVIDER_CONCURRENCY).
CALLS_AT_ONCE = 32
# What one Redis takes on one core with room to spare; `redis-benchmark` tells for yours.
REDIS_PER_S = 50_000
SERVICES = ("decision", "search", "scorer", "fetcher", "gateway")
# Of the gateway's time, what comes before the first word; the rest goes along with the stream.
BEFORE_ANSWER = 0.4
SIMULATED_TURNS = 1_500
SEED = 20261121
# The first word may take so many times as long as on an idle machine.
MOST_SLOWDOWN = 2.0
# Turns a second to which the simulation narrows a rate down.
PRECISION = 0.05


@dataclass(frozen=True, slots=True)
class Pauses:
    """Seconds that a turn waits for others: provider, pages, model's first token, its stream."""

    search_s: float = 0.6
    pages_s: float = 0.15
    first_s: float = 0.3
    stream_s: float = 3.0


@dataclass(frozen=True, slots=True)
class Need:
    """Replicas of one service at one rate, and how full their cores are."""

    service: str
    replicas: int
    used: float


def replicas(rate: float, cpu_ms: Mapping[str, float]) -> tuple[Need, ...]:
    """What a rate of turns a second needs.

    >>> replicas(100, {"scorer": 90.0})
    (Need(service='scorer', replicas=14, used=0.64),)
    """
    needs = []
    for service, each_ms in cpu_ms.items():
        cores = rate * each_ms / 1000
        count = max(LEAST_REPLICAS, math.ceil(cores / USED_SHARE) + SPARE)
        needs.append(Need(service, count, round(cores / count, 2)))
    return tuple(needs)


def for_calls(rate: float, calls: float, call_s: float) -> int:
    """Search replicas that have room for the provider calls in progress (Little's law).

    >>> for_calls(100, calls=2, call_s=0.6)
    7
    """
    return math.ceil(rate * calls * call_s / (CALLS_AT_ONCE * USED_SHARE)) + SPARE


def breaks_first(cpu_ms: Mapping[str, float]) -> Sequence[tuple[str, float]]:
    """Services by the turns a second that one full core of each takes, fewest first."""
    rates = ((service, 1000 / each_ms) for service, each_ms in cpu_ms.items() if each_ms)
    return sorted(rates, key=lambda pair: pair[1])


def by_cores(cores: int, cpu_ms: Mapping[str, float]) -> float:
    """Turns a second at which the cores that all services share are full."""
    return cores * 1000 / sum(cpu_ms.values())


def _stages(cpu_ms: Mapping[str, float], pauses: Pauses) -> Iterator[tuple[float, float]]:
    """Processor seconds and then the pause of each stage, in order."""
    gateway_s = cpu_ms["gateway"] / 1000
    rest_s = sum(each for name, each in cpu_ms.items() if name not in SERVICES) / 1000
    yield cpu_ms["decision"] / 1000 + gateway_s * BEFORE_ANSWER / 2, 0.0
    yield cpu_ms["search"] / 1000, pauses.search_s
    yield cpu_ms["scorer"] / 1000, 0.0
    yield cpu_ms["fetcher"] / 1000, pauses.pages_s
    yield gateway_s * BEFORE_ANSWER / 2, pauses.first_s
    yield gateway_s * (1 - BEFORE_ANSWER) + rest_s, 0.0


# Stages before the first word.
_UNTIL_FIRST = 5


def first_word_s(rate: float, cores: int, cpu_ms: Mapping[str, float], pauses: Pauses) -> float:
    """Simulated time to the first word, 95th percentile, in seconds; turns come at random.

    All stages queue for the same cores, first come first served.
    """
    drawn = random.Random(SEED)
    stages = tuple(_stages(cpu_ms, pauses))
    free = [0.0] * cores
    waiting: list[tuple[float, int, int, float]] = []
    at = 0.0
    for turn in range(SIMULATED_TURNS):
        at += drawn.expovariate(rate)
        waiting.append((at, turn, 0, at))
    heapq.heapify(waiting)
    took = []
    while waiting:
        ready, turn, stage, begun = heapq.heappop(waiting)
        work_s, pause_s = stages[stage]
        core_free = heapq.heappop(free)
        done = max(ready, core_free) + work_s
        heapq.heappush(free, done)
        if stage + 1 == _UNTIL_FIRST:
            took.append(done + pause_s - begun)
        if stage + 1 < len(stages):
            heapq.heappush(waiting, (done + pause_s, turn, stage + 1, begun))
    took.sort()
    return took[int(len(took) * 0.95)]


def simulated_rate(cores: int, cpu_ms: Mapping[str, float], pauses: Pauses) -> float:
    """Highest rate, in tenths, at which the first word is not late in the simulation."""
    idle_s = first_word_s(0.01, cores, cpu_ms, pauses)
    low, high = 0.1, 2 * by_cores(cores, cpu_ms)
    while high - low > PRECISION:
        middle = (low + high) / 2
        is_late = first_word_s(middle, cores, cpu_ms, pauses) > MOST_SLOWDOWN * idle_s
        low, high = (low, middle) if is_late else (middle, high)
    return round(low, 1)


def table(cpu_ms: Mapping[str, float], calls: float, commands: float) -> str:
    """Replicas for the rates of the guide, as a Markdown table."""
    own = {name: cpu_ms[name] for name in SERVICES}
    columns = ("turns/s", *SERVICES, "cores in use", "Redis servers", "provider calls/s")
    lines = [f"| {' | '.join(columns)} |", "| --- " * len(columns) + "|"]
    for rate in RATES:
        needs = {need.service: need.replicas for need in replicas(rate, own)}
        needs["search"] = max(needs["search"], for_calls(rate, calls, Pauses().search_s))
        cells = [f"{rate:,}", *(f"{needs[name]:,}" for name in SERVICES)]
        cells.append(f"{rate * sum(own.values()) / 1000:,.1f}")
        cells.append(f"{max(1, math.ceil(rate * commands / REDIS_PER_S))}")
        lines.append(f"| {' | '.join(cells)} | {rate * calls:,.0f} |")
    return "\n".join(lines)


def report(measured: Mapping[str, object]) -> str:
    """Everything that follows from measured figures, as text."""
    lines = []
    kinds: Mapping[str, Mapping[str, float]] = measured["cpu_ms"]  # type: ignore[assignment]
    commands: Mapping[str, float] = measured["redis_commands"]  # type: ignore[assignment]
    calls: Mapping[str, float] = measured["provider_calls"]  # type: ignore[assignment]
    cores = int(measured["cores"])  # type: ignore[call-overload]
    for kind, cpu_ms in kinds.items():
        own = {name: cpu_ms[name] for name in SERVICES}
        order = ", ".join(f"{name} {rate:.0f}" for name, rate in breaks_first(own))
        lines += [f"## {kind}", "", table(cpu_ms, calls[kind], commands[kind]), ""]
        lines += [f"turns/s that one core of each takes: {order}", ""]
        predicted = simulated_rate(cores, cpu_ms, Pauses())
        lines.append(
            f"all on {cores} cores: full at {by_cores(cores, cpu_ms):.1f}/s, first word in time "
            f"until {predicted}/s (simulated)"
        )
        lines.append("")
    return "\n".join(lines)


def main() -> int:
    """Print; 1 when nothing was measured yet."""
    if not RESULTS.is_file():
        print("measure first: python bench/capacity.py")
        return 1
    print(report(json.loads(RESULTS.read_text("utf-8"))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
