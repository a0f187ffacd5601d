"""POST /v1/fetch: reads pages that a person named."""

from collections.abc import Sequence

from fastapi import APIRouter, Request
from starlette.responses import Response

from pellucid_gateway.api.http.bodies import read_model
from pellucid_gateway.api.http.leaving import until_disconnect
from pellucid_gateway.api.http.problems import Problem, ProblemError
from pellucid_gateway.api.http.responses import JsonResponse
from pellucid_gateway.api.native.documentation import described
from pellucid_gateway.api.native.replies import FetchReply, Json, PageReply
from pellucid_gateway.api.native.requests import FetchBody
from pellucid_gateway.domain.engine import TurnEngine
from pellucid_gateway.domain.findings import PageContent


def fetch_routes(engine: TurnEngine, max_body_bytes: int) -> APIRouter:
    """Route of the fetch API."""
    router = APIRouter()

    @router.post("/v1/fetch", tags=["fetch"], **described(FetchBody, FetchReply))
    async def fetch(request: Request) -> Response:
        """Read pages; a bad page is an outcome with a reason, as long as another can be read."""
        body = await read_model(request, FetchBody, max_body_bytes)
        work = engine.fetch(body.urls, **body.reading())
        pages = await until_disconnect(request.receive, work)
        results = [PageReply.of(page) for page in pages]
        if not any(page.success for page in pages):
            raise ProblemError(_problem(pages, results))
        return JsonResponse({"results": results})

    return router


def _problem(pages: Sequence[PageContent], results: list[Json]) -> Problem:
    """No page could be read: why, with the outcome of each as member `results`."""
    alone = len(pages) == 1
    return Problem(
        code=pages[0].error_code if alone else "ALL_SOURCES_FAILED",
        detail=(pages[0].error if alone else "") or "No page could be read.",
        retry_after_s=min((p.retry_after_s for p in pages if p.retry_after_s), default=None),
        may_pass=any(page.retryable for page in pages),
        members={"results": results},
    )
