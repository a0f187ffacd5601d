"""POST /v1/search: ranked results with scores, without an answer."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from pellucid_gateway.api.http.bodies import read_model
from pellucid_gateway.api.http.identity import Identity
from pellucid_gateway.api.http.leaving import until_disconnect
from pellucid_gateway.api.http.responses import JsonResponse
from pellucid_gateway.api.native.documentation import described
from pellucid_gateway.api.native.replies import SearchReply
from pellucid_gateway.api.native.requests import SearchBody
from pellucid_gateway.domain.engine import TurnEngine


def search_routes(engine: TurnEngine, identity: Identity, max_body_bytes: int) -> APIRouter:
    """Route of the search API."""
    router = APIRouter()

    @router.post("/v1/search", tags=["search"], **described(SearchBody, SearchReply))
    async def search(request: Request) -> Response:
        """Search, rank and explain the scores."""
        body = await read_model(request, SearchBody, max_body_bytes)
        command = body.to_command(identity.caller(request, body.user_id))
        outcome = await until_disconnect(request.receive, engine.search(command))
        return JsonResponse(SearchReply.found(body.query, outcome))

    return router
