"""/compat/tavily: search and extract in the shape of Tavily's API."""

import time
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from pellucid_gateway.api.compatible.shapes import (
    COMPATIBLE_BODY_BYTES,
    WINDOW_DAYS,
    Lenient,
    as_given,
    one_or_several,
)
from pellucid_gateway.api.http.bodies import read_model
from pellucid_gateway.api.http.fields import FilledMessage
from pellucid_gateway.api.http.identity import Identity
from pellucid_gateway.api.http.leaving import until_disconnect
from pellucid_gateway.api.http.problems import Problem
from pellucid_gateway.api.http.responses import JsonResponse
from pellucid_gateway.api.http.whole_turn import answered
from pellucid_gateway.domain.decision import WebMode
from pellucid_gateway.domain.engine import TurnEngine
from pellucid_gateway.domain.errors import search_failure
from pellucid_gateway.domain.findings import PageContent, Source
from pellucid_gateway.domain.notices import SEARCH_LOST
from pellucid_gateway.domain.request import (
    ChatMessage,
    CitationStyle,
    Depth,
    Role,
    SearchCommand,
    SearchOptions,
    TurnRequest,
)

# Tavily's documented extremes.
MOST_RESULTS = 20
MOST_URLS = 20

_Days = Literal["day", "week", "month", "year", "d", "w", "m", "y"]


class TavilySearch(Lenient):
    """Fields of a Tavily search that change what is found."""

    query: FilledMessage
    search_depth: str = "basic"
    time_range: _Days | None = None
    days: int | None = Field(None, ge=1, le=3650)
    max_results: int = Field(5, ge=0, le=MOST_RESULTS)
    include_domains: list[str] = Field(default_factory=list, max_length=300)
    exclude_domains: list[str] = Field(default_factory=list, max_length=150)
    include_answer: bool | str = False
    include_raw_content: bool | str = False

    def to_command(self, caller: str) -> SearchCommand:
        """As the engine sees it: the query as given, no threshold."""
        return as_given(self.query, caller, self._options, depth=self._depth)

    def to_turn(self, caller: str) -> TurnRequest:
        """The query as a question, to be answered from a search."""
        return TurnRequest(
            messages=(ChatMessage(Role.USER, self.query),),
            caller=caller,
            web_mode=WebMode.ON,
            depth=self._depth,
            citation_style=CitationStyle.NONE,
            options=self._options,
        )

    @property
    def _depth(self) -> Depth:
        return Depth.STANDARD if self.search_depth == "advanced" else Depth.QUICK

    @property
    def _options(self) -> SearchOptions:
        return SearchOptions(
            recency_days=WINDOW_DAYS.get(self.time_range or "", 0) or self.days or 0,
            max_results=max(1, self.max_results),
            include_domains=tuple(self.include_domains[:100]),
            exclude_domains=tuple(self.exclude_domains[:100]),
        )


class TavilyExtract(Lenient):
    """Fields of a Tavily extract."""

    urls: Annotated[list[str], one_or_several, Field(min_length=1, max_length=MOST_URLS)]
    offset: int = Field(0, ge=0, le=10_000_000)
    links: bool = False


def error_json(problem: Problem) -> dict[str, Any]:
    """Tavily's error object."""
    return {"detail": {"error": problem.detail}}


def tavily_routes(engine: TurnEngine, identity: Identity) -> APIRouter:
    """Routes of the Tavily API."""
    router = APIRouter(include_in_schema=False)

    @router.post("/compat/tavily/search")
    async def search(request: Request) -> Response:
        begun = time.perf_counter()
        body = await read_model(request, TavilySearch, COMPATIBLE_BODY_BYTES)
        found = _found(engine, body, identity.caller(request))
        reply = await until_disconnect(request.receive, found)
        return JsonResponse({**reply, "response_time": round(time.perf_counter() - begun, 3)})

    @router.post("/compat/tavily/extract")
    async def extract(request: Request) -> Response:
        begun = time.perf_counter()
        body = await read_model(request, TavilyExtract, COMPATIBLE_BODY_BYTES)
        work = engine.fetch(body.urls, offset=body.offset, links=body.links)
        pages = await until_disconnect(request.receive, work)
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


async def _found(engine: TurnEngine, body: TavilySearch, caller: str) -> dict[str, Any]:
    """Results; when an answer is asked for, they are the sources that it stands on."""
    answer = None
    if body.include_answer:
        result = await answered(engine, body.to_turn(caller))
        if not result.sources and SEARCH_LOST & {notice.code for notice in result.notices}:
            raise search_failure(result.providers)
        answer, found_id, sources = result.answer, result.id, result.sources
    else:
        outcome = await engine.search(body.to_command(caller))
        found_id, sources = outcome.id, outcome.results
    shown = sources[: body.max_results]
    texts = await _texts(engine, shown) if body.include_raw_content else {}
    return {
        "query": body.query,
        "follow_up_questions": None,
        "answer": answer,
        "images": [],
        "results": [_result(source, texts.get(source.url)) for source in shown],
        "request_id": found_id,
    }


async def _texts(engine: TurnEngine, sources: Sequence[Source]) -> dict[str, str]:
    """Texts of the pages that could be read."""
    urls = [source.url for source in sources]
    pages = await engine.fetch(urls) if urls else ()
    return {url: page.text for url, page in zip(urls, pages, strict=True) if page.success}


def _result(source: Source, raw_content: str | None) -> dict[str, Any]:
    result = {
        "title": source.title,
        "url": source.url,
        "content": source.snippet,
        "score": source.relevance or 0.0,
        "raw_content": raw_content,
    }
    if source.published is not None:
        result["published_date"] = source.published.time.isoformat()
    return result


def _page(page: PageContent) -> dict[str, Any]:
    return {
        "url": page.url,
        "title": page.title,
        "raw_content": page.text,
        "images": [],
        "next_offset": page.next_offset or None,
    }
