"""Runs a turn for the API of another product, whose encoder tells the events in its words."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, cast

from fastapi import Request
from starlette.responses import Response

from pellucid_gateway.api.compatible.client_turn import Asked
from pellucid_gateway.api.compatible.encoder import EventEncoder
from pellucid_gateway.api.compatible.head_start import HeadStarts
from pellucid_gateway.api.compatible.upstream import ModelServer
from pellucid_gateway.api.http.identity import Identity
from pellucid_gateway.api.http.leaving import until_disconnect
from pellucid_gateway.api.http.problems import INTERNAL, Problem, ProblemError
from pellucid_gateway.api.http.responses import JsonResponse, Streamed
from pellucid_gateway.api.http.streams import EventStream, body_of
from pellucid_gateway.api.http.whole_turn import failed_problem
from pellucid_gateway.domain.engine import TurnEngine
from pellucid_gateway.domain.events import Decided, Done, Failed, TurnEvent
from pellucid_gateway.domain.passed_on import PassedOn
from pellucid_gateway.domain.ports import EvidenceStore
from pellucid_gateway.domain.request import TurnRequest
from pellucid_runtime.clock import Clock

Events = AsyncGenerator[TurnEvent]
Keep = Callable[[], Awaitable[None]]

_NO_MODEL = Problem(
    code="INVALID_ARGUMENT",
    detail="Tools and JSON need a language model, and none can be used here.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatApi:
    """What the routes of a chat API stand on.

    Attributes:
        engine: Runs the turns.
        identity: Hashes the person.
        clock: For times of creation.
        upstream: The model server; None without a model.
        own_model: What the name `pellucid` stands for there.
        note_passed: Told of each turn that the model server answered by itself.
        head_starts: Which messages it is shown while they are decided on.
        evidence: Keeps what clients refer to later; None when nothing is kept.
    """

    engine: TurnEngine
    identity: Identity
    clock: Clock
    upstream: ModelServer | None
    own_model: str
    note_passed: Callable[[PassedOn], None]
    head_starts: HeadStarts
    evidence: EvidenceStore | None = None

    def model_for(self, asked: Asked) -> ModelServer | None:
        """The model server, if there is one and it may hear of this."""
        hidden = asked.turn.no_external and self.upstream is not None and not self.upstream.internal
        return None if hidden else self.upstream

    def turn(self, request: Request, asked: Asked) -> TurnRequest:
        """The turn with its caller.

        Raises:
            ProblemError: Only a model can do what is wanted, and there is none.
        """
        if asked.is_for_program and self.model_for(asked) is None:
            raise ProblemError(_NO_MODEL)
        return replace(asked.turn, caller=self.identity.caller(request, asked.user_id))

    def events(self, turn: TurnRequest) -> Events:
        """Begin a turn; closing the iterator cancels it."""
        return cast("Events", self.engine.run(turn))

    @property
    def now(self) -> int:
        """Seconds since 1970."""
        return int(self.clock.now().timestamp())


async def _nothing() -> None:
    """Keep nothing of an answer."""


async def reply(
    api: ChatApi, request: Request, asked: Asked, encoder: EventEncoder, keep: Keep = _nothing
) -> Response:
    """Run the turn and answer, as a stream when the client asked for one.

    Args:
        api: What the routes stand on.
        request: Of the client.
        asked: What it wants.
        encoder: Tells the turn.
        keep: Awaited once the whole turn is told, before its last frames go out.
    """

    async def answer() -> Response | EventStream:
        events = api.events(api.turn(request, asked))
        first = await anext(events, None)
        return await reply_from(put_back(first, events), encoder, keep, stream=asked.stream)

    told = await until_disconnect(request.receive, answer())
    return Streamed(told) if isinstance(told, EventStream) else told


async def reply_from(
    events: Events, encoder: EventEncoder, keep: Keep = _nothing, *, stream: bool
) -> Response | EventStream:
    """Answer with a turn that has begun."""
    if stream:
        return EventStream(body_of(lambda: _frames(encoder, events, keep)), broken=encoder.broken)
    return JsonResponse(await _whole(encoder, events, keep))


async def put_back(first: TurnEvent | None, rest: Events) -> Events:
    """The events with the first one put back; closing it closes the turn."""
    async with aclosing(rest):
        if first is not None:
            yield first
        async for event in rest:
            yield event


async def _frames(encoder: EventEncoder, events: Events, keep: Keep) -> AsyncGenerator[bytes]:
    """Frames of a turn; none before something happens, so that a refusal has its status.

    Raises:
        ProblemError: The turn failed.
    """
    has_begun = False
    async with aclosing(_until_done(events)) as told:
        async for event in told:
            if not has_begun and not isinstance(event, Decided):
                has_begun = True
                for piece in encoder.begin():
                    yield piece
            pieces = encoder.tell(event)
            if isinstance(event, Done):
                await keep()
            for piece in pieces:
                yield piece


async def _whole(encoder: EventEncoder, events: Events, keep: Keep) -> dict[str, Any]:
    """Take the turn to its end.

    Raises:
        ProblemError: It failed.
    """
    encoder.begin()
    async with aclosing(_until_done(events)) as told:
        async for event in told:
            encoder.tell(event)
    await keep()
    return encoder.whole()


async def _until_done(events: Events) -> Events:
    """The events up to the end of a turn.

    Raises:
        ProblemError: The turn failed.
    """
    async with aclosing(events):
        async for event in events:
            if isinstance(event, Failed):
                raise ProblemError(failed_problem(event))
            yield event
            if isinstance(event, Done):
                return
    raise ProblemError(INTERNAL)
