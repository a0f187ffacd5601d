"""A whole service in its smallest form, run as a process by test_service.py."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

from pellucid.scorer.v1 import scorer_pb2 as scorer
from pellucid.scorer.v1 import scorer_pb2_grpc
from pydantic import Field

from pellucid_runtime.health import Health
from pellucid_runtime.rpc.server import GrpcServer
from pellucid_runtime.service import Service, run
from pellucid_runtime.settings import ServiceSettings
from pellucid_runtime.telemetry.metrics import MetricsServer


class EchoSettings(ServiceSettings):
    """Settings of the echo."""

    start_s: float = Field(default=0, ge=0, le=30, description="How long the start takes.")
    work_s: float = Field(default=0.02, ge=0, le=30, description="How long a call takes.")


class EchoServicer(scorer_pb2_grpc.ScorerServiceServicer):
    def __init__(self, work_s: float) -> None:
        self._work_s = work_s

    async def Similarity(self, request: Any, _context: Any) -> scorer.SimilarityResponse:  # noqa: N802
        await asyncio.sleep(self._work_s)
        return scorer.SimilarityResponse(similarities=[1.0] * len(request.others))


async def build(settings: EchoSettings, stack: AsyncExitStack) -> Service:
    stack.callback(print, "resources closed", flush=True)
    if settings.start_s:
        print("starting", flush=True)  # noqa: T201 - tells the test when to act
        await asyncio.sleep(settings.start_s)
    health = Health()
    servicer = EchoServicer(settings.work_s)
    grpc_server = GrpcServer(
        settings,
        register=[lambda s: scorer_pb2_grpc.add_ScorerServiceServicer_to_server(servicer, s)],
        services=["pellucid.scorer.v1.ScorerService"],
        health=health,
    )
    return Service("echo", [grpc_server, MetricsServer(settings, health)], health)


if __name__ == "__main__":
    run(build, EchoSettings)
