"""Who is let in: key, scope, request rate and places for work in progress, for every HTTP API.

Refusals look alike whether a key is unknown, removed or expired, and cost the same. Requests of
this machine without a key are the operator's own and are not limited.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as AsgiScope

from pellucid_gateway.access.api_keys import ApiKey, Scope
from pellucid_gateway.access.caller_access import Access, enter
from pellucid_gateway.api.http.guard import own_path
from pellucid_gateway.api.http.identity import Identity
from pellucid_gateway.api.http.keys import FindKey, token_of
from pellucid_gateway.api.http.problems import Problem, ProblemResponse
from pellucid_gateway.domain.rates import Rate, Take, Verdict
from pellucid_gateway.domain.state_ports import Limiter

MINUTE_S = 60
# A place outlives the longest request, so that only a gateway that died leaves one to its end.
LEASE_S = 150.0
# The page, its files and its probes hold no secret; the page asks for the key itself.
_OPEN = frozenset({"/", "/dashboard", "/docs", "/openapi.json", "/livez", "/readyz", "/v1/version"})
# What a path needs; the longest prefix counts, everything else is part of chatting.
_SCOPES: Sequence[tuple[str, Scope]] = (
    ("/v1/search", Scope.SEARCH),
    ("/v1/check", Scope.SEARCH),
    ("/compat/perplexity/chat", Scope.CHAT),
    ("/compat/", Scope.SEARCH),
    ("/v1/fetch", Scope.FETCH),
    ("/v1/stats", Scope.STATS),
    ("/v1/reports", Scope.STATS),
    ("/metrics", Scope.STATS),
)
# Reading and deleting what is kept needs no place; these begin work in other services.
_WORKING = (
    "/v1/chat",
    "/v1/search",
    "/v1/check",
    "/v1/fetch",
    "/v1/responses",
    "/v1/messages",
    "/compat/",
    "/mcp",
    "/v1/decide",
    "/v1/ws",
)
CHALLENGE_HEADER = "x-pellucid-challenge"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLimits:
    """Limits at the door; 0 means none.

    Attributes:
        key_per_minute: Requests of one key, unless the key says otherwise.
        address_per_minute: Requests of one address without a key, refused ones included.
        places: Requests of one key or address at the same time.
    """

    key_per_minute: int = 600
    address_per_minute: int = 300
    places: int = 128


@dataclass(slots=True, eq=False)
class Admission:
    """Lets requests in and remembers with which right.

    Attributes:
        app: What is guarded.
        identity: Finds addresses and hashes them.
        limiter: Counts.
        limits: How much is allowed.
        find_key: Looks a key up; None while keys are off.
    """

    app: ASGIApp
    _: KW_ONLY
    identity: Identity
    limiter: Limiter
    limits: RequestLimits
    find_key: FindKey | None

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Check and hand on."""
        if scope["type"] not in {"http", "websocket"} or is_open(own_path(scope)):
            await self.app(scope, receive, send)
            return
        visit = self._visit(scope)
        rate = await self._take(visit)
        refusal = self._refusal(scope, visit, rate)
        if refusal is not None:
            await refuse(scope, receive, send, refusal)
            return
        await self._let_in(visit, rate, scope, receive, send)

    def _visit(self, scope: AsgiScope) -> "_Visit":
        connection = HTTPConnection(scope)
        address = self.identity.address(connection)
        # A WebSocket brings its key later; until then it counts for its address.
        by_header = self.find_key is not None and scope["type"] == "http"
        key = self.find_key(token_of(scope)) if self.find_key and by_header else None
        if key is not None:
            return _Visit(self.identity.of_key(key.name), address, key)
        local = not by_header and self.identity.is_own(connection, address)
        return _Visit("" if local else self.identity.of_address(address), address, None)

    async def _take(self, visit: "_Visit") -> Verdict | None:
        """The verdict on the request's rate; None when it is not limited."""
        if visit.key is not None:
            own = visit.key.requests_per_minute
            rate = Rate("key", self.limits.key_per_minute if own is None else own, MINUTE_S)
        else:
            rate = Rate("address", self.limits.address_per_minute, MINUTE_S)
        if not visit.subject or not rate.limit:
            return None
        return await self.limiter.take([Take(rate, visit.subject)])

    def _refusal(self, scope: AsgiScope, visit: "_Visit", rate: Verdict | None) -> Problem | None:
        if rate is not None and not rate.allowed:
            return too_many(rate)
        if self.find_key is None or scope["type"] == "websocket":
            return None
        if visit.key is None:
            return UNAUTHENTICATED
        needed = scope_of(own_path(scope))
        return None if needed in visit.key.scopes else out_of_scope(needed)

    async def _let_in(
        self, visit: "_Visit", rate: Verdict | None, scope: AsgiScope, receive: Receive, send: Send
    ) -> None:
        answer = Headers(scope=scope).get(CHALLENGE_HEADER, "")
        enter(Access(key=visit.key, challenge=answer, address=visit.address))
        if visit.key is not None:
            # In place, because the layers outside read the matched route from the same scope.
            scope["pellucid.key"] = visit.key.name
        places = self.limits.places
        if not (visit.subject and places and own_path(scope).startswith(_WORKING)):
            await self.app(scope, receive, _telling(send, rate))
            return
        token = await self.limiter.acquire(visit.subject, places, LEASE_S)
        if token is None:
            await refuse(scope, receive, send, _no_place(places))
            return
        try:
            await self.app(scope, receive, _telling(send, rate))
        finally:
            await self.limiter.release(visit.subject, token)


@dataclass(frozen=True, slots=True)
class _Visit:
    """Who knocks; the subject is empty for whoever is not limited."""

    subject: str
    address: str
    key: ApiKey | None


def is_open(path: str) -> bool:
    """Whether a path needs no key."""
    return path in _OPEN or path.startswith("/static/")


def scope_of(path: str) -> Scope:
    """What a key needs for a path."""
    return next((scope for prefix, scope in _SCOPES if path.startswith(prefix)), Scope.CHAT)


UNAUTHENTICATED = Problem(
    code="UNAUTHENTICATED",
    detail="Send a valid key as `Authorization: Bearer <key>`.",
    headers={"WWW-Authenticate": "Bearer"},
)


def out_of_scope(needed: Scope) -> Problem:
    """A key that does not open this."""
    return Problem(code="FORBIDDEN", detail=f"This key lacks the scope {needed.value}.")


def too_many(rate: Verdict) -> Problem:
    """More requests than allowed."""
    return Problem(
        code="RATE_LIMIT_EXCEEDED",
        detail=f"At most {rate.rate.limit} requests in {rate.rate.window_s} seconds.",
        retry_after_s=max(1, math.ceil(rate.reset_s)),
        headers=rate_headers(rate),
    )


def _no_place(places: int) -> Problem:
    return Problem(
        code="RATE_LIMIT_EXCEEDED",
        detail=f"At most {places} requests at the same time.",
        retry_after_s=1.0,
    )


def rate_headers(rate: Verdict) -> Mapping[str, str]:
    """RateLimit and RateLimit-Policy as in the IETF draft: quota, window, rest, seconds to wait.

    >>> rate_headers(Verdict(allowed=True, rate=Rate("key", 600, 60), remaining=12))
    {'RateLimit-Policy': '"key";q=600;w=60', 'RateLimit': '"key";r=12;t=0'}
    """
    name, limit = rate.rate.name, rate.rate.limit
    return {
        "RateLimit-Policy": f'"{name}";q={limit};w={rate.rate.window_s}',
        "RateLimit": f'"{name}";r={rate.remaining};t={math.ceil(rate.reset_s)}',
    }


def _telling(send: Send, rate: Verdict | None) -> Send:
    """Adds how much is left to the head of the response."""
    if rate is None:
        return send
    headers = [(k.lower().encode(), v.encode()) for k, v in rate_headers(rate).items()]

    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], *headers]}
        await send(message)

    return with_headers


async def refuse(scope: AsgiScope, receive: Receive, send: Send, problem: Problem) -> None:
    """Answer with a problem; a WebSocket is closed before it opens."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1013})
        return
    response: Any = ProblemResponse(problem, linger=True)
    await response(scope, receive, send)
