"""POST /v1/chat/completions and GET /v1/models: web search by changing a frontend's base URL.

A message that needs no search is passed to the model server untouched, bytes and all. One that
does is answered by the engine, whose checked answer is told in OpenAI's words.
"""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, cast
from uuid import uuid4

from fastapi import APIRouter, Request
from starlette.responses import Response

from pellucid_gateway.decision import Action
from pellucid_gateway.engine import TurnEngine
from pellucid_gateway.faces.bodies import read_body
from pellucid_gateway.faces.identity import Identity
from pellucid_gateway.faces.openai_reply import (
    DONE,
    Completion,
    annotation,
    answer_text,
    error_event,
    error_json,
    one_per_address,
    search_results,
)
from pellucid_gateway.faces.openai_request import OWN_MODEL, OpenAiRequest, parse
from pellucid_gateway.faces.problems import INTERNAL, Problem, ProblemError
from pellucid_gateway.faces.replies import failed_problem
from pellucid_gateway.faces.responses import JsonResponse, Streamed
from pellucid_gateway.faces.shapes import COMPATIBLE_BODY_BYTES, answering_in
from pellucid_gateway.faces.streams import EventStream, until_disconnect
from pellucid_gateway.faces.upstream import ModelServer
from pellucid_gateway.turn import (
    Decided,
    Delta,
    Done,
    Failed,
    SourcesReady,
    TurnEvent,
    TurnResult,
)
from pellucid_runtime.clock import Clock

Events = AsyncGenerator[TurnEvent]

_NO_MODEL = Problem(
    code="LLM_FAILED",
    detail="This request can only be answered by a model, and none is configured.",
)


@dataclass(frozen=True, slots=True)
class _Face:
    """What the route needs."""

    engine: TurnEngine
    identity: Identity
    clock: Clock
    upstream: ModelServer | None
    own_model: str


def openai_routes(
    engine: TurnEngine,
    identity: Identity,
    clock: Clock,
    *,
    upstream: ModelServer | None,
    own_model: str,
) -> APIRouter:
    """Routes of the OpenAI face.

    Args:
        engine: Runs the turns that search.
        identity: Hashes the person.
        clock: For `created`.
        upstream: Where messages go that need no search; None without a model.
        own_model: What the name `pellucid` stands for there.
    """
    face = _Face(engine, identity, clock, upstream, own_model)
    router = APIRouter(include_in_schema=False)

    @router.post("/v1/chat/completions")
    @answering_in(error_json)
    async def complete(request: Request) -> Response:
        raw = await read_body(request, COMPATIBLE_BODY_BYTES)
        asked = parse(raw, request.headers.get("x-pellucid-options", ""), own_model)
        return await until_disconnect(request.receive, _reply(face, request, asked))

    @router.get("/v1/models")
    @answering_in(error_json)
    async def models(request: Request) -> Response:
        del request
        listed = await upstream.models() if upstream is not None else ()
        own = {"id": OWN_MODEL, "object": "model", "created": 0, "owned_by": "pellucid"}
        return JsonResponse({"object": "list", "data": [own, *listed]})

    return router


async def _reply(face: _Face, request: Request, asked: OpenAiRequest) -> Response:
    if asked.turn is None:
        return await _passed_through(face, asked)
    turn = replace(asked.turn, caller=face.identity.caller(request, asked.user_id))
    events = cast("Events", face.engine.run(turn))
    first = await anext(events, None)
    if isinstance(first, Decided) and _model_alone(face, asked, first):
        await events.aclose()
        return await _passed_through(face, asked)
    now = int(face.clock.now().timestamp())
    completion = Completion(f"chatcmpl-{uuid4().hex}", asked.model, now)
    if asked.stream:
        return _stream(completion, _from(first, events), include_usage=asked.include_usage)
    return JsonResponse(completion.whole(await _result(_from(first, events))))


def _model_alone(face: _Face, asked: OpenAiRequest, first: Decided) -> bool:
    """Nothing is searched or read, there is a model server, and it may hear of it."""
    turn = asked.turn
    if face.upstream is None or turn is None or first.decision.action is not Action.ANSWER:
        return False
    changed = bool(turn.memories or turn.subject or turn.force_search)
    return not changed and (face.upstream.internal or not turn.no_external)


async def _passed_through(face: _Face, asked: OpenAiRequest) -> Response:
    if face.upstream is None:
        raise ProblemError(_NO_MODEL)
    reply = await face.upstream.complete(asked.body)
    if reply.is_stream:
        return Streamed(EventStream(reply.pieces, broken=error_event(INTERNAL)))
    return Response(await reply.read(), reply.status, media_type=reply.media_type)


async def _from(first: TurnEvent | None, rest: Events) -> Events:
    """The events with the first one put back; closing it closes the turn."""
    async with aclosing(rest):
        if first is not None:
            yield first
        async for event in rest:
            yield event


def _stream(completion: Completion, events: Events, *, include_usage: bool) -> Response:
    def frames() -> AsyncGenerator[bytes]:
        return _chunks(completion, events, include_usage=include_usage)

    return Streamed(EventStream(frames, broken=error_event(INTERNAL) + DONE))


async def _chunks(
    completion: Completion, events: Events, *, include_usage: bool
) -> AsyncGenerator[bytes]:
    yield completion.chunk({"role": "assistant", "content": ""})
    top: dict[str, Any] = {}
    said = False
    async with aclosing(events):
        async for event in events:
            if isinstance(event, SourcesReady):
                top = {"search_results": search_results(event.sources)}
            elif isinstance(event, Delta):
                said = True
                yield completion.chunk({"content": event.text}, **top)
            elif isinstance(event, Failed):
                yield error_event(failed_problem(event))
            elif isinstance(event, Done):
                for piece in _ending(completion, event.result, said=said, usage=include_usage):
                    yield piece
    yield DONE


def _ending(completion: Completion, result: TurnResult, *, said: bool, usage: bool) -> list[bytes]:
    """Text that was never streamed, the annotations in a chunk of their own, the usage."""
    text = "" if said else answer_text(result)
    last = {"annotations": [annotation(c) for c in one_per_address(result.citations)]}
    return [
        *([completion.chunk({"content": text})] if text else []),
        completion.chunk(last, finish="stop", search_results=search_results(result.sources)),
        *([completion.usage(result)] if usage else []),
    ]


async def _result(events: AsyncIterator[TurnEvent]) -> TurnResult:
    async with aclosing(cast("Events", events)) as turn:
        async for event in turn:
            if isinstance(event, Done):
                return event.result
            if isinstance(event, Failed):
                raise ProblemError(failed_problem(event))
    raise ProblemError(INTERNAL)
