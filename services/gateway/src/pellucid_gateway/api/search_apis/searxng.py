"""/compat/searxng: results in the shape of SearXNG's JSON; some clients ask the base itself."""

from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from pellucid_gateway.api.compatible.shapes import WINDOW_DAYS, Lenient, as_given
from pellucid_gateway.api.http.bodies import check, read_body
from pellucid_gateway.api.http.fields import FilledMessage
from pellucid_gateway.api.http.identity import Identity
from pellucid_gateway.api.http.leaving import until_disconnect
from pellucid_gateway.api.http.problems import Problem
from pellucid_gateway.api.http.responses import JsonResponse
from pellucid_gateway.domain.engine import TurnEngine
from pellucid_gateway.domain.findings import ProviderStatus, SafeSearch, Source
from pellucid_gateway.domain.request import SearchCommand, SearchOptions
from pellucid_gateway.domain.search_outcome import SearchOutcome

RESULTS_PER_PAGE = 10
_FORM_BYTES = 64 * 1024
_SAFE = (SafeSearch.OFF, SafeSearch.MODERATE, SafeSearch.STRICT)
_FAILED = frozenset({ProviderStatus.FAILED, ProviderStatus.RATE_LIMITED, ProviderStatus.BUDGET})


class SearxngSearch(Lenient):
    """Parameters that change what is found; text, as they come from a form or an address."""

    q: FilledMessage
    language: str = Field("", max_length=16)
    pageno: int = Field(1, ge=1, le=5)
    time_range: Literal["", "day", "week", "month", "year"] = ""
    safesearch: int = Field(1, ge=0, le=2)

    def to_command(self, caller: str) -> SearchCommand:
        """As the engine sees it: the query as given, no threshold."""
        language = "" if self.language in {"", "all", "auto"} else self.language[:2].lower()
        options = SearchOptions(
            recency_days=WINDOW_DAYS.get(self.time_range, 0),
            max_results=RESULTS_PER_PAGE * self.pageno,
            safe_search=_SAFE[self.safesearch],
        )
        return as_given(self.q, caller, options, language=language)


def error_json(problem: Problem) -> dict[str, Any]:
    """What SearXNG answers when it refuses."""
    return {"error": problem.detail}


def searxng_routes(engine: TurnEngine, identity: Identity) -> APIRouter:
    """Routes of the SearXNG API, by GET and by POST with a form."""
    router = APIRouter(include_in_schema=False)

    @router.api_route("/compat/searxng", methods=["GET", "POST"])
    @router.api_route("/compat/searxng/", methods=["GET", "POST"])
    @router.api_route("/compat/searxng/search", methods=["GET", "POST"])
    async def search(request: Request) -> Response:
        body = check(SearxngSearch, await _parameters(request))
        command = body.to_command(identity.caller(request))
        outcome = await until_disconnect(request.receive, engine.search(command))
        first = RESULTS_PER_PAGE * (body.pageno - 1)
        return JsonResponse(_reply(body.q, outcome, first))

    return router


async def _parameters(request: Request) -> dict[str, str]:
    """Of the address and of the form; the form wins."""
    form = await read_body(request, _FORM_BYTES) if request.method == "POST" else b""
    fields = parse_qs(form.decode("utf-8", "replace"), keep_blank_values=True)
    return dict(request.query_params) | {name: values[-1] for name, values in fields.items()}


def _reply(query: str, outcome: SearchOutcome, first: int) -> dict[str, Any]:
    shown = outcome.results[first : first + RESULTS_PER_PAGE]
    return {
        "query": query,
        "number_of_results": len(shown),
        "results": [_result(source, first + place) for place, source in enumerate(shown, start=1)],
        "answers": [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": [
            [report.name, report.error_code or report.status.value]
            for report in outcome.providers
            if report.status in _FAILED
        ],
    }


def _result(source: Source, position: int) -> dict[str, Any]:
    engines = list(source.providers) or ["pellucid"]
    return {
        "url": source.url,
        "title": source.title,
        "content": source.snippet,
        "engine": engines[0],
        "engines": engines,
        "score": source.relevance or 0.0,
        "category": "general",
        "positions": [position],
        "parsed_url": [*urlsplit(source.url)[:3], "", *urlsplit(source.url)[3:]],
        "template": "default.html",
        "publishedDate": source.published.time.isoformat() if source.published else None,
        "thumbnail": "",
        "img_src": "",
    }
