"""A scorer that answers with too few numbers, and with what is no number, in turn."""

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1._async import HealthServicer
from pellucid.scorer.v1 import scorer_pb2, scorer_pb2_grpc

SERVICE = "pellucid.scorer.v1.ScorerService"


class LyingScorer(scorer_pb2_grpc.ScorerServiceServicer):
    """Lies in every call."""

    def __init__(self) -> None:
        self.lies = 0
        self.port = 0

    async def Score(  # noqa: N802 - the contract's name
        self, request: Any, context: Any
    ) -> scorer_pb2.ScoreResponse:
        del context
        self.lies += 1
        kept = request.candidates[1:] if self.lies % 2 else request.candidates
        return scorer_pb2.ScoreResponse(
            scored=[scorer_pb2.ScoredCandidate(id=one.id, final=math.nan) for one in kept]
        )

    async def Similarity(  # noqa: N802 - the contract's name
        self, request: Any, context: Any
    ) -> scorer_pb2.SimilarityResponse:
        del context
        self.lies += 1
        said = [0.9] * (len(request.others) - 1) if self.lies % 2 else [math.nan]
        return scorer_pb2.SimilarityResponse(similarities=said)

    async def Understand(  # noqa: N802 - the contract's name
        self, request: Any, context: Any
    ) -> scorer_pb2.UnderstandResponse:
        del request, context
        self.lies += 1
        return scorer_pb2.UnderstandResponse(search=1.5 if self.lies % 2 else math.nan)

    async def Support(  # noqa: N802 - the contract's name
        self, request: Any, context: Any
    ) -> scorer_pb2.SupportResponse:
        del context
        self.lies += 1
        if self.lies % 2:
            return scorer_pb2.SupportResponse()
        wrong = [
            scorer_pb2.PassageSupport(passage_id=one.id, score=math.nan) for one in request.passages
        ]
        return scorer_pb2.SupportResponse(
            claims=[scorer_pb2.ClaimSupport(passages=wrong) for _ in request.claims]
        )


@asynccontextmanager
async def lying_scorer() -> AsyncIterator[LyingScorer]:
    """Serve it on a free port; it says that it is healthy."""
    liar, health = LyingScorer(), HealthServicer()
    server = grpc.aio.server()
    scorer_pb2_grpc.add_ScorerServiceServicer_to_server(liar, server)
    health_pb2_grpc.add_HealthServicer_to_server(health, server)
    await health.set(SERVICE, health_pb2.HealthCheckResponse.SERVING)
    liar.port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield liar
    finally:
        await server.stop(0)
