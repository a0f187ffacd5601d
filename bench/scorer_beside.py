"""The scorer beside its peers in one run, in short turns, so that a busy machine slows all alike.

Two workloads: searches, a question and 30 results of lengths as results have, which is what the
service is asked; and large lists of texts of one length, which suit a peer whose batches are padded
to their longest text.

The peers: sentence-transformers in float32 (`scorer_peer.py`), and infinity's server where it is
installed. Ours is asked over gRPC; the time of that counts.
"""

import asyncio
import base64
import json
import os
import statistics
import subprocess
import time
import urllib.request
from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import scorer_rig as bench
from pellucid.scorer.v1 import scorer_pb2

from pellucid_scorer.adapters import backends
from pellucid_scorer.settings import ScorerSettings

TURNS = 4
SEARCHES = 12
PEER_SEARCHES = 3
"""Calls of a turn with the texts of one search each; ours come from several callers at once, the
peer's one after another. It gets the first of ours, fewer since it takes longer."""
LARGE_CALLS = 4
LARGE_CALL_TEXTS = 96
PEER_LARGE = 96
"""Three of the peer's batches, all of which take equally long, so that more at once would not make
it faster."""
INFINITY_READY_S = 90


@dataclass(frozen=True, slots=True)
class Peer:
    """sentence-transformers in a process of its own."""

    process: "asyncio.subprocess.Process"

    async def encode(
        self, texts: Sequence[str], *, threads: int | None = None, vectors: bool = False
    ) -> dict[str, Any]:
        """Return its figures over some texts."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        job = {"texts": list(texts), "threads": threads, "vectors": vectors}
        self.process.stdin.write(json.dumps(job).encode() + b"\n")
        await self.process.stdin.drain()
        found: dict[str, Any] = json.loads(await self.process.stdout.readline())
        return found

    async def encode_each(
        self, lists: Sequence[Sequence[str]], *, threads: int | None = None
    ) -> list[dict[str, Any]]:
        """Return its figures over some lists of texts, encoded one after another."""
        return [await self.encode(texts, threads=threads) for texts in lists]


def model_folder() -> Path:
    """Return where the model's files are."""
    settings = ScorerSettings()
    return backends.chosen_files(settings).folder


@asynccontextmanager
async def peer(python: str, cores: Collection[int]) -> AsyncIterator[Peer]:
    """Start the peer on some cores and stop it afterwards."""
    with bench.on_cores(cores):
        process = await asyncio.create_subprocess_exec(
            python,
            str(Path(__file__).with_name("scorer_peer.py")),
            str(model_folder()),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            limit=1 << 26,
        )
    try:
        assert process.stdout is not None
        json.loads(await process.stdout.readline())
        yield Peer(process)
    finally:
        process.kill()
        await process.wait()


async def beside(python: str, scorer: bench.Running, stub: bench.Stub) -> dict[str, Any]:
    """Return speed and processor time of both, and how near our vectors are to the peer's."""
    async with peer(python, os.sched_getaffinity(scorer.process.pid)) as other:
        await _turn(Rates(), Turn(), scorer, stub, other)  # nothing is warm yet
        rates = Rates()
        for _ in range(TURNS):
            await _turn(rates, Turn(), scorer, stub, other)
        found = rates.figures() | await _alone(other)
        return found | await _nearness(stub, other)


class Turn:
    """Texts of one turn, the same for both sides.

    Attributes:
        searches: What each of some Score calls has: a question and results of various lengths.
        large: Texts of one length in a few large calls.
    """

    def __init__(self) -> None:
        texts = bench.CALL_RESULTS + 1
        self.searches = [bench.search_texts(texts) for _ in range(SEARCHES)]
        self.large = [bench.equal_texts(LARGE_CALL_TEXTS) for _ in range(LARGE_CALLS)]

    @property
    def peer_searches(self) -> list[list[str]]:
        """The searches that the peer gets too."""
        return self.searches[:PEER_SEARCHES]

    @property
    def merged(self) -> list[str]:
        """The same in one list, as if the peer had a batching server before it."""
        return list(chain.from_iterable(self.peer_searches))

    @property
    def peer_large(self) -> list[str]:
        """Texts of one length that the peer gets too."""
        return list(chain.from_iterable(self.large))[:PEER_LARGE]


@dataclass(slots=True)
class Rates:
    """Texts per second by turn, and processor seconds of ours, by workload."""

    ours: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    theirs: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    cpu_s: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    texts: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def figures(self) -> dict[str, Any]:
        """Return the turns, their medians, and our processor seconds for 1,000 texts."""
        return {
            "ours": self.ours,
            "theirs": self.theirs,
            "our_medians": {name: statistics.median(all_) for name, all_ in self.ours.items()},
            "peer_medians": {name: statistics.median(all_) for name, all_ in self.theirs.items()},
            "cpu_s_per_1000": {
                name: 1000 * spent / self.texts[name] for name, spent in self.cpu_s.items()
            },
        }


async def _turn(
    rates: Rates, turn: Turn, scorer: bench.Running, stub: bench.Stub, other: Peer
) -> None:
    for name, calls in (("search", turn.searches), ("large", turn.large)):
        spent = scorer.cpu_s
        rates.ours[name].append(await bench.throughput(stub, calls))
        rates.cpu_s[name] += scorer.cpu_s - spent
        rates.texts[name] += sum(map(len, calls))
    for name, lists in _peer_work(turn).items():
        rates.theirs[name].append(_joined(await other.encode_each(lists), "texts_per_s"))


def _peer_work(turn: Turn) -> dict[str, list[list[str]]]:
    return {"search": turn.peer_searches, "merged": [turn.merged], "large": [turn.peer_large]}


def _joined(answers: Sequence[dict[str, Any]], rate: str) -> float:
    """Return the rate of several answers to lists of equal length together."""
    return statistics.harmonic_mean([one[rate] for one in answers])


async def _alone(other: Peer) -> dict[str, Any]:
    """Return the peer's processor time, on one thread since more of them wait for one another."""
    found: dict[str, float] = {}
    for name, lists in _peer_work(Turn()).items():
        answers = await other.encode_each(lists, threads=1)
        found[name] = statistics.mean(one["cpu_s_per_1000"] for one in answers)
    return {"peer_cpu_s_per_1000": found, "peer_rss_mb": answers[-1]["rss_mb"]}


async def _nearness(stub: bench.Stub, other: Peer) -> dict[str, Any]:
    compared = bench.own_texts()
    answer = await other.encode(compared, vectors=True)
    response = await stub.Embed(scorer_pb2.EmbedRequest(texts=compared))
    shape = (len(compared), response.dimensions)
    theirs = np.frombuffer(base64.b64decode(answer["vectors"]), "<f4").reshape(shape)
    cosines = (np.frombuffer(response.vectors, "<f4").reshape(shape) * theirs).sum(axis=1)
    worst = int(cosines.argmin())
    return {
        "worst_cosine": float(cosines[worst]),
        "mean_cosine": float(cosines.mean()),
        "worst_text": compared[worst][:80],
    }


async def infinity(command: str | None) -> dict[str, Any]:
    """Return texts per second of infinity's server on the same model, or why there is no figure.

    Args:
        command: Its executable.
    """
    if not command:
        return {"not_run": "not installed; name its executable with --infinity"}
    port = bench.free_port()
    arguments = ("v2", "--model-id", str(model_folder()), "--served-model-name", "peer")
    process = await asyncio.create_subprocess_exec(
        command,
        *arguments,
        *("--engine", "torch", "--device", "cpu", "--port", str(port)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"DO_NOT_TRACK": "1", "HF_HUB_OFFLINE": "1"},
    )
    try:
        if not await _is_ready(port, process):
            return {"not_run": "it did not start"}
        return {"texts_per_s": await asyncio.to_thread(_infinity_rate, port)}
    except OSError as error:
        return {"not_run": f"it gave no answer: {error}"}
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _is_ready(port: int, process: "asyncio.subprocess.Process") -> bool:
    limit = time.monotonic() + INFINITY_READY_S
    while time.monotonic() < limit and process.returncode is None:
        try:
            await asyncio.to_thread(_embed, port, ["ready"])
        except OSError:
            await asyncio.sleep(0.5)
        else:
            return True
    return False


def _infinity_rate(port: int) -> float:
    texts = bench.equal_texts(2 * PEER_LARGE)
    started = time.perf_counter()
    _embed(port, texts)
    return len(texts) / (time.perf_counter() - started)


def _embed(port: int, texts: Sequence[str]) -> None:
    body = json.dumps({"model": "peer", "input": list(texts)}).encode()
    address = f"http://127.0.0.1:{port}/embeddings"
    request = urllib.request.Request(address, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=120) as response:
        response.read()
