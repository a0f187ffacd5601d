"""gateway.v1 over gRPC: the engine for callers inside the cluster."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any, cast

from pellucid.gateway.v1 import gateway_pb2, gateway_pb2_grpc

from pellucid_gateway.callers import CallerNames
from pellucid_gateway.convert import turn_request
from pellucid_gateway.convert_events import decision_message, event_message
from pellucid_gateway.engine import TurnEngine
from pellucid_gateway.request import TurnRequest
from pellucid_gateway.turn import Done, Failed
from pellucid_runtime.deadline import remaining_s

SERVICE_NAME = gateway_pb2.DESCRIPTOR.services_by_name["GatewayService"].full_name


class GatewayServicer(gateway_pb2_grpc.GatewayServiceServicer):
    """Chat and Decide.

    Args:
        engine: Runs the turns.
        names: Hashes the person that the caller names.
    """

    def __init__(self, engine: TurnEngine, names: CallerNames) -> None:
        self._engine = engine
        self._names = names

    async def Chat(  # noqa: N802 - name of the RPC
        self, request: gateway_pb2.ChatRequest, context: Any
    ) -> AsyncIterator[gateway_pb2.ChatResponse]:
        """Answer one message and stream what happens on the way."""
        del context
        turn = self._turn(request)
        async with aclosing(cast("Any", self._engine.run(turn))) as events:
            async for event in events:
                yield event_message(event)
                if isinstance(event, Done | Failed):
                    return

    async def Decide(  # noqa: N802 - name of the RPC
        self, request: gateway_pb2.DecideRequest, context: Any
    ) -> gateway_pb2.DecideResponse:
        """Decide only."""
        del context
        decision = await self._engine.decide(self._turn(request.chat))
        return gateway_pb2.DecideResponse(decision=decision_message(decision))

    def _turn(self, request: gateway_pb2.ChatRequest) -> TurnRequest:
        left = remaining_s()
        turn = turn_request(request, None if left is None else max(1, round(left * 1000)))
        return replace(turn, caller=self._names.of_user(request.user_id))
