"""A model server with just enough sense for clients: answers, calls tools, writes JSON, refuses."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

ANSWER = "The toll for cars on the Skerry Bridge is 4.50 crowns [1]."
GIVEN = {
    "location": "Paris",
    "city": "Paris",
    "a": 2,
    "b": 3,
    "toll": "4.50",
    "query": "toll",
    "input": 3,
}
COUNT = "How many answers did you give"
USAGE = {"prompt_tokens": 12, "completion_tokens": 7, "total_tokens": 19}
REFUSALS: Mapping[str, tuple[int, dict[str, str], dict[str, Any]]] = {
    "unknown": (
        404,
        {},
        {
            "message": "The model `unknown` does not exist",
            "type": "invalid_request_error",
            "param": None,
            "code": "model_not_found",
        },
    ),
    "limited": (
        429,
        {"Retry-After": "7"},
        {
            "message": "Rate limit reached",
            "type": "requests",
            "param": None,
            "code": "rate_limit_exceeded",
        },
    ),
}


def app() -> Starlette:
    """Its paths."""
    return Starlette(
        routes=[
            Route("/v1/chat/completions", _complete, methods=["POST"]),
            Route("/v1/models", _models),
        ]
    )


async def _models(_request: Request) -> Response:
    return JSONResponse({"object": "list", "data": [{"id": "m", "object": "model", "created": 1}]})


async def _complete(request: Request) -> Response:
    body = json.loads(await request.body())
    if body["model"] in REFUSALS:
        status, headers, error = REFUSALS[body["model"]]
        return JSONResponse({"error": error}, status, headers)
    if not _is_orderly(body["messages"]):
        error = {"message": "A tool's message answers no call.", "type": "invalid_request_error"}
        return JSONResponse({"error": error}, 400)
    message = _message(body)
    finish = "tool_calls" if "tool_calls" in message else "stop"
    if body.get("stream"):
        return StreamingResponse(_chunks(message, finish), media_type="text/event-stream")
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return JSONResponse({**_head("chat.completion"), "choices": [choice], "usage": USAGE})


def _is_orderly(messages: Sequence[Mapping[str, Any]]) -> bool:
    """Every result of a tool stands behind its call, as vendors demand it."""
    called: set[str] = set()
    for message in messages:
        called |= {call["id"] for call in message.get("tool_calls") or ()}
        if message["role"] == "tool" and message["tool_call_id"] not in called:
            return False
    return True


def _message(body: Mapping[str, Any]) -> dict[str, Any]:
    functions = [tool for tool in body.get("tools") or () if tool.get("type") == "function"]
    is_asked = body["messages"][-1]["role"] == "user"
    if functions and is_asked and body.get("tool_choice") != "none":
        function = functions[0]["function"]
        schema = function.get("parameters") or {}
        wanted = schema.get("required") or schema.get("properties") or {}
        said = str(body["messages"][-1]["content"])
        arguments = {name: GIVEN.get(name, said) for name in wanted}
        called = {"name": function["name"], "arguments": json.dumps(arguments)}
        return {
            "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": called}],
        }
    if COUNT in str(body["messages"][-1]["content"]):
        given = sum(message["role"] == "assistant" for message in body["messages"])
        return {"content": f"{given} so far."}
    wanted = body.get("response_format") or {}
    if wanted.get("type") == "json_schema":
        properties = wanted["json_schema"]["schema"].get("properties", {})
        return {"content": json.dumps({name: GIVEN.get(name, "x") for name in properties})}
    return {"content": ANSWER}


async def _chunks(message: dict[str, Any], finish: str) -> AsyncIterator[bytes]:
    yield _chunk({"role": "assistant", "content": ""})
    if calls := message.get("tool_calls"):
        yield _chunk({"tool_calls": [{"index": 0, **calls[0]}]})
    else:
        for word in str(message["content"]).split(" "):
            yield _chunk({"content": word if word == "The" else f" {word}"})
    yield _chunk({}, finish)
    yield _event({**_head("chat.completion.chunk"), "choices": [], "usage": USAGE})
    yield b"data: [DONE]\n\n"


def _chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _event({**_head("chat.completion.chunk"), "choices": [choice]})


def _event(content: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(content).encode() + b"\n\n"


def _head(kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": "m"}
