"""Problems in the words that an API's clients expect: JSON of its own, a page in a browser.

One ASGI layer around everything, so that also what is refused before an API is reached (no key, too
many requests, an unknown path below it) is told in its words.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import orjson
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pellucid_gateway.api.http.guard import SEND_PAST, own_path
from pellucid_gateway.api.http.problem_page import problem_page, wants_page
from pellucid_gateway.api.http.problems import PROBLEMS, Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorShape:
    """How one API tells a problem.

    Attributes:
        path: Paths that begin so belong to the API.
        body: Makes the JSON of a problem, or its bytes.
        statuses: HTTP status by code, where it differs from ours.
        media_type: Of the body.
    """

    path: str
    body: Callable[[Problem], Any]
    statuses: Mapping[str, int] = field(default_factory=dict)
    media_type: str = "application/json"


class ErrorShapes:
    """Rewrites problem documents on the paths of compatible APIs, and those that browsers open.

    Args:
        app: What is wrapped.
        shapes: One for each API.
    """

    def __init__(self, app: ASGIApp, shapes: Sequence[ErrorShape]) -> None:
        self._app = app
        self._shapes = tuple(shapes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on; only the answers of compatible APIs and to browsers are looked at."""
        shape = self._shape_of(scope)
        if shape is None:
            await self._app(scope, receive, send)
        else:
            scope[SEND_PAST] = send
            problems = scope[PROBLEMS] = []
            await self._app(scope, receive, _Reshaping(shape, problems, send).send)

    def _shape_of(self, scope: Scope) -> ErrorShape | None:
        if scope["type"] != "http":
            return None
        path = own_path(scope)
        known = next((shape for shape in self._shapes if path.startswith(shape.path)), None)
        return known or (_page(scope) if wants_page(scope) else None)


def _page(scope: Scope) -> ErrorShape:
    body = partial(problem_page, base=scope.get("root_path", ""))
    return ErrorShape(path="", body=body, media_type="text/html; charset=utf-8")


class _Reshaping:
    """Holds the head of a problem back until its document is here; all else flows."""

    def __init__(self, shape: ErrorShape, problems: Sequence[Problem], send: Send) -> None:
        self._shape = shape
        self._problems = problems
        self._send = send
        self._head: Message | None = None

    async def send(self, message: Message) -> None:
        """Pass a message on, reshaped where it belongs to a problem."""
        if message["type"] == "http.response.start" and self._problems:
            self._head = message
        elif self._head is None:
            await self._send(message)
        else:
            head, self._head = self._head, None
            await self._send_reshaped(head, message)

    async def _send_reshaped(self, head: Message, message: Message) -> None:
        problem = self._problems[-1]
        told = self._shape.body(problem)
        body = told if isinstance(told, bytes) else orjson.dumps(told)
        kind = self._shape.media_type.encode()
        ours = {b"content-type": kind, b"content-length": b"%d" % len(body)}
        kept = [pair for pair in head["headers"] if pair[0] not in ours]
        status = self._shape.statuses.get(problem.code, head["status"])
        await self._send({**head, "status": status, "headers": [*kept, *ours.items()]})
        await self._send({**message, "body": body})
