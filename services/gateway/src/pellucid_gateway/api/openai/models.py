"""GET /v1/models: the model server's models and our own, with the fields of both vendors' lists."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from pellucid_gateway.api.compatible.client_turn import OWN_MODEL
from pellucid_gateway.api.compatible.translation import ChatApi
from pellucid_gateway.api.compatible.wire import Json, text_of
from pellucid_gateway.api.http.problems import Problem, ProblemError
from pellucid_gateway.api.http.responses import JsonResponse

_OWN = {"id": OWN_MODEL, "object": "model", "created": 0, "owned_by": "pellucid"}


def models_routes(api: ChatApi) -> APIRouter:
    """Routes of the models."""
    router = APIRouter(include_in_schema=False)

    @router.get("/v1/models")
    async def models() -> Response:
        listed = await _models(api)
        ends = {"first_id": listed[0]["id"], "last_id": listed[-1]["id"]}
        return JsonResponse({"object": "list", "data": listed, "has_more": False, **ends})

    @router.get("/v1/models/{name:path}")
    async def model(name: str) -> Response:
        for listed in await _models(api):
            if listed["id"] == name:
                return JsonResponse(listed)
        raise ProblemError(Problem(code="NOT_FOUND", detail="There is no model of this name."))

    return router


async def _models(api: ChatApi) -> list[Json]:
    served = await api.upstream.models() if api.upstream is not None else ()
    return [_told(model) for model in (_OWN, *served)]


def _told(model: Mapping[str, Any]) -> Json:
    """A model with what Anthropic's clients read as well."""
    created = model.get("created")
    since = datetime.fromtimestamp(created if isinstance(created, int) else 0, UTC)
    named = {"type": "model", "display_name": text_of(model.get("id"))}
    return {**named, "created_at": since.isoformat().replace("+00:00", "Z"), **model}
