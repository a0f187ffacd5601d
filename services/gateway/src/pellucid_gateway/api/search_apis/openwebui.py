"""/compat/openwebui: Open WebUI's "external" search engine and page loader, bare lists both."""

from collections.abc import Sequence

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from pellucid_gateway.api.compatible.shapes import COMPATIBLE_BODY_BYTES, Lenient, as_given
from pellucid_gateway.api.http.bodies import read_model
from pellucid_gateway.api.http.fields import FilledMessage
from pellucid_gateway.api.http.identity import Identity
from pellucid_gateway.api.http.leaving import until_disconnect
from pellucid_gateway.api.http.problems import Problem, ProblemError
from pellucid_gateway.api.http.responses import JsonResponse
from pellucid_gateway.domain.engine import TurnEngine
from pellucid_gateway.domain.findings import PageContent
from pellucid_gateway.domain.request import SearchOptions

# As many pages as a request of Open WebUI can have results.
MOST_URLS = 50


class ExternalSearch(Lenient):
    """What Open WebUI sends."""

    query: FilledMessage
    count: int = Field(5, ge=1, le=50)


class ExternalLoad(Lenient):
    """What Open WebUI asks its loader for."""

    urls: list[str] = Field(min_length=1, max_length=MOST_URLS)


def error_json(_problem: Problem) -> list[str]:
    """Its client expects a list whatever happens; the status tells the rest."""
    return []


def openwebui_routes(engine: TurnEngine, identity: Identity) -> APIRouter:
    """Routes of the Open WebUI API."""
    router = APIRouter(include_in_schema=False)

    @router.post("/compat/openwebui/search")
    async def search(request: Request) -> Response:
        body = await read_model(request, ExternalSearch, COMPATIBLE_BODY_BYTES)
        options = SearchOptions(max_results=body.count)
        command = as_given(body.query, identity.caller(request), options)
        outcome = await until_disconnect(request.receive, engine.search(command))
        return JsonResponse(
            [
                {"link": source.url, "title": source.title, "snippet": source.snippet}
                for source in outcome.results[: body.count]
            ]
        )

    @router.post("/compat/openwebui/load")
    async def load(request: Request) -> Response:
        body = await read_model(request, ExternalLoad, COMPATIBLE_BODY_BYTES)
        pages = await until_disconnect(request.receive, engine.fetch(body.urls))
        if not any(page.success for page in pages):
            raise ProblemError(Problem(code="ALL_SOURCES_FAILED", detail=_why(pages)))
        return JsonResponse(
            [
                {"page_content": page.text, "metadata": {"source": page.url, "title": page.title}}
                for page in pages
                if page.success
            ]
        )

    return router


def _why(pages: Sequence[PageContent]) -> str:
    return " ".join(dict.fromkeys(page.error for page in pages if page.error))
