"""POST /v1/decide: the decision only; nothing is searched or fetched."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from pellucid_gateway.api.http.bodies import read_model
from pellucid_gateway.api.http.identity import Identity
from pellucid_gateway.api.http.leaving import until_disconnect
from pellucid_gateway.api.http.responses import JsonResponse
from pellucid_gateway.api.native.documentation import described
from pellucid_gateway.api.native.replies import DecisionReply
from pellucid_gateway.api.native.requests import ChatBody
from pellucid_gateway.domain.engine import TurnEngine


def decide_routes(engine: TurnEngine, identity: Identity, max_body_bytes: int) -> APIRouter:
    """Route of the decision API."""
    router = APIRouter()

    @router.post("/v1/decide", tags=["decide"], **described(ChatBody, DecisionReply))
    async def decide(request: Request) -> Response:
        """Say what would be done with a message, and why."""
        body = await read_model(request, ChatBody, max_body_bytes)
        turn = body.to_turn(identity.caller(request, body.user_id))
        decision = await until_disconnect(request.receive, engine.decide(turn))
        return JsonResponse(DecisionReply.of(decision))

    return router
