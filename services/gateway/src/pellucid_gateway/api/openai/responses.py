"""POST /v1/responses: the OpenAI Responses API over the same engine."""

from uuid import uuid4

from fastapi import APIRouter, Request
from starlette.responses import Response

from pellucid_gateway.api.compatible.client_turn import translated
from pellucid_gateway.api.compatible.counting import counted
from pellucid_gateway.api.compatible.shapes import CHAT_BODY_BYTES
from pellucid_gateway.api.compatible.translation import ChatApi, reply
from pellucid_gateway.api.http.bodies import parse_object, read_body
from pellucid_gateway.api.http.responses import JsonResponse
from pellucid_gateway.api.openai.kept_items import KeptItems, refers
from pellucid_gateway.api.openai.responses_reply import ResponseEncoder
from pellucid_gateway.api.openai.responses_request import (
    echoed,
    implied_options,
    lists_search,
    to_chat,
)


def responses_routes(api: ChatApi) -> APIRouter:
    """Routes of the Responses API."""
    router = APIRouter(include_in_schema=False)
    kept = KeptItems(api.evidence)

    @router.post("/v1/responses")
    async def respond(request: Request) -> Response:
        body = parse_object(await read_body(request, CHAT_BODY_BYTES))
        header = request.headers.get("x-pellucid-options", "")
        asked = translated(to_chat(body), header, api.own_model, implied_options(body))
        owner = api.identity.caller(request, asked.user_id)
        if refers(body):
            chat = to_chat(await kept.filled(body, owner))
            asked = translated(chat, header, api.own_model, implied_options(body))
        seed = uuid4().hex
        encoder = ResponseEncoder(
            seed,
            head={"model": asked.model, "created_at": api.now, **echoed(body)},
            include=body.get("include") or (),
            shows_search=lists_search(body),
            now=lambda: api.now,
        )

        async def keep() -> None:
            if body.get("store") is not False and encoder.may_be_kept:
                await kept.keep(seed, owner, encoder.output)

        return await reply(api, request, asked, encoder, keep)

    @router.post("/v1/responses/input_tokens")
    async def count(request: Request) -> Response:
        body = parse_object(await read_body(request, CHAT_BODY_BYTES))
        tokens = counted(to_chat(body))
        return JsonResponse({"object": "response.input_tokens", "input_tokens": tokens})

    return router
