"""What servers were learnt to refuse, and requests in the form that they take.

No table of models: a server says by its refusals what it takes. What it said of a model is kept for
a day, so that each refusal is met once.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from time import monotonic
from typing import Any

import structlog

from pellucid_runtime.bounded import BoundedDict
from pellucid_runtime.llm.model import ChatRequest
from pellucid_runtime.llm.refusals import Refusal

DAY_S = 86_400.0
_MOST_MODELS = 256
# Two names of the limit of an answer's length; servers know one of them, or both.
_LIMITS = ("max_tokens", "max_completion_tokens")
_FORMAT, _EFFORT, _USAGE = "response_format", "reasoning_effort", "stream_options"
# From the least thinking on; no server takes all of these.
_EFFORTS = ("none", "minimal", "low")

_log = structlog.get_logger("pellucid_runtime.llm")

Json = dict[str, Any]


class JsonForm(StrEnum):
    """How a server is asked for JSON, strictest first."""

    SCHEMA = "json_schema"
    OBJECT = "json_object"
    PROMPT = "prompt"


@dataclass(frozen=True, slots=True)
class Lessons:
    """What is known of one model on one server.

    Attributes:
        without: Fields of ours that it refuses.
        limit_field: What it calls the limit of an answer's length.
        json_form: How it is asked for JSON.
        effort: Least effort of thinking that it takes.
        joins_system: It takes no system message: the rules stand in the first of the person's.
        alternates: Roles must alternate after one system message.
        thinks: Its thinking counts in limits of length, which therefore are not sent.
        opens_in_thought: The template begins the thinking: the answer has an end tag only.
        is_known: An answer of it was heard to its end.
    """

    without: frozenset[str] = frozenset()
    limit_field: str = _LIMITS[0]
    json_form: JsonForm = JsonForm.SCHEMA
    effort: str = _EFFORTS[0]
    joins_system: bool = False
    alternates: bool = False
    thinks: bool = False
    opens_in_thought: bool = False
    is_known: bool = False


class LessonBook:
    """What was learnt, by server and model, each for a day from the last lesson on.

    Args:
        now: Seconds of a stopwatch.
    """

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._kept: BoundedDict[tuple[str, str], tuple[float, Lessons]] = BoundedDict(_MOST_MODELS)

    def of(self, server: str, model: str) -> Lessons:
        """What is known of the model."""
        learnt_at, lessons = self._kept.get((server, model), (0.0, Lessons()))
        is_old = self._now() - learnt_at > DAY_S
        return Lessons() if is_old else lessons

    def keep(self, server: str, model: str, lessons: Lessons) -> None:
        """Keep what was learnt; the oldest goes when there is too much."""
        before = self.of(server, model)
        if lessons == before:
            return
        self._kept[server, model] = (self._now(), lessons)
        if replace(lessons, is_known=before.is_known) != before:
            _log.info("model_learnt", server=server, model=model, **_told(before, lessons))


def _told(before: Lessons, after: Lessons) -> Json:
    """What is new, for the log."""
    fields = {name: getattr(after, name) for name in Lessons.__slots__ if name != "is_known"}
    new = {name: value for name, value in fields.items() if value != getattr(before, name)}
    return {name: sorted(v) if isinstance(v, frozenset) else v for name, v in new.items()}


def learnt(lessons: Lessons, refusal: Refusal, sent: Mapping[str, Any]) -> Lessons | None:
    """What a refusal teaches; None when it is about nothing of ours.

    Args:
        lessons: Known before.
        refusal: What the server said.
        sent: The fields that we added to the request.
    """
    if not refusal.is_of_fields:
        return None
    after = lessons
    for name in refusal.names(sent) or _formats_named(refusal, sent):
        after = _without(after, name, refusal)
    if after == lessons:
        after = _other_roles(lessons, refusal)
    return None if after == lessons else after


def _formats_named(refusal: Refusal, sent: Mapping[str, Any]) -> tuple[str, ...]:
    """The format of the reply, where only its kind is named."""
    kinds = (JsonForm.SCHEMA, JsonForm.OBJECT)
    named = _FORMAT in sent and any(kind in refusal.text for kind in kinds)
    return (_FORMAT,) if named else ()


def _without(lessons: Lessons, name: str, refusal: Refusal) -> Lessons:
    """The next way to say it, or none."""
    if name == _FORMAT:
        forms = list(JsonForm)
        return replace(lessons, json_form=forms[forms.index(lessons.json_form) + 1])
    if name in _LIMITS:
        return without_limit(lessons, name)
    if name == _EFFORT and (effort := _next_effort(lessons.effort, refusal)):
        return replace(lessons, effort=effort)
    return replace(lessons, without=lessons.without | {name})


def without_limit(lessons: Lessons, name: str) -> Lessons:
    """The limit by its other name from now on, or by none."""
    refused = lessons.without | {name}
    other = next((one for one in _LIMITS if one not in refused), name)
    return replace(lessons, without=refused, limit_field=other)


def _next_effort(effort: str, refusal: Refusal) -> str:
    """The least effort that the refusal offers; empty when it knows none."""
    if not refusal.is_of_value:
        return ""
    rest = _EFFORTS[_EFFORTS.index(effort) + 1 :]
    return next((one for one in rest if re.search(rf"\b{one}\b", refusal.text)), "")


def _other_roles(lessons: Lessons, refusal: Refusal) -> Lessons:
    if refusal.wants_alternation and not lessons.alternates:
        return replace(lessons, alternates=True)
    if refusal.refuses_system or refusal.wants_alternation:
        return replace(lessons, joins_system=True)
    return lessons


def body_of(request: ChatRequest, model: str, lessons: Lessons, *, streams: bool) -> Json:
    """The request's body in the form that the server takes.

    Args:
        request: What is asked; fields in `extra` are somebody else's and stay as they are.
        model: Asked for where the request names none.
        lessons: What is known of it.
        streams: The answer is wanted piece by piece.
    """
    messages: Sequence[Json] = request.extra.get("messages") or [
        {"role": m.role, "content": m.content} for m in request.messages
    ]
    if request.json_schema is not None and lessons.json_form is not JsonForm.SCHEMA:
        messages = _told_to_write_json(messages, request.json_schema)
    return {
        "model": request.model or model,
        **own_fields(request, lessons, streams=streams),
        **_with_known_limit(request.extra, lessons),
        "messages": in_form(messages, lessons),
        **({"stream": True} if streams else {}),
    }


def own_fields(request: ChatRequest, lessons: Lessons, *, streams: bool) -> Json:
    """What is added to a request, as far as the server takes it and the request has none."""
    fields: Json = {}
    if request.temperature is not None:
        fields["temperature"] = request.temperature
    if request.max_tokens is not None and not lessons.thinks:
        fields[lessons.limit_field] = request.max_tokens
    if request.json_schema is not None:
        fields |= _format(request.json_schema, lessons.json_form)
    if request.task and lessons.thinks:
        fields[_EFFORT] = lessons.effort
    if streams:
        fields[_USAGE] = {"include_usage": True}
    taken = lessons.without | request.extra.keys()
    return {name: value for name, value in fields.items() if name not in taken}


def refusable(request: ChatRequest, lessons: Lessons, *, streams: bool) -> Json:
    """What of a request can be said in another way: ours, and the name of a client's limit."""
    theirs = _with_known_limit(request.extra, lessons)
    limits = {name: theirs[name] for name in _LIMITS if name in theirs}
    return own_fields(request, lessons, streams=streams) | limits


def _with_known_limit(extra: Mapping[str, Any], lessons: Lessons) -> Json:
    """A client's fields, its limit by the name that the server knows; it is never dropped."""
    given, known = dict(extra), lessons.limit_field
    if known not in lessons.without and known not in given:
        for name in lessons.without & given.keys() & set(_LIMITS):
            given[known] = given.pop(name)
    return given


def _format(schema: Mapping[str, Any], form: JsonForm) -> Json:
    if form is JsonForm.PROMPT:
        return {}
    named: Json = {"type": form.value}
    if form is JsonForm.SCHEMA:
        named["json_schema"] = {"name": "answer", "schema": schema, "strict": True}
    return {_FORMAT: named}


def _told_to_write_json(messages: Sequence[Json], schema: Mapping[str, Any]) -> list[Json]:
    """The messages, the first of which asks for what the format no longer does."""
    wish = f"Reply with one JSON object of this schema and nothing else: {json.dumps(schema)}"
    first, *rest = messages
    return [_joined(first, {**first, "content": wish}), *rest]


def in_form(messages: Sequence[Json], lessons: Lessons) -> list[Json]:
    """The messages with the roles that the server takes."""
    formed = list(messages)
    if lessons.joins_system or lessons.alternates:
        formed = _system_first(formed)
    if lessons.joins_system and formed and formed[0]["role"] == "system":
        formed[0] = {**formed[0], "role": "user"}
    if lessons.joins_system or lessons.alternates:
        formed = _neighbours_joined(formed)
    return formed


def _system_first(messages: Sequence[Json]) -> list[Json]:
    rules = [m for m in messages if m.get("role") in {"system", "developer"}]
    rest = [m for m in messages if m.get("role") not in {"system", "developer"}]
    return [*_neighbours_joined([{**m, "role": "system"} for m in rules]), *rest]


def _neighbours_joined(messages: Sequence[Json]) -> list[Json]:
    """Neighbours of one role as one message; calls of tools and their results stay alone."""
    joined: list[Json] = []
    for message in messages:
        if joined and _may_join(joined[-1], message):
            joined[-1] = _joined(joined[-1], message)
        else:
            joined.append(message)
    return joined


def _may_join(one: Json, other: Json) -> bool:
    same = one.get("role") == other.get("role") and one.get("role") != "tool"
    return same and not (one.get("tool_calls") or other.get("tool_calls"))


def _joined(one: Json, other: Json) -> Json:
    """One message with the content of both, as text where both are text."""
    first, second = one.get("content") or "", other.get("content") or ""
    if isinstance(first, str) and isinstance(second, str):
        return {**one, "content": "\n\n".join(filter(None, (first, second)))}
    return {**one, "content": [*_parts(first), *_parts(second)]}


def _parts(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
