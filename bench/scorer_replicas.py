"""Measures several scorers behind one channel: throughput by replicas and callers, one killed.

    python bench/scorer_replicas.py [--most N]

Every replica is its own process with one model thread, as a pod of one core would be; beyond the
cores of the machine the curve is flat by nature. The last run kills one of three replicas with
SIGKILL in the middle of its load and counts the calls that failed for the user.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from typing import Any

import scorer_rig as bench
from pellucid.scorer.v1 import scorer_pb2_grpc
from scorer import callers as measured

from pellucid_runtime.channel import open_channel
from pellucid_runtime.errors import ServiceError

FILE = bench.RESULTS / "scorer_replicas.json"
SERVICE = "pellucid.scorer.v1.ScorerService"
CALLERS = (1, 4, 16)
CALLS = 32
KILLED_OF = 3
RESULTS_PER_CALL = 30


@asynccontextmanager
async def stub_of(replicas: Sequence[bench.Running]) -> AsyncIterator[bench.Stub]:
    """Yield a stub that shares its calls among some replicas."""
    target = "ipv4:" + ",".join(one.target for one in replicas)
    async with open_channel(target, service=SERVICE) as channel:
        stub = scorer_pb2_grpc.ScorerServiceStub(channel)
        await asyncio.gather(*(stub.Score(bench.request(1)) for _ in range(4 * len(replicas))))
        yield stub


async def curve(most: int) -> list[dict[str, Any]]:
    """Return texts per second for 1 to ``most`` replicas and several numbers of callers."""
    rows = []
    for number in range(1, most + 1):
        with ExitStack() as stack:
            replicas = [
                stack.enter_context(bench.running(SCORER_THREADS="1")) for _ in range(number)
            ]
            async with stub_of(replicas) as stub:
                for callers in CALLERS:
                    before = [one.cpu_s for one in replicas]
                    rate, p99 = await measured(stub, callers, calls=CALLS)
                    spent = [one.cpu_s - start for one, start in zip(replicas, before, strict=True)]
                    rows.append(
                        {"replicas": number, "callers": callers, "texts_per_s": rate, "p99_ms": p99}
                        | {"cpu_shares": [one / sum(spent) for one in spent]}
                    )
    return rows


async def killed() -> dict[str, int]:
    """Kill one of `KILLED_OF` replicas under load; return calls served and failed."""
    with ExitStack() as stack:
        replicas = [
            stack.enter_context(bench.running(SCORER_THREADS="1")) for _ in range(KILLED_OF)
        ]
        async with stub_of(replicas) as stub:
            requests = [bench.request(RESULTS_PER_CALL) for _ in range(3 * CALLS)]
            outcome = {"served": 0, "failed": 0}

            async def caller() -> None:
                while requests:
                    try:
                        await stub.Score(requests.pop(), timeout=60)
                        outcome["served"] += 1
                    except ServiceError:
                        outcome["failed"] += 1
                    if outcome["served"] == CALLS:
                        replicas[0].process.kill()

            await asyncio.gather(*(caller() for _ in range(6)))
    return outcome


def main() -> int:
    """Measure, print, keep; return 1 when a call failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--most", type=int, default=3, help="replicas of the longest curve")
    most = parser.parse_args().most
    started = time.perf_counter()
    found = {"machine": bench.machine(), "curve": asyncio.run(curve(most))}
    for row in found["curve"]:
        shares = "/".join(f"{100 * share:.0f}" for share in row["cpu_shares"])
        print(
            f"{row['replicas']} replicas, {row['callers']:2} callers "
            f"{row['texts_per_s']:6.0f} texts/s, p99 {row['p99_ms']:5.0f} ms, CPU {shares} %"
        )
    found["killed"] = asyncio.run(killed())
    seconds = time.perf_counter() - started
    print(f"one of {KILLED_OF} killed: {found['killed']}, {seconds:.0f} s in all")
    bench.RESULTS.mkdir(parents=True, exist_ok=True)
    FILE.write_text(json.dumps(found, indent=2), "utf-8")
    return int(found["killed"]["failed"] > 0)


if __name__ == "__main__":
    sys.exit(main())
