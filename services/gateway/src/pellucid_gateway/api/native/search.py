"""POST /v1/search: ranked results with scores; /v1/check: what they say of a statement."""

from collections.abc import Sequence
from typing import Any, Literal

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from pellucid_gateway.api.http.bodies import read_model
from pellucid_gateway.api.http.identity import Identity
from pellucid_gateway.api.http.leaving import until_disconnect
from pellucid_gateway.api.http.responses import JsonResponse
from pellucid_gateway.api.native.documentation import described
from pellucid_gateway.api.native.replies import Reply, SearchReply
from pellucid_gateway.api.native.requests import CheckBody, SearchBody
from pellucid_gateway.domain.engine import TurnEngine
from pellucid_gateway.domain.search_outcome import FactCheck, FactEvidence, SearchOutcome


class FactEvidenceReply(Reply):
    """A result that speaks for or against the statement."""

    n: int = Field(validation_alias="source", description="Its number among `results`.")
    url: str = ""
    passage: str = Field(description="The words that do, verbatim; untrusted.")


class CheckReply(SearchReply):
    """What sources say of a statement."""

    statement: str = Field("", description="As it was given.")
    verdict: Literal["supported", "refuted", "mixed", "not_enough"] | None = Field(
        None, description="Null where no language model judged."
    )
    judged: bool = Field(
        default=False,
        description="A language model read the statement beside each result. Without one, "
        "`supporting` lists results that state it by form and similarity.",
    )
    supporting: list[FactEvidenceReply] = Field(default_factory=list)
    refuting: list[FactEvidenceReply] = Field(default_factory=list)

    @classmethod
    def made(cls, statement: str, outcome: SearchOutcome) -> dict[str, Any]:
        """JSON of an outcome with what its results say of a statement."""
        check = outcome.check or FactCheck()
        urls = {source.n: source.url for source in outcome.results}

        def told(evidence: Sequence[FactEvidence]) -> list[FactEvidenceReply]:
            return [
                FactEvidenceReply.model_validate(one).model_copy(update={"url": urls[one.source]})
                for one in evidence
            ]

        more = {
            "statement": statement,
            "query": statement,
            "verdict": check.verdict,
            "judged": check.judged,
            "supporting": told(check.supporting),
            "refuting": told(check.refuting),
        }
        return cls.model_validate(outcome).model_copy(update=more).as_json()


def search_routes(engine: TurnEngine, identity: Identity, max_body_bytes: int) -> APIRouter:
    """Routes of the search API."""
    router = APIRouter()

    @router.post("/v1/search", tags=["search"], **described(SearchBody, SearchReply))
    async def search(request: Request) -> Response:
        """Search, rank and explain the scores."""
        body = await read_model(request, SearchBody, max_body_bytes)
        command = body.to_command(identity.caller(request, body.user_id))
        outcome = await until_disconnect(request.receive, engine.search(command))
        return JsonResponse(SearchReply.found(body.query, outcome))

    @router.post("/v1/check", tags=["search"], **described(CheckBody, CheckReply))
    async def check(request: Request) -> Response:
        """Say which sources state a statement and which deny it, and what follows."""
        body = await read_model(request, CheckBody, max_body_bytes)
        command = body.to_command(identity.caller(request, body.user_id))
        outcome = await until_disconnect(request.receive, engine.search(command))
        return JsonResponse(CheckReply.made(body.statement, outcome))

    return router
