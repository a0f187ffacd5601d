"""A scorer process to measure, and texts of our own for it that nobody has embedded before."""

import asyncio
import json
import os
import platform
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

from pellucid.scorer.v1 import scorer_pb2, scorer_pb2_grpc

from pellucid_scorer.adapters import backends

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "results"
REFERENCE = ROOT / "services" / "scorer" / "tests" / "reference_texts.json"

WORDS_PER_TEXT = 56
"""Gives about 65 tokens, as a title and a snippet have."""
BATCH_TEXTS = 600
CALLS_AT_ONCE = 4
"""Of a measurement of throughput: one call alone leaves the model idle while it is tokenized."""
COMPARED = 1000
SHORTEST_LINE = 12
OWN_FILES = ("services/*/src/**/*.yaml", "corpus/**/*.html", "services/*/src/**/*.py", "docs/*.md")
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


async def throughput(stub: Stub, number: int = BATCH_TEXTS) -> float:
    """Return texts per second of `CALLS_AT_ONCE` calls that share so many fresh texts."""
    texts = fresh_texts(number)
    calls = [scorer_pb2.EmbedRequest(texts=texts[n::CALLS_AT_ONCE]) for n in range(CALLS_AT_ONCE)]
    started = time.perf_counter()
    await asyncio.gather(*(stub.Embed(call) for call in calls))
    return len(texts) / (time.perf_counter() - started)


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
