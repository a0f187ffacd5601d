"""GET and DELETE /v1/evidence/{record}: everything behind one answer, for whoever asked it.

POST /v1/evidence/{record}/replay does its ranking and its citations again and compares.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from pellucid_gateway.api.http.identity import Identity
from pellucid_gateway.api.http.responses import JsonResponse
from pellucid_gateway.api.native.documentation import failures
from pellucid_gateway.domain.ports import EvidenceStore

Replay = Callable[[Mapping[str, Any]], Awaitable[Mapping[str, Any]]]


def evidence_routes(
    store: EvidenceStore, identity: Identity, replay: Replay | None = None
) -> APIRouter:
    """Routes of the evidence API. `user_id` must be the one that asked, if one was given."""
    router = APIRouter(tags=["evidence"])

    @router.get(
        "/v1/evidence/{record}",
        response_class=Response,
        responses={200: {"description": "The record."}, **failures(400, 401, 403, 404, 500)},
    )
    async def read(record: str, request: Request, user_id: str = "") -> Response:
        """Everything behind one answer."""
        return JsonResponse(await store.load(record, identity.caller(request, user_id)))

    @router.delete(
        "/v1/evidence/{record}",
        status_code=204,
        response_class=Response,
        responses={204: {"description": "Forgotten."}, **failures(400, 401, 403, 404, 500)},
    )
    async def delete(record: str, request: Request, user_id: str = "") -> Response:
        """Forget one record at once."""
        await store.delete(record, identity.caller(request, user_id))
        return Response(status_code=204)

    if replay is not None:

        @router.post(
            "/v1/evidence/{record}/replay",
            response_class=Response,
            responses={
                200: {"description": "What is the same today."},
                **failures(400, 401, 403, 404, 429, 500, 503),
            },
        )
        async def again(record: str, request: Request, user_id: str = "") -> Response:
            """Rank and check the citations again, from what is kept alone."""
            kept = await store.load(record, identity.caller(request, user_id))
            return JsonResponse(await replay(kept))

    return router
