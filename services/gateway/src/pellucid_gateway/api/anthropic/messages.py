"""POST /v1/messages: the Anthropic Messages API over the same engine."""

from uuid import uuid4

from fastapi import APIRouter, Request
from starlette.responses import Response

from pellucid_gateway.api.anthropic.reply import MessageEncoder
from pellucid_gateway.api.anthropic.request import (
    implied_options,
    ordered_query,
    to_chat,
    tools_named,
)
from pellucid_gateway.api.compatible.client_turn import searching_for, translated
from pellucid_gateway.api.compatible.counting import counted
from pellucid_gateway.api.compatible.shapes import CHAT_BODY_BYTES
from pellucid_gateway.api.compatible.translation import ChatApi, reply
from pellucid_gateway.api.http.bodies import parse_object, read_body
from pellucid_gateway.api.http.responses import JsonResponse


def anthropic_routes(api: ChatApi) -> APIRouter:
    """Routes of the Messages API."""
    router = APIRouter(include_in_schema=False)

    @router.post("/v1/messages")
    async def message(request: Request) -> Response:
        body = parse_object(await read_body(request, CHAT_BODY_BYTES))
        header = request.headers.get("x-pellucid-options", "")
        asked = translated(to_chat(body), header, api.own_model, implied_options(body))
        if query := ordered_query(body):
            asked = searching_for(query, asked)
        encoder = MessageEncoder(uuid4().hex, model=asked.model, tools=tools_named(body))
        return await reply(api, request, asked, encoder)

    @router.post("/v1/messages/count_tokens")
    async def count(request: Request) -> Response:
        body = parse_object(await read_body(request, CHAT_BODY_BYTES))
        return JsonResponse({"input_tokens": counted(to_chat(body))})

    return router
