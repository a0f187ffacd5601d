"""What each face answers to each failure: its status and its own words, whole and as a stream."""

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from typing import Any

import httpx
import pytest
from api_fakes import RESULT, FakeEngine, MakeApp, turn_events
from mcp import Client

from pellucid_gateway.domain.account import Notice
from pellucid_gateway.domain.errors import (
    BudgetSpentError,
    ProvidersSpentError,
    SearchFailedError,
    failed_by,
)
from pellucid_gateway.domain.events import Failed
from pellucid_runtime.errors import (
    DeadlineExceededError,
    OverloadedError,
    PreconditionError,
    RateLimitedError,
    ServiceError,
)
from pellucid_runtime.http_server import HttpServer
from pellucid_runtime.llm.model import LlmCause, LlmError, Said

QUESTION: Any = [{"role": "user", "content": "What is the toll?"}]


def by_model(cause: LlmCause, status: int | None, **said: Any) -> LlmError:
    """As the model server tells it; a status of None is a server that said nothing."""
    words = None if status is None else Said(status, f"The server says {cause}.", **said)
    wait_s = 7.0 if cause is LlmCause.RATE_LIMITED else None
    return LlmError(f"It failed: {cause}.", cause=cause, said=words, retry_after_s=wait_s)


# Cause -> error, status of the chat faces, of Anthropic's where that differs.
FAILURES: dict[str, tuple[ServiceError, int, int]] = {
    "wrong key": (by_model(LlmCause.WRONG_KEY, 401), 401, 401),
    "unknown model": (by_model(LlmCause.UNKNOWN_MODEL, 404, code="model_not_found"), 404, 404),
    "other API": (by_model(LlmCause.RESPONSES_ONLY, 404), 404, 404),
    "quota": (by_model(LlmCause.QUOTA_SPENT, 429, code="insufficient_quota"), 429, 429),
    "rate": (by_model(LlmCause.RATE_LIMITED, 429), 429, 429),
    "rate within a stream": (by_model(LlmCause.RATE_LIMITED, 0), 429, 429),
    "context": (by_model(LlmCause.CONTEXT_TOO_LONG, 400, param="messages"), 400, 400),
    "context within a stream": (by_model(LlmCause.CONTEXT_TOO_LONG, 0), 400, 400),
    "filter": (by_model(LlmCause.CONTENT_FILTER, 400, code="content_filter"), 400, 400),
    "refused": (by_model(LlmCause.REFUSED, 400, param="temperature"), 400, 400),
    "unreachable": (by_model(LlmCause.UNREACHABLE, None), 503, 503),
    "server error": (by_model(LlmCause.SERVER_ERROR, 502), 502, 502),
    "broke off": (by_model(LlmCause.BROKE_OFF, None), 503, 503),
    "too slow": (by_model(LlmCause.TOO_SLOW, None), 503, 503),
    "malformed": (by_model(LlmCause.MALFORMED, None), 503, 503),
    "no provider": (SearchFailedError(["brave"]), 503, 503),
    "providers spent": (ProvidersSpentError(), 429, 429),
    "key spent": (BudgetSpentError(2.0), 429, 429),
    "provider's key": (PreconditionError("API_KEY_INVALID", "brave has no key"), 400, 400),
    "too many": (RateLimitedError("too many", retry_after_s=30), 429, 429),
    "busy": (OverloadedError("turns", 2.0), 503, 529),
    "late": (DeadlineExceededError(), 504, 504),
}
LASTING = {
    "wrong key",
    "unknown model",
    "other API",
    "quota",
    "context",
    "context within a stream",
    "filter",
    "refused",
    "providers spent",
    "key spent",
    "provider's key",
}
# Those that no model server has a part in.
OF_SEARCHES = [name for name, (error, *_) in FAILURES.items() if not isinstance(error, LlmError)]


def of_openai(body: Any) -> str:
    assert body["error"].keys() == {"message", "type", "param", "code"}
    return str(body["error"]["message"])


def of_anthropic(body: Any) -> str:
    assert body["type"] == "error"
    assert body["error"].keys() == {"type", "message"}
    return str(body["error"]["message"])


def of_problem(body: Any) -> str:
    assert body["code"].isupper()
    return str(body["detail"])


def of_response(body: Any) -> str:
    assert body["type"] == "response.failed"
    assert body["response"]["status"] == "failed"
    assert body["response"]["error"]["code"]
    return str(body["response"]["error"]["message"])


@dataclass(frozen=True)
class Face:
    """One face: how it is asked and how it tells an error."""

    path: str
    body: dict[str, Any]
    words: Callable[[Any], str]
    of_stream: Callable[[Any], str]


CHATS = {
    "chat completions": Face("/v1/chat/completions", {}, of_openai, of_openai),
    "responses": Face("/v1/responses", {"input": "What is the toll?"}, of_openai, of_response),
    "messages": Face("/v1/messages", {"max_tokens": 99}, of_anthropic, of_anthropic),
    "perplexity": Face("/compat/perplexity/chat/completions", {}, of_openai, of_openai),
}
SEARCHES = {
    "native": Face("/v1/search", {"query": "toll"}, of_problem, of_problem),
    "perplexity": Face("/compat/perplexity/search", {"query": "toll"}, of_openai, of_openai),
    "tavily": Face(
        "/compat/tavily/search",
        {"query": "toll"},
        lambda body: str(body["detail"]["error"]),
        of_problem,
    ),
    "openwebui": Face("/compat/openwebui/search", {"query": "toll"}, str, of_problem),
    "searxng": Face("/compat/searxng/search", {"q": "toll"}, lambda b: str(b["error"]), of_problem),
}


def asked(face: Face, *, stream: bool) -> dict[str, Any]:
    chat = {"model": "m", "stream": stream} | ({} if "input" in face.body else MESSAGES)
    return {**chat, **face.body}


MESSAGES = {"messages": QUESTION}


def checked_head(name: str, reply: httpx.Response) -> None:
    """When to come back, and whether that is any use."""
    error, *_ = FAILURES[name]
    assert reply.headers.get("x-should-retry") == ("false" if name in LASTING else None)
    waits = error.retry_after_s
    assert reply.headers.get("retry-after") == (None if waits is None else str(round(waits)))


def told(error: ServiceError) -> str:
    """What is to be read: the model server's words, else ours."""
    said = error.said if isinstance(error, LlmError) else None
    return said.message if said else error.message


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", FAILURES)
async def test_a_failure_at_the_beginning_has_its_status(
    http: httpx.AsyncClient, engine: FakeEngine, *, name: str, stream: bool
) -> None:
    error, *statuses = FAILURES[name]
    engine.events = [turn_events()[0], failed_by(error)]
    for face in CHATS.values():
        reply = await http.post(face.path, json=asked(face, stream=stream))

        assert reply.status_code == statuses["messages" in face.path]
        assert face.words(reply.json()) == told(error)
        checked_head(name, reply)


@pytest.mark.parametrize("name", FAILURES)
async def test_a_stream_that_has_begun_ends_in_the_apis_error(
    http: httpx.AsyncClient, engine: FakeEngine, name: str
) -> None:
    error, *_ = FAILURES[name]
    engine.events = [*turn_events()[:11], failed_by(error)]
    for face in CHATS.values():
        reply = await http.post(face.path, json=asked(face, stream=True))

        assert reply.status_code == 200
        lines = [line[6:] for line in reply.text.splitlines() if line.startswith("data: {")]
        assert face.of_stream(json.loads(lines[-1])) == told(error)


@pytest.mark.parametrize("name", FAILURES)
async def test_the_native_chat_tells_a_problem(
    http: httpx.AsyncClient, engine: FakeEngine, name: str
) -> None:
    error, *_ = FAILURES[name]
    engine.events = [turn_events()[0], replace(failed_by(error), said=None)]
    whole = await http.post("/v1/chat", json={"message": "toll?"})
    stream = await http.post("/v1/chat", json={"message": "toll?", "stream": True})

    is_of_model = isinstance(error, LlmError)
    assert whole.status_code == (503 if is_of_model else FAILURES[name][1])
    assert of_problem(whole.json()) == error.message
    assert whole.json()["retryable"] is (name not in LASTING)
    checked_head(name, whole)
    assert stream.text.rstrip().splitlines()[-2] == "event: error"


@pytest.mark.parametrize("name", OF_SEARCHES)
async def test_the_search_apis_tell_it_in_their_own_shape(
    http: httpx.AsyncClient, engine: FakeEngine, name: str
) -> None:
    error, *_ = FAILURES[name]
    engine.defect = error
    for face_name, face in SEARCHES.items():
        given = {"params": face.body} if "q" in face.body else {"json": face.body}
        method = "GET" if "q" in face.body else "POST"
        reply = await http.request(method, face.path, **given)

        assert reply.status_code == FAILURES[name][1], face_name
        words = face.words(reply.json())
        assert words == ("[]" if face_name == "openwebui" else error.message)
        checked_head(name, reply)


async def test_an_answer_over_nothing_is_no_answer_of_tavily(
    http: httpx.AsyncClient, engine: FakeEngine
) -> None:
    lost = replace(RESULT, sources=(), notices=(Notice("search_unavailable", "Not just now."),))
    engine.events = [*turn_events()[:-1], replace(turn_events()[-1], result=lost)]  # type: ignore[type-var]
    body = {"query": "toll", "include_answer": True}
    reply = await http.post("/compat/tavily/search", json=body)

    assert reply.status_code == 503
    assert reply.json()["detail"]["error"]


@pytest.fixture
async def mcp(make_app: MakeApp) -> AsyncIterator[str]:
    server = HttpServer(make_app(), "127.0.0.1", 0)
    await server.start()
    yield f"http://127.0.0.1:{server.port}/mcp"
    await server.stop(0)


async def refusals(address: str, calls: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """What tools say as they refuse."""
    async with Client(address) as client:
        replies = [await client.call_tool(tool, given) for tool, given in calls]
    assert all(reply.is_error for reply in replies)
    return [reply.content[0].text for reply in replies]  # type: ignore[union-attr]


async def test_the_tools_tell_it_as_errors(mcp: str, engine: FakeEngine) -> None:
    for error, *_ in list(FAILURES.values())[::3]:
        engine.events, engine.defect = [failed_by(error)], error
        calls: Any = [("web_answer", {"question": "x"}), ("web_search", {"query": "x"})]
        assert all(error.message in words for words in await refusals(mcp, calls))


async def test_a_page_that_cannot_be_read_is_an_error_too(
    mcp: str, http: httpx.AsyncClient, engine: FakeEngine
) -> None:
    engine.unread = "The page is gone."
    calls: Any = [("web_fetch", {"url": "http://a/"}), ("fetch", {"id": "http://a/"})]
    assert all("gone" in words for words in await refusals(mcp, calls))
    loaded = await http.post("/compat/openwebui/load", json={"urls": ["http://a/"]})

    assert (loaded.status_code, loaded.json()) == (503, [])


def test_every_cause_is_in_the_table() -> None:
    causes = {error.cause for error, *_ in FAILURES.values() if isinstance(error, LlmError)}

    assert causes == set(LlmCause)
    assert all(isinstance(failed_by(error), Failed) for error, *_ in FAILURES.values())


async def test_a_browser_is_shown_a_problem_as_a_page(http: httpx.AsyncClient) -> None:
    accept = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    page = await http.get("/<script>", headers=accept)
    program = await http.get("/nowhere", headers={"accept": "application/json"})
    sent = await http.post("/v1/chat", headers=accept, json={})
    compatible = await http.get("/compat/tavily/nowhere", headers=accept)

    assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "No such path." in page.text
    assert 'href="/"' in page.text
    assert "<script>" not in page.text
    assert program.headers["content-type"] == "application/problem+json"
    assert sent.headers["content-type"] == "application/problem+json"
    assert compatible.headers["content-type"] == "application/json"
