"""gateway.v1 over gRPC: the engine for callers inside the cluster."""

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any, cast

from pellucid.gateway.v1 import gateway_pb2, gateway_pb2_grpc

from pellucid_gateway.access.api_keys import ApiKey, Scope
from pellucid_gateway.access.caller_access import Access, enter
from pellucid_gateway.access.callers import CallerNames
from pellucid_gateway.domain.engine import TurnEngine
from pellucid_gateway.domain.events import Done, Failed
from pellucid_gateway.domain.request import TurnRequest
from pellucid_gateway.grpc.convert import turn_request
from pellucid_gateway.grpc.convert_events import decision_message, event_message
from pellucid_runtime.errors import DeniedError, UnauthenticatedError
from pellucid_runtime.rpc.deadline import remaining_s

SERVICE_NAME = gateway_pb2.DESCRIPTOR.services_by_name["GatewayService"].full_name


class GatewayServicer(gateway_pb2_grpc.GatewayServiceServicer):
    """Chat and Decide.

    Args:
        engine: Runs the turns.
        names: Hashes the person that the caller names.
        find_key: Looks the bearer of the call's metadata up; None while keys are off.
    """

    def __init__(
        self,
        engine: TurnEngine,
        names: CallerNames,
        find_key: Callable[[str], ApiKey | None] | None = None,
    ) -> None:
        self._engine = engine
        self._names = names
        self._find_key = find_key

    async def Chat(  # noqa: N802 - name of the RPC
        self, request: gateway_pb2.ChatRequest, context: Any
    ) -> AsyncIterator[gateway_pb2.ChatResponse]:
        """Answer one message and stream what happens on the way."""
        turn = self._turn(request, self._admit(context))
        async with aclosing(cast("Any", self._engine.run(turn))) as events:
            async for event in events:
                yield event_message(event)
                if isinstance(event, Done | Failed):
                    return

    async def Decide(  # noqa: N802 - name of the RPC
        self, request: gateway_pb2.DecideRequest, context: Any
    ) -> gateway_pb2.DecideResponse:
        """Decide only."""
        turn = self._turn(request.chat, self._admit(context))
        decision = await self._engine.decide(turn)
        return gateway_pb2.DecideResponse(decision=decision_message(decision))

    def _admit(self, context: Any) -> str:
        """Name of the key that the call carries; empty while keys are off.

        Raises:
            UnauthenticatedError: There is no valid one.
            DeniedError: It does not open the chat.
        """
        if self._find_key is None:
            return ""
        metadata = dict(context.invocation_metadata() or ())
        scheme, _, token = str(metadata.get("authorization", "")).partition(" ")
        key = self._find_key(token.strip()) if scheme.lower() == "bearer" else None
        if key is None:
            raise UnauthenticatedError
        if Scope.CHAT not in key.scopes:
            raise DeniedError(Scope.CHAT.value)
        enter(Access(key=key))
        return key.name

    def _turn(self, request: gateway_pb2.ChatRequest, key_name: str) -> TurnRequest:
        left = remaining_s()
        turn = turn_request(request, None if left is None else max(1, round(left * 1000)))
        caller = self._names.of_user(request.user_id, key_name=key_name)
        return replace(turn, caller=caller, keeps_conversation=True)
