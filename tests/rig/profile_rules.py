"""What model servers refuse and how they stream: the parts that `model_profiles` is made of."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
Step = bytes | float | None
"""Bytes that are sent, a pause in seconds, or None: the connection is cut."""

SHOWN = "The toll is 4.50 crowns."
WRITTEN = ("The toll ", "is 4.50 ", "crowns [1].")
HALF = "The toll is 4.50 "
THOUGHT = ("Hm, the toll: ", "source one says 4.50.")
DONE = b"data: [DONE]\n\n"
# Tokens that a thinking model spends before its first word.
_THOUGHT_TOKENS = 1_400
# What a prompt leaves of a small window.
_ROOM_TOKENS = 148


@dataclass(frozen=True)
class Reply:
    """A refusal, or a whole answer."""

    status: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)


Rule = Callable[["Call"], Reply | None]


@dataclass(frozen=True)
class Call:
    """A request as it came; `nth` counts from 0."""

    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Json
    nth: int

    @property
    def roles(self) -> list[str]:
        """Roles of the messages."""
        return [message["role"] for message in self.body["messages"]]

    @property
    def text(self) -> str:
        """All that the messages say."""
        return json.dumps(self.body["messages"])

    @property
    def limit(self) -> int | None:
        """Most tokens of the answer."""
        limit = self.body.get("max_completion_tokens", self.body.get("max_tokens"))
        return limit if isinstance(limit, int) else None


@dataclass(frozen=True)
class Profile:
    """One server with one model.

    Attributes:
        rules: Each may refuse a call; asked in order.
        steps: What an answer is streamed as.
        ends: See the module.
        path: What stands before `/chat/completions`.
        query: What stands after the path in the configured address.
        thinks: Its thinking is told, and faces with a place for it pass it on.
        counts: Thinking counts in the limit of length.
        fences: JSON comes in prose.
        one_at_a_time: A further call ends the answer that is being streamed.
    """

    name: str
    rules: tuple[Rule, ...] = ()
    steps: Sequence[Step] = ()
    ends: str = "whole"
    path: str = "/v1"
    query: str = ""
    thinks: bool = False
    counts: bool = False
    fences: bool = False
    whole: bool = False
    one_at_a_time: bool = False


def chunk(delta: Json | None = None, finish: str | None = None, **more: Any) -> bytes:
    """One piece of a stream."""
    choice = {"index": 0, "delta": delta or {}, "finish_reason": finish}
    body = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return b"data: " + json.dumps(body | {"choices": [choice]} | more).encode() + b"\n\n"


def words(*pieces: str) -> list[Step]:
    """Text as it comes."""
    return [chunk({"content": piece}) for piece in pieces]


def thoughts(name: str) -> list[Step]:
    """Thinking in a field of its own."""
    return [chunk({name: piece, "content": None}) for piece in THOUGHT]


USAGE = chunk(choices=[], usage={"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18})
END: list[Step] = [chunk(finish="stop"), USAGE, DONE]
PLAIN: list[Step] = [chunk({"role": "assistant", "content": ""}), *words(*WRITTEN), *END]


def tagged(opening: str, closing: str) -> list[Step]:
    """Thinking within the text."""
    return [*words(opening, *THOUGHT, closing, "\n\n", *WRITTEN), *END]


def listed(*parts: Json) -> list[Step]:
    """Content as a list of parts."""
    return [chunk({"content": [part]}) for part in parts]


def openai_error(message: str, code: str | None = None, param: str | None = None) -> Json:
    """OpenAI's error object."""
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return {"error": error}


def without(name: str, status: int, body: Any) -> Rule:
    """Refuses a field."""
    return lambda call: Reply(status, body) if name in call.body else None


def always(status: int, body: Any, **headers: str) -> Rule:
    """Refuses every call."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _call: Reply(status, body, named)


def _format_of(call: Call) -> str:
    return str((call.body.get("response_format") or {}).get("type", ""))


def formats(*known: str, body: Json, status: int = 400) -> Rule:
    """Knows some formats of replies."""
    return lambda call: Reply(status, body) if _format_of(call) not in {"", *known} else None


def efforts(*known: str) -> Rule:
    """Knows some efforts of thinking."""

    def rule(call: Call) -> Reply | None:
        given = call.body.get("reasoning_effort")
        if given is None or given in known:
            return None
        offered = ", ".join(f"'{one}'" for one in known)
        message = f"Unsupported value: '{given}' is not supported. Supported values are: {offered}."
        return Reply(400, openai_error(message, "unsupported_value", "reasoning_effort"))

    return rule


def alternates(status: int, body: Any) -> Rule:
    """Takes roles by turns only, after at most one system message."""

    def rule(call: Call) -> Reply | None:
        roles = call.roles[1:] if call.roles[0] == "system" else call.roles
        good = all(role == ("user", "assistant")[n % 2] for n, role in enumerate(roles))
        return None if good else Reply(status, body)

    return rule


def no_system(status: int, body: Any) -> Rule:
    """Takes no system message."""
    return lambda call: Reply(status, body) if "system" in call.roles else None


def last_role(call: Call) -> Reply | None:
    """Wants a person's or a tool's word last."""
    if call.roles[-1] in {"user", "tool"}:
        return None
    return Reply(400, {"object": "error", "message": "Expected last role User or Tool"})


def azure(call: Call) -> Reply | None:
    """Wants a version in the address and the key in a header of its own."""
    if not call.query.get("api-version"):
        return Reply(404, {"error": {"code": "404", "message": "Resource not found"}})
    if not call.headers.get("api-key"):
        return Reply(401, {"error": {"code": "401", "message": "Access denied due to the key."}})
    return None


def says_json(call: Call) -> Reply | None:
    """Wants the word json beside `json_object`."""
    if _format_of(call) != "json_object" or "json" in call.text.lower():
        return None
    return Reply(400, openai_error("Prompt must contain the word 'json' to use 'response_format'"))


def vllm_room(call: Call) -> Reply | None:
    """Counts prompt and limit together."""
    if call.limit is None or call.limit <= _ROOM_TOKENS:
        return None
    message = (
        f"'max_tokens' or 'max_completion_tokens' is too large: {call.limit}. This model's maximum "
        "context length is 2048 tokens and your request has 1900 input tokens."
    )
    return Reply(400, openai_error(message, None, "max_tokens"))


def loading(call: Call) -> Reply | None:
    """Loads its model while the first call comes."""
    error = {"code": 503, "message": "Loading model", "type": "unavailable_error"}
    return Reply(503, {"error": error}) if call.nth == 0 else None


def forbidden(name: str) -> Json:
    """A validation error about an unknown field."""
    detail = {"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs not permitted"}
    inner = {"detail": [detail | {"input": {"include_usage": True}}]}
    return {"object": "error", "message": inner, "type": "invalid_request_error"}


def needs_room(profile: Profile, call: Call) -> bool:
    """Thinking uses up the limit before the first word."""
    return profile.counts and call.limit is not None and call.limit < _THOUGHT_TOKENS
