"""The gRPC face: convert, decide, convert."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any

from pellucid.decision.v1 import decision_pb2 as pb
from pellucid.decision.v1 import decision_pb2_grpc

from pellucid_decision import convert
from pellucid_decision.decision import Decision, Query, Written
from pellucid_decision.queries.reflection import Gathered, Judgement
from pellucid_decision.text.conversation import Ask
from pellucid_runtime.clock import Clock

SERVICE_NAME = "pellucid.decision.v1.DecisionService"


class DecisionServicer(decision_pb2_grpc.DecisionServiceServicer):
    """Answers `Decide`, `WriteQueries` and `Reflect`.

    Args:
        decide: Takes a decision.
        write: Has a model add a query to those of a decision.
        reflect: Judges what was gathered; the second argument is a language code.
        clock: Present instant for requests without one.
        cutoff: Knowledge cut-off for requests without one.
    """

    def __init__(
        self,
        *,
        decide: Callable[[Ask], Awaitable[Decision]],
        write: Callable[[Ask, Sequence[Query]], Awaitable[Written]],
        reflect: Callable[[Gathered, str], Awaitable[Judgement]],
        clock: Clock,
        cutoff: datetime,
    ) -> None:
        self._decide = decide
        self._write = write
        self._reflect = reflect
        self._clock = clock
        self._cutoff = cutoff

    async def Decide(self, request: pb.DecideRequest, context: Any) -> pb.DecideResponse:  # noqa: ARG002, N802 - gRPC
        """Settle whether to search, fetch or answer."""
        ask = convert.ask_of(request, now=self._clock.now(), cutoff=self._cutoff)
        return convert.decide_response(await self._decide(ask))

    async def WriteQueries(  # noqa: N802 - gRPC
        self,
        request: pb.WriteQueriesRequest,
        context: Any,  # noqa: ARG002 - gRPC
    ) -> pb.WriteQueriesResponse:
        """Have a model write a query that those of the decision lack."""
        ask = convert.ask_of(request.asked, now=self._clock.now(), cutoff=self._cutoff)
        known = convert.queries_of(request)
        return convert.write_queries_response(await self._write(ask, known))

    async def Reflect(self, request: pb.ReflectRequest, context: Any) -> pb.ReflectResponse:  # noqa: ARG002, N802 - gRPC
        """Judge whether the extracts answer the question."""
        gathered = convert.gathered_of(request, now=self._clock.now())
        return convert.reflect_response(await self._reflect(gathered, request.language))
