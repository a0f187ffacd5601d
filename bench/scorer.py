"""Measures the scorer: texts per second beside a peer, latency, callers, overload, memory.

    python bench/scorer.py [--peer-python PYTHON] [--infinity EXECUTABLE]

The service runs as its own process, as in production, and is called over gRPC with texts that it
has not seen. ``--peer-python`` (or BENCH_PEER_PYTHON) names an interpreter that has
sentence-transformers; see `scorer_beside`. ``--infinity`` (or BENCH_INFINITY) names infinity's
executable.
"""

import argparse
import asyncio
import json
import os
import statistics
import time
from collections.abc import Iterable, Iterator
from typing import Any

import grpc
import scorer_beside
from pellucid.scorer.v1 import scorer_pb2
from scorer_rig import COMPARED, RESULTS, Running, Stub, machine, request, running, throughput

FILE = RESULTS / "scorer.json"
ROUNDS = 15
CALLERS = (1, 2, 5, 10, 20)


async def latency(scorer: Running, stub: Stub, results: int) -> dict[str, float]:
    """Return median milliseconds of a Score call and its processor time, fresh and again."""
    found: dict[str, float] = {}
    calls = [request(results) for _ in range(ROUNDS)]
    for kind in ("fresh", "cached"):
        times, cpu = [], scorer.cpu_s
        for call in calls:
            started = time.perf_counter()
            await stub.Score(call)
            times.append((time.perf_counter() - started) * 1000)
        found[kind] = statistics.median(times)
        found[f"{kind}_cpu"] = (scorer.cpu_s - cpu) * 1000 / ROUNDS
    return found


async def callers(stub: Stub, number: int, *, calls: int = 40) -> tuple[float, float]:
    """Return texts per second and p99 milliseconds of so many callers at once, 30 results each."""
    requests = [request(30) for _ in range(max(calls, number * 3))]
    times: list[float] = []

    async def caller() -> None:
        while requests:
            one = requests.pop()
            started = time.perf_counter()
            await stub.Score(one)
            times.append((time.perf_counter() - started) * 1000)

    started = time.perf_counter()
    texts = 31 * len(requests)
    await asyncio.gather(*(caller() for _ in range(number)))
    p99 = sorted(times)[max(0, round(len(times) * 0.99) - 1)]
    return texts / (time.perf_counter() - started), p99


async def overload(stub: Stub, capacity: float, *, seconds: float = 4.0) -> dict[str, float]:
    """Send ten times what it can do and return goodput, refusals and how fast those are."""
    pace = 31 / (10 * capacity)
    refused: list[float] = []
    served = 0

    async def one(call: scorer_pb2.ScoreRequest) -> None:
        nonlocal served
        started = time.perf_counter()
        try:
            await stub.Score(call, timeout=30)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.RESOURCE_EXHAUSTED:
                raise
            refused.append((time.perf_counter() - started) * 1000)
        else:
            served += 1

    requests = [request(30) for _ in range(round(seconds / pace))]
    started = time.perf_counter()
    tasks = []
    for number, call in enumerate(requests):
        await asyncio.sleep(max(0.0, started + number * pace - time.perf_counter()))
        tasks.append(asyncio.create_task(one(call)))
    await asyncio.gather(*tasks)
    goodput = served * 31 / (time.perf_counter() - started)
    return {
        "sent": len(requests),
        "served": served,
        "refused": len(refused),
        "refusal_p50_ms": statistics.median(refused) if refused else 0.0,
        "refusal_p99_ms": sorted(refused)[int(len(refused) * 0.99) - 1] if refused else 0.0,
        "goodput_share": goodput / capacity,
    }


async def measure(peer_python: str | None, infinity: str | None) -> dict[str, Any]:
    """Run everything and return the figures."""
    with running() as scorer:
        found: dict[str, Any] = {"machine": machine(), "ready_s": scorer.ready_s}
        found["ready_cpu_s"] = scorer.cpu_s
        async with grpc.aio.insecure_channel(scorer.target) as channel:
            stub = Stub(channel)
            if peer_python:
                found["peer"] = await scorer_beside.beside(peer_python, scorer, stub)
                found["infinity"] = await scorer_beside.infinity(infinity)
                print_all(peer_lines(found["peer"], found["infinity"]))
            found["texts_per_s"] = statistics.median([await throughput(stub) for _ in range(3)])
            found["latency"] = {n: await latency(scorer, stub, n) for n in (10, 30, 100)}
            found["callers"] = {n: await callers(stub, n) for n in CALLERS}
            found["rss_mb"] = scorer.rss_mb
            peak = max(rate for rate, _ in found["callers"].values())
            found["overload"] = await overload(stub, peak)
            found["rss_after_overload_mb"] = scorer.rss_mb
    return found


def table(found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the lines of the report."""
    yield "machine", f"{found['machine']}"
    yield "texts/s, four large calls", f"{found['texts_per_s']:.0f}"
    for results, one in found["latency"].items():
        yield (
            f"{results} results, p50",
            f"{one['fresh']:.1f} ms fresh, {one['cached']:.1f} ms cached",
        )
        yield (
            "  of the processor",
            f"{one['fresh_cpu']:.1f} ms fresh, {one['cached_cpu']:.1f} ms cached",
        )
        yield "  CPU per 1,000 results", f"{one['fresh_cpu'] / results:.2f} s fresh"
    for number, (rate, p99) in found["callers"].items():
        yield f"{number} callers", f"{rate:.0f} texts/s, p99 {p99:.0f} ms"
    overloaded = found["overload"]
    yield "10x overload", f"{overloaded['served']} served, {overloaded['refused']} refused"
    yield "  goodput", f"{100 * overloaded['goodput_share']:.0f} % of peak"
    yield (
        "  refused after",
        f"p50 {overloaded['refusal_p50_ms']:.1f} ms, p99 {overloaded['refusal_p99_ms']:.1f} ms",
    )
    yield "memory", f"{found['rss_mb']:.0f} MB, {found['rss_after_overload_mb']:.0f} after overload"
    yield "ready after", f"{found['ready_s']:.2f} s ({found['ready_cpu_s']:.2f} s of processor)"


def peer_lines(peer: dict[str, Any], infinity: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the lines about the peers."""
    ours, theirs = peer["medians"]
    yield "in turns with the peer", f"{ours:.0f} texts/s, medians of {len(peer['ours'])}"
    yield "sentence-transformers fp32", f"{theirs:.0f} texts/s, {peer['peer_rss_mb']:.0f} MB"
    yield "  ratio", f"{peer['ratio']:.2f}x"
    mine, other = peer["cpu_s_per_1000"], peer["peer_cpu_s_per_1000"]
    yield "  CPU per 1,000 texts", f"{mine:.2f} s, on one thread {other:.2f} s: {other / mine:.2f}x"
    yield f"  cosine over {COMPARED}", f"worst {peer['worst_cosine']:.5f}"
    rate = infinity.get("texts_per_s")
    yield "infinity", f"{rate:.0f} texts/s" if rate else f"not run: {infinity['not_run']}"


def print_all(lines: Iterable[tuple[str, str]]) -> None:
    """Print lines at once, since a run takes minutes."""
    for name, value in lines:
        print(f"{name:<28}{value}", flush=True)


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--peer-python", default=os.environ.get("BENCH_PEER_PYTHON"))
    parser.add_argument("--infinity", default=os.environ.get("BENCH_INFINITY"))
    arguments = parser.parse_args()
    found = asyncio.run(measure(arguments.peer_python, arguments.infinity))
    print_all(table(found))
    RESULTS.mkdir(parents=True, exist_ok=True)
    FILE.write_text(json.dumps(found, indent=2), "utf-8")


if __name__ == "__main__":
    main()
