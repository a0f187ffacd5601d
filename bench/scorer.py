"""Measures the scorer: texts per second beside a peer, latency, callers, overload, memory.

    python bench/scorer.py [--peer-python PYTHON] [--infinity EXECUTABLE] [--cores N]

The service runs as its own process, as in production, and is called over gRPC with texts that it
has not seen. ``--peer-python`` (or BENCH_PEER_PYTHON) names an interpreter that has
sentence-transformers; see `scorer_beside`. ``--infinity`` (or BENCH_INFINITY) names infinity's
executable. ``--cores`` leaves the service and its peer the first N cores and takes the others for
the callers, as if those ran on another machine.
"""

import argparse
import asyncio
import json
import os
import statistics
import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

import grpc
import scorer_beside
import uvloop
from scorer_beside import PEER_SEARCHES, TURNS
from scorer_messages import lines, messages
from scorer_rig import (
    COMPARED,
    RESULTS,
    Running,
    Stub,
    machine,
    request,
    running,
    search_texts,
    throughput,
    usable_cores,
)

FILE = RESULTS / "scorer.json"
ROUNDS = 11
CALLERS = (1, 5)
MOST_CALLERS = 20
OVERLOADS = 5
OVERLOAD_S = 4.0
PORTION_S = 0.01
METHOD = "/pellucid.scorer.v1.ScorerService/Score"
LARGE_CALLS = 4
LARGE_CALL_TEXTS = 150

Score = grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]


@dataclass(frozen=True, slots=True)
class Load:
    """What some callers at once got."""

    texts_per_s: float
    p50_ms: float
    p99_ms: float


async def batch_mode(stub: Stub) -> float:
    """Return texts per second of a few large calls, lengths as in searches."""
    rates = []
    for _ in range(3):
        calls = [search_texts(LARGE_CALL_TEXTS) for _ in range(LARGE_CALLS)]
        rates.append(await throughput(stub, calls))
    return statistics.median(rates)


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


async def beside_one_model(both: Stub, cores: Collection[int] | None) -> dict[str, float]:
    """Return median milliseconds of 30 fresh results by all models and by the first, in turns."""
    times: dict[str, list[float]] = {"all_ms": [], "first_ms": []}
    with running(cores=cores, SCORER_MODEL="all-MiniLM-L6-v2") as scorer:
        async with grpc.aio.insecure_channel(scorer.target) as channel:
            for _ in range(2 * ROUNDS):
                for name, stub in (("all_ms", both), ("first_ms", Stub(channel))):
                    call = request(30)
                    started = time.perf_counter()
                    await stub.Score(call)
                    times[name].append((time.perf_counter() - started) * 1000)
    return {name: statistics.median(each) for name, each in times.items()}


@dataclass(slots=True)
class Overload:
    """What became of calls under overload.

    Attributes:
        ended: When each answered call was, in seconds.
        refused: Milliseconds until each refusal.
        own_cores: Cores that sending the calls took, on the machine of the scorer.
    """

    ended: list[float] = field(default_factory=list)
    refused: list[float] = field(default_factory=list)
    own_cores: float = 0.0

    @property
    def goodput(self) -> float:
        """Texts per second from the first answer to the last."""
        return 31 * (len(self.ended) - 1) / (self.ended[-1] - self.ended[0])

    async def ask(self, score: Score, call: bytes) -> None:
        """Make a call and note how it ends."""
        started = time.perf_counter()
        try:
            await score(call, timeout=30)
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED:
                self.refused.append((time.perf_counter() - started) * 1000)
            elif error.code() is not grpc.StatusCode.CANCELLED:  # called off at the end
                raise
        else:
            self.ended.append(time.perf_counter())


async def callers(
    channel: grpc.aio.Channel, number: int, *, calls: int = 30, beside_cores: float = 0.0
) -> Load:
    """Return what so many callers at once get, with 30 results each.

    The calls are written beforehand and the answers left unread, so that calling takes little.

    Args:
        channel: To the scorer.
        number: Of callers.
        calls: At least so many.
        beside_cores: Cores of the same machine that something else takes meanwhile.
    """
    requests = [request(30).SerializeToString() for _ in range(max(calls, number * 2))]
    score: Score = channel.unary_unary(METHOD)
    times: list[float] = []

    async def caller() -> None:
        while requests:
            one = requests.pop()
            started = time.perf_counter()
            await score(one)
            times.append((time.perf_counter() - started) * 1000)

    started = time.perf_counter()
    texts = 31 * len(requests)
    taking = asyncio.create_task(take(beside_cores))
    await asyncio.gather(*(caller() for _ in range(number)))
    spent = time.perf_counter() - started
    taking.cancel()
    p99 = sorted(times)[max(0, round(len(times) * 0.99) - 1)]
    return Load(texts / spent, statistics.median(times), p99)


async def take(cores: float) -> None:
    """Take a share of a core for ever, in small portions, as sending calls does."""
    while cores:
        until = time.thread_time() + PORTION_S * cores
        while time.thread_time() < until:
            pass
        await asyncio.sleep(PORTION_S * (1 - cores))


async def overload(channel: grpc.aio.Channel, capacity: float) -> Overload:
    """Send ten times what it can do; what still waits at the end is called off.

    The calls are written beforehand, so that sending takes little from the scorer.
    """
    found = Overload()
    pace = 31 / (10 * capacity)
    requests = [request(30).SerializeToString() for _ in range(round(OVERLOAD_S / pace))]
    score = channel.unary_unary(METHOD)
    started, spent = time.perf_counter(), time.process_time()
    tasks: list[asyncio.Task[None]] = []
    for number, call in enumerate(requests):
        await asyncio.sleep(max(0.0, started + number * pace - time.perf_counter()))
        tasks.append(asyncio.create_task(found.ask(score, call)))
    found.own_cores = (time.process_time() - spent) / (time.perf_counter() - started)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    await asyncio.gather(*(task for task in tasks if not task.cancelled()))
    return found


async def in_turns(channel: grpc.aio.Channel) -> dict[str, Any]:
    """Return goodput under overload beside what 20 callers get, in turns, and more.

    They get it on the whole machine just before, and just after on what the sender of the overload
    leaves of it: where calls come from other machines, it takes nothing.
    """
    peaks, beside, goodputs, p99s, own = [], [], [], [], []
    refused: list[float] = []
    for _ in range(OVERLOADS):
        peak = await callers(channel, MOST_CALLERS)
        one = await overload(channel, peak.texts_per_s)
        after = await callers(channel, MOST_CALLERS, beside_cores=one.own_cores)
        beside.append(after.texts_per_s)
        peaks.append(peak.texts_per_s)
        p99s.append(peak.p99_ms)
        goodputs.append(one.goodput)
        own.append(one.own_cores)
        refused += one.refused
    return {
        "peaks": peaks,
        "p99_ms": statistics.median(p99s),
        "goodputs": goodputs,
        "goodput_share": statistics.median(goodputs) / statistics.median(peaks),
        "peaks_beside_a_sender": beside,
        "goodput_share_beside_a_sender": statistics.median(goodputs) / statistics.median(beside),
        "generator_cores": statistics.median(own),
        "refused": len(refused),
        "refusal_p50_ms": statistics.median(refused) if refused else 0.0,
        "refusal_p99_ms": sorted(refused)[int(len(refused) * 0.99) - 1] if refused else 0.0,
    }


async def measure(
    peer_python: str | None, infinity: str | None, cores: Collection[int] | None
) -> dict[str, Any]:
    """Run everything and return the figures."""
    with running(cores=cores) as scorer:
        found: dict[str, Any] = {"machine": machine(), "ready_s": scorer.ready_s}
        found["scorer_cores"] = len(os.sched_getaffinity(scorer.process.pid))
        found["ready_cpu_s"] = scorer.cpu_s
        async with grpc.aio.insecure_channel(scorer.target) as channel:
            stub = Stub(channel)
            if peer_python:
                found["peer"] = await scorer_beside.beside(peer_python, scorer, stub)
                found["infinity"] = await scorer_beside.infinity(infinity)
                print_all(peer_lines(found["peer"], found["infinity"]))
            found["texts_per_s"] = await batch_mode(stub)
            found["latency"] = {n: await latency(scorer, stub, n) for n in (10, 30, 100)}
            found["callers"] = {n: asdict(await callers(channel, n)) for n in CALLERS}
            found["messages"] = await messages(stub)
            found["one_model"] = await beside_one_model(stub, cores)
            found["rss_mb"] = scorer.rss_mb
            found["overload"] = await in_turns(channel)
            found["rss_after_overload_mb"] = scorer.rss_mb
    return found


def table(found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the lines of the report."""
    yield "machine", f"{found['machine']}, {found['scorer_cores']} cores for the scorer"
    yield "texts/s, large calls", f"{found['texts_per_s']:.0f}"
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
    for number, load in found["callers"].items():
        yield f"{number} callers", f"{load['texts_per_s']:.0f} texts/s, p99 {load['p99_ms']:.0f} ms"
    yield from lines(found["messages"])
    one, every = found["one_model"]["first_ms"], found["one_model"]["all_ms"]
    yield (
        "30 results, in turns",
        f"{every:.0f} ms by all models, {one:.0f} by MiniLM: {every / one:.2f}x",
    )
    overloaded = found["overload"]
    peak, goodput = (statistics.median(overloaded[name]) for name in ("peaks", "goodputs"))
    yield f"{MOST_CALLERS} callers", f"{peak:.0f} texts/s, p99 {overloaded['p99_ms']:.0f} ms"
    share = 100 * overloaded["goodput_share"]
    yield "10x overload, in turns", f"{goodput:.0f} texts/s, {share:.0f} % of that"
    yield "  sending it took", f"{overloaded['generator_cores']:.2f} cores of the same machine"
    beside = statistics.median(overloaded["peaks_beside_a_sender"])
    share = 100 * overloaded["goodput_share_beside_a_sender"]
    yield f"  {MOST_CALLERS} callers beside such", f"{beside:.0f} texts/s: {share:.0f} % of that"
    yield (
        f"  {overloaded['refused']} refused after",
        f"p50 {overloaded['refusal_p50_ms']:.1f} ms, p99 {overloaded['refusal_p99_ms']:.1f} ms",
    )
    yield "memory", f"{found['rss_mb']:.0f} MB, {found['rss_after_overload_mb']:.0f} after overload"
    yield "ready after", f"{found['ready_s']:.2f} s ({found['ready_cpu_s']:.2f} s of processor)"


def peer_lines(peer: dict[str, Any], infinity: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the lines about the peers."""
    yield "sentence-transformers fp32", f"{peer['peer_rss_mb']:.0f} MB; medians of {TURNS} turns"
    for theirs, ours, work in (
        ("search", "search", "searches, one by one"),
        ("merged", "search", f"{PEER_SEARCHES} searches in one list"),
        ("large", "large", "equal lengths, large lists"),
    ):
        rates = peer["our_medians"][ours], peer["peer_medians"][theirs]
        yield work, f"{rates[0]:.0f} to {rates[1]:.0f} texts/s: {rates[0] / rates[1]:.2f}x"
        cpu = peer["cpu_s_per_1000"][ours], peer["peer_cpu_s_per_1000"][theirs]
        ratio = f"{cpu[1] / cpu[0]:.2f}x"
        yield "  CPU per 1,000 texts", f"{cpu[0]:.2f} s, on one thread {cpu[1]:.2f} s: {ratio}"
    yield f"cosine over {COMPARED}", f"worst {peer['worst_cosine']:.5f}"
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
    parser.add_argument("--cores", type=int, help="of the service; the callers take the others")
    arguments = parser.parse_args()
    cores = None
    if arguments.cores:
        every = usable_cores()
        cores = every[: arguments.cores]
        os.sched_setaffinity(0, every[arguments.cores :])
    found = uvloop.run(measure(arguments.peer_python, arguments.infinity, cores))
    print_all(table(found))
    RESULTS.mkdir(parents=True, exist_ok=True)
    FILE.write_text(json.dumps(found, indent=2), "utf-8")


if __name__ == "__main__":
    main()
