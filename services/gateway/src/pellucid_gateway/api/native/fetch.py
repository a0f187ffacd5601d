"""POST /v1/fetch: reads pages that a person named."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import AliasPath, BeforeValidator, Field
from starlette.responses import Response

from pellucid_gateway.api.http.bodies import read_model
from pellucid_gateway.api.http.leaving import until_disconnect
from pellucid_gateway.api.http.problems import Problem, ProblemError
from pellucid_gateway.api.http.responses import JsonResponse
from pellucid_gateway.api.native.documentation import described
from pellucid_gateway.api.native.replies import (
    Json,
    MaybeCount,
    MaybeText,
    PublishedAt,
    PublishedFrom,
    Reply,
    Score,
)
from pellucid_gateway.api.native.requests import FetchBody
from pellucid_gateway.domain.engine import TurnEngine
from pellucid_gateway.domain.findings import Method, PageContent


def _total(total_ms: int) -> Mapping[str, int]:
    return {"total": total_ms}


class PageReply(Reply):
    """One page; an unreadable page is an outcome, not an error."""

    url: str
    final_url: MaybeText
    success: bool
    status: str
    http_status: MaybeCount
    method: Method | None
    title: str
    author: MaybeText
    site_name: MaybeText
    language: MaybeText
    published_at: PublishedAt = None
    published_at_from: PublishedFrom = None
    published_at_confidence: Score | None = Field(
        None, validation_alias=AliasPath("published", "confidence")
    )
    text: str
    excerpt: str
    truncated: bool
    next_offset: MaybeCount
    content_type: MaybeText
    charset: MaybeText
    redirects: list[str]
    retryable: bool
    retry_after_s: MaybeCount
    error: MaybeText
    error_code: MaybeText = Field(description="FETCH_FAILED or EXTRACTION_FAILED.")
    warnings: list[str]
    timings_ms: Annotated[dict[str, int], BeforeValidator(_total)] = Field(
        validation_alias="total_ms"
    )


class FetchReply(Reply):
    """Outcomes in the requested order."""

    results: list[PageReply]


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
