"""Three real scorer processes behind one channel: even shares; one frozen, then one killed."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import grpc
import pytest
from pellucid.scorer.v1 import scorer_pb2, scorer_pb2_grpc

from pellucid_runtime.rpc.channel import open_channel
from pellucid_runtime.rpc.hedging import HedgeBudget, hedged
from pellucid_scorer.server import SERVICE

REPLICAS = 3
CALLS = 45
AT_ONCE = 5
READY_WITHIN_S = 110.0
CALL_S = 40.0
PATIENCE_S = 1.0
"""After which a caller asks the next replica, as the gateway does; most calls take milliseconds."""
MOST_TRIES = 20
"""Callers that wait together ask again together, so that some meet the silent one several times."""
SERVED = re.compile(
    r'^pellucid_grpc_server_seconds_count\{code="OK",method="[^"]*Embed"\} (\S+)', re.MULTILINE
)

_numbers = count()


@dataclass(frozen=True)
class Replica:
    """A scorer process and its ports."""

    process: "subprocess.Popen[bytes]"
    grpc_port: int
    metrics_port: int

    def served(self) -> float:
        """Return the Embed calls that it has answered."""
        address = f"http://127.0.0.1:{self.metrics_port}/metrics"
        with urllib.request.urlopen(address, timeout=20) as page:
            found = SERVED.search(page.read().decode())
        return float(found[1]) if found else 0.0


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(folder: Path) -> Replica:
    ports = free_port(), free_port()
    environment = {
        "GRPC_PORT": str(ports[0]),
        "METRICS_PORT": str(ports[1]),
        "DATA_DIR": str(folder),
        "LOG_LEVEL": "error",
        "SCORER_DEVICE": "cpu",
        "SCORER_MODEL": "all-MiniLM-L6-v2",  # the other takes seconds to open, in each process
        "SCORER_THREADS": "1",
    }
    command = [sys.executable, "-m", "pellucid_scorer"]
    return Replica(subprocess.Popen(command, env=os.environ | environment), *ports)


def stop(replica: Replica) -> None:
    replica.process.kill()  # ends a frozen process too
    replica.process.wait(timeout=30)


@pytest.fixture
def replicas(tmp_path: Path) -> Iterator[list[Replica]]:
    with ExitStack() as stack:
        started = []
        for _ in range(REPLICAS):
            started.append(start(tmp_path))
            stack.callback(stop, started[-1])
        limit = time.monotonic() + READY_WITHIN_S
        for replica in started:
            wait_until_listening(replica.grpc_port, limit)
        yield started


def wait_until_listening(port: int, limit: float) -> None:
    while time.monotonic() < limit:
        with closing(socket.socket()) as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError("a replica did not start")


class Caller:
    """Calls as the gateway does: once more, on the next replica, when one is silent."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = scorer_pb2_grpc.ScorerServiceStub(channel)
        self._budget = HedgeBudget("test", ratio=1.0, burst=100.0)

    async def ask(self, calls: int = CALLS) -> None:
        """Make some calls, a few at a time; any that fails raises its error."""

        async def caller(share: int) -> None:
            for _ in range(share):
                await hedged(self._embed, after_s=PATIENCE_S, budget=self._budget, most=MOST_TRIES)

        await asyncio.gather(*(caller(calls // AT_ONCE) for _ in range(AT_ONCE)))

    async def _embed(self) -> None:
        texts = [f"pier {next(_numbers)}"]
        response = await self._stub.Embed(scorer_pb2.EmbedRequest(texts=texts), timeout=CALL_S)
        assert len(response.vectors) == 4 * response.dimensions


async def until_all_answer(caller: Caller, replicas: list[Replica]) -> None:
    async with asyncio.timeout(READY_WITHIN_S):
        while not all(replica.served() for replica in replicas):
            await caller.ask(AT_ONCE)


@pytest.mark.timeout(300)
async def test_replicas_share_evenly_and_one_lost_or_frozen_costs_no_error(
    replicas: list[Replica],
) -> None:
    target = "ipv4:" + ",".join(f"127.0.0.1:{replica.grpc_port}" for replica in replicas)
    async with open_channel(target, service=SERVICE) as channel:
        caller = Caller(channel)
        await until_all_answer(caller, replicas)
        before = [replica.served() for replica in replicas]
        await caller.ask()
        shares = [now.served() - then for now, then in zip(replicas, before, strict=True)]
        assert sum(shares) >= CALLS
        assert min(shares) >= 0.2 * CALLS, shares

        frozen, killed, spared = replicas
        frozen.process.send_signal(signal.SIGSTOP)
        await caller.ask()
        frozen.process.send_signal(signal.SIGCONT)

        asking = asyncio.create_task(caller.ask(4 * CALLS))
        await until_more(killed)
        killed.process.kill()
        await asking
        assert killed.process.wait(timeout=30) == -signal.SIGKILL
        assert spared.served() > before[2] + shares[2]


async def until_more(replica: Replica) -> None:
    """Wait until a replica has answered calls of the load that goes on."""
    before = replica.served()
    async with asyncio.timeout(READY_WITHIN_S):
        while replica.served() < before + 2:  # noqa: ASYNC110 - another process counts
            await asyncio.sleep(0.01)
