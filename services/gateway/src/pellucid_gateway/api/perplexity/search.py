"""POST /compat/perplexity/search: results in the shape of Perplexity's search API."""

import asyncio
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
from pellucid_gateway.api.http.fields import Country, FilledMessage
from pellucid_gateway.api.http.identity import Identity
from pellucid_gateway.api.http.leaving import until_disconnect
from pellucid_gateway.api.http.responses import JsonResponse
from pellucid_gateway.domain.engine import TurnEngine
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.domain.request import SearchCommand, SearchOptions
from pellucid_gateway.domain.search_outcome import SearchOutcome

# Perplexity's documented extremes.
MOST_RESULTS = 20
MOST_QUERIES = 5

Recency = Literal["hour", "day", "week", "month", "year"]


def domains(filters: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Domains to keep and, with a minus before them, to leave out.

    >>> domains(["a.example", "-b.example"])
    (('a.example',), ('b.example',))
    """
    kept = tuple(name for name in filters if not name.startswith("-"))
    return kept, tuple(name[1:] for name in filters if name.startswith("-"))


def window_days(recency: str | None) -> int:
    """Days of a recency filter; an hour is counted as a day, the smallest that we know."""
    return WINDOW_DAYS.get("day" if recency == "hour" else recency or "", 0)


class PerplexitySearch(Lenient):
    """Fields of a search that change what is found."""

    query: Annotated[
        list[FilledMessage], one_or_several, Field(min_length=1, max_length=MOST_QUERIES)
    ]
    max_results: int = Field(10, ge=1, le=MOST_RESULTS)
    country: Country | None = None
    search_domain_filter: list[str] | None = Field(None, max_length=100)
    search_recency_filter: Recency | None = None
    search_language_filter: list[str] | None = Field(None, max_length=20)

    def to_commands(self, caller: str) -> list[SearchCommand]:
        """One for each query, as given and without a threshold."""
        included, excluded = domains(self.search_domain_filter or ())
        options = SearchOptions(
            recency_days=window_days(self.search_recency_filter),
            max_results=self.max_results,
            country=(self.country or "").upper(),
            include_domains=included,
            exclude_domains=excluded,
        )
        language = (self.search_language_filter or [""])[0][:2].lower()
        return [as_given(query, caller, options, language=language) for query in self.query]


def perplexity_search_routes(engine: TurnEngine, identity: Identity) -> APIRouter:
    """Route of the Perplexity search API."""
    router = APIRouter(include_in_schema=False)

    @router.post("/compat/perplexity/search")
    async def search(request: Request) -> Response:
        body = await read_model(request, PerplexitySearch, COMPATIBLE_BODY_BYTES)
        commands = body.to_commands(identity.caller(request))
        outcomes = await until_disconnect(request.receive, _all(engine, commands))
        results = [_result(source) for source in _in_turn(outcomes)[: body.max_results]]
        return JsonResponse({"id": outcomes[0].id, "results": results})

    return router


async def _all(engine: TurnEngine, commands: Sequence[SearchCommand]) -> list[SearchOutcome]:
    return await asyncio.gather(*(engine.search(command) for command in commands))


def _in_turn(outcomes: list[SearchOutcome]) -> list[Source]:
    """Best results of each query first, every address once."""
    longest = max(len(outcome.results) for outcome in outcomes)
    shown: dict[str, Source] = {}
    for rank in range(longest):
        for outcome in outcomes:
            for source in outcome.results[rank : rank + 1]:
                shown.setdefault(source.url, source)
    return list(shown.values())


def _result(source: Source) -> dict[str, Any]:
    published = source.published.time.date().isoformat() if source.published else None
    return {
        "title": source.title,
        "url": source.url,
        "snippet": source.snippet,
        "date": published,
        "last_updated": published,
    }
