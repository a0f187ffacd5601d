"""GET /v1/ws: several turns over one socket, with the events of the native API.

Browsers authenticate by offering their key as a subprotocol or by a first `auth` message, never in
the address. A socket that closes cancels its turns.
"""

import asyncio
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, cast

import orjson
import structlog
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from pellucid_gateway.access.api_keys import Scope
from pellucid_gateway.access.caller_access import current_access, enter
from pellucid_gateway.api.http.admission import out_of_scope
from pellucid_gateway.api.http.bodies import check, parse_object
from pellucid_gateway.api.http.identity import Identity
from pellucid_gateway.api.http.keys import FindKey
from pellucid_gateway.api.http.problems import (
    INTERNAL,
    FieldError,
    Problem,
    ProblemError,
    invalid,
    problem_of,
    too_large,
)
from pellucid_gateway.api.native.events import event_json
from pellucid_gateway.api.native.requests import ChatBody
from pellucid_gateway.domain.engine import TurnEngine
from pellucid_gateway.domain.events import (
    Done,
    Failed,
    Progress,
    ProgressKind,
    ResultsReady,
    TurnEvent,
)
from pellucid_runtime.errors import ServiceError
from pellucid_runtime.http_server import SOCKET_WORKS

log = structlog.get_logger(__name__)

# Turns of one socket at the same time; a person reads one.
MOST_TURNS = 4
# A socket that should send its key first gets this long.
AUTH_WITHIN_S = 10.0
PROTOCOL = "pellucid"
FIRST_TURN = "1"
_UNAUTHENTICATED = 4401
_STATUS = {
    ProgressKind.WAITING: "waiting",
    ProgressKind.SEARCH_START: "searching_web",
    ProgressKind.FETCHING: "reading_pages",
    ProgressKind.COMPLETE: "answering",
}

Content = Mapping[str, Any]


def websocket_routes(
    engine: TurnEngine, identity: Identity, find_key: FindKey | None, limit: int
) -> APIRouter:
    """Route of the WebSocket API.

    Args:
        engine: Runs the turns.
        identity: Hashes the person.
        find_key: Looks a key up; None while keys are off.
        limit: Longest message in bytes.
    """
    router = APIRouter()

    @router.get("/v1/ws", include_in_schema=False)
    async def not_upgraded() -> Response:
        detail = "This path is a WebSocket: ask for an upgrade."
        raise ProblemError(Problem(code="NOT_FOUND", detail=detail))

    @router.websocket("/v1/ws")
    async def socket(connection: WebSocket) -> None:
        offered = connection.scope.get("subprotocols", [])
        await connection.accept(subprotocol=PROTOCOL if PROTOCOL in offered else None)
        try:
            if find_key is not None:
                await _authenticate(connection, find_key, offered)
            await _Socket(connection, engine, identity, limit).serve()
        except (WebSocketDisconnect, TimeoutError):
            return
        except ProblemError as error:
            await connection.send_text(_frame("error", "", error.problem.document()).decode())
            await connection.close(_UNAUTHENTICATED)

    return router


async def _authenticate(connection: WebSocket, find_key: FindKey, offered: list[str]) -> None:
    """Find a valid key among the subprotocols or in the first message.

    Raises:
        ProblemError: There is none.
    """
    key = next((found for found in map(find_key, offered) if found is not None), None)
    if key is None:
        async with asyncio.timeout(AUTH_WITHIN_S):
            first = parse_object((await connection.receive_text()).encode())
        token = first.get("key") if first.get("type") == "auth" else None
        key = find_key(token) if isinstance(token, str) else None
    if key is None:
        raise ProblemError(Problem(code="UNAUTHENTICATED", detail="A valid key is required."))
    if Scope.CHAT not in key.scopes:
        raise ProblemError(out_of_scope(Scope.CHAT))
    enter(replace(current_access(), key=key))
    connection.scope["pellucid.key"] = key.name


def _frame(kind: str, turn: str, content: Any, **more: Any) -> bytes:
    return orjson.dumps({"type": kind, "turn": turn, "data": content, **more})


@dataclass(frozen=True, slots=True)
class _Asked:
    """One message of the client: what it wants, of which turn."""

    kind: str
    turn: str
    content: Content


def _asked(text: str, limit: int) -> _Asked:
    """Read a message; one without a type is a chat request of turn 1."""
    if len(text) > limit:
        words = f"at most {limit} bytes"
        raise ProblemError(too_large([FieldError("body", words, f"must be {words}")]))
    message = parse_object(text.encode("utf-8", "surrogatepass"))
    kind = message.get("type", "")
    if not kind:
        return _Asked("chat", FIRST_TURN, message)
    turn = str(message.get("turn", FIRST_TURN))[:128]
    content = message.get("data")
    return _Asked(str(kind), turn, content if isinstance(content, dict) else {})


def _unheard(*, works: bool) -> None:
    """Nobody counts connections."""


class _Socket:
    """One open socket with its running turns."""

    def __init__(
        self, connection: WebSocket, engine: TurnEngine, identity: Identity, limit: int
    ) -> None:
        self._connection = connection
        self._engine = engine
        self._identity = identity
        self._limit = limit
        self._turns: dict[str, asyncio.Task[None]] = {}
        # Told whether a turn runs: a socket without one makes room when connections run out.
        self._works = connection.scope.get(SOCKET_WORKS, _unheard)

    async def serve(self) -> None:
        """Take messages until the client leaves; then cancel what runs."""
        try:
            while True:
                await self._take(await self._connection.receive_text())
        finally:
            running = tuple(self._turns.values())
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async def _take(self, text: str) -> None:
        turn = FIRST_TURN
        try:
            asked = _asked(text, self._limit)
            turn = asked.turn
            await self._do(asked)
        except ProblemError as error:
            await self._send("error", turn, error.problem.document())

    async def _do(self, asked: _Asked) -> None:
        if asked.kind == "ping":
            await self._send("pong", asked.turn, {})
        elif asked.kind == "cancel":
            await self._cancel(asked.turn)
        elif asked.kind == "chat":
            self._begin(asked)
        elif asked.kind != "auth":
            words = "one of chat, cancel, ping, auth"
            raise ProblemError(invalid([FieldError("type", words, f"must be {words}")]))

    def _begin(self, asked: _Asked) -> None:
        if asked.turn in self._turns:
            error = FieldError("turn", "a turn that is not running", "is still running")
            raise ProblemError(invalid([error]))
        if len(self._turns) >= MOST_TURNS:
            detail = f"At most {MOST_TURNS} turns run at the same time."
            raise ProblemError(Problem(code="OVERLOADED", detail=detail))
        body = check(ChatBody, asked.content)
        task = asyncio.create_task(self._run(asked.turn, body))
        self._turns[asked.turn] = task
        self._works(works=True)
        task.add_done_callback(lambda done: self._ended(asked.turn, done))

    def _ended(self, turn: str, task: asyncio.Task[None]) -> None:
        self._turns.pop(turn, None)
        if not self._turns:
            self._works(works=False)
        if not task.cancelled() and task.exception() is not None:
            log.error("socket_turn_broken", exc_info=task.exception())

    async def _cancel(self, turn: str) -> None:
        task = self._turns.get(turn)
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await self._send("cancelled", turn, {})

    async def _run(self, turn: str, body: ChatBody) -> None:
        # Identity reads addresses and headers only, which both kinds of connection have.
        caller = self._identity.caller(cast("Request", self._connection), body.user_id)
        try:
            begun = self._engine.run(body.to_turn(caller))
        except ServiceError as error:
            await self._send("error", turn, problem_of(error).document())
            return
        over = False
        try:
            async with aclosing(cast("Any", begun)) as events:
                async for event in events:
                    over = isinstance(event, Done | Failed)
                    await self._tell(turn, event, body)
        finally:
            cancelled = asyncio.current_task()
            if not over and cancelled is not None and not cancelled.cancelling():
                await self._send("error", turn, INTERNAL.document())

    async def _tell(self, turn: str, event: TurnEvent, body: ChatBody) -> None:
        name, content = event_json(event)
        more: dict[str, Any] = {}
        if isinstance(event, ResultsReady):
            more = {"model": body.model or None, "provider": content["provider"]}
        await self._send(name, turn, content, **more)
        if isinstance(event, Progress) and event.kind in _STATUS:
            waiting = {"type": "status", "turn": turn, "status": _STATUS[event.kind]}
            await self._send_raw({**waiting, "message": event.message})

    async def _send(self, kind: str, turn: str, content: Any, **more: Any) -> None:
        await self._connection.send_text(_frame(kind, turn, content, **more).decode())

    async def _send_raw(self, message: Content) -> None:
        await self._connection.send_text(orjson.dumps(message).decode())
