"""A Responses request as one of the chat completions form."""

from collections.abc import Mapping
from typing import Any

from pellucid_gateway.api.compatible import wire
from pellucid_gateway.api.compatible.client_turn import depth_of, place_of
from pellucid_gateway.api.compatible.files import read_file

SEARCH_TOOLS = "web_search"
_SEEN = frozenset({"input_image", "input_file"})
# Kept by the vendor between requests; here the client sends its whole conversation.
_NOT_KEPT = ("previous_response_id", "conversation")
# What was searched, reasoned or called on the vendor's side has no place in the other form.
_SILENT_ITEMS = frozenset({"web_search_call", "reasoning", "item_reference", "compaction"})
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})
_SAME_FIELDS = (
    "temperature",
    "top_p",
    "presence_penalty",
    "frequency_penalty",
    "parallel_tool_calls",
    "user",
    "stream",
    "pellucid",
    "model",
)
# What a response repeats of its request, and what holds where the request does not say.
_ECHOED: Mapping[str, Any] = {
    "instructions": None,
    "max_output_tokens": None,
    "max_tool_calls": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "frequency_penalty": 0,
    "presence_penalty": 0,
    "prompt_cache_key": None,
    "safety_identifier": None,
    "service_tier": "default",
    "temperature": 1,
    "tool_choice": "auto",
    "top_logprobs": 0,
    "top_p": 1,
    "truncation": "disabled",
    "user": None,
}


def echoed(body: Mapping[str, Any]) -> wire.Json:
    """What a response repeats of its request, complete as clients check it."""
    repeated = {**_ECHOED, **{name: body[name] for name in _ECHOED if body.get(name) is not None}}
    thinking, text = wire.part_of(body, "reasoning"), wire.part_of(body, "text")
    return {
        **repeated,
        "background": False,
        "previous_response_id": None,
        "reasoning": {name: thinking.get(name) for name in ("effort", "summary")},
        "store": False,
        "text": {**text, "format": _echoed_format(wire.part_of(text, "format"))},
        "tools": [_echoed_tool(tool) for _, tool in wire.objects(body.get("tools"), "tools")],
    }


def _echoed_tool(tool: Mapping[str, Any]) -> wire.Json:
    if tool.get("type") != "function":
        return dict(tool)
    return {"description": None, "parameters": None, "strict": None, **tool}


def _echoed_format(wanted: Mapping[str, Any]) -> wire.Json:
    if wanted.get("type") != "json_schema":
        return dict(wanted) or {"type": "text"}
    return {"description": None, **wanted, "strict": wanted.get("strict") is True}


def to_chat(body: Mapping[str, Any]) -> wire.Json:
    """The request in the chat completions form.

    Raises:
        ProblemError: A field has the wrong form, or asks for what is not offered here.
    """
    for field in _NOT_KEPT:
        if body.get(field):
            raise wire.refused(
                field, "absent: nothing is kept here, send the conversation as input"
            )
    if body.get("background"):
        raise wire.refused("background", "false or absent")
    chat = {name: body.get(name) for name in _SAME_FIELDS}
    chat |= {
        "messages": _messages(body),
        "tools": _functions(body) or None,
        "tool_choice": _tool_choice(body),
        "max_completion_tokens": body.get("max_output_tokens"),
        "response_format": _format(body),
        "reasoning_effort": wire.part_of(body, "reasoning").get("effort"),
        "verbosity": wire.part_of(body, "text").get("verbosity"),
    }
    return wire.given(chat)


def implied_options(body: Mapping[str, Any]) -> wire.Json:
    """What the search tool and the choice of it say about the search.

    A tool that is merely offered leaves the decision to us, as it would to the vendor's model.
    """
    tool = next((t for _, t in wire.objects(body.get("tools"), "tools") if _is_search(t)), None)
    if tool is None:
        return {}
    choice = body.get("tool_choice")
    forced = choice == "required" and not _functions(body)
    forced = forced or (isinstance(choice, dict) and _is_search(choice))
    filters = wire.part_of(tool, "filters")
    options = {
        "include_domains": filters.get("allowed_domains"),
        "exclude_domains": filters.get("blocked_domains"),
        **place_of(tool.get("user_location")),
        **depth_of(tool.get("search_context_size")),
    }
    return wire.given(options) | ({"web_mode": "on"} if forced else {})


def lists_search(body: Mapping[str, Any]) -> bool:
    """The client knows the search tool; it expects to be told of its use."""
    return any(_is_search(tool) for _, tool in wire.objects(body.get("tools"), "tools"))


def _is_search(tool: Mapping[str, Any]) -> bool:
    return wire.text_of(tool.get("type")).startswith(SEARCH_TOOLS)


def _messages(body: Mapping[str, Any]) -> list[wire.Json]:
    instructions = body.get("instructions")
    messages: list[wire.Json] = (
        [{"role": "system", "content": instructions}] if instructions else []
    )
    asked = body.get("input")
    if isinstance(asked, str):
        return [*messages, {"role": "user", "content": asked}]
    told = _Told(messages)
    for path, item in wire.objects(asked, "input"):
        told.add(item, path)
    return told.all()


class _Told:
    """Items as messages, one after the other.

    Args:
        messages: What comes before them.
    """

    def __init__(self, messages: list[wire.Json]) -> None:
        self._messages = messages
        self._seen: list[wire.Json] = []

    def add(self, item: Mapping[str, Any], path: str) -> None:
        """Add an item.

        Raises:
            ProblemError: Nothing of its kind is known.
        """
        kind = item.get("type", "message")
        if kind not in _OUTPUTS:
            self._show()
        if kind == "message":
            self._messages.append(_message(item, path))
        elif kind in {"function_call", "custom_tool_call"}:
            self._add_call(_call(item))
        elif kind in _OUTPUTS:
            self._add_output(item, path)
        elif kind not in _SILENT_ITEMS:
            known = ", ".join(sorted({"message", "function_call", "custom_tool_call", *_OUTPUTS}))
            raise wire.refused(f"{path}.type", f"one of {known}")

    def all(self) -> list[wire.Json]:
        """The messages."""
        self._show()
        return self._messages

    def _add_call(self, call: wire.Json) -> None:
        """Calls that follow one another belong to one message in the other form."""
        if self._messages and self._messages[-1]["role"] == "assistant":
            self._messages[-1].setdefault("tool_calls", []).append(call)
        else:
            self._messages.append({"role": "assistant", "content": None, "tool_calls": [call]})

    def _add_output(self, item: Mapping[str, Any], path: str) -> None:
        output = item.get("output")
        parts = wire.objects(output, f"{path}.output") if isinstance(output, list) else ()
        seen = [_content(part, where) for where, part in parts if part.get("type") in _SEEN]
        self._seen += seen
        text = wire.joined_text(output) or (wire.BELOW if seen else "")
        self._messages.append(
            {"role": "tool", "tool_call_id": item.get("call_id"), "content": text}
        )

    def _show(self) -> None:
        """Images of outputs, once all outputs are told: a tool's message holds text only."""
        if self._seen:
            self._messages.append({"role": "user", "content": self._seen})
            self._seen = []


def _call(item: Mapping[str, Any]) -> wire.Json:
    if item.get("type") == "custom_tool_call":
        custom = {"name": item.get("name"), "input": wire.text_of(item.get("input"))}
        return {"id": item.get("call_id"), "type": "custom", "custom": custom}
    function = {"name": item.get("name"), "arguments": wire.text_of(item.get("arguments"))}
    return {"id": item.get("call_id"), "type": "function", "function": function}


def _message(item: Mapping[str, Any], path: str) -> wire.Json:
    role = wire.text_of(item.get("role")) or "user"
    # Many model servers know no developer; a system prompt means the same.
    role = "system" if role == "developer" else role
    content = item.get("content")
    if isinstance(content, str):
        return {"role": role, "content": content}
    parts = [_content(part, where) for where, part in wire.objects(content, f"{path}.content")]
    return {"role": role, "content": wire.simplest(parts)}


def _content(part: Mapping[str, Any], path: str) -> wire.Json:
    kind = part.get("type")
    if kind in {"input_text", "output_text", "text"}:
        return {"type": "text", "text": wire.text_of(part.get("text"))}
    if kind == "refusal":
        return {"type": "text", "text": wire.text_of(part.get("refusal"))}
    if kind == "input_image" and part.get("image_url"):
        image = wire.given({"url": part["image_url"], "detail": part.get("detail")})
        return {"type": "image_url", "image_url": image}
    if kind == "input_file" and part.get("file_url"):
        return {"type": "text", "text": wire.text_of(part["file_url"])}
    if kind == "input_file":
        return read_file(part, path)
    raise wire.refused(path, "text, an image by address or data, or a file")


def _functions(body: Mapping[str, Any]) -> list[wire.Json]:
    """The client's own tools; kinds that only the model server may know go on as they are."""
    tools = (tool for _, tool in wire.objects(body.get("tools"), "tools") if not _is_search(tool))
    return [_tool(tool) for tool in tools]


def _tool(tool: Mapping[str, Any]) -> wire.Json:
    kind = wire.text_of(tool.get("type"))
    if kind not in {"function", "custom"}:
        return dict(tool)
    inner = {name: value for name, value in tool.items() if name != "type"}
    return {"type": kind, kind: wire.given(_grammar_within(inner))}


def _grammar_within(tool: wire.Json) -> wire.Json:
    """The grammar of a custom tool, which the other form has one level deeper."""
    wanted = wire.part_of(tool, "format")
    if wanted.get("type") != "grammar":
        return tool
    grammar = {name: value for name, value in wanted.items() if name != "type"}
    return {**tool, "format": {"type": "grammar", "grammar": grammar}}


def _tool_choice(body: Mapping[str, Any]) -> Any:
    choice = body.get("tool_choice")
    if not _functions(body):
        return None
    if isinstance(choice, dict):
        kind = wire.text_of(choice.get("type"))
        is_named = kind in {"function", "custom"}
        return {"type": kind, kind: {"name": choice.get("name")}} if is_named else None
    return choice


def _format(body: Mapping[str, Any]) -> wire.Json | None:
    wanted = wire.part_of(wire.part_of(body, "text"), "format")
    if wanted.get("type") == "json_object":
        return {"type": "json_object"}
    if wanted.get("type") != "json_schema":
        return None
    schema = {name: wanted.get(name) for name in ("name", "description", "schema", "strict")}
    return {"type": "json_schema", "json_schema": wire.given(schema)}
