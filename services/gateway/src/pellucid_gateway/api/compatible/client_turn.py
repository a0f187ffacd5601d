"""What a chat request of another product asks of the engine, whatever its wire form.

Each such API writes its request as one of the OpenAI chat completions API (`messages` and other
fields); from there on all are the same. The client's own messages reach the model as they are, but
for files, which are read here; decision and search see the text of the last ones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import Field

from pellucid_gateway.api.compatible.files import attached, files_in, marked, with_files_read
from pellucid_gateway.api.compatible.wire import not_an_object
from pellucid_gateway.api.http.bodies import check, parse_object
from pellucid_gateway.api.http.options import TurnFields
from pellucid_gateway.api.http.problems import FieldError, ProblemError, invalid, too_large
from pellucid_gateway.domain.attachment import Attachment, naming
from pellucid_gateway.domain.decision import WebMode
from pellucid_gateway.domain.limits import MESSAGE_BYTES, MESSAGES
from pellucid_gateway.domain.request import (
    ChatMessage,
    CitationStyle,
    ClientMessages,
    Role,
    TurnRequest,
)
from pellucid_language.text import clean

# Name under which the server's own model is offered.
OWN_MODEL = "pellucid"
COMPATIBLE_MESSAGES = 2000

_SUFFIXES: Mapping[str, Mapping[str, Any]] = {
    ":search": {"web_mode": "on"},
    ":nosearch": {"web_mode": "off"},
    ":deep": {"depth": "deep"},
}
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL, "function": Role.TOOL}
# Fields that are ours or that the engine sets itself.
OUR_FIELDS = frozenset({"pellucid", "web_search_options"})
_ENGINE_FIELDS = OUR_FIELDS | {"model", "messages", "stream", "stream_options", "n"}
# What is decided on when the person sent nothing but images.
_WITHOUT_TEXT = "(attachment)"


class PellucidOptions(TurnFields):
    """Native options inside `pellucid: {…}` or the header X-Pellucid-Options."""

    progress: Literal["reasoning", "none"] = "reasoning"
    memories: list[str] = Field(default_factory=list, max_length=20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One chat request, translated.

    Attributes:
        turn: What the engine is asked, without the caller.
        needs_model: The last message is not a person's text (a tool's result, only images), so
            nothing can be searched and only a model can go on.
        model: Name that the client used; replies repeat it.
        upstream_model: The same name as the model server knows it.
        stream: The client wants a stream.
        shows_progress: Steps of the search may be told as reasoning.
        is_for_program: JSON or calls of the client's tools are wanted, which only a model writes.
    """

    turn: TurnRequest
    needs_model: bool
    model: str
    upstream_model: str
    stream: bool
    user_id: str
    shows_progress: bool
    is_for_program: bool


def translated(
    chat: Mapping[str, Any], header: str, own_model: str, implied: Mapping[str, Any]
) -> Asked:
    """Read a request in the chat completions form.

    Args:
        chat: The request.
        header: Value of X-Pellucid-Options; empty when absent.
        own_model: What `pellucid` stands for on the model server.
        implied: Options that fields of the client's own API imply; the weakest ones.

    Raises:
        ProblemError: Wrong messages, files, model or options.
    """
    messages = with_files_read(_messages(chat))
    model = chat.get("model") or OWN_MODEL
    if not isinstance(model, str):
        raise ProblemError(invalid([FieldError("model", "a string", "must be a string")]))
    base, of_suffix = _without_suffix(model)
    options = _options(chat, header, {**implied, **of_suffix})
    upstream_model = own_model if base == OWN_MODEL else base
    fields = {name: value for name, value in chat.items() if name not in _ENGINE_FIELDS}
    for_model = marked(messages, lambda file: f"(file: {file.name})")
    client = ClientMessages(messages=tuple(for_model), fields=fields)
    files = attached(messages)
    conversation, needs_model = _conversation(messages, files)
    turn = options.turn(conversation, model=upstream_model, attachments=files, passthrough=client)
    if needs_model:
        turn = replace(turn, web_mode=WebMode.OFF, force_search=False)
    if _wants_json(client):
        # No markers in an answer that a program will parse.
        turn = replace(turn, citation_style=CitationStyle.NONE)
    return Asked(
        turn=turn,
        needs_model=needs_model,
        model=model,
        upstream_model=upstream_model,
        stream=chat.get("stream") is True,
        user_id=options.user_id or _text(chat.get("user"))[:256],
        shows_progress=options.progress == "reasoning",
        is_for_program=_wants_json(client) or _offers_tools(client),
    )


def searching_for(query: str, asked: Asked) -> Asked:
    """The same request, with its search for exactly this."""
    message = ChatMessage(Role.USER, _bounded(clean(query)))
    turn = replace(asked.turn, messages=(message,), verbatim=True, web_mode=WebMode.ON)
    return replace(asked, turn=turn)


def _messages(chat: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    messages = chat.get("messages")
    words = f"1 to {COMPATIBLE_MESSAGES} messages"
    if isinstance(messages, list) and len(messages) > COMPATIBLE_MESSAGES:
        raise ProblemError(too_large([FieldError("messages", words, f"must have {words}")]))
    if not isinstance(messages, list) or not messages:
        raise ProblemError(invalid([FieldError("messages", words, f"must have {words}")]))
    for place, message in enumerate(messages):
        if not isinstance(message, dict):
            raise not_an_object(f"messages[{place}]")
    return messages


def _without_suffix(model: str) -> tuple[str, Mapping[str, Any]]:
    for suffix, implied in _SUFFIXES.items():
        if model.endswith(suffix):
            return model.removesuffix(suffix), implied
    return model, {}


def _options(chat: Mapping[str, Any], header: str, implied: Mapping[str, Any]) -> PellucidOptions:
    """What is implied, then the header, then the body object."""
    own = chat.get("pellucid", {})
    if not isinstance(own, dict):
        raise not_an_object("pellucid")
    from_header = parse_object(header.encode()) if header else {}
    return check(PellucidOptions, {**implied, **from_header, **own})


def place_of(location: Any) -> dict[str, Any]:
    """Country and time zone of a `user_location`, nested as in chat completions or flat."""
    place = location.get("approximate", location) if isinstance(location, dict) else {}
    place = place if isinstance(place, dict) else {}
    return {"country": place.get("country"), "time_zone": place.get("timezone")}


def depth_of(size: Any) -> dict[str, Any]:
    """Depth of a `search_context_size`."""
    return {"depth": "quick"} if size == "low" else {}


def _conversation(
    messages: Sequence[Mapping[str, Any]], files: Sequence[Attachment]
) -> tuple[tuple[ChatMessage, ...], bool]:
    """Text of the last messages, ending with the person's, and whether more than that came.

    A model that goes on with its work has all files before it.
    """
    recent = tuple(map(_message, marked(messages[-MESSAGES:], lambda file: file.url)))
    if recent[-1].role is Role.USER and recent[-1].content.strip():
        sent = files_in(messages)
        return _naming(recent, sent, known=sent), False
    asked = [place for place, m in enumerate(recent) if m.role is Role.USER and m.content.strip()]
    until_asked = recent[: asked[-1] + 1] if asked else ()
    return _naming(until_asked or (ChatMessage(Role.USER, _WITHOUT_TEXT),), files), True


def _naming(
    messages: tuple[ChatMessage, ...],
    files: Sequence[Attachment],
    known: Sequence[Attachment] = (),
) -> tuple[ChatMessage, ...]:
    *earlier, last = messages
    content = naming(last.content, (file.url for file in known), files)
    return (*earlier, replace(last, content=content))


def _wants_json(client: ClientMessages) -> bool:
    wanted = client.fields.get("response_format")
    return isinstance(wanted, dict) and str(wanted.get("type")).startswith("json")


def _offers_tools(client: ClientMessages) -> bool:
    return bool(client.fields.get("tools")) and client.fields.get("tool_choice") != "none"


def _message(message: Mapping[str, Any]) -> ChatMessage:
    role = _ROLES.get(str(message.get("role")), Role.SYSTEM)
    return ChatMessage(role, _bounded(clean(_text(message.get("content")))))


def _text(content: Any) -> str:
    """Text of a message; of parts only those of type text."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, dict))
    return "\n".join(text for text in texts if isinstance(text, str))


def _bounded(text: str) -> str:
    """Cut a text that the decision will not read whole; its beginning and end matter most."""
    raw = text.encode("utf-8", "ignore")
    if len(raw) <= MESSAGE_BYTES:
        return text
    half = MESSAGE_BYTES // 2 - 8
    return raw[:half].decode("utf-8", "ignore") + "\n…\n" + raw[-half:].decode("utf-8", "ignore")
