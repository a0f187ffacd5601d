"""Reads what a server says as it refuses: why, which field it means, when to come back.

Only the forms of the API and of the servers' own messages are read here; what is done about it is
`pellucid_runtime.llm.lessons`'.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from pellucid_runtime.llm.model import (
    LlmCause,
    LlmError,
    LlmRejectedError,
    LlmUnavailableError,
    Said,
)

_FIRST_SERVER_ERROR = 500
_NOT_FOUND = 404
_UNAVAILABLE = 503
_KEY_STATUSES = frozenset({401, 403})
_MONEY_STATUSES = frozenset({402})
_RATE_STATUSES = frozenset({429})
# Refusals that say "not now"; other 4xx say "not like this".
_NOT_NOW = frozenset({408, 409, 425})
# A refusal of this kind may be about a field; wrappers of llama.cpp fail with 500 over one.
_OF_FIELDS = frozenset({400, 422, 500})

_MOST_TEXT_CHARS = 4_000
_MOST_SAID_CHARS = 500
_DEEPEST = 6
# Echoes of what was sent: what stands there was said by the client, not by the server.
_ECHOES = frozenset({"input", "ctx", "body"})

# Source: messages of OpenAI, Azure, vLLM, TGI, llama.cpp, LM Studio, Anthropic, Gemini, LiteLLM.
_CONTEXT = re.compile(
    r"context[_ ](length|window|size)|maximum context|prompt is too long|input is too long"
    r"|too many (input )?tokens|inputs? tokens? \+ `?max_new_tokens|exceed_context"
    r"|exceeds the maximum number of tokens"
)
_FILTER = re.compile(r"content_filter|content management policy|responsibleai|content_policy")
_QUOTA = re.compile(r"insufficient[_ ](quota|balance|credit)|exceeded your current quota|billing")
_MODEL = re.compile(
    r"model_not_found|invalid[_ ]model|unknown[_ ]model|deploymentnotfound"
    r"|model\b.{0,120}\b(not found|does not exist|not exist)|no such model"
)
_RESPONSES = re.compile(r"v1/responses")
_LOADING = re.compile(r"\bload(ing|ed)\b")
_SYSTEM = re.compile(
    r"(system|developer)[^.]{0,40}(role|message|instruction|prompt)s?[^.]{0,40}"
    r"(not supported|not enabled|unsupported|not allowed)"
    r"|does not support '(system|developer)'"
    r"|(only user and assistant|system role not)"
)
_ALTERNATION = re.compile(
    r"roles? must alternate|must alternate|alternating|consecutive (user|assistant) messages"
    r"|system message must be (at the beginning|first)"
)
_VALUE = re.compile(
    r"unsupported[_ ]value|supported values|input should be|must be one of|expected"
)

_PERHAPS_OF_FIELDS = frozenset({LlmCause.REFUSED, LlmCause.SERVER_ERROR})

_SENTENCES: Mapping[LlmCause, str] = {
    LlmCause.WRONG_KEY: "the model server refuses the key",
    LlmCause.UNKNOWN_MODEL: "the model server does not know the model",
    LlmCause.RESPONSES_ONLY: "the model is not offered by the chat completions API",
    LlmCause.QUOTA_SPENT: "the quota at the model server is spent",
    LlmCause.RATE_LIMITED: "the model server wants fewer calls",
    LlmCause.CONTEXT_TOO_LONG: "the conversation is too long for the model",
    LlmCause.CONTENT_FILTER: "the model server's content filter refused",
    LlmCause.REFUSED: "the model server refused the request",
    LlmCause.SERVER_ERROR: "the model server failed",
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a server said in place of an answer.

    Attributes:
        status: HTTP status, or the code of an error in a stream; 0 where there is none.
        said: Its error object.
        text: All that it says, in lower case; nothing that it echoes.
        fields: Names that it gives as places of the error.
        retry_after_s: When it wants to be asked again, in seconds; None where it does not say.
    """

    status: int
    said: Said
    text: str
    fields: frozenset[str] = frozenset()
    retry_after_s: float | None = None

    @property
    def cause(self) -> LlmCause:
        """Why it refused."""
        for cause, is_so in _CAUSES:
            if is_so(self):
                return cause
        return LlmCause.REFUSED

    @property
    def is_of_fields(self) -> bool:
        """It may be about a field of the request, or the form of its messages."""
        return self.status in _OF_FIELDS and self.cause in _PERHAPS_OF_FIELDS

    @property
    def is_loading(self) -> bool:
        """The server runs and its model does not yet."""
        return self.status == _UNAVAILABLE and bool(_LOADING.search(self.text))

    @property
    def refuses_system(self) -> bool:
        """It takes no message of the system's role."""
        return bool(_SYSTEM.search(self.text))

    @property
    def wants_alternation(self) -> bool:
        """It takes a person's and an assistant's messages by turns only."""
        return bool(_ALTERNATION.search(self.text))

    @property
    def is_of_value(self) -> bool:
        """It knows the field and refuses the value."""
        return bool(_VALUE.search(self.text))

    def names(self, among: Collection[str]) -> tuple[str, ...]:
        """Those of the fields that it means: by their place, else by their name in its words."""
        placed = tuple(field for field in among if field in self.fields)
        if placed:
            return placed
        return tuple(field for field in among if re.search(rf"\b{field}\b", self.text))

    def error(self, model: str) -> LlmError:
        """The error that it stands for, without its text: it may quote the prompt."""
        cause = self.cause
        kind = LlmUnavailableError if cause in _MOMENTARY else LlmRejectedError
        return kind(
            f"{_SENTENCES[cause]} (status {self.status})" if self.status else _SENTENCES[cause],
            model=model,
            cause=cause,
            said=self.said,
            retry_after_s=self.retry_after_s,
        )


class RefusedError(Exception):
    """The server refused; whoever asked may ask in another form."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.cause)
        self.refusal = refusal


_MOMENTARY = frozenset({LlmCause.RATE_LIMITED, LlmCause.SERVER_ERROR})
# In this order: a busy server's status may stand over anything else.
_CAUSES: tuple[tuple[LlmCause, Callable[[Refusal], bool]], ...] = (
    (LlmCause.WRONG_KEY, lambda r: r.status in _KEY_STATUSES),
    (
        LlmCause.QUOTA_SPENT,
        lambda r: (
            r.status in _MONEY_STATUSES
            or (r.status in _RATE_STATUSES and bool(_QUOTA.search(r.text)))
        ),
    ),
    (LlmCause.RATE_LIMITED, lambda r: r.status in _RATE_STATUSES),
    (LlmCause.RESPONSES_ONLY, lambda r: bool(_RESPONSES.search(r.text))),
    (LlmCause.CONTENT_FILTER, lambda r: bool(_FILTER.search(r.text))),
    (LlmCause.CONTEXT_TOO_LONG, lambda r: bool(_CONTEXT.search(r.text))),
    (LlmCause.SERVER_ERROR, lambda r: r.status >= _FIRST_SERVER_ERROR or r.status in _NOT_NOW),
    (LlmCause.UNKNOWN_MODEL, lambda r: r.status == _NOT_FOUND or bool(_MODEL.search(r.text))),
    (LlmCause.SERVER_ERROR, lambda r: r.status == 0),
)


def read_refusal(status: int, headers: Mapping[str, str], body: bytes) -> Refusal:
    """What a reply of status 400 and above says.

    Args:
        status: HTTP status.
        headers: Names in any case.
        body: As it came; JSON of whatever form, or anything else.
    """
    try:
        value = json.loads(body[: 64 * _MOST_TEXT_CHARS])
    except ValueError:
        value = body[:_MOST_TEXT_CHARS].decode("utf-8", "replace")
    return _refusal(status, value, retry_after_s(headers))


def read_failure(value: Any) -> Refusal:
    """What an error object in the middle of a stream says."""
    code = value.get("code") if isinstance(value, Mapping) else None
    return _refusal(code if isinstance(code, int) else 0, value, None)


def _refusal(status: int, value: Any, after_s: float | None) -> Refusal:
    error = _error_object(value)
    texts = " ".join(_texts(value))[:_MOST_TEXT_CHARS].lower()
    message = error.get("message") if isinstance(error.get("message"), str) else texts
    said = Said(
        status=status,
        message=str(message)[:_MOST_SAID_CHARS],
        kind=_word(error.get("type")),
        code=_word(error.get("code")),
        param=_word(error.get("param")),
    )
    fields = frozenset(filter(None, (said.param, *_places(value))))
    return Refusal(status, said, texts, fields, after_s)


def _error_object(value: Any) -> Mapping[str, Any]:
    """The error object, wherever it is: bare, in `error`, or the first of a list."""
    first = value[0] if isinstance(value, list) and value else value
    inner = first.get("error", first) if isinstance(first, Mapping) else {}
    return inner if isinstance(inner, Mapping) else {"message": inner}


def _word(value: Any) -> str:
    return str(value)[:80] if isinstance(value, str | int) else ""


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    """All strings in it but echoes."""
    if isinstance(value, str):
        yield value
    elif depth < _DEEPEST and isinstance(value, Mapping):
        for name, inner in value.items():
            if name not in _ECHOES:
                yield from _texts(inner, depth + 1)
    elif depth < _DEEPEST and isinstance(value, list):
        for inner in value[:50]:
            yield from _texts(inner, depth + 1)


def _places(value: Any, depth: int = 0) -> Iterator[str]:
    """Names in the `loc` lists of validation errors, as FastAPI and pydantic write them."""
    if depth >= _DEEPEST:
        return
    if isinstance(value, Mapping):
        located = value.get("loc")
        yield from (one for one in located or () if isinstance(one, str))
        for inner in value.values():
            yield from _places(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value[:50]:
            yield from _places(inner, depth + 1)


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds that a reply's headers ask to wait; None where they do not.

    >>> retry_after_s({"Retry-After": "7"}), retry_after_s({"retry-after": "soon"})
    (7.0, None)
    """
    given = {name.lower(): value for name, value in headers.items()}
    try:
        if "retry-after-ms" in given:
            return max(0.0, float(given["retry-after-ms"]) / 1000)
        value = given.get("retry-after", "")
        return max(0.0, float(value)) if value.replace(".", "", 1).isdigit() else _until(value)
    except ValueError:
        return None


def _until(date: str) -> float | None:
    """Seconds until an HTTP date; raises ValueError when it is none."""
    if not date:
        return None
    return max(0.0, (parsedate_to_datetime(date) - datetime.now(UTC)).total_seconds())
