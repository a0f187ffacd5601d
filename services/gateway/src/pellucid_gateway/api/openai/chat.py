"""POST /v1/chat/completions: web search by changing a frontend's base URL.

A message that needs no search is passed to the model server untouched, bytes and all. One that
does is answered by the engine, whose checked answer is told in OpenAI's words.
"""

from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from uuid import uuid4

from fastapi import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pellucid_gateway.api.compatible.client_turn import Asked
from pellucid_gateway.api.compatible.head_start import HeadStart, begins_early
from pellucid_gateway.api.compatible.shapes import CHAT_BODY_BYTES
from pellucid_gateway.api.compatible.translation import ChatApi, Events, put_back, reply_from
from pellucid_gateway.api.compatible.upstream import UpstreamReply
from pellucid_gateway.api.http.bodies import read_body
from pellucid_gateway.api.http.leaving import Leaving
from pellucid_gateway.api.http.outlet import Outlet
from pellucid_gateway.api.http.streams import EventStream
from pellucid_gateway.api.openai.chat_reply import CompletionEncoder, cut_off, error_event
from pellucid_gateway.api.openai.chat_request import OpenAiRequest, parse
from pellucid_gateway.domain.decision import Action, Decision
from pellucid_gateway.domain.events import Decided, TurnEvent
from pellucid_gateway.domain.passed_on import PassedOn
from pellucid_gateway.domain.request import TurnRequest
from pellucid_runtime.errors import ServiceError

COMPLETIONS = "/v1/chat/completions"


class Completions:
    """The completions as a plain ASGI application: most of what passes here is not ours to touch.

    Args:
        api: What the API stands on.
    """

    def __init__(self, api: ChatApi) -> None:
        self._api = api

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request.

        Raises:
            ProblemError: It is not valid.
            ServiceError: It cannot be answered.
            ClientGoneError: Nobody waits for the answer.
        """
        request = Request(scope, receive)
        raw = await read_body(request, CHAT_BODY_BYTES)
        options = request.headers.get("x-pellucid-options", "")
        asked = parse(raw, options, self._api.own_model)
        with ExitStack() as stack:
            async with Leaving(receive) as client:
                reply = await _reply(self._api, request, asked)
                if isinstance(reply, EventStream):
                    stack.enter_context(reply.until_left())
                    await reply.stream(scope, send, client)
        if isinstance(reply, Response):
            await reply(scope, receive, send)


async def _reply(api: ChatApi, request: Request, parsed: OpenAiRequest) -> Response | EventStream:
    asked, upstream = parsed.asked, api.model_for(parsed.asked)
    turn = api.turn(request, asked)
    # Not begun before it is iterated, but refused at once: a turn may also go to the model alone.
    events = api.events(turn)
    if upstream is None:
        return await _answer(api, parsed, await anext(events, None), events)
    ask = partial(upstream.complete, parsed.body, asked.upstream_model)
    if asked.needs_model and not turn.attachments:
        return await _Passing(api, turn, None).reply_of(await ask())
    async with HeadStart(ask) as start:
        if begins_early(turn, api.head_starts):
            events = api.events(replace(turn, let_in=start.begin))
        first = await anext(events, None)
        if isinstance(first, Decided) and _adds_nothing(asked, first):
            await events.aclose()
            return await _Passing(api, turn, first.decision).reply_of(await start.reply())
    return await _answer(api, parsed, first, events)


async def _answer(
    api: ChatApi, parsed: OpenAiRequest, first: TurnEvent | None, events: Events
) -> Response | EventStream:
    """The engine's own answer, in OpenAI's words."""
    asked = parsed.asked
    encoder = CompletionEncoder(
        f"chatcmpl-{uuid4().hex}",
        model=asked.model,
        created=api.now,
        include_usage=parsed.include_usage,
        shows_progress=asked.shows_progress,
    )
    return await reply_from(put_back(first, events), encoder, stream=asked.stream)


def _adds_nothing(asked: Asked, first: Decided) -> bool:
    """Nothing is searched or read, and there is nothing else of ours to tell the model."""
    turn = asked.turn
    ours = turn.memories or first.remembers or turn.subject or turn.force_search or turn.attachments
    return first.decision.action is Action.ANSWER and not ours


class _Passing:
    """A reply of the model server on its way back, counted when it ends."""

    def __init__(self, api: ChatApi, turn: TurnRequest, decision: Decision | None) -> None:
        self._note = api.note_passed
        self._turn = PassedOn(caller=turn.caller, decision=decision)

    async def reply_of(self, reply: UpstreamReply) -> Response | EventStream:
        if reply.is_stream:
            return EventStream(partial(self._pass, reply), broken=error_event)
        body = await reply.read()
        self._ended(reply)
        headers = {"Retry-After": reply.retry_after} if reply.retry_after else {}
        return Response(body, reply.status, headers, media_type=reply.media_type)

    async def _pass(self, reply: UpstreamReply, out: Outlet) -> None:
        """Pass it on as it comes; what breaks off in the middle is ended, marked as partial."""
        try:
            await reply.pour(out.push)
        except ServiceError:
            if out.is_empty:
                raise
            await out.write(cut_off())
        finally:
            self._ended(reply)

    def _ended(self, reply: UpstreamReply) -> None:
        self._note(replace(self._turn, spent=reply.spent))
