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
from bisect import bisect
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import Any

from pellucid.common.v1 import common_pb2
from pellucid.scorer.v1 import scorer_pb2, scorer_pb2_grpc

from pellucid_scorer.adapters import backends

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "results"
REFERENCE = ROOT / "services" / "scorer" / "tests" / "reference_texts.json"

EQUAL_TOKENS = 65
SEARCH_TOKENS = ((0.0, 6), (0.05, 11), (0.25, 29), (0.5, 66), (0.75, 88), (0.95, 131), (1.0, 165))
"""Quantiles of the lengths of titles with snippets: of the public development questions (21, 56,
127, 170 and 253 tokens at the inner ones), shrunk in proportion so that their mean is 65 too."""
WORDS_PER_TOKEN = 0.85
"""Of the texts made here."""
CALL_RESULTS = 30
CALLS_AT_ONCE = 4
"""Of a measurement of throughput: one call alone leaves the model idle while it is tokenized."""
COMPARED = 1000
SHORTEST_LINE = 12
OWN_FILES = ("services/*/src/**/*.yaml", "corpus/**/*.html", "services/*/src/**/*.py", "docs/*.md")
READY_WITHIN_S = 60
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")

Stub = scorer_pb2_grpc.ScorerServiceStub
_numbers = count()


@dataclass(frozen=True, slots=True)
class Running:
    """A service's process."""

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


def equal_texts(number: int) -> list[str]:
    """Return texts of one length that nobody has embedded before."""
    return [_text(EQUAL_TOKENS, serial) for serial in islice(_numbers, number)]


def search_texts(number: int) -> list[str]:
    """Return texts as long and as short as those of searches, that nobody has embedded before."""
    return [_text(_search_length(serial), serial) for serial in islice(_numbers, number)]


def _search_length(serial: int) -> float:
    share = Random(serial).random()
    place = bisect(SEARCH_TOKENS, share, key=lambda quantile: quantile[0])
    (low, fewest), (high, most) = SEARCH_TOKENS[place - 1 : place + 1]
    return fewest + (most - fewest) * (share - low) / (high - low)


def _text(tokens: float, serial: int) -> str:
    number = max(0, round(tokens * WORDS_PER_TOKEN) - 2)
    return " ".join((*Random(serial).choices(_words(), k=number), f"no {serial}"))


@cache
def _words() -> list[str]:
    """Return words of our own."""
    groups: dict[str, list[str]] = json.loads(REFERENCE.read_text("utf-8"))
    return " ".join(groups["long"] + groups["english"]).split()


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
    question, *texts = search_texts(results + 1)
    candidates = (
        scorer_pb2.Candidate(id=str(n), url=f"https://s{n}.example/", snippet=text)
        for n, text in enumerate(texts)
    )
    return scorer_pb2.ScoreRequest(question=question[:80], candidates=candidates)


def message(tokens: int) -> scorer_pb2.UnderstandRequest:
    """Return a message of about so many tokens, a third of them its own, never sent before."""
    own, user, assistant = (_text(tokens / 3, serial) for serial in islice(_numbers, 3))
    history = (
        common_pb2.Message(role=common_pb2.ROLE_USER, content=user),
        common_pb2.Message(role=common_pb2.ROLE_ASSISTANT, content=assistant),
    )
    return scorer_pb2.UnderstandRequest(message=own, history=history)


@contextmanager
def running(
    module: str = "pellucid_scorer",
    *,
    cores: Collection[int] | None = None,
    **environment: str,
) -> Iterator[Running]:
    """Start a service, the scorer if no other is named, and stop it afterwards.

    Args:
        module: Its package.
        cores: Numbers of the cores that it may use; None: what this process may.
        environment: Settings besides its ports.
    """
    port = free_port()
    with tempfile.TemporaryDirectory() as folder, Path(folder, "log").open("wb") as log:
        started = time.perf_counter()
        with on_cores(cores):
            process = subprocess.Popen(
                [sys.executable, "-m", module],
                env=os.environ
                | {"GRPC_PORT": str(port), "METRICS_PORT": "0", "DATA_DIR": folder}
                | {"SCORER_DEVICE": "cpu"}
                | environment,
                stderr=log,
            )
        try:
            wait_until_listening(port, Path(log.name))
            yield Running(process, f"127.0.0.1:{port}", time.perf_counter() - started)
        finally:
            process.terminate()
            process.wait(timeout=30)


def usable_cores() -> list[int]:
    """Return the numbers of the cores that this process may use."""
    return sorted(os.sched_getaffinity(0))


@contextmanager
def on_cores(cores: Collection[int] | None) -> Iterator[None]:
    """Keep this thread, and with it the processes that it starts meanwhile, to some cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores or before)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_listening(port: int, log: Path) -> None:
    """Wait until something listens; a service does so once it is warm."""
    limit = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < limit:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise TimeoutError(f"the service did not start: {log.read_text('utf-8')[-1000:]}")


async def throughput(stub: Stub, calls: Sequence[Sequence[str]]) -> float:
    """Return texts per second of some Embed calls, `CALLS_AT_ONCE` at a time."""
    left = [scorer_pb2.EmbedRequest(texts=texts) for texts in calls]

    async def caller() -> None:
        while left:
            await stub.Embed(left.pop())

    started = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(CALLS_AT_ONCE)))
    return sum(map(len, calls)) / (time.perf_counter() - started)


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
