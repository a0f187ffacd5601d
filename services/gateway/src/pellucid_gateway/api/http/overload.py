"""Refuses turns for which there is no room, before anything is counted or asked for them.

Only requests that begin a turn are asked about; probes, pages and what is kept stay reachable.
While there is room for everything but searches, a short body is looked into: a message that plainly
needs none, such as a thank-you, is let in. A longer one is refused unread.
MCP and WebSockets hold a connection for many turns; the engine asks about each of theirs.
"""

import asyncio
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

import orjson
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pellucid_gateway.api.http.admission import refuse
from pellucid_gateway.api.http.guard import own_path
from pellucid_gateway.api.http.problems import problem_of
from pellucid_gateway.load_shedding.concurrency_limit import BACKGROUND_SHARE, ConcurrencyLimit
from pellucid_gateway.question.plain_messages import is_plain
from pellucid_runtime.errors import OverloadedError

_TURNS = ("/v1/chat", "/v1/responses", "/v1/messages", "/compat/", "/v1/search", "/v1/check")
# Programs that only search can come again later; a person waits in front of the others.
_BACKGROUND = ("/v1/search", "/v1/check", "/compat/")
_INTERACTIVE = ("/compat/perplexity/chat",)
_METHODS = frozenset({"GET", "POST"})
# A conversation of a few short turns; small talk late in a long one is refused as the rest.
_MOST_LOOKED_INTO = 4_096
# Usually the body has come with the head.
_LOOK_S = 0.2


class Overload:
    """A layer around everything that costs something.

    Args:
        app: What is guarded.
        concurrency_limit: Lets in.
    """

    def __init__(self, app: ASGIApp, concurrency_limit: ConcurrencyLimit) -> None:
        self._app = app
        self._concurrency_limit = concurrency_limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, or refuse."""
        if not _begins_turn(scope):
            await self._app(scope, receive, send)
            return
        share, plain = _share(own_path(scope)), False
        length = _length_of_talk(scope)
        if 0 < length <= _MOST_LOOKED_INTO and self._concurrency_limit.is_full_of_searches(share):
            look = _Look(receive, length)
            receive, plain = look.receive, await look.is_plain()
        with ExitStack() as held:
            try:
                held.enter_context(self._concurrency_limit.permit(share, plain=plain))
            except OverloadedError as error:
                await refuse(scope, receive, send, problem_of(error))
                return
            await self._app(scope, receive, send)


class _Look:
    """Looks into a body that came in one piece, and gives it on unchanged.

    Args:
        receive: Where it comes from.
        length: Announced, in bytes.
    """

    def __init__(self, receive: Receive, length: int) -> None:
        self._receive = receive
        self._length = length
        self._seen: Message | None = None

    async def is_plain(self) -> bool:
        """Whether the message in it plainly needs no search."""
        try:
            async with asyncio.timeout(_LOOK_S):
                self._seen = await self._receive()
        except TimeoutError:
            return False
        body = self._seen.get("body", b"")
        return len(body) == self._length and is_plain(_last_words(body))

    async def receive(self) -> Message:
        """What was seen first, then the rest."""
        if self._seen is None:
            return await self._receive()
        seen, self._seen = self._seen, None
        return seen


def _last_words(body: bytes) -> str:
    """What a person says last in a request of any chat API; empty when that cannot be told."""
    try:
        request: Any = orjson.loads(body)
    except orjson.JSONDecodeError:
        return ""
    if not isinstance(request, Mapping):
        return ""
    said: Any = request.get("message") or request.get("messages") or request.get("input")
    if isinstance(said, list) and said and isinstance(said[-1], Mapping):
        said = said[-1].get("content") if said[-1].get("role") == "user" else ""
    return said if isinstance(said, str) else ""


def _begins_turn(scope: Scope) -> bool:
    is_http = scope["type"] == "http" and scope["method"] in _METHODS
    return is_http and own_path(scope).startswith(_TURNS)


def _length_of_talk(scope: Scope) -> int:
    """Bytes of a request of a person; 0 where it may be something else, or cannot be told."""
    headers = Headers(scope=scope)
    length = headers.get("content-length", "")
    is_talk = not _is_background(own_path(scope)) and "content-encoding" not in headers
    return int(length) if is_talk and length.isdecimal() else 0


def _share(path: str) -> float:
    """Share of the bounds that a path may find in use and still be let in."""
    return BACKGROUND_SHARE if _is_background(path) else 1.0


def _is_background(path: str) -> bool:
    return path.startswith(_BACKGROUND) and not path.startswith(_INTERACTIVE)
