"""Measures several scorers behind one channel: throughput by replicas and callers, one killed.

    python bench/scorer_replicas.py [--most N] [--cores-each N]

Every replica is its own process with one model thread, as a pod of one core would be; beyond the
cores of the machine the curve is flat by nature. ``--cores-each`` gives each replica so many cores
and threads, which no other and no caller uses. The last runs freeze one of three replicas with
SIGSTOP, and kill one with SIGKILL, in the middle of their load, and count the calls that failed for
the user, who asks around as the gateway does.
"""

import argparse
import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager
from dataclasses import asdict
from functools import partial
from typing import Any

import grpc
import scorer_rig as bench
from pellucid.scorer.v1 import scorer_pb2, scorer_pb2_grpc
from scorer import callers as measured

from pellucid_runtime.errors import ServiceError
from pellucid_runtime.rpc.channel import open_channel
from pellucid_runtime.rpc.hedging import HedgeBudget, hedged

FILE = bench.RESULTS / "scorer_replicas.json"
SERVICE = "pellucid.scorer.v1.ScorerService"
CALLERS = (1, 4, 24)
CALLS = 32
REPLICAS = 3
PATIENCE_S = 1.0
"""Of a caller before it asks the next replica: six callers wait for some 0.5 s on two cores."""
MOST_TRIES = 10
CALL_S = 60
RESULTS_PER_CALL = 30

Cores = list[int] | None
"""Numbers of the cores that a replica may use; None: any."""


@asynccontextmanager
async def channel_to(replicas: Sequence[bench.Running]) -> AsyncIterator[grpc.aio.Channel]:
    """Yield a channel that shares its calls among some replicas."""
    target = "ipv4:" + ",".join(one.target for one in replicas)
    async with open_channel(target, service=SERVICE) as channel:
        stub = scorer_pb2_grpc.ScorerServiceStub(channel)
        await asyncio.gather(*(stub.Score(bench.request(1)) for _ in range(4 * len(replicas))))
        yield channel


async def curve(cores: Sequence[Cores]) -> AsyncIterator[dict[str, Any]]:
    """Yield texts per second by replicas, one on each of the first shares, and by callers."""
    for number in range(1, len(cores) + 1):
        with ExitStack() as stack:
            replicas = [stack.enter_context(_replica(share)) for share in cores[:number]]
            async with channel_to(replicas) as channel:
                for callers in CALLERS:
                    before = [one.cpu_s for one in replicas]
                    calls = CALLS * min(number, callers)
                    load = await measured(channel, callers, calls=calls)
                    spent = [one.cpu_s - start for one, start in zip(replicas, before, strict=True)]
                    yield (
                        {"replicas": number, "callers": callers}
                        | asdict(load)
                        | {"cpu_shares": [one / sum(spent) for one in spent]}
                    )


async def printed(cores: Sequence[Cores]) -> list[dict[str, Any]]:
    """Return the curve, each point printed at once."""
    rows = []
    async for row in curve(cores):
        parts = "/".join(f"{100 * share:.0f}" for share in row["cpu_shares"])
        print(
            f"{row['replicas']} replicas, {row['callers']:2} callers {row['texts_per_s']:6.0f} "
            f"texts/s, p50 {row['p50_ms']:5.0f} ms, p99 {row['p99_ms']:5.0f} ms, CPU {parts} %",
            flush=True,
        )
        rows.append(row)
    return rows


def shares(most: int, cores_each: int | None) -> Sequence[Cores]:
    """Return the cores of each replica, and keep this process to those left over.

    Returns:
        None for each where all share those of the machine.
    """
    if cores_each is None:
        return [None] * most
    every = bench.usable_cores()
    os.sched_setaffinity(0, every[most * cores_each :])
    return [every[first * cores_each :][:cores_each] for first in range(most)]


def _replica(cores: Cores) -> AbstractContextManager[bench.Running]:
    return bench.running(cores=cores, SCORER_THREADS="0" if cores else "1")


async def lost(kind: signal.Signals) -> dict[str, float]:
    """Send a signal to one of `REPLICAS` under load; return calls served, failed and the p99."""
    with ExitStack() as stack:
        replicas = [stack.enter_context(_replica(None)) for _ in range(REPLICAS)]
        async with channel_to(replicas) as channel:
            stub = scorer_pb2_grpc.ScorerServiceStub(channel)
            requests = [bench.request(RESULTS_PER_CALL) for _ in range(3 * CALLS)]
            budget = HedgeBudget("bench", ratio=1.0)
            times: list[float] = []
            failed = 0

            async def one(request: scorer_pb2.ScoreRequest) -> None:
                nonlocal failed
                started = time.perf_counter()
                ask = partial(_score, stub, request)
                try:
                    await hedged(ask, after_s=PATIENCE_S, budget=budget, most=MOST_TRIES)
                except ServiceError:
                    failed += 1
                times.append((time.perf_counter() - started) * 1000)

            async def caller() -> None:
                while requests:
                    await one(requests.pop())
                    if len(times) == CALLS:
                        replicas[0].process.send_signal(kind)

            await asyncio.gather(*(caller() for _ in range(6)))
            replicas[0].process.send_signal(signal.SIGCONT)
    p99 = sorted(times)[round(len(times) * 0.99) - 1]
    return {"served": len(times) - failed, "failed": failed, "p99_ms": p99}


async def _score(stub: bench.Stub, request: scorer_pb2.ScoreRequest) -> None:
    await stub.Score(request, timeout=CALL_S)


def main() -> int:
    """Measure, print, keep; return 1 when a call failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--most", type=int, default=3, help="replicas of the longest curve")
    parser.add_argument("--cores-each", type=int, help="cores of each replica, not shared")
    arguments = parser.parse_args()
    started = time.perf_counter()
    found = {"machine": bench.machine()}
    found["curve"] = asyncio.run(printed(shares(arguments.most, arguments.cores_each)))
    for name, kind in (("frozen", signal.SIGSTOP), ("killed", signal.SIGKILL)):
        found[name] = asyncio.run(lost(kind))
        print(f"one of {REPLICAS} {name}: {found[name]}")
    print(f"{time.perf_counter() - started:.0f} s in all")
    bench.RESULTS.mkdir(parents=True, exist_ok=True)
    FILE.write_text(json.dumps(found, indent=2), "utf-8")
    return int(found["killed"]["failed"] + found["frozen"]["failed"] > 0)


if __name__ == "__main__":
    sys.exit(main())
