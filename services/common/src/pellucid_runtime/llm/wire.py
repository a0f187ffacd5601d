"""The OpenAI API's JSON, to and from the values of `pellucid_runtime.llm.model`.

Pieces of a stream are read here and not by the SDK, whose models cost about 0.1 ms per token. What
does not have the form of the API raises one of `MALFORMED`.
"""

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from pellucid_runtime.llm.model import ChatRequest, Chunk, Completion, Usage

MALFORMED = (ValueError, TypeError, AttributeError, LookupError)

# Far above any event; a line that goes on beyond it is no event stream.
_MAX_LINE_BYTES = 1_000_000


def body_of(request: ChatRequest, model: str) -> dict[str, Any]:
    """The request's body; `model` where the request names none."""
    body: dict[str, Any] = {
        "model": request.model or model,
        "messages": [{"role": m.role, "content": m.content} for m in request.messages],
    }
    if request.extra:
        # The SDK takes fields that it does not know only so; they replace those of the same name.
        body["extra_body"] = dict(request.extra)
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.max_tokens is not None:
        body["max_tokens"] = request.max_tokens
    if request.json_schema is not None:
        schema = {"name": "answer", "schema": request.json_schema, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body


async def events(received: AsyncIterator[bytes]) -> AsyncIterator[dict[str, Any]]:
    """The JSON of each `data:` line, wherever the network cut it, until `[DONE]` or the end.

    Raises:
        ValueError: A line is no JSON object in UTF-8, or does not end.
    """
    rest = b""
    async for part in received:
        *lines, rest = (rest + part).split(b"\n")
        if len(rest) > _MAX_LINE_BYTES:
            raise ValueError("a line does not end")
        for line in lines:
            field, _, value = line.strip().partition(b":")
            if value.strip() == b"[DONE]":
                return
            if field == b"data":
                yield _object(value)


def _object(text: bytes) -> dict[str, Any]:
    value = json.loads(text.decode())
    if not isinstance(value, dict):
        raise TypeError("no JSON object")
    return value


def chunk_of(piece: Mapping[str, Any], model: str, host: str) -> Chunk:
    """What a piece of a stream says."""
    choice = (piece.get("choices") or [{}])[0]
    delta = choice.get("delta") or {}
    return Chunk(
        text=_text(delta.get("content")),
        finish_reason=choice.get("finish_reason"),
        usage=_usage(piece),
        tool_calls=tuple(delta.get("tool_calls") or ()),
        model=piece.get("model") or model,
        host=host,
    )


def completion_of(text: bytes, model: str, host: str) -> Completion:
    """What a whole answer says."""
    answer = _object(text)
    choice = answer["choices"][0]
    return Completion(
        text=_text(choice["message"].get("content")),
        finish_reason=choice.get("finish_reason") or "stop",
        usage=_usage(answer),
        tool_calls=tuple(choice["message"].get("tool_calls") or ()),
        model=answer.get("model") or model,
        host=host,
    )


def _text(content: Any) -> str:
    if content is not None and not isinstance(content, str):
        raise TypeError("content is no text")
    return content or ""


def _usage(answer: Mapping[str, Any]) -> Usage | None:
    usage = answer.get("usage")
    if not usage:
        return None
    return Usage(int(usage.get("prompt_tokens") or 0), int(usage.get("completion_tokens") or 0))
