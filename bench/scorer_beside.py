"""The scorer beside its peers in one run, in short turns, so that a busy machine slows all alike.

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
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scorer_rig as bench
from pellucid.scorer.v1 import scorer_pb2

from pellucid_scorer.adapters import model_files
from pellucid_scorer.settings import ScorerSettings
from pellucid_scorer.tables import read_models

TURNS = 7
OUR_TEXTS = 480
PEER_TEXTS = 96
"""In each turn; about a second of work on two cores for either. The peer's are three of its
batches, all of which take equally long, so that more at once would not make it faster."""
INFINITY_BATCH = 32
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


def model_folder() -> Path:
    """Return where the model's files are."""
    settings = ScorerSettings()
    return model_files.find(
        read_models().named(settings.scorer_model),
        source=settings.scorer_model_source,
        folder=settings.scorer_model_dir,
        cache=settings.data_dir / "models",
    ).folder


@asynccontextmanager
async def peer(python: str) -> AsyncIterator[Peer]:
    """Start the peer and stop it afterwards."""
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


async def turns(stub: bench.Stub, other: Peer) -> dict[str, Any]:
    """Return texts per second of both, turn by turn, and the ratio of their medians."""
    await bench.throughput(stub, OUR_TEXTS)
    await other.encode(bench.fresh_texts(PEER_TEXTS))
    ours, theirs = [], []
    for _ in range(TURNS):
        ours.append(await bench.throughput(stub, OUR_TEXTS))
        theirs.append((await other.encode(bench.fresh_texts(PEER_TEXTS)))["texts_per_s"])
    middle = statistics.median(ours), statistics.median(theirs)
    return {"ours": ours, "theirs": theirs, "medians": middle, "ratio": middle[0] / middle[1]}


async def beside(python: str, scorer: bench.Running, stub: bench.Stub) -> dict[str, Any]:
    """Return speed and processor time of both, and how near our vectors are to the peer's."""
    async with peer(python) as other:
        found = await turns(stub, other)
        cpu = scorer.cpu_s
        await bench.throughput(stub, OUR_TEXTS)
        found["cpu_s_per_1000"] = (scorer.cpu_s - cpu) * 1000 / OUR_TEXTS
        alone = await other.encode(bench.fresh_texts(PEER_TEXTS), threads=1)
        found["peer_cpu_s_per_1000"] = alone["cpu_s_per_1000"]
        found["peer_rss_mb"] = alone["rss_mb"]
        return found | await _nearness(stub, other)


async def _nearness(stub: bench.Stub, other: Peer) -> dict[str, Any]:
    compared = bench.own_texts()
    answer = await other.encode(compared, threads=1, vectors=True)
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
    texts = bench.fresh_texts(2 * PEER_TEXTS)
    started = time.perf_counter()
    _embed(port, texts)
    return len(texts) / (time.perf_counter() - started)


def _embed(port: int, texts: Sequence[str]) -> None:
    body = json.dumps({"model": "peer", "input": list(texts)}).encode()
    address = f"http://127.0.0.1:{port}/embeddings"
    request = urllib.request.Request(address, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=120) as response:
        response.read()
