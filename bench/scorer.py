"""Measures the scorer: texts per second beside a peer, latency, callers, overload, memory.

    python bench/scorer.py [--peer-python PYTHON]

The service runs as its own process, as in production, and is called over gRPC with texts that it
has not seen. ``--peer-python`` (or BENCH_PEER_PYTHON) names an interpreter that has
sentence-transformers; the peer encodes the same texts in the same run, between two runs of ours.
"""

import argparse
import asyncio
import base64
import json
import os
import platform
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import grpc
import numpy as np
from pellucid.scorer.v1 import scorer_pb2, scorer_pb2_grpc

from pellucid_scorer.adapters import backends, model_files
from pellucid_scorer.settings import ScorerSettings
from pellucid_scorer.tables import read_models

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "results" / "scorer.json"
REFERENCE = ROOT / "services" / "scorer" / "tests" / "reference_texts.json"

WORDS_PER_TEXT = 50
"""Gives about 65 tokens, as a title and a snippet have."""
BATCH_TEXTS = 600
COMPARED = 1000
SHORTEST_LINE = 12
OWN_FILES = ("services/*/src/**/*.yaml", "corpus/**/*.html", "services/*/src/**/*.py", "docs/*.md")
ROUNDS = 15
CALLERS = (1, 2, 5, 10, 20)
READY_WITHIN_S = 30
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")

Stub = scorer_pb2_grpc.ScorerServiceStub
_numbers = count()


@dataclass(frozen=True, slots=True)
class Running:
    """A scorer process."""

    process: "subprocess.Popen[bytes]"
    target: str
    ready_s: float

    @property
    def rss_mb(self) -> float:
        """Memory in use."""
        status = Path(f"/proc/{self.process.pid}/status").read_text("ascii")
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    @property
    def cpu_s(self) -> float:
        """Processor time used so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text("ascii").rsplit(")")[1].split()
        return (int(fields[11]) + int(fields[12])) / CLOCK_TICKS


def fresh_texts(number: int) -> list[str]:
    """Return texts of our own words that nobody has embedded before."""
    groups: dict[str, list[str]] = json.loads(REFERENCE.read_text("utf-8"))
    words = " ".join(groups["long"] + groups["english"]).split()
    texts = []
    for serial in (next(_numbers) for _ in range(number)):
        random = Random(serial)
        start = random.randrange(len(words) - WORDS_PER_TEXT)
        chosen = words[start : start + WORDS_PER_TEXT - 2]
        random.shuffle(chosen)
        texts.append(" ".join((*chosen, f"no {serial}")))
    return texts


def own_texts() -> list[str]:
    """Return `COMPARED` different texts of our own: prose, code, tables, many scripts, emojis."""
    groups: dict[str, list[str]] = json.loads(REFERENCE.read_text("utf-8"))
    chosen = [text for group in groups.values() for text in group]
    lines: dict[str, None] = {}
    for pattern in OWN_FILES:
        for file in sorted(ROOT.glob(pattern)):
            # Some pages of the corpus are in other encodings on purpose.
            content = file.read_text("utf-8", errors="replace")
            lines |= dict.fromkeys(line.strip() for line in content.splitlines())
    others = [line for line in lines if len(line) > SHORTEST_LINE and line not in chosen]
    return chosen + Random(0).sample(others, COMPARED - len(chosen))


def request(results: int) -> scorer_pb2.ScoreRequest:
    """Return a Score request with texts never seen before."""
    question, *texts = fresh_texts(results + 1)
    candidates = (
        scorer_pb2.Candidate(id=str(n), url=f"https://s{n}.example/", snippet=text)
        for n, text in enumerate(texts)
    )
    return scorer_pb2.ScoreRequest(question=question[:80], candidates=candidates)


@contextmanager
def running(**environment: str) -> Iterator[Running]:
    """Start a scorer and stop it afterwards."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "pellucid_scorer"],
            env=os.environ
            | {"GRPC_PORT": str(port), "METRICS_PORT": "0", "DATA_DIR": folder}
            | {"LOG_LEVEL": "error", "SCORER_DEVICE": "cpu"}
            | environment,
        )
        try:
            wait_until_listening(port)
            yield Running(process, f"127.0.0.1:{port}", time.perf_counter() - started)
        finally:
            process.terminate()
            process.wait(timeout=30)


def free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_listening(port: int) -> None:
    """Wait until something listens; the scorer does so once its model is warm."""
    limit = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < limit:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise TimeoutError("the scorer did not start")


async def throughput(stub: Stub) -> float:
    """Return texts per second of one large call of fresh texts."""
    texts = fresh_texts(BATCH_TEXTS)
    started = time.perf_counter()
    await stub.Embed(scorer_pb2.EmbedRequest(texts=texts))
    return len(texts) / (time.perf_counter() - started)


async def latency(stub: Stub, results: int) -> tuple[float, float]:
    """Return the median milliseconds of a Score call, fresh and again from the cache."""
    fresh, cached = [], []
    for _ in range(ROUNDS):
        call = request(results)
        for times in (fresh, cached):
            started = time.perf_counter()
            await stub.Score(call)
            times.append((time.perf_counter() - started) * 1000)
    return statistics.median(fresh), statistics.median(cached)


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


def peer(python: str, texts: Sequence[str], compared: Sequence[str]) -> dict[str, Any]:
    """Return the peer's speed over some texts and its vectors of others."""
    settings = ScorerSettings()
    files = model_files.find(
        read_models().named(settings.scorer_model),
        source=settings.scorer_model_source,
        folder=settings.scorer_model_dir,
        cache=settings.data_dir / "models",
    )
    job = {"model": str(files.folder), "threads": backends.usable_cores(), "texts": list(texts)}
    job["compared"] = list(compared)
    done = subprocess.run(
        [python, str(Path(__file__).with_name("scorer_peer.py"))],
        input=json.dumps(job).encode(),
        capture_output=True,
        check=True,
    )
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


async def beside(python: str, stub: Stub) -> dict[str, Any]:
    """Return the peer's figures and how near our vectors are to its own."""
    compared = own_texts()
    found = await asyncio.to_thread(peer, python, fresh_texts(BATCH_TEXTS), compared)
    response = await stub.Embed(scorer_pb2.EmbedRequest(texts=compared))
    shape = (len(compared), response.dimensions)
    theirs = np.frombuffer(base64.b64decode(found.pop("vectors")), "<f4").reshape(shape)
    cosines = (np.frombuffer(response.vectors, "<f4").reshape(shape) * theirs).sum(axis=1)
    worst = int(cosines.argmin())
    return found | {"worst_cosine": float(cosines[worst]), "worst_text": compared[worst][:80]}


async def measure(peer_python: str | None) -> dict[str, Any]:
    """Run everything and return the figures."""
    with running() as scorer:
        async with grpc.aio.insecure_channel(scorer.target) as channel:
            stub = Stub(channel)
            await throughput(stub)
            cpu = scorer.cpu_s
            before = await throughput(stub)
            found: dict[str, Any] = {"machine": machine(), "ready_s": scorer.ready_s}
            found["cpu_s_per_1000_texts"] = (scorer.cpu_s - cpu) * 1000 / BATCH_TEXTS
            if peer_python:
                found["peer"] = await beside(peer_python, stub)
            found["texts_per_s"] = (before + await throughput(stub)) / 2
            cpu = scorer.cpu_s
            found["latency_ms"] = {n: await latency(stub, n) for n in (10, 30, 100)}
            results = ROUNDS * (10 + 30 + 100)
            found["cpu_s_per_1000_results"] = (scorer.cpu_s - cpu) * 1000 / results
            found["callers"] = {n: await callers(stub, n) for n in CALLERS}
            found["rss_mb"] = scorer.rss_mb
            peak = max(rate for rate, _ in found["callers"].values())
            found["overload"] = await overload(stub, peak)
            found["rss_after_overload_mb"] = scorer.rss_mb
    return found


def machine() -> dict[str, Any]:
    """Return what the figures depend on."""
    info = Path("/proc/cpuinfo").read_text("utf-8")
    flags = set(info.split("flags", 1)[1].split("\n", 1)[0].split())
    known = ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_bf16", "amx_int8")
    return {
        "cores": backends.usable_cores(),
        "flags": [flag for flag in known if flag in flags],
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
    }


def table(found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the lines of the report."""
    yield "machine", f"{found['machine']}"
    yield "texts/s, one large call", f"{found['texts_per_s']:.0f}"
    if "peer" in found:
        rate = found["peer"]["texts_per_s"]
        yield "sentence-transformers fp32", f"{rate:.0f} texts/s, {found['peer']['rss_mb']:.0f} MB"
        worst = found["peer"]["worst_cosine"]
        yield f"worst cosine of {COMPARED}", f"{worst:.5f}"
        yield "ratio", f"{found['texts_per_s'] / rate:.2f}x"
        ours, theirs = found["cpu_s_per_1000_texts"], found["peer"]["cpu_s_per_1000"]
        yield "CPU per 1,000 texts", f"{ours:.2f} s, peer {theirs:.2f} s: {theirs / ours:.2f}x"
    for results, (fresh, cached) in found["latency_ms"].items():
        yield f"{results} results, p50", f"{fresh:.1f} ms fresh, {cached:.1f} ms cached"
    for number, (rate, p99) in found["callers"].items():
        yield f"{number} callers", f"{rate:.0f} texts/s, p99 {p99:.0f} ms"
    overloaded = found["overload"]
    yield "10x overload", f"{overloaded['served']} served, {overloaded['refused']} refused"
    yield "  goodput", f"{100 * overloaded['goodput_share']:.0f} % of peak"
    yield (
        "  refused after",
        f"p50 {overloaded['refusal_p50_ms']:.1f} ms, p99 {overloaded['refusal_p99_ms']:.1f} ms",
    )
    yield "CPU per 1,000 results", f"{found['cpu_s_per_1000_results']:.2f} s"
    yield "memory", f"{found['rss_mb']:.0f} MB, {found['rss_after_overload_mb']:.0f} after overload"
    yield "ready after", f"{found['ready_s']:.2f} s"


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--peer-python", default=os.environ.get("BENCH_PEER_PYTHON"))
    found = asyncio.run(measure(parser.parse_args().peer_python))
    for name, value in table(found):
        print(f"{name:<28}{value}")
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps(found, indent=2), "utf-8")


if __name__ == "__main__":
    main()
