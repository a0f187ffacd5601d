"""POST /v1/chat: one message, answered whole or as a stream; /v1/decide: the decision alone."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import cast

from fastapi import APIRouter, Request
from starlette.responses import Response
from starlette.types import ASGIApp

from pellucid_gateway.api.http.bodies import read_model
from pellucid_gateway.api.http.identity import Identity
from pellucid_gateway.api.http.leaving import until_disconnect
from pellucid_gateway.api.http.problems import INTERNAL, Problem
from pellucid_gateway.api.http.responses import JsonResponse, Streamed
from pellucid_gateway.api.http.streams import EventStream, body_of, frame
from pellucid_gateway.api.http.whole_turn import answered
from pellucid_gateway.api.native.documentation import described
from pellucid_gateway.api.native.events import event_json
from pellucid_gateway.api.native.replies import ChatReply, DecisionReply
from pellucid_gateway.api.native.requests import ChatBody
from pellucid_gateway.domain.attachment import ATTACHED_BODY_BYTES
from pellucid_gateway.domain.engine import TurnEngine
from pellucid_gateway.domain.events import Done, Failed, TurnEvent
from pellucid_gateway.domain.request import TurnRequest


def chat_routes(engine: TurnEngine, identity: Identity, max_body_bytes: int) -> APIRouter:
    """Routes of the native chat API."""
    router = APIRouter()

    @router.post("/v1/chat", tags=["chat"], **described(ChatBody, ChatReply, streams=True))
    async def chat(request: Request) -> Response:
        """Answer one message; searches the web when that helps."""
        body = await read_model(request, ChatBody, max_body_bytes + ATTACHED_BODY_BYTES)
        turn = body.to_turn(identity.caller(request, body.user_id))
        if body.stream:
            return Streamed(_stream(_events(engine, turn)))
        result = await until_disconnect(request.receive, answered(engine, turn))
        return JsonResponse(ChatReply.of(result))

    @router.post("/v1/decide", tags=["decide"], **described(ChatBody, DecisionReply))
    async def decide(request: Request) -> Response:
        """Say what would be done with a message, and why."""
        body = await read_model(request, ChatBody, max_body_bytes)
        turn = body.to_turn(identity.caller(request, body.user_id))
        decision = await until_disconnect(request.receive, engine.decide(turn))
        return JsonResponse(DecisionReply.of(decision))

    return router


def _stream(events: AsyncGenerator[TurnEvent]) -> ASGIApp:
    return EventStream(body_of(lambda: _frames(events)), broken=_broken)


def _broken(problem: Problem) -> bytes:
    return frame("error", problem.document())


def _events(engine: TurnEngine, turn: TurnRequest) -> AsyncGenerator[TurnEvent]:
    """The engine promises that its iterator can be closed; its type does not say so."""
    return cast("AsyncGenerator[TurnEvent]", engine.run(turn))


async def _frames(turn: AsyncGenerator[TurnEvent]) -> AsyncGenerator[bytes]:
    """Encode the events; ends with the first done or error, whatever comes after it."""
    async with aclosing(turn) as events:
        async for event in events:
            yield frame(*event_json(event))
            if isinstance(event, Done | Failed):
                return
    yield _broken(INTERNAL)
