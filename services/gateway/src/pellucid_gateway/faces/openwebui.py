"""/compat/openwebui/search: Open WebUI's "external" search engine, a bare list of results."""

from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import AfterValidator, Field
from starlette.responses import Response

from pellucid_gateway.engine import TurnEngine
from pellucid_gateway.faces.bodies import read_model
from pellucid_gateway.faces.fields import MessageText, not_blank
from pellucid_gateway.faces.identity import Identity
from pellucid_gateway.faces.problems import Problem
from pellucid_gateway.faces.responses import JsonResponse
from pellucid_gateway.faces.shapes import COMPATIBLE_BODY_BYTES, Lenient
from pellucid_gateway.faces.streams import until_disconnect
from pellucid_gateway.request import SearchCommand, SearchOptions


class ExternalSearch(Lenient):
    """What Open WebUI sends."""

    query: Annotated[MessageText, AfterValidator(not_blank)]
    count: int = Field(5, ge=1, le=50)


def error_json(_problem: Problem) -> list[str]:
    """Its client expects a list whatever happens; the status tells the rest."""
    return []


def openwebui_routes(engine: TurnEngine, identity: Identity) -> APIRouter:
    """Route of the Open WebUI face."""
    router = APIRouter(include_in_schema=False)

    @router.post("/compat/openwebui/search")
    async def search(request: Request) -> Response:
        body = await read_model(request, ExternalSearch, COMPATIBLE_BODY_BYTES)
        command = SearchCommand(
            query=body.query,
            caller=identity.caller(request),
            options=SearchOptions(max_results=body.count),
            ranked=False,
            verbatim=True,
        )
        outcome = await until_disconnect(request.receive, engine.search(command))
        return JsonResponse(
            [
                {"link": source.url, "title": source.title, "snippet": source.snippet}
                for source in outcome.results[: body.count]
            ]
        )

    return router
