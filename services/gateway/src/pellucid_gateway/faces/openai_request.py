"""What an OpenAI-style request asks of the engine, and what of it goes on to the model server.

Everything that is not ours stays in the body as it came; only our own options are taken out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import orjson
from pydantic import ConfigDict, Field

from pellucid_gateway.decision import WebMode
from pellucid_gateway.faces.bodies import check, parse_object
from pellucid_gateway.faces.problems import FieldError, ProblemError, invalid, too_large
from pellucid_gateway.faces.requests import SearchFields, SubjectBody
from pellucid_gateway.limits import MESSAGE_BYTES, MESSAGES
from pellucid_gateway.request import ChatMessage, CitationStyle, Depth, Role, TurnRequest
from pellucid_gateway.text import clean

# Name under which the server's own model is offered.
OWN_MODEL = "pellucid"
COMPATIBLE_MESSAGES = 2000

_SUFFIXES: Mapping[str, Mapping[str, Any]] = {
    ":search": {"web_mode": "on"},
    ":nosearch": {"web_mode": "off"},
    ":deep": {"depth": "deep"},
}
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL, "function": Role.TOOL}


class PellucidOptions(SearchFields):
    """Native options inside `pellucid: {…}` or the header X-Pellucid-Options."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    conversation_id: str = Field("", max_length=128)
    web_mode: Literal["auto", "on", "off"] = "auto"
    force_search: bool = False
    citation_style: Literal["natural", "numeric", "markdown", "none"] = "natural"
    context: SubjectBody | None = None
    memories: list[str] = Field(default_factory=list, max_length=20)


@dataclass(frozen=True, slots=True)
class OpenAiRequest:
    """One request, split.

    Attributes:
        turn: What the engine is asked; None when the last message is not a person's, so that only
            the model can answer.
        body: What the model server gets when nothing is to be searched.
        model: Name that the client used; replies repeat it.
        upstream_model: Name for the model server; empty means the configured one.
        stream: The client wants chunks.
        include_usage: The client wants a usage chunk.
    """

    turn: TurnRequest | None
    body: bytes
    model: str
    upstream_model: str
    stream: bool
    include_usage: bool
    user_id: str


def parse(raw: bytes, header: str, own_model: str) -> OpenAiRequest:
    """Split a request.

    Args:
        raw: The body.
        header: Value of X-Pellucid-Options; empty when absent.
        own_model: What `pellucid` stands for on the model server.

    Raises:
        ProblemError: Broken JSON, wrong messages or wrong options of ours.
    """
    body = parse_object(raw)
    messages = _messages(body)
    model = body.get("model") or OWN_MODEL
    if not isinstance(model, str):
        raise ProblemError(invalid([FieldError("model", "a string", "must be a string")]))
    base, implied = _without_suffix(model)
    options = _options(body, header, implied)
    upstream_model = own_model if base == OWN_MODEL else base
    return OpenAiRequest(
        turn=_turn(messages, options, upstream_model),
        body=_forwarded(raw, body, model, upstream_model),
        model=model,
        upstream_model=upstream_model,
        stream=body.get("stream") is True,
        include_usage=_wants_usage(body),
        user_id=options.user_id or str(body.get("user") or ""),
    )


def _wants_usage(body: Mapping[str, Any]) -> bool:
    options = body.get("stream_options")
    return isinstance(options, dict) and options.get("include_usage") is True


def _messages(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    messages = body.get("messages")
    words = f"1 to {COMPATIBLE_MESSAGES} messages"
    if isinstance(messages, list) and len(messages) > COMPATIBLE_MESSAGES:
        raise ProblemError(too_large([FieldError("messages", words, f"must have {words}")]))
    if not isinstance(messages, list) or not messages:
        raise ProblemError(invalid([FieldError("messages", words, f"must have {words}")]))
    for place, message in enumerate(messages):
        if not isinstance(message, dict):
            error = FieldError(f"messages[{place}]", "an object", "must be an object")
            raise ProblemError(invalid([error]))
    return messages


def _without_suffix(model: str) -> tuple[str, Mapping[str, Any]]:
    for suffix, implied in _SUFFIXES.items():
        if model.endswith(suffix):
            return model.removesuffix(suffix), implied
    return model, {}


def _options(body: Mapping[str, Any], header: str, implied: Mapping[str, Any]) -> PellucidOptions:
    """Suffix, then OpenAI's own search options, then the header, then the body object."""
    own = body.get("pellucid", {})
    if not isinstance(own, dict):
        raise ProblemError(invalid([FieldError("pellucid", "an object", "must be an object")]))
    from_header = parse_object(header.encode()) if header else {}
    return check(PellucidOptions, {**_web_search(body), **implied, **from_header, **own})


def _web_search(body: Mapping[str, Any]) -> dict[str, Any]:
    """`web_search_options` present means on; place and size carry over."""
    options = body.get("web_search_options")
    if not isinstance(options, dict):
        return {}
    location = options.get("user_location")
    place = location.get("approximate", location) if isinstance(location, dict) else {}
    place = place if isinstance(place, dict) else {}
    found = {"web_mode": "on", "country": place.get("country"), "time_zone": place.get("timezone")}
    if options.get("search_context_size") == "low":
        found["depth"] = "quick"
    return found


def _turn(
    messages: list[Mapping[str, Any]], options: PellucidOptions, model: str
) -> TurnRequest | None:
    conversation = tuple(_message(message) for message in messages[-MESSAGES:])
    last = conversation[-1]
    if last.role is not Role.USER or not last.content.strip():
        return None
    return TurnRequest(
        messages=conversation,
        conversation_id=options.conversation_id,
        web_mode=WebMode(options.web_mode),
        force_search=options.force_search,
        depth=Depth(options.depth),
        citation_style=CitationStyle(options.citation_style),
        language=options.answer_language,
        time_zone=options.time_zone,
        options=options.options(),
        model=model,
        deadline_ms=options.deadline_ms,
        subject=options.context.to_domain() if options.context else None,
        memories=tuple(clean(memory) for memory in options.memories),
    )


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


def _forwarded(raw: bytes, body: Mapping[str, Any], model: str, upstream_model: str) -> bytes:
    """The body for the model server: byte for byte, unless something of ours is in it."""
    ours = {"pellucid", "web_search_options"} & body.keys()
    if not ours and model == upstream_model and body.get("model"):
        return raw
    kept = {name: value for name, value in body.items() if name not in ours}
    return orjson.dumps({**kept, "model": upstream_model})
