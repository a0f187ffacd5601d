"""The way around the framework for what is asked most: no routing, no dependencies, one span.

What is on it is a route of the framework as well, which answers other methods and lists it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from opentelemetry.context import attach, detach
from opentelemetry.trace import SpanKind, Status, StatusCode, get_tracer, use_span
from starlette.datastructures import Headers
from starlette.middleware.errors import ServerErrorMiddleware
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.routing import Route
from starlette.types import ASGIApp, ExceptionHandler, Message, Receive, Scope, Send

from pellucid_gateway.api.http.guard import own_path
from pellucid_runtime.telemetry.tracing import caller_context

_TRACER = get_tracer(__name__)
_FAILED = 500


class Shortcut:
    """Hands requests of some routes to their applications directly.

    Args:
        app: Gets everything else.
        routes: POST routes without parameters, whose endpoints are ASGI applications.
        handlers: What is answered to errors, by their class; that of `Exception` to defects.
    """

    def __init__(
        self,
        app: ASGIApp,
        routes: Sequence[Route],
        handlers: Mapping[type[Exception], ExceptionHandler],
    ) -> None:
        self._app = app
        known = {kind: tell for kind, tell in handlers.items() if kind is not Exception}
        self._direct = {
            route.path: _Traced(
                ServerErrorMiddleware(ExceptionMiddleware(route.app, known), handlers[Exception]),
                route,
            )
            for route in routes
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on."""
        is_post = scope["type"] == "http" and scope["method"] == "POST"
        app = self._direct.get(own_path(scope), self._app) if is_post else self._app
        await app(scope, receive, send)


class _Traced:
    """One span around a request, as the framework makes them for the others."""

    def __init__(self, app: ASGIApp, route: Route) -> None:
        self._app = app
        self._route = route

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["route"] = self._route
        path = self._route.path
        parent = caller_context(Headers(scope=scope))
        attributes: dict[str, Any] = {"http.request.method": "POST", "http.route": path}
        span = _TRACER.start_span(f"POST {path}", parent, SpanKind.SERVER, attributes)

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                span.set_attribute("http.response.status_code", message["status"])
                if message["status"] >= _FAILED:
                    span.set_status(Status(StatusCode.ERROR))
            await send(message)

        token = attach(parent)  # with the caller's baggage
        try:
            with use_span(
                span, end_on_exit=True, record_exception=False, set_status_on_exception=False
            ):
                await self._app(scope, receive, noting)
        finally:
            detach(token)
