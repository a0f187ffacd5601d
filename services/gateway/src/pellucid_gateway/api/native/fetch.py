"""POST /v1/fetch: reads pages that a person named."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from pellucid_gateway.api.http.bodies import read_model
from pellucid_gateway.api.http.leaving import until_disconnect
from pellucid_gateway.api.http.responses import JsonResponse
from pellucid_gateway.api.native.documentation import described
from pellucid_gateway.api.native.replies import FetchReply, PageReply
from pellucid_gateway.api.native.requests import FetchBody
from pellucid_gateway.domain.engine import TurnEngine


def fetch_routes(engine: TurnEngine, max_body_bytes: int) -> APIRouter:
    """Route of the fetch face."""
    router = APIRouter()

    @router.post("/v1/fetch", tags=["fetch"], **described(FetchBody, FetchReply))
    async def fetch(request: Request) -> Response:
        """Read pages; a bad page is an outcome with a reason."""
        body = await read_model(request, FetchBody, max_body_bytes)
        work = engine.fetch(body.urls, **body.reading())
        pages = await until_disconnect(request.receive, work)
        return JsonResponse({"results": [PageReply.of(page) for page in pages]})

    return router
