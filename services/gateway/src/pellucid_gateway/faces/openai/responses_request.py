"""A Responses request as one of the chat completions form."""

from collections.abc import Mapping
from typing import Any

from pellucid_gateway.faces.compatible.client_turn import depth_of, place_of
from pellucid_gateway.faces.compatible.wire import (
    Json,
    given,
    joined_text,
    objects,
    part_of,
    refused,
    simplest,
    text_of,
)

SEARCH_TOOLS = "web_search"
# Kept by the vendor between requests; here the client sends its whole conversation.
_NOT_KEPT = ("previous_response_id", "conversation")
# What was searched, reasoned or called on the vendor's side has no place in the other form.
_SILENT_ITEMS = frozenset({"web_search_call", "reasoning", "item_reference"})
_SAME_FIELDS = (
    "temperature",
    "top_p",
    "parallel_tool_calls",
    "user",
    "stream",
    "pellucid",
    "model",
)
_ECHOED = ("instructions", "metadata", "temperature", "top_p", "max_output_tokens", "text")


def echoed(body: Mapping[str, Any]) -> Json:
    """What a response repeats of its request."""
    repeated = {name: body.get(name) for name in _ECHOED}
    return {
        **repeated,
        "metadata": repeated["metadata"] or {},
        "parallel_tool_calls": body.get("parallel_tool_calls", True),
        "tool_choice": body.get("tool_choice") or "auto",
        "tools": body.get("tools") or [],
        "previous_response_id": None,
    }


def to_chat(body: Mapping[str, Any]) -> Json:
    """The request in the chat completions form.

    Raises:
        ProblemError: A field has the wrong form, or asks for what is not offered here.
    """
    for field in _NOT_KEPT:
        if body.get(field):
            raise refused(field, "absent: nothing is kept here, send the conversation as input")
    if body.get("background"):
        raise refused("background", "false or absent")
    chat = {name: body.get(name) for name in _SAME_FIELDS}
    chat |= {
        "messages": _messages(body),
        "tools": _functions(body) or None,
        "tool_choice": _tool_choice(body),
        "max_completion_tokens": body.get("max_output_tokens"),
        "response_format": _format(body),
        "reasoning_effort": part_of(body, "reasoning").get("effort"),
    }
    return given(chat)


def implied_options(body: Mapping[str, Any]) -> Json:
    """What the search tool and the choice of it say about the search.

    A tool that is merely offered leaves the decision to us, as it would to the vendor's model.
    """
    tool = next((t for _, t in objects(body.get("tools"), "tools") if _is_search(t)), None)
    if tool is None:
        return {}
    choice = body.get("tool_choice")
    forced = choice == "required" and not _functions(body)
    forced = forced or (isinstance(choice, dict) and _is_search(choice))
    filters = part_of(tool, "filters")
    options = {
        "include_domains": filters.get("allowed_domains"),
        "exclude_domains": filters.get("blocked_domains"),
        **place_of(tool.get("user_location")),
        **depth_of(tool.get("search_context_size")),
    }
    return given(options) | ({"web_mode": "on"} if forced else {})


def _is_search(tool: Mapping[str, Any]) -> bool:
    return text_of(tool.get("type")).startswith(SEARCH_TOOLS)


def _messages(body: Mapping[str, Any]) -> list[Json]:
    instructions = body.get("instructions")
    messages: list[Json] = [{"role": "system", "content": instructions}] if instructions else []
    asked = body.get("input")
    if isinstance(asked, str):
        return [*messages, {"role": "user", "content": asked}]
    for path, item in objects(asked, "input"):
        _add_item(messages, item, path)
    return messages


def _add_item(messages: list[Json], item: Mapping[str, Any], path: str) -> None:
    kind = item.get("type", "message")
    if kind == "message":
        messages.append(_message(item, path))
    elif kind == "function_call":
        _add_call(messages, item)
    elif kind == "function_call_output":
        output = {"tool_call_id": item.get("call_id"), "content": joined_text(item.get("output"))}
        messages.append({"role": "tool", **output})
    elif kind not in _SILENT_ITEMS:
        known = ", ".join(sorted({"message", "function_call", "function_call_output"}))
        raise refused(f"{path}.type", f"one of {known}")


def _message(item: Mapping[str, Any], path: str) -> Json:
    role = text_of(item.get("role")) or "user"
    # Many model servers know no developer; a system prompt means the same.
    role = "system" if role == "developer" else role
    content = item.get("content")
    if isinstance(content, str):
        return {"role": role, "content": content}
    parts = [_content(part, where) for where, part in objects(content, f"{path}.content")]
    return {"role": role, "content": simplest(parts)}


def _content(part: Mapping[str, Any], path: str) -> Json:
    kind = part.get("type")
    if kind in {"input_text", "output_text", "text"}:
        return {"type": "text", "text": text_of(part.get("text"))}
    if kind == "refusal":
        return {"type": "text", "text": text_of(part.get("refusal"))}
    if kind == "input_image" and part.get("image_url"):
        image = given({"url": part["image_url"], "detail": part.get("detail")})
        return {"type": "image_url", "image_url": image}
    if kind == "input_file" and part.get("file_data"):
        return {"type": "file", "file": given({n: part.get(n) for n in ("filename", "file_data")})}
    raise refused(path, "text, an image by address or data, or a file by data")


def _add_call(messages: list[Json], item: Mapping[str, Any]) -> None:
    """Calls that follow one another belong to one message in the other form."""
    function = {"name": item.get("name"), "arguments": text_of(item.get("arguments"))}
    call = {"id": item.get("call_id"), "type": "function", "function": function}
    if messages and messages[-1]["role"] == "assistant":
        messages[-1].setdefault("tool_calls", []).append(call)
    else:
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})


def _functions(body: Mapping[str, Any]) -> list[Json]:
    functions = []
    for path, tool in objects(body.get("tools"), "tools"):
        if tool.get("type") == "function":
            function = {name: value for name, value in tool.items() if name != "type"}
            functions.append({"type": "function", "function": given(function)})
        elif not _is_search(tool):
            raise refused(f"{path}.type", "function or web_search")
    return functions


def _tool_choice(body: Mapping[str, Any]) -> Any:
    choice = body.get("tool_choice")
    if not _functions(body):
        return None
    if isinstance(choice, dict):
        named = {"type": "function", "function": {"name": choice.get("name")}}
        return named if choice.get("type") == "function" else None
    return choice


def _format(body: Mapping[str, Any]) -> Json | None:
    wanted = part_of(part_of(body, "text"), "format")
    if wanted.get("type") == "json_object":
        return {"type": "json_object"}
    if wanted.get("type") != "json_schema":
        return None
    schema = {name: wanted.get(name) for name in ("name", "description", "schema", "strict")}
    return {"type": "json_schema", "json_schema": given(schema)}
