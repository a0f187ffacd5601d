"""/mcp: the engine as tools of a Model Context Protocol server (streamable HTTP, official SDK).

Stateless, so that any replica can serve any request. What goes wrong inside a tool is a result
with `isError`, as the protocol wants it, and never the text of an unknown exception.
"""

import json
from collections.abc import Awaitable, Callable
from functools import wraps
from importlib.metadata import version
from typing import Annotated, Any, Literal, ParamSpec, cast

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import INVALID_REQUEST, CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import BaseModel, Field, ValidationError
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pellucid_gateway.api.http.bodies import check, problem_with
from pellucid_gateway.api.http.identity import Identity
from pellucid_gateway.api.http.problems import ProblemError
from pellucid_gateway.api.http.whole_turn import answered
from pellucid_gateway.api.native.fetch import PageReply
from pellucid_gateway.api.native.replies import CitationReply, Json, NoticeReply, SourceReply
from pellucid_gateway.api.native.requests import ChatBody, FetchBody, SearchBody
from pellucid_gateway.domain.engine import TurnEngine
from pellucid_gateway.domain.events import TurnResult
from pellucid_gateway.domain.findings import Source
from pellucid_runtime.errors import ServiceError

P = ParamSpec("P")
Tool = Callable[P, Awaitable[dict[str, Any]]]

PATH = "/mcp"

_BAD_REQUEST = 400
# Of what the SDK refuses in plain text.
_NO_JSON = "Content-Type must be application/json."
# How answers begin that go on with the words of a parser.
_PARSERS = {
    "Parse error": "The body is not JSON.",
    "Validation error": "The body is no JSON-RPC request, notification or response.",
}

# What the SDK serves empty and thereby declares.
_NOT_OFFERED = (
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
)

_READS = ToolAnnotations(read_only_hint=True, open_world_hint=True, idempotent_hint=True)
_ABOUT = (
    "Web search with scored sources, pages as text, and answers whose citations were checked "
    "against the pages that they point to."
)

Query = Annotated[str, Field(description="What to look for, in plain words.")]
Address = Annotated[str, Field(description="Address of the page, http or https.")]
Results = Annotated[int, Field(ge=1, le=50, description="Most results.")]
Days = Annotated[int, Field(ge=0, le=3650, description="Only the last days; 0 means any age.")]
Site = Annotated[str, Field(description="Host to search in; empty means everywhere.")]
Offset = Annotated[int, Field(ge=0, le=10_000_000, description="Where the text begins.")]
Links = Annotated[bool, Field(description="Write links as Markdown links.")]
Characters = Annotated[int, Field(ge=1, le=200_000, description="Longest text.")]
Depth = Annotated[
    Literal["quick", "standard", "deep", "lean"],
    Field(description="How much work goes into the answer."),
]


class _Server(MCPServer):
    """Tells what is wrong as everywhere else: arguments by name, without a library's text."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool.

        Raises:
            ToolError: With a sentence for the model.
        """
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, ValidationError):
                raise ToolError(problem_with(cause, BaseModel).detail) from None
            if isinstance(cause, ToolError):
                raise cause from None
            raise


def mcp_server(engine: TurnEngine, identity: Identity) -> MCPServer:
    """The tools, in a fixed order."""
    server = _Server(
        "pellucid",
        title="Pellucid",
        version=version("pellucid-gateway"),
        instructions=_ABOUT,
        log_level="WARNING",
        subscriptions=False,
    )
    for method in _NOT_OFFERED:
        del server._lowlevel_server._request_handlers[method]  # noqa: SLF001 - the SDK has no switch
    tools = _Tools(engine, identity)
    for tool, title in (
        (tools.web_search, "Search the web"),
        (tools.web_fetch, "Read a page"),
        (tools.web_answer, "Answer from the web"),
        (tools.search, "Search"),
        (tools.fetch, "Fetch"),
    ):
        server.add_tool(cast("Any", tool), title=title, annotations=_READS)
    return server


def mcp_routes(server: MCPServer, max_body_bytes: int) -> list[BaseRoute]:
    """The routes that serve `PATH`. The gateway's guard checks the hosts."""
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        max_request_body_size=max_body_bytes,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    (route,) = (route for route in app.routes if isinstance(route, Route))
    return [Route(PATH, _PlainErrors(route.endpoint), methods=["POST"])]


class _PlainErrors:
    """Says in plain words what a body is not; the SDK answers with its parser's text.

    Args:
        app: The SDK's application.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        begun: Message | None = None
        body = b""

        async def told(message: Message) -> None:
            nonlocal begun, body
            if message["type"] == "http.response.start" and message["status"] == _BAD_REQUEST:
                begun = message
            elif begun is None:
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body"):
                    await _plain(begun, body)(scope, receive, send)

        await self._app(scope, receive, told)


def _plain(begun: Message, body: bytes) -> Response:
    """The answer to a bad request, without what a parser says of it."""
    headers = Headers(raw=begun["headers"])
    try:
        error = json.loads(body)["error"]
        told = _PARSERS.get(str(error["message"]).partition(":")[0], "")
    except ValueError:
        error, told = {"code": INVALID_REQUEST}, _NO_JSON
    except (TypeError, KeyError):
        told = ""
    if told:
        error = {"code": error["code"], "message": told}
        return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, _BAD_REQUEST)
    return Response(body, _BAD_REQUEST, media_type=headers.get("content-type"))


def _told(tool: Tool[P]) -> Tool[P]:
    """Turn what the engine reports into what the model reads."""

    @wraps(tool)
    async def call(*args: P.args, **kwargs: P.kwargs) -> dict[str, Any]:
        try:
            return await tool(*args, **kwargs)
        except ProblemError as error:
            raise ToolError(error.problem.detail) from None
        except ServiceError as error:
            raise ToolError(error.message) from None

    return call


class _Tools:
    """Functions whose names, arguments and docstrings are the tools' public descriptions."""

    def __init__(self, engine: TurnEngine, identity: Identity) -> None:
        self._engine = engine
        self._identity = identity

    def _caller(self, context: Context[Any, Any]) -> str:
        request = context.request_context.request
        return self._identity.caller(request) if isinstance(request, Request) else ""

    @_told
    async def web_search(
        self,
        context: Context[Any, Any],
        query: Query,
        max_results: Results = 5,
        recency_days: Days = 0,
        site: Site = "",
    ) -> dict[str, Any]:
        """Search the web and return relevant results with scores, best first."""
        given = {"query": query, "max_results": max_results, "site": site}
        body = check(SearchBody, {**given, "recency_days": recency_days})
        outcome = await self._engine.search(body.to_command(self._caller(context)))
        notices = [NoticeReply.of(notice) for notice in outcome.notices]
        return {"results": [_result(source) for source in outcome.results], "notices": notices}

    @_told
    async def web_fetch(
        self,
        url: Address,
        max_chars: Characters = 10_000,
        offset: Offset = 0,
        links: Links = False,  # noqa: FBT002 - an argument of a tool
    ) -> dict[str, Any]:
        """Read one page as text; a page that cannot be read says why.

        A longer text goes on at `next_offset`.
        """
        return await self._read(url, max_chars=max_chars, offset=offset, links=links)

    @_told
    async def web_answer(
        self, context: Context[Any, Any], question: Query, depth: Depth = "standard"
    ) -> dict[str, Any]:
        """Answer a question from the web, with checked citations and their sources."""
        body = check(ChatBody, {"message": question, "depth": depth, "web_mode": "on"})
        return _answer(await answered(self._engine, body.to_turn(self._caller(context))))

    @_told
    async def search(self, context: Context[Any, Any], query: Query) -> dict[str, Any]:
        """Search the web; each result has an id for `fetch`, a title and an address."""
        body = check(SearchBody, {"query": query})
        outcome = await self._engine.search(body.to_command(self._caller(context)))
        found = [{"id": s.url, "title": s.title, "url": s.url} for s in outcome.results]
        return {"results": found}

    @_told
    async def fetch(
        self,
        id: Annotated[str, Field(description="Id of a search result.")],  # noqa: A002 - wire name
        offset: Offset = 0,
        links: Links = False,  # noqa: FBT002 - an argument of a tool
    ) -> dict[str, Any]:
        """Read the page of a search result; a longer text goes on at `next_offset`."""
        page = await self._read(id, max_chars=10_000, offset=offset, links=links)
        kept = ("published_at", "author", "site_name", "language")
        metadata = {name: page[name] for name in kept if page[name]}
        return {
            "id": id,
            "title": page["title"],
            "text": page["text"],
            "url": page["final_url"] or id,
            "metadata": metadata,
            "next_offset": page["next_offset"],
        }

    async def _read(self, url: str, **asked: Any) -> dict[str, Any]:
        body = check(FetchBody, {"urls": [url], **asked})
        (page,) = await self._engine.fetch(body.urls, **body.reading())
        if not page.success:
            raise ToolError(page.error or "The page could not be read.")
        return PageReply.of(page)


def _result(source: Source) -> Json:
    """What a model can use of a result: where it is, what it says, how well it fits."""
    told = SourceReply.of(source)
    kept = ("n", "title", "url", "snippet", "published_at", "relevance_score")
    return {name: told[name] for name in kept}


def _answer(result: TurnResult) -> Json:
    """The answer with what it stands on; how it came about is no matter of the asking model."""
    cited = ("start", "end", "source", "cited_text", "check")
    citations = [CitationReply.of(citation) for citation in result.citations]
    return {
        "answer": result.answer,
        "answer_kind": result.answer_kind.value,
        "citations": [{name: citation[name] for name in cited} for citation in citations],
        "sources": [{"n": s.n, "title": s.title, "url": s.url} for s in result.sources],
        "notices": [NoticeReply.of(notice) for notice in result.notices],
    }
