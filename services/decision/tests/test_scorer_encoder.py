"""The encoder adapter against a real gRPC server."""

import struct
from collections.abc import AsyncIterator

import grpc
import pytest
from pellucid.scorer.v1 import scorer_pb2 as pb
from pellucid.scorer.v1 import scorer_pb2_grpc

from pellucid_decision.adapters.scorer_encoder import ScorerEncoder
from pellucid_decision.errors import UnavailableError


class Scorer(scorer_pb2_grpc.ScorerServiceServicer):
    calls = 0

    async def Embed(self, request: pb.EmbedRequest, _context: object) -> pb.EmbedResponse:  # noqa: N802 - gRPC
        self.calls += 1
        vectors = b"abc" if request.texts[0] == "broken" else struct.pack("<2f", 0.6, 0.8)
        return pb.EmbedResponse(vectors=vectors, dimensions=2)


@pytest.fixture
async def wired() -> AsyncIterator[tuple[Scorer, ScorerEncoder]]:
    scorer, server = Scorer(), grpc.aio.server()
    scorer_pb2_grpc.add_ScorerServiceServicer_to_server(scorer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield scorer, ScorerEncoder(channel, timeout_s=5)
    await server.stop(0)


async def test_vectors_are_read_and_kept(wired: tuple[Scorer, ScorerEncoder]) -> None:
    scorer, encoder = wired
    for _ in range(3):
        assert list(await encoder.embed("hello")) == pytest.approx([0.6, 0.8])
    assert scorer.calls == 1


async def test_a_broken_vector_is_unavailable(wired: tuple[Scorer, ScorerEncoder]) -> None:
    with pytest.raises(UnavailableError):
        await wired[1].embed("broken")


async def test_a_dead_scorer_is_left_alone_for_a_while() -> None:
    async with grpc.aio.insecure_channel("127.0.0.1:1") as channel:
        encoder = ScorerEncoder(channel, timeout_s=0.2)
        with pytest.raises(UnavailableError, match="did not answer"):
            await encoder.embed("a")
        with pytest.raises(UnavailableError, match="a moment ago"):
            await encoder.embed("b")
