"""What a failed request answers on the native APIs: `application/problem+json`.

Decides status, code and words; `pellucid_gateway.api.application` catches the errors. No document
ever carries the text of an unknown exception.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import orjson
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from pellucid_runtime.errors import LASTING, ErrorKind, ServiceError
from pellucid_runtime.llm.model import Said

# How much of a refused body is still taken and dropped, so that a client that sends all before it
# listens sees the answer instead of a reset; one that keeps on sending is cut off.
LINGER_BYTES = 8 * 1024 * 1024
LINGER_S = 2.0

TITLES: Mapping[str, str] = {
    "INVALID_ARGUMENT": "The request is not valid",
    "UNAUTHENTICATED": "A valid key is required",
    "FORBIDDEN": "Not permitted",
    "NOT_FOUND": "Not found",
    "METHOD_NOT_ALLOWED": "Method not allowed",
    "PAYLOAD_TOO_LARGE": "The request is too large",
    "RATE_LIMIT_EXCEEDED": "Too many requests",
    "BUDGET_EXCEEDED": "The budget is used up",
    "OVERLOADED": "The server is busy",
    "API_KEY_INVALID": "A provider has no usable key",
    "SEARCH_FAILED": "The search failed",
    "FETCH_FAILED": "The page could not be read",
    "EXTRACTION_FAILED": "No text could be extracted from the page",
    "ALL_SOURCES_FAILED": "No source could be reached",
    "DEADLINE_EXCEEDED": "The deadline passed",
    "CHALLENGE_REQUIRED": "A challenge must be solved first",
    "LLM_FAILED": "The language model failed",
    "NOT_READY": "The server is still starting",
    "INTERNAL": "Something went wrong on the server",
}

_STATUS_OF_CODE: Mapping[str, int] = {
    "INVALID_ARGUMENT": 400,
    "API_KEY_INVALID": 400,
    "UNAUTHENTICATED": 401,
    "FORBIDDEN": 403,
    "CHALLENGE_REQUIRED": 403,
    "NOT_FOUND": 404,
    "METHOD_NOT_ALLOWED": 405,
    "PAYLOAD_TOO_LARGE": 413,
    "RATE_LIMIT_EXCEEDED": 429,
    "BUDGET_EXCEEDED": 429,
    "OVERLOADED": 503,
    "SEARCH_FAILED": 503,
    "FETCH_FAILED": 503,
    "EXTRACTION_FAILED": 503,
    "ALL_SOURCES_FAILED": 503,
    "LLM_FAILED": 503,
    "NOT_READY": 503,
    "DEADLINE_EXCEEDED": 504,
    "INTERNAL": 500,
}

_STATUS_OF_KIND: Mapping[ErrorKind, int] = {
    ErrorKind.INVALID: 400,
    ErrorKind.UNAUTHENTICATED: 401,
    ErrorKind.DENIED: 403,
    ErrorKind.NOT_FOUND: 404,
    ErrorKind.PRECONDITION: 503,
    ErrorKind.EXHAUSTED: 503,
    ErrorKind.UNAVAILABLE: 503,
    ErrorKind.LATE: 504,
}

_RETRYABLE_STATUS = frozenset({429, 500, 502, 503, 504, 529})

# Where an outer layer that has other words for problems finds a list for those of its request.
PROBLEMS = "pellucid.problems"


@dataclass(frozen=True, slots=True)
class FieldError:
    """One field that breaks its limit; the path is as the client wrote it."""

    field: str
    limit: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One refusal.

    Attributes:
        code: Stable, upper case.
        detail: One sentence for people, without user text.
        errors: Fields that are wrong; empty when the trouble is elsewhere.
        retry_after_s: Seconds after which a retry may succeed; None when unknown or pointless.
        may_pass: The same request may succeed later; None: as its status and code usually mean.
        said: What the model server itself said, for APIs that speak its API.
        members: Further members of the document.
    """

    code: str
    detail: str
    status: int = 0
    errors: tuple[FieldError, ...] = ()
    retry_after_s: float | None = None
    may_pass: bool | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    said: Said | None = None
    members: Mapping[str, Any] = field(default_factory=dict)

    @property
    def http_status(self) -> int:
        """HTTP status; never 422."""
        return self.status or _STATUS_OF_CODE.get(self.code, 500)

    @property
    def retryable(self) -> bool:
        """The same request may succeed later."""
        if self.may_pass is not None:
            return self.may_pass
        return self.code not in LASTING and self.http_status in _RETRYABLE_STATUS

    def document(self) -> dict[str, Any]:
        """RFC 9457 members plus `code`, `retryable` and `errors`."""
        return {
            "type": f"urn:pellucid:problem:{self.code.lower().replace('_', '-')}",
            "title": TITLES.get(self.code, HTTPStatus(self.http_status).phrase),
            "status": self.http_status,
            "detail": self.detail,
            "code": self.code,
            "retryable": self.retryable,
            "errors": [
                {"field": wrong.field, "limit": wrong.limit, "message": wrong.message}
                for wrong in self.errors
            ],
            **self.members,
        }


class ProblemError(Exception):
    """Carries a problem to the one place that answers it."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.code)
        self.problem = problem


INTERNAL = Problem(code="INTERNAL", detail="The server met an unexpected condition.")


def invalid(errors: Sequence[FieldError]) -> Problem:
    """A request whose fields break limits; the first one gives the sentence."""
    first = errors[0]
    return Problem(
        code="INVALID_ARGUMENT", detail=f"{first.field}: {first.message}", errors=tuple(errors)
    )


def too_large(errors: Sequence[FieldError]) -> Problem:
    """A request that is larger than a limit."""
    first = errors[0]
    return Problem(
        code="PAYLOAD_TOO_LARGE", detail=f"{first.field}: {first.message}", errors=tuple(errors)
    )


def problem_of(error: ServiceError) -> Problem:
    """Translate what the engine or another service reported."""
    if error.kind is ErrorKind.INTERNAL:
        return INTERNAL
    code = error.reason if error.reason in _STATUS_OF_CODE else "SEARCH_FAILED"
    named = error.metadata.get("field")
    errors = (FieldError(named, error.metadata.get("limit", ""), error.message),) if named else ()
    return Problem(
        code=code,
        detail=error.message,
        status=_status_of(error),
        errors=errors,
        retry_after_s=error.retry_after_s,
        members={"challenge": error.metadata} if code == "CHALLENGE_REQUIRED" else {},
    )


def _status_of(error: ServiceError) -> int:
    """By reason, but for what only the operator can mend: no fault of the request."""
    if error.kind is ErrorKind.UNAVAILABLE:
        return _STATUS_OF_KIND[error.kind]
    return _STATUS_OF_CODE.get(error.reason, _STATUS_OF_KIND.get(error.kind, 500))


class ProblemResponse(Response):
    """A problem document. A refused body is not read to its end: see `LINGER_BYTES`."""

    media_type = "application/problem+json"

    def __init__(self, problem: Problem, *, linger: bool = False) -> None:
        headers = {"Cache-Control": "no-store", **problem.headers}
        if problem.retry_after_s is not None:
            headers["Retry-After"] = str(max(1, round(problem.retry_after_s)))
        if not problem.retryable:
            # The vendors' SDKs retry by status unless they are told not to.
            headers["X-Should-Retry"] = "false"
        if linger:
            headers["Connection"] = "close"
        super().__init__(orjson.dumps(problem.document()), problem.http_status, headers)
        self._problem = problem
        self._linger = linger

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer at once; then swallow a little of what is still coming and close."""
        scope.get(PROBLEMS, []).append(self._problem)
        if not self._linger:
            await super().__call__(scope, receive, send)
            return
        await send(
            {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        )
        await send({"type": "http.response.body", "body": self.body, "more_body": True})
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER_S):
                await _swallow(receive)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _swallow(receive: Receive) -> None:
    """Read and drop at most LINGER_BYTES of the body."""
    left = LINGER_BYTES
    while left > 0:
        message: Message = await receive()
        left -= len(message.get("body", b""))
        if message["type"] != "http.request" or not message.get("more_body", False):
            return
