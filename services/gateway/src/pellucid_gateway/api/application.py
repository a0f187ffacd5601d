"""The FastAPI application: mounts the APIs and answers what goes wrong in them.

The only place on the HTTP side where unknown exceptions are caught; their text stays in the log's
stack places and never reaches a client.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from importlib.metadata import version
from typing import Any, cast

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp, ExceptionHandler

from pellucid_gateway.access.local_limits import LocalLimiter
from pellucid_gateway.api.compatible.described import compatible_paths
from pellucid_gateway.api.compatible.head_start import HeadStarts
from pellucid_gateway.api.compatible.translation import ChatApi
from pellucid_gateway.api.compatible.upstream import ModelServer
from pellucid_gateway.api.http.admission import Admission, RequestLimits
from pellucid_gateway.api.http.bodies import BodyTooLargeError
from pellucid_gateway.api.http.error_shapes import ErrorShapes
from pellucid_gateway.api.http.guard import Guard, GuardRules, Observe, own_path
from pellucid_gateway.api.http.identity import Identity
from pellucid_gateway.api.http.keys import FindKey
from pellucid_gateway.api.http.leaving import ClientGoneError
from pellucid_gateway.api.http.overload import Overload
from pellucid_gateway.api.http.problems import (
    INTERNAL,
    Problem,
    ProblemError,
    ProblemResponse,
    problem_of,
)
from pellucid_gateway.api.http.shortcut import Shortcut
from pellucid_gateway.api.native.chat import chat_routes
from pellucid_gateway.api.native.documentation import as_served, component_schemas
from pellucid_gateway.api.native.evidence import Replay, evidence_routes
from pellucid_gateway.api.native.feedback import FeedbackBody, feedback_routes
from pellucid_gateway.api.native.fetch import fetch_routes
from pellucid_gateway.api.native.kept import (
    MemoryBody,
    PreferenceBody,
    TitleBody,
    kept_routes,
)
from pellucid_gateway.api.native.mcp import mcp_routes, mcp_server
from pellucid_gateway.api.native.operator import operator_routes
from pellucid_gateway.api.native.pages import page_routes, static_files
from pellucid_gateway.api.native.probes import probe_routes
from pellucid_gateway.api.native.reference import reference_routes
from pellucid_gateway.api.native.requests import ChatBody, CheckBody, FetchBody, SearchBody
from pellucid_gateway.api.native.search import search_routes
from pellucid_gateway.api.native.websocket import websocket_routes
from pellucid_gateway.api.openai.chat import COMPLETIONS, Completions
from pellucid_gateway.api.products import COMPATIBLE_SHAPES, compatible_routes
from pellucid_gateway.conversation.afterwards import Kept
from pellucid_gateway.conversation.feedback import StoredFeedback
from pellucid_gateway.domain.engine import TurnEngine
from pellucid_gateway.domain.passed_on import PassedOn
from pellucid_gateway.domain.ports import EvidenceStore
from pellucid_gateway.domain.state_ports import Limiter
from pellucid_gateway.load_shedding.concurrency_limit import ConcurrencyLimit
from pellucid_runtime.clock import Clock, SystemClock
from pellucid_runtime.errors import ServiceError
from pellucid_runtime.health import Health

# What nginx calls "client closed request"; nobody is left to read it.
_CLIENT_GONE = 499
_METHODS = ("DELETE", "GET", "POST")
_CODES = {404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED", 413: "PAYLOAD_TOO_LARGE"}
_BODIES = (
    ChatBody,
    SearchBody,
    CheckBody,
    FetchBody,
    FeedbackBody,
    MemoryBody,
    PreferenceBody,
    TitleBody,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiParts:
    """What the APIs stand on.

    Attributes:
        evidence: Where records are read and deleted; None when none are kept.
        feedback: Where thumbs go; needs evidence, by which an answer is known.
        replay: Does a record's ranking and citations again; None: not offered.
        kept: What is kept of people and counted; None when nothing is.
        max_body_bytes: Longest body of a native request.
        find_key: Looks an API key up; None while keys are off.
        limiter: Counts over all replicas; None: this process alone.
        concurrency_limit: Bounds the turns in hand; None: nothing does.
        examples: Questions that the chat page offers; empty: its own.
        fast_model: Model that suggests what to ask next; empty: none.
        challenge_script: What the chat page may load to show a challenge; empty: nothing.
        upstream: Model server of the OpenAI API; None without a model.
        own_model: Its model that answers by default.
        note_passed: Told of each turn that the model server answered by itself.
        head_starts: Which messages it is shown while they are decided on.
    """

    engine: TurnEngine
    identity: Identity
    health: Health
    rules: GuardRules
    observe: Observe
    evidence: EvidenceStore | None = None
    feedback: StoredFeedback | None = None
    replay: Replay | None = None
    kept: Kept | None = None
    max_body_bytes: int = 2 * 1024 * 1024
    find_key: FindKey | None = None
    limiter: Limiter | None = None
    request_limits: RequestLimits = field(default_factory=RequestLimits)
    clock: Clock = field(default_factory=SystemClock)
    upstream: ModelServer | None = None
    own_model: str = ""
    note_passed: Callable[[PassedOn], None] = lambda _turn: None
    head_starts: HeadStarts = HeadStarts.PLAIN
    concurrency_limit: ConcurrencyLimit | None = None
    examples: tuple[str, ...] = ()
    fast_model: str = ""
    challenge_script: str = ""


def http_app(parts: ApiParts) -> ASGIApp:
    """Build the application, guard included. Its lifespan runs the MCP server."""
    tools = mcp_server(parts.engine, parts.identity)
    mcp = mcp_routes(tools, parts.max_body_bytes)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with tools.session_manager.run():
            yield

    app = FastAPI(
        title="Pellucid gateway",
        summary="Answers with web search when it helps and checked citations.",
        version=version("pellucid-gateway"),
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        telemetry={"metrics": False, "logs": False, "operation_spans": False, "exclude": _quiet},
    )
    api = _chat_api(parts)
    direct = [Route(COMPLETIONS, Completions(api), methods=["POST"])]
    _add_routes(app, parts, api)
    app.router.routes.extend((*direct, *mcp))
    handlers = _handlers()
    for kind, respond in handlers.items():
        app.add_exception_handler(kind, respond)
    _document(app)
    checked = Admission(
        Shortcut(app, direct, handlers),
        identity=parts.identity,
        limiter=parts.limiter or LocalLimiter(parts.clock),
        limits=parts.request_limits,
        find_key=parts.find_key,
    )
    bounded = Overload(checked, parts.concurrency_limit) if parts.concurrency_limit else checked
    return ErrorShapes(Guard(bounded, parts.rules, parts.observe), COMPATIBLE_SHAPES)


def _quiet(scope: Any) -> bool:
    """Requests that nobody wants a trace of."""
    path = own_path(scope)
    # Addresses of the SearXNG API hold the person's query, which no trace may keep.
    return path in {"/livez", "/readyz", "/metrics"} or path.startswith(("/static/", "/compat/"))


def _chat_api(parts: ApiParts) -> ChatApi:
    return ChatApi(
        engine=parts.engine,
        identity=parts.identity,
        clock=parts.clock,
        upstream=parts.upstream,
        own_model=parts.own_model,
        note_passed=parts.note_passed,
        head_starts=parts.head_starts,
        evidence=parts.evidence,
    )


def _about(parts: ApiParts) -> dict[str, Any]:
    """Optional APIs that are on, and what else the chat page needs to know."""
    wanted = {
        "conversations": parts.kept and parts.kept.conversations,
        "evidence": parts.evidence,
        "feedback": parts.feedback,
        "model": parts.upstream,
        "source_preferences": parts.kept,
    }
    return {
        "features": [name for name, part in wanted.items() if part is not None],
        "examples": list(parts.examples),
        "fast_model": parts.fast_model,
    }


def _add_routes(app: FastAPI, parts: ApiParts, api: ChatApi) -> None:
    limit = parts.max_body_bytes
    app.include_router(chat_routes(parts.engine, parts.identity, limit))
    app.include_router(search_routes(parts.engine, parts.identity, limit))
    app.include_router(fetch_routes(parts.engine, limit))
    app.include_router(websocket_routes(parts.engine, parts.identity, parts.find_key, limit))
    app.include_router(compatible_routes(api))
    if parts.evidence is not None and parts.feedback is not None:
        app.include_router(feedback_routes(parts.feedback, parts.evidence, parts.identity, limit))
    if parts.evidence is not None:
        app.include_router(evidence_routes(parts.evidence, parts.identity, parts.replay))
    if parts.kept is not None:
        app.include_router(kept_routes(parts.kept, parts.identity, limit))
        app.include_router(operator_routes(parts.kept))
    app.include_router(probe_routes(parts.health, _about(parts)))
    app.include_router(reference_routes(app))
    app.include_router(page_routes(parts.challenge_script))
    app.mount("/static", static_files())


def _handlers() -> Mapping[type[Exception], ExceptionHandler]:
    handlers: dict[type[Exception], Callable[[Any], Response]] = {
        BodyTooLargeError: lambda error: error.response(),
        ProblemError: lambda error: ProblemResponse(error.problem),
        ServiceError: lambda error: ProblemResponse(problem_of(error)),
        ClientGoneError: lambda _: Response(status_code=_CLIENT_GONE),
        Exception: lambda _: ProblemResponse(INTERNAL),
    }
    told = {kind: _handler(respond) for kind, respond in handlers.items()}
    return {**told, HTTPException: _not_served}


def _handler(respond: Callable[[Any], Response]) -> ExceptionHandler:
    async def handle(_request: Request, error: Exception) -> Response:
        return respond(error)

    return handle


async def _not_served(request: Request, error: Exception) -> Response:
    """What the framework refuses by itself; of a path that lacks a method, with those it has."""
    refused = cast("HTTPException", error)
    if refused.status_code != HTTPStatus.METHOD_NOT_ALLOWED:
        return _http_response(refused)
    allowed = {"Allow": ", ".join(sorted({"OPTIONS", *_methods(request)}))}
    if request.method == "OPTIONS":
        return Response(status_code=HTTPStatus.NO_CONTENT, headers=allowed)
    return _http_response(HTTPException(refused.status_code, headers=allowed))


def _methods(request: Request) -> set[str]:
    """Methods that a path is served by."""
    scope = {**request.scope, "path": own_path(request.scope), "root_path": ""}
    return {
        method
        for method in _METHODS
        for route in request.app.routes
        if route.matches({**scope, "method": method})[0] is Match.FULL
    }


def _http_response(error: HTTPException) -> Response:
    """An error of the framework, such as an unknown path."""
    code = _CODES.get(error.status_code, "INVALID_ARGUMENT")
    status = error.status_code if code in _CODES.values() else 400
    details = {"NOT_FOUND": "No such path.", "METHOD_NOT_ALLOWED": "No such method on this path."}
    detail = details.get(code, "The request is not valid.")
    headers = dict(error.headers or {})
    return ProblemResponse(Problem(code=code, detail=detail, status=status, headers=headers))


def _document(app: FastAPI) -> None:
    """Add what the framework does not see: our types' schemas, and the APIs of other products."""
    generate = app.openapi

    def openapi() -> dict[str, Any]:
        document = generate()
        schemas = document.setdefault("components", {}).setdefault("schemas", {})
        schemas.update(component_schemas(_BODIES))
        document["paths"].update(compatible_paths())
        return as_served(document)

    app.openapi = openapi  # type: ignore[method-assign]
