"""What every HTTP request passes first, as one plain ASGI layer: who may talk to us, and headers.

Refuses foreign Host names while keys are off (DNS rebinding) and foreign Origins on anything that
changes or costs something; answers CORS preflights; adds security headers; counts and times.
"""

import re
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import structlog
from opentelemetry import trace
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pellucid_gateway.access.hosts import is_loopback
from pellucid_gateway.api.http.problems import FieldError, Problem, ProblemResponse, invalid

log = structlog.get_logger(__name__)

# A page may load our own scripts and styles, talk to us, and nothing else.
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
    (b"content-security-policy", PAGE_POLICY.encode()),
)
# The vendors' SDKs read one or the other and show it with an error.
_ID_HEADERS = (b"x-request-id", b"request-id")
_EXPOSED = b"Retry-After, X-Should-Retry, X-Request-Id, Request-Id"
_HOST = re.compile(r"(?:[\w.-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])?(?::\d{1,5})?", re.ASCII)
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
# Probes come with the pod's address as Host and reveal nothing.
_OPEN_PATHS = frozenset({"/livez", "/readyz"})
_PREFLIGHT_AGE_S = 600
_OWN_HEADERS = "authorization, content-type, x-api-key, x-pellucid-options"
_HEADER_NAMES = re.compile(r"[A-Za-z0-9_, -]{1,2000}")
# Asked for again and again; nobody wants a line for each.
_QUIET_ROUTES = frozenset({"/static", "/livez", "/readyz", "/metrics"})

# Where a stream finds the way past all layers inside for what comes after its head: they have to do
# with heads only, and each of them would be passed again for every word of an answer.
SEND_PAST = "pellucid.send"

Observe = Callable[[str, int, float], None]


@dataclass(frozen=True, slots=True)
class GuardRules:
    """What the guard lets through.

    Attributes:
        any_host: Keys are on, so a Host name proves nothing and is not checked.
        extra_hosts: Host names served besides the loopback ones, lower case, without port.
        origins: Foreign origins that may call, for example `https://chat.example`.
    """

    any_host: bool = False
    extra_hosts: Collection[str] = ()
    origins: Collection[str] = ()


class Guard:
    """The outermost layer of the HTTP APIs.

    Args:
        app: What is guarded.
        rules: Hosts and origins.
        observe: Told the route, status and seconds of each request.
    """

    def __init__(self, app: ASGIApp, rules: GuardRules, observe: Observe) -> None:
        self._app = app
        self._rules = rules
        self._observe = observe

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        exchange = _Exchange(scope, send, self._cors(scope))
        scope.setdefault(SEND_PAST, send)
        answer = _refusal(scope, self._rules) or self._preflight(scope)
        try:
            await (answer or self._app)(scope, receive, exchange.send)
        finally:
            exchange.finish(self._observe)

    def _cors(self, scope: Scope) -> tuple[tuple[bytes, bytes], ...]:
        origin = Headers(scope=scope).get("origin")
        if origin not in self._rules.origins or origin is None:
            return ()
        return (
            (b"access-control-allow-origin", origin.encode()),
            (b"access-control-expose-headers", _EXPOSED),
            (b"vary", b"Origin"),
        )

    def _preflight(self, scope: Scope) -> ASGIApp | None:
        headers = Headers(scope=scope)
        asked = headers.get("access-control-request-method")
        if scope["type"] != "http" or scope["method"] != "OPTIONS" or asked is None:
            return None
        return _Preflight()


class _Preflight:
    """Answer to a CORS preflight; the origin header is added by the exchange.

    SDKs in browsers send many headers of their own; an origin that may call may send them all.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del receive
        asked = Headers(scope=scope).get("access-control-request-headers", "")
        allowed = asked if _HEADER_NAMES.fullmatch(asked) else _OWN_HEADERS
        headers = [
            (b"access-control-allow-methods", b"GET, POST, DELETE"),
            (b"access-control-allow-headers", allowed.encode()),
            (b"vary", b"Origin, Access-Control-Request-Headers"),
            (b"access-control-max-age", str(_PREFLIGHT_AGE_S).encode()),
        ]
        await send({"type": "http.response.start", "status": 204, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


class _Exchange:
    """One request: adds headers to its response and remembers how it went."""

    def __init__(self, scope: Scope, send: Send, extra: Iterable[tuple[bytes, bytes]]) -> None:
        self._scope = scope
        self._send = send
        self._extra = (*_HEADERS, *extra)
        self._status = 0
        self._span = trace.INVALID_SPAN_CONTEXT
        self._id = uuid4().hex
        self._begun = time.perf_counter()

    async def send(self, message: Message) -> None:
        """Pass a message on."""
        if message["type"] == "http.response.start":
            self._status = message["status"]
            # Only here: the span of the request ends before this layer sees the end.
            self._span = trace.get_current_span().get_span_context()
            if self._span.is_valid:
                self._id = f"{self._span.trace_id:032x}"
            given = {name.lower() for name, _ in message["headers"]}
            ids = ((name, self._id.encode()) for name in _ID_HEADERS)
            more = [pair for pair in (*self._extra, *ids) if pair[0] not in given]
            message = {**message, "headers": [*message["headers"], *more]}
        await self._send(message)

    def finish(self, observe: Observe) -> None:
        """Write the one line of this request; the path is a template, so it holds no user text."""
        seconds = time.perf_counter() - self._begun
        route = route_of(self._scope)
        observe(route, self._status, seconds)
        known = {"trace_id" if self._span.is_valid else "request_id": self._id}
        write = log.debug if route in _QUIET_ROUTES else log.info
        write("http", route=route, status=self._status, ms=round(seconds * 1000, 1), **known)


def own_path(scope: Scope) -> str:
    """Path without the prefix that a proxy in front strips (GATEWAY_ROOT_PATH)."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", "")) or "/"


def route_of(scope: Scope) -> str:
    """Template of the matched path, for example `/v1/evidence/{record}`; else "other"."""
    if own_path(scope).startswith("/static/"):
        return "/static"
    route: Any = scope.get("route")
    return getattr(route, "path", None) or (
        "websocket" if scope["type"] == "websocket" else "other"
    )


def _refusal(scope: Scope, rules: GuardRules) -> Callable[..., Awaitable[None]] | None:
    headers = Headers(scope=scope)
    if own_path(scope) in _OPEN_PATHS:
        return None
    host = headers.get("host", "")
    if len(headers.getlist("host")) > 1 or not _HOST.fullmatch(host):
        limit = "one header with a host name or an address, and a port if need be"
        return _refuse(scope, invalid([FieldError("Host", limit, f"must be {limit}")]))
    if not rules.any_host and not _served(host, rules.extra_hosts):
        limit = "a loopback name or one of GATEWAY_ALLOWED_HOSTS"
        error = FieldError("Host", limit, f"must be {limit} while keys are off")
        return _refuse(scope, _forbidden(error))
    origin = headers.get("origin")
    free = scope["type"] == "http" and scope["method"] in _SAFE_METHODS
    if origin is None or free or _same_origin(origin, host) or origin in rules.origins:
        return None
    limit = "this server or one of GATEWAY_CORS_ORIGINS"
    return _refuse(scope, _forbidden(FieldError("Origin", limit, f"must be {limit}")))


def _forbidden(error: FieldError) -> Problem:
    as_invalid = invalid([error])
    return Problem(code="FORBIDDEN", detail=as_invalid.detail, errors=as_invalid.errors)


def _refuse(scope: Scope, problem: Problem) -> Callable[..., Awaitable[None]]:
    return _close if scope["type"] == "websocket" else ProblemResponse(problem, linger=True)


async def _close(_scope: Scope, _receive: Receive, send: Send) -> None:
    """Refuse a WebSocket before it is accepted: the server answers 403."""
    await send({"type": "websocket.close", "code": 1008})


def _name_of(host: str) -> str:
    """Host header without port and brackets, lower case, without a final dot."""
    name = host.strip().lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name.partition(":")[0].removesuffix(".")


def _served(host: str, extra: Collection[str]) -> bool:
    name = _name_of(host)
    return name in extra or is_loopback(name)


def _same_origin(origin: str, host: str) -> bool:
    scheme, _, rest = origin.partition("://")
    return scheme in {"http", "https"} and bool(rest) and rest.lower() == host.lower()


# Kept for the documentation of what a response always carries.
SECURITY_HEADERS: Mapping[str, str] = {name.decode(): value.decode() for name, value in _HEADERS}
