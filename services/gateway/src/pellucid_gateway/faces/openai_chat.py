"""POST /v1/chat/completions and GET /v1/models: web search by changing a frontend's base URL.

A message that needs no search is passed to the model server untouched, bytes and all. One that
does is answered by the engine, whose checked answer is told in OpenAI's words.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from uuid import uuid4

from fastapi import APIRouter, Request
from starlette.responses import Response

from pellucid_gateway.decision import Action, Decision
from pellucid_gateway.faces.bodies import read_body
from pellucid_gateway.faces.client_turn import OWN_MODEL, Asked
from pellucid_gateway.faces.openai_reply import CompletionTeller, error_event
from pellucid_gateway.faces.openai_request import OpenAiRequest, parse
from pellucid_gateway.faces.problems import INTERNAL
from pellucid_gateway.faces.responses import JsonResponse, Streamed
from pellucid_gateway.faces.shapes import COMPATIBLE_BODY_BYTES
from pellucid_gateway.faces.streams import EventStream, until_disconnect
from pellucid_gateway.faces.told import ChatDoor, put_back, reply_from
from pellucid_gateway.faces.upstream import ModelServer, UpstreamReply
from pellucid_gateway.passed_on import (
    PassedOn,
    last_pieces,
    tokens_of_reply,
    tokens_of_stream,
)
from pellucid_gateway.turn import Decided


def openai_routes(door: ChatDoor) -> APIRouter:
    """Routes of the OpenAI face."""
    router = APIRouter(include_in_schema=False)

    @router.post("/v1/chat/completions")
    async def complete(request: Request) -> Response:
        raw = await read_body(request, COMPATIBLE_BODY_BYTES)
        asked = parse(raw, request.headers.get("x-pellucid-options", ""), door.own_model)
        return await until_disconnect(request.receive, _reply(door, request, asked))

    @router.get("/v1/models")
    async def models(request: Request) -> Response:
        del request
        listed = await door.upstream.models() if door.upstream is not None else ()
        own = {"id": OWN_MODEL, "object": "model", "created": 0, "owned_by": "pellucid"}
        return JsonResponse({"object": "list", "data": [own, *listed]})

    return router


async def _reply(door: ChatDoor, request: Request, parsed: OpenAiRequest) -> Response:
    asked, upstream = parsed.asked, _reachable(door, parsed.asked)
    if upstream is not None and asked.needs_model:
        return await _Passing(door, request, parsed, None).reply_of(upstream)
    events = door.events(request, asked)
    first = await anext(events, None)
    if upstream is not None and isinstance(first, Decided) and _adds_nothing(asked, first):
        await events.aclose()
        return await _Passing(door, request, parsed, first.decision).reply_of(upstream)
    teller = CompletionTeller(
        f"chatcmpl-{uuid4().hex}",
        model=asked.model,
        created=door.now,
        include_usage=parsed.include_usage,
        shows_progress=asked.shows_progress,
    )
    return await reply_from(put_back(first, events), teller, stream=asked.stream)


def _reachable(door: ChatDoor, asked: Asked) -> ModelServer | None:
    """The model server, if there is one and it may hear of this."""
    hidden = asked.turn.no_external and door.upstream is not None and not door.upstream.internal
    return None if hidden else door.upstream


def _adds_nothing(asked: Asked, first: Decided) -> bool:
    """Nothing is searched or read, and there is nothing else of ours to tell the model."""
    turn = asked.turn
    ours = turn.memories or first.remembers or turn.subject or turn.force_search
    return first.decision.action is Action.ANSWER and not ours


class _Passing:
    """One request on its way to the model server and back, counted when it ends."""

    def __init__(
        self, door: ChatDoor, request: Request, parsed: OpenAiRequest, decision: Decision | None
    ) -> None:
        self._note = door.note_passed
        self._body = parsed.body
        caller = door.identity.caller(request, parsed.asked.user_id)
        self._turn = PassedOn(caller=caller, decision=decision)

    async def reply_of(self, upstream: ModelServer) -> Response:
        reply = await upstream.complete(self._body)
        if reply.is_stream:
            frames = partial(self._pieces, reply)
            return Streamed(EventStream(frames, broken=lambda: error_event(INTERNAL)))
        body = await reply.read()
        self._ended(tokens_of_reply(body))
        return Response(body, reply.status, media_type=reply.media_type)

    async def _pieces(self, reply: UpstreamReply) -> AsyncGenerator[bytes]:
        end = last_pieces()
        try:
            async with aclosing(reply.pieces()) as pieces:
                async for piece in pieces:
                    end.append(piece)
                    yield piece
        finally:
            self._ended(tokens_of_stream(end))

    def _ended(self, tokens: tuple[int, int]) -> None:
        prompt, completion = tokens
        self._note(replace(self._turn, prompt_tokens=prompt, completion_tokens=completion))
