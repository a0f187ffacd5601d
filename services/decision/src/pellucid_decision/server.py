"""The gRPC face: convert, decide, convert."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pellucid.decision.v1 import decision_pb2 as pb
from pellucid.decision.v1 import decision_pb2_grpc

from pellucid_decision import convert
from pellucid_decision.decision_service import DecisionService
from pellucid_runtime.clock import Clock

SERVICE_NAME = "pellucid.decision.v1.DecisionService"


@dataclass(frozen=True, slots=True)
class DecisionServicer(decision_pb2_grpc.DecisionServiceServicer):
    """Answers `Decide`, `WriteQueries` and `Reflect`.

    Attributes:
        service: Decides and reflects.
        clock: Present instant for requests without one.
        cutoff: Knowledge cut-off for requests without one.
    """

    service: DecisionService
    clock: Clock
    cutoff: datetime

    async def Decide(self, request: pb.DecideRequest, context: Any) -> pb.DecideResponse:  # noqa: ARG002, N802 - gRPC
        """Settle whether to search, fetch or answer."""
        ask = convert.ask_of(request, now=self.clock.now(), cutoff=self.cutoff)
        return convert.decide_response(await self.service.decide(ask))

    async def WriteQueries(  # noqa: N802 - gRPC
        self,
        request: pb.WriteQueriesRequest,
        context: Any,  # noqa: ARG002 - gRPC
    ) -> pb.WriteQueriesResponse:
        """Have a model write a query that those of the decision lack."""
        ask = convert.ask_of(request.asked, now=self.clock.now(), cutoff=self.cutoff)
        known = convert.queries_of(request)
        return convert.write_queries_response(await self.service.write(ask, known))

    async def Reflect(self, request: pb.ReflectRequest, context: Any) -> pb.ReflectResponse:  # noqa: ARG002, N802 - gRPC
        """Judge whether the extracts answer the question."""
        gathered = convert.gathered_of(request, now=self.clock.now())
        return convert.reflect_response(await self.service.reflect(gathered, request.language))
