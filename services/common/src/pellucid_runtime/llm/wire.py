"""The OpenAI API's answers, as values of `pellucid_runtime.llm.model`.

Pieces of a stream are read here and not by the SDK, whose models cost about 0.1 ms per token. What
does not have the form of the API raises one of `MALFORMED`.
"""

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

from pellucid_runtime.llm.model import Chunk, Completion, Usage

MALFORMED = (ValueError, TypeError, AttributeError, LookupError)

# Far above any event; a line that goes on beyond it is no event stream.
_MAX_LINE_BYTES = 1_000_000
# Where servers put the thinking of a model beside its answer.
_THOUGHT_FIELDS = ("reasoning_content", "reasoning")


@dataclass(frozen=True, slots=True)
class Life:
    """A line without an event: the server is there and has nothing to say yet."""


@dataclass(frozen=True, slots=True)
class End:
    """The server said that the stream is complete."""


Event = dict[str, Any] | Life | End


async def events(received: AsyncIterator[bytes]) -> AsyncIterator[Event]:
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
                yield End()
                return
            if field == b"data":
                yield object_of(value)
            elif line.startswith(b":"):
                yield Life()
    field, _, value = rest.strip().partition(b":")
    if field == b"data" and value.strip() == b"[DONE]":
        yield End()


def object_of(text: bytes) -> dict[str, Any]:
    """The JSON object in a text."""
    value = json.loads(text.decode())
    if not isinstance(value, dict):
        raise TypeError("no JSON object")
    return value


def chunk_of(piece: Mapping[str, Any], model: str, host: str) -> Chunk:
    """What a piece of a stream says."""
    choice = (piece.get("choices") or [{}])[0]
    delta = choice.get("delta") or {}
    text, thought = _said(delta)
    return Chunk(
        text=text,
        finish_reason=choice.get("finish_reason"),
        usage=_usage(piece),
        tool_calls=tuple(delta.get("tool_calls") or ()),
        model=piece.get("model") or model,
        host=host,
        reasoning=thought,
    )


def completion_of(answer: Mapping[str, Any], model: str, host: str) -> Completion:
    """What a whole answer says."""
    choice = answer["choices"][0]
    text, thought = _said(choice["message"])
    return Completion(
        text=text,
        finish_reason=choice.get("finish_reason") or "stop",
        usage=_usage(answer),
        tool_calls=tuple(choice["message"].get("tool_calls") or ()),
        model=answer.get("model") or model,
        host=host,
        reasoning=thought,
    )


def _said(message: Mapping[str, Any]) -> tuple[str, str]:
    """Text and thinking of a message or a piece of one."""
    content = message.get("content")
    beside = next((t for f in _THOUGHT_FIELDS if isinstance(t := message.get(f), str) and t), "")
    if isinstance(content, list):
        text, thought = _parts(content)
        return text, beside + thought
    if content is not None and not isinstance(content, str):
        raise TypeError("content is no text")
    return content or "", beside


def _parts(parts: list[Any]) -> tuple[str, str]:
    """Text and thinking of a content in parts; other parts are none."""
    text = thought = ""
    for part in parts:
        inner = part.get("thinking")
        if isinstance(inner, list):
            thought += _parts(inner)[0]
        elif isinstance(inner, str):
            thought += inner
        elif isinstance(part.get("text"), str):
            text += part["text"]
    return text, thought


def _usage(answer: Mapping[str, Any]) -> Usage | None:
    usage = answer.get("usage")
    if not usage:
        return None
    details = usage.get("completion_tokens_details") or {}
    return Usage(
        int(usage.get("prompt_tokens") or 0),
        int(usage.get("completion_tokens") or 0),
        reasoning_tokens=int(details.get("reasoning_tokens") or 0),
    )
