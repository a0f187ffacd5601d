"""A Messages request as one of the chat completions form."""

from collections.abc import Mapping
from typing import Any

import orjson

from pellucid_gateway.api.anthropic.server_tools import FETCH_TOOL, SEARCH_TOOL
from pellucid_gateway.api.compatible.client_turn import place_of
from pellucid_gateway.api.compatible.files import decoded, file_part
from pellucid_gateway.api.compatible.wire import (
    BELOW,
    Json,
    given,
    joined_text,
    objects,
    part_of,
    refused,
    simplest,
    text_of,
)

_SERVER_TOOLS = (SEARCH_TOOL, FETCH_TOOL)
# What a vendor's model thought or its servers did has no place in the other form.
_SILENT_BLOCKS = frozenset(
    {
        "thinking",
        "redacted_thinking",
        "server_tool_use",
        "web_search_tool_result",
        "web_fetch_tool_result",
    }
)
# Source: Claude Code's tool WebSearch, which asks this API in these words for one search.
_SEARCH_ORDER = "Perform a web search for the query: "
_SAME_FIELDS = ("model", "max_tokens", "stream", "temperature", "top_p", "top_k", "pellucid")
_SEEN = frozenset({"image", "document", "search_result"})
_CHOICES = {"auto": "auto", "any": "required", "none": "none"}


def to_chat(body: Mapping[str, Any]) -> Json:
    """The request in the chat completions form.

    Raises:
        ProblemError: A field has the wrong form, or asks for what is not offered here.
    """
    chat = {name: body.get(name) for name in _SAME_FIELDS}
    chat |= {
        "messages": _messages(body),
        "stop": body.get("stop_sequences"),
        "tools": _functions(body) or None,
        "tool_choice": _tool_choice(body),
        "parallel_tool_calls": _parallel(body),
        "response_format": _format(body),
        "user": part_of(body, "metadata").get("user_id"),
    }
    return given(chat)


def tools_named(body: Mapping[str, Any]) -> frozenset[str]:
    """Those of our tools that the client knows of; it expects to be told of their use."""
    kinds = [_type(tool) for _, tool in objects(body.get("tools"), "tools")]
    return frozenset(name for name in _SERVER_TOOLS if any(kind.startswith(name) for kind in kinds))


def implied_options(body: Mapping[str, Any]) -> Json:
    """What the search tool and the choice of it say about the search."""
    tool = _search_tool(body)
    if tool is None:
        return {}
    options = {
        "include_domains": tool.get("allowed_domains"),
        "exclude_domains": tool.get("blocked_domains"),
        **place_of(tool.get("user_location")),
    }
    choice = part_of(body, "tool_choice")
    chosen = choice.get("type") == "tool" and choice.get("name") == SEARCH_TOOL
    if chosen or (choice.get("type") == "any" and not _functions(body)):
        options["web_mode"] = "on"
    return given(options)


def ordered_query(body: Mapping[str, Any]) -> str:
    """The query of a request that is nothing but one search; empty for any other."""
    messages = body.get("messages")
    last = messages[-1] if isinstance(messages, list) and len(messages) == 1 else {}
    said = joined_text(last.get("content")) if isinstance(last, dict) else ""
    ordered = said.startswith(_SEARCH_ORDER) and _search_tool(body) is not None
    return said.removeprefix(_SEARCH_ORDER).strip() if ordered else ""


def _search_tool(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    tools = objects(body.get("tools"), "tools")
    return next((t for _, t in tools if _type(t).startswith(SEARCH_TOOL)), None)


def _type(block: Mapping[str, Any]) -> str:
    return text_of(block.get("type"))


def _messages(body: Mapping[str, Any]) -> list[Json]:
    system = joined_text(body.get("system"))
    messages: list[Json] = [{"role": "system", "content": system}] if system else []
    for path, message in objects(body.get("messages"), "messages"):
        role, content = message.get("role"), message.get("content")
        if role not in ("user", "assistant", "system"):  # an unhashable role is one of none
            raise refused(f"{path}.role", "user or assistant")
        if isinstance(content, str):
            messages.append({"role": role, "content": content})
        elif role == "assistant":
            messages.append(_assistant(content, f"{path}.content"))
        else:
            messages += _of_person(str(role), content, f"{path}.content")
    return messages


def _assistant(content: Any, path: str) -> Json:
    """Texts run on: the vendor cuts one text into blocks to place citations."""
    text, calls = "", []
    for where, block in objects(content, path):
        if _type(block) == "text":
            text += text_of(block.get("text"))
        elif _type(block) == "tool_use":
            arguments = orjson.dumps(block.get("input") or {}).decode()
            function = {"name": block.get("name"), "arguments": arguments}
            calls.append({"id": block.get("id"), "type": "function", "function": function})
        elif _type(block) not in _SILENT_BLOCKS:
            raise refused(f"{where}.type", "text or tool_use")
    message: Json = {"role": "assistant", "content": text or None}
    return message | ({"tool_calls": calls} if calls else {})


def _of_person(role: str, content: Any, path: str) -> list[Json]:
    """Results of tools become messages of their own, before the rest; their images stay with it."""
    results: list[Json] = []
    seen: list[Json] = []
    parts: list[Json] = []
    for where, block in objects(content, path):
        if _type(block) == "tool_result":
            shown = _shown(block, where)
            seen += shown
            output = joined_text(block.get("content")) or (BELOW if shown else "")
            output = f"Error: {output}" if block.get("is_error") else output
            answered = {"tool_call_id": block.get("tool_use_id"), "content": output}
            results.append({"role": "tool", **answered})
        elif _type(block) not in _SILENT_BLOCKS:
            parts += _content(block, where)
    parts = [*seen, *parts]
    return [*results, *([{"role": role, "content": simplest(parts)}] if parts else [])]


def _shown(result: Mapping[str, Any], path: str) -> list[Json]:
    """Images and documents in a tool's result, which the other form has no place for there."""
    content = result.get("content")
    blocks = objects(content, f"{path}.content") if isinstance(content, list) else ()
    seen = (_content(block, where) for where, block in blocks if _type(block) in _SEEN)
    return [part for parts in seen for part in parts]


def _content(block: Mapping[str, Any], path: str) -> list[Json]:
    kind = _type(block)
    if kind == "text":
        return [_text(block.get("text"))]
    if kind == "search_result":
        told = (block.get("title"), block.get("source"), joined_text(block.get("content")))
        return [_text("\n".join(text_of(part) for part in told))]
    if kind == "document":
        about = text_of(block.get("context"))
        return [_document(block, f"{path}.source"), *([_text(about)] if about else [])]
    address = _address(part_of(block, "source"))
    if kind == "image" and address:
        return [{"type": "image_url", "image_url": {"url": address}}]
    raise refused(path, "text, an image, a search result or a document")


def _text(text: Any) -> Json:
    return {"type": "text", "text": text_of(text)}


def _document(block: Mapping[str, Any], path: str) -> Json:
    """A document as a file, or as the address that it can be read from."""
    source, title = part_of(block, "source"), block.get("title")
    kind = _type(source)
    if kind == "base64":
        return file_part(title, decoded(source.get("data"), f"{path}.data"), f"{path}.data")
    if kind == "url":
        return _text(source.get("url"))
    text = source.get("data") if kind == "text" else joined_text(source.get("content"))
    if kind in {"text", "content"} and text_of(text):
        return file_part(title, text_of(text).encode(), path)
    named = f"; {text_of(source['file_id'])!r} is not kept here" if source.get("file_id") else ""
    raise refused(path, f"base64, text, content with text, or url{named}")


def _address(source: Mapping[str, Any]) -> str:
    """The address of an image, or its bytes as one."""
    if source.get("type") == "base64":
        return f"data:{source.get('media_type')};base64,{text_of(source.get('data'))}"
    return text_of(source.get("url"))


def _functions(body: Mapping[str, Any]) -> list[Json]:
    """The client's own tools; kinds that only the model server may know go on as they are."""
    tools = [tool for _, tool in objects(body.get("tools"), "tools")]
    return [_tool(tool) for tool in tools if not _type(tool).startswith(_SERVER_TOOLS)]


def _tool(tool: Mapping[str, Any]) -> Json:
    if _type(tool) not in {"", "custom"}:
        return dict(tool)
    named = {name: tool.get(name) for name in ("name", "description")}
    function = given({**named, "parameters": tool.get("input_schema")})
    return {"type": "function", "function": function}


def _tool_choice(body: Mapping[str, Any]) -> Any:
    choice = part_of(body, "tool_choice")
    if not _functions(body) or not choice:
        return None
    if choice.get("type") == "tool" and choice.get("name") not in _SERVER_TOOLS:
        return {"type": "function", "function": {"name": choice.get("name")}}
    return _CHOICES.get(text_of(choice.get("type")))


def _parallel(body: Mapping[str, Any]) -> bool | None:
    return False if part_of(body, "tool_choice").get("disable_parallel_tool_use") else None


def _format(body: Mapping[str, Any]) -> Json | None:
    """The JSON that is wanted, by its name of today or the one before."""
    wanted = part_of(part_of(body, "output_config"), "format") or part_of(body, "output_format")
    if wanted.get("type") != "json_schema":
        return None
    schema = {"name": "answer", "schema": wanted.get("schema"), "strict": True}
    return {"type": "json_schema", "json_schema": schema}
