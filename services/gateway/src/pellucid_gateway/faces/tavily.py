"""/compat/tavily: search and extract in the shape of Tavily's API."""

import time
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from pydantic import AfterValidator, Field
from starlette.responses import Response

from pellucid_gateway.engine import TurnEngine
from pellucid_gateway.faces.bodies import read_model
from pellucid_gateway.faces.fields import MessageText, not_blank
from pellucid_gateway.faces.identity import Identity
from pellucid_gateway.faces.problems import Problem
from pellucid_gateway.faces.responses import JsonResponse
from pellucid_gateway.faces.shapes import COMPATIBLE_BODY_BYTES, WINDOW_DAYS, Lenient
from pellucid_gateway.faces.streams import until_disconnect
from pellucid_gateway.findings import PageContent, Source
from pellucid_gateway.request import Depth, SearchCommand, SearchOptions

# Tavily's documented extremes.
MOST_RESULTS = 20
MOST_URLS = 20

_Days = Literal["day", "week", "month", "year", "d", "w", "m", "y"]


class TavilySearch(Lenient):
    """Fields of a Tavily search that change what is found."""

    query: Annotated[MessageText, AfterValidator(not_blank)]
    search_depth: str = "basic"
    time_range: _Days | None = None
    days: int | None = Field(None, ge=1, le=3650)
    max_results: int = Field(5, ge=0, le=MOST_RESULTS)
    include_domains: list[str] = Field(default_factory=list, max_length=300)
    exclude_domains: list[str] = Field(default_factory=list, max_length=150)

    def to_command(self, caller: str) -> SearchCommand:
        """As the engine sees it: the query as given, no threshold."""
        window = WINDOW_DAYS.get(self.time_range or "", 0) or self.days or 0
        options = SearchOptions(
            recency_days=window,
            max_results=max(1, self.max_results),
            include_domains=tuple(self.include_domains[:100]),
            exclude_domains=tuple(self.exclude_domains[:100]),
        )
        depth = Depth.STANDARD if self.search_depth == "advanced" else Depth.QUICK
        return SearchCommand(
            query=self.query,
            caller=caller,
            depth=depth,
            options=options,
            ranked=False,
            verbatim=True,
        )


class TavilyExtract(Lenient):
    """Fields of a Tavily extract."""

    urls: str | Annotated[list[str], Field(min_length=1, max_length=MOST_URLS)]

    def addresses(self) -> list[str]:
        """One or several addresses."""
        return [self.urls] if isinstance(self.urls, str) else self.urls


def error_json(problem: Problem) -> dict[str, Any]:
    """Tavily's error object."""
    return {"detail": {"error": problem.detail}}


def tavily_routes(engine: TurnEngine, identity: Identity) -> APIRouter:
    """Routes of the Tavily face."""
    router = APIRouter(include_in_schema=False)

    @router.post("/compat/tavily/search")
    async def search(request: Request) -> Response:
        begun = time.perf_counter()
        body = await read_model(request, TavilySearch, COMPATIBLE_BODY_BYTES)
        command = body.to_command(identity.caller(request))
        outcome = await until_disconnect(request.receive, engine.search(command))
        return JsonResponse(
            {
                "query": body.query,
                "follow_up_questions": None,
                "answer": None,
                "images": [],
                "results": [_result(s) for s in outcome.results[: body.max_results]],
                "response_time": round(time.perf_counter() - begun, 3),
                "request_id": outcome.id,
            }
        )

    @router.post("/compat/tavily/extract")
    async def extract(request: Request) -> Response:
        begun = time.perf_counter()
        body = await read_model(request, TavilyExtract, COMPATIBLE_BODY_BYTES)
        pages = await until_disconnect(request.receive, engine.fetch(body.addresses()))
        good = [page for page in pages if page.success]
        return JsonResponse(
            {
                "results": [_page(page) for page in good],
                "failed_results": [
                    {"url": page.url, "error": page.error} for page in pages if not page.success
                ],
                "response_time": round(time.perf_counter() - begun, 3),
            }
        )

    return router


def _result(source: Source) -> dict[str, Any]:
    result = {
        "title": source.title,
        "url": source.url,
        "content": source.snippet,
        "score": source.relevance or 0.0,
        "raw_content": None,
    }
    if source.published is not None:
        result["published_date"] = source.published.time.isoformat()
    return result


def _page(page: PageContent) -> dict[str, Any]:
    return {"url": page.url, "title": page.title, "raw_content": page.text, "images": []}
