"""Responses of the native APIs."""

from typing import Any

import orjson
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send


class JsonResponse(Response):
    """JSON by orjson; never cached, for it may be about a person."""

    media_type = "application/json"

    def __init__(self, content: Any, status_code: int = 200) -> None:
        super().__init__(orjson.dumps(content), status_code, {"Cache-Control": "no-store"})


class Streamed(Response):
    """Lets an ASGI application be the response of a route.

    Args:
        app: Writes the whole response, headers included.
    """

    def __init__(self, app: ASGIApp) -> None:
        super().__init__()
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand over."""
        await self._app(scope, receive, send)
