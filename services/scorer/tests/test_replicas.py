"""Three scorers behind one channel of the runtime: even shares, one lost, one slow."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest
from pellucid.scorer.v1 import scorer_pb2, scorer_pb2_grpc

from pellucid_runtime.errors import ServiceError
from pellucid_runtime.health import Health
from pellucid_runtime.rpc.channel import open_channel
from pellucid_runtime.rpc.server import GrpcServer
from pellucid_scorer.server import SERVICE, ScorerServicer
from pellucid_scorer.settings import ScorerSettings

REPLICAS = 3
CALLS = 60
GRACE_S = 10.0
"""Of a shutdown. Without any, grpc cancels calls that it has received and not handed over yet; what
a process costs that is killed outright stands in `test_replica_processes`."""


class Replica(ScorerServicer):
    """A scorer that answers with its own number and can be slowed."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.calls = 0
        self.seconds_per_call = 0.0

    async def Embed(  # noqa: N802 - the contract's name
        self,
        request: scorer_pb2.EmbedRequest,
        context: "grpc.aio.ServicerContext[scorer_pb2.EmbedRequest, scorer_pb2.EmbedResponse]",
    ) -> scorer_pb2.EmbedResponse:
        del request, context
        self.calls += 1
        await asyncio.sleep(self.seconds_per_call)
        return scorer_pb2.EmbedResponse(model=str(self.number))


@dataclass
class Fleet:
    """Replicas with their servers, and one channel over all of them."""

    replicas: list[Replica]
    servers: list[AsyncExitStack]
    stub: scorer_pb2_grpc.ScorerServiceStub

    async def ask(self, calls: int) -> Counter[str]:
        """Call that often, five at a time; return the calls by replica."""
        found: Counter[str] = Counter()

        async def caller(share: int) -> None:
            for _ in range(share):
                response = await self.stub.Embed(scorer_pb2.EmbedRequest(texts=["x"]), timeout=10)
                found[response.model] += 1

        await asyncio.gather(*(caller(calls // 5) for _ in range(5)))
        return found


@pytest.fixture
async def fleet(tmp_path: Path) -> AsyncIterator[Fleet]:
    async with AsyncExitStack() as stack:
        replicas = [Replica(number) for number in range(REPLICAS)]
        servers, ports = [], []
        for replica in replicas:
            own = await stack.enter_async_context(AsyncExitStack())
            health = Health()
            health.component("model").set_ready()
            server = GrpcServer(
                ScorerSettings(grpc_port=0, metrics_port=0, data_dir=tmp_path),
                register=[
                    lambda to, one=replica: scorer_pb2_grpc.add_ScorerServiceServicer_to_server(
                        one, to
                    )
                ],
                services=[SERVICE],
                health=health,
            )
            await server.start()
            own.push_async_callback(server.stop, GRACE_S)
            servers.append(own)
            ports.append(server.target.rpartition(":")[2])
        target = "ipv4:" + ",".join(f"127.0.0.1:{port}" for port in ports)
        channel = await stack.enter_async_context(open_channel(target, service=SERVICE))
        fleet = Fleet(replicas, servers, scorer_pb2_grpc.ScorerServiceStub(channel))
        await until_all_answer(fleet)
        yield fleet


async def until_all_answer(fleet: Fleet) -> None:
    """Call until each replica was connected and has answered."""
    async with asyncio.timeout(20):
        seen: set[str] = set()
        while len(seen) < len(fleet.replicas):
            seen |= (await fleet.ask(5)).keys()


async def test_load_is_shared_evenly(fleet: Fleet) -> None:
    shares = await fleet.ask(CALLS)
    assert shares.total() == CALLS
    assert max(shares.values()) - min(shares.values()) <= CALLS * 0.1, shares


async def test_a_stopped_replica_costs_no_error(fleet: Fleet) -> None:
    asking = asyncio.create_task(fleet.ask(CALLS * 5))
    while fleet.replicas[0].calls < CALLS // 2:  # noqa: ASYNC110 - stopped in the middle of the load
        await asyncio.sleep(0.001)
    await fleet.servers[0].aclose()
    assert (await asking).total() == CALLS * 5
    shares = await fleet.ask(CALLS)
    assert set(shares) == {"1", "2"}


async def test_a_slow_replica_costs_time_and_no_error(fleet: Fleet) -> None:
    fleet.replicas[1].seconds_per_call = 0.3
    shares = await fleet.ask(30)
    assert shares.total() == 30
    assert shares["1"] >= 5, "the slow one took part"


async def test_without_replicas_the_error_is_typed(fleet: Fleet) -> None:
    for server in fleet.servers:
        await server.aclose()
    with pytest.raises(ServiceError):
        await fleet.ask(5)
