"""The numbers of the operator: the last day, the turns behind it, the week, what use taught."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from pellucid_gateway.analytics.learned_trust import LearnedTrust
from pellucid_gateway.analytics.report_text import PAGE_POLICY, as_markdown, as_page
from pellucid_gateway.analytics.turn_log import TurnLog, as_csv
from pellucid_gateway.analytics.weekly_report import weekly_report
from pellucid_gateway.api.http.bodies import check
from pellucid_gateway.api.http.options import Strict
from pellucid_gateway.api.http.responses import JsonResponse
from pellucid_gateway.api.native.documentation import described, failures
from pellucid_gateway.api.native.kept_schema import (
    LearnedReply,
    ReportReply,
    StatsReply,
    TurnsReply,
)
from pellucid_gateway.conversation.afterwards import Kept

_MOST_LEARNED = 1_000


class ReportQuery(Strict):
    """Parameters of GET /v1/reports/weekly."""

    format: Literal["json", "markdown", "html", "csv"] = Field(
        "json", description="Form of the report; csv: a row for each day."
    )


class TurnsQuery(Strict):
    """Parameters of GET /v1/stats/turns."""

    of: Literal["slow", "costly", "degraded", "citations", "irrelevant"] = Field(
        "slow", description="The number whose turns are listed, those that stand out most first."
    )
    format: Literal["json", "csv"] = Field("json", description="Form of the list.")


def operator_routes(kept: Kept) -> APIRouter:
    """Routes of the operator; they need the scope `stats`."""
    router = APIRouter(tags=["operator"])
    router.include_router(_number_routes(kept))
    router.include_router(_turn_routes(kept.turns))
    if kept.learned is not None:
        router.include_router(_learned_routes(kept.learned))
    return router


def _number_routes(kept: Kept) -> APIRouter:
    router = APIRouter()

    @router.get("/v1/stats", **described(None, StatsReply))
    async def stats() -> Response:
        """Numbers of the last 24 hours over all replicas; those of the dashboard."""
        return JsonResponse(await kept.stats.last_day())

    @router.get("/v1/reports/weekly", **_queried(ReportQuery, ReportReply, "markdown", "html"))
    async def weekly(request: Request) -> Response:
        """The last seven days, as JSON, Markdown, a page, or CSV by day (`format`)."""
        wanted = check(ReportQuery, dict(request.query_params))
        report = await weekly_report(kept.stats, kept.query_log, kept.clock.now())
        if wanted.format == "markdown":
            return Response(as_markdown(report), media_type="text/markdown; charset=utf-8")
        if wanted.format == "html":
            headers = {"Content-Security-Policy": PAGE_POLICY, "Cache-Control": "no-store"}
            return Response(as_page(report), headers=headers, media_type="text/html")
        return _csv(report["days"]) if wanted.format == "csv" else JsonResponse(report)

    return router


def _turn_routes(turns: TurnLog) -> APIRouter:
    router = APIRouter()

    @router.get("/v1/stats/turns", **_queried(TurnsQuery, TurnsReply))
    async def behind(request: Request) -> Response:
        """The turns behind a number of the last 24 hours, each with the id of its evidence."""
        wanted = check(TurnsQuery, dict(request.query_params))
        found = await turns.most(wanted.of)
        return _csv(found) if wanted.format == "csv" else JsonResponse({"turns": found})

    return router


def _csv(rows: Sequence[Mapping[str, Any]]) -> Response:
    headers = {"Cache-Control": "no-store"}
    return Response(as_csv(rows), media_type="text/csv; charset=utf-8", headers=headers)


def _queried(query: type[Strict], reply: type[BaseModel], *texts: str) -> dict[str, Any]:
    """The parameters of a route and its other forms, which the framework does not see."""
    parameters = [
        {"name": name, "in": "query", "required": False, "schema": schema}
        for name, schema in query.model_json_schema()["properties"].items()
    ]
    told = described(None, reply)
    text = {"schema": {"type": "string"}}
    told["responses"][200]["content"] |= {f"text/{name}": text for name in (*texts, "csv")}
    return {**told, "openapi_extra": {"parameters": parameters}}


def _learned_routes(learned: LearnedTrust) -> APIRouter:
    router = APIRouter(tags=["operator"])
    forgotten: dict[int | str, dict[str, Any]] = {204: {"description": "Forgotten."}, **failures()}

    @router.get("/v1/stats/sources", **described(None, LearnedReply))
    async def sources() -> Response:
        """What use taught of each domain, and by how much it moves its trust; most moved first."""
        found = await learned.sources()
        told = [asdict(one) for one in found[:_MOST_LEARNED]]
        return JsonResponse({"limit": learned.limit, "domains": len(found), "sources": told})

    @router.delete(
        "/v1/stats/sources", status_code=204, response_class=Response, responses=forgotten
    )
    async def reset() -> Response:
        """Forget all that use taught."""
        await learned.forget()
        return Response(status_code=204)

    @router.delete(
        "/v1/stats/sources/{domain}", status_code=204, response_class=Response, responses=forgotten
    )
    async def forget(domain: str) -> Response:
        """Forget what use taught of one domain."""
        await learned.forget_domain(domain.lower())
        return Response(status_code=204)

    return router
