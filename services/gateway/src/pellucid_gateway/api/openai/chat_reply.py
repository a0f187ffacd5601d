"""A turn as OpenAI chat completions: whole, and as the chunks that known frontends understand.

The recipe: text chunks carry `search_results` at the top, one last chunk carries the annotations
with no text and the finish reason, then a usage chunk, then `[DONE]`. One annotation for each
address in a stream, because frontends show one chip for each. Steps of the search are told as
`reasoning_content`, which frontends show while they wait. Calls of the client's own tools are
passed on; the search is never told as one.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pellucid_gateway.api.compatible.encoder import EventEncoder
from pellucid_gateway.api.compatible.sharing import (
    DONE,
    answer_text,
    data_event,
    error_json,
    search_results,
    unsupported,
)
from pellucid_gateway.api.http.problems import Problem
from pellucid_gateway.domain import events
from pellucid_gateway.domain.citation import Citation
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.markdown.escaping import escaped

Json = dict[str, Any]

# Steps worth a line; the others follow at once.
_TOLD_STEPS = frozenset(
    {
        events.ProgressKind.WAITING,
        events.ProgressKind.SEARCH_START,
        events.ProgressKind.FETCHING,
        events.ProgressKind.REFLECTING,
    }
)


def annotation(citation: Citation) -> Json:
    """One citation; indices are into the content, end exclusive."""
    return {
        "type": "url_citation",
        "url_citation": {
            "start_index": citation.start,
            "end_index": citation.end,
            "url": citation.url,
            "title": citation.title,
            "content": citation.cited_text,
            "check": citation.check.value,
        },
    }


def one_per_address(citations: Iterable[Citation]) -> tuple[Citation, ...]:
    """The first citation of each address, in order."""
    found: dict[str, Citation] = {}
    for citation in citations:
        found.setdefault(citation.url, citation)
    return tuple(found.values())


def step_text(step: events.Progress) -> str:
    """One step as a line; empty for steps that are not worth one."""
    if step.kind not in _TOLD_STEPS:
        return ""
    return f"{step.message} {escaped(step.query)}".strip() + "\n"


def usage_json(result: events.TurnResult) -> Json:
    """Token counts."""
    prompt, completion = result.usage.prompt_tokens, result.usage.completion_tokens
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }


class CompletionEncoder(EventEncoder):
    """Tells one turn as a chat completion.

    Args:
        completion_id: Id of the completion.
        model: Name that the client used.
        created: Seconds since 1970.
        include_usage: The client wants a usage chunk.
        shows_progress: Tell steps of the search as reasoning.
    """

    def __init__(
        self,
        completion_id: str,
        *,
        model: str,
        created: int,
        include_usage: bool,
        shows_progress: bool,
    ) -> None:
        self._id = completion_id
        self._model = model
        self._created = created
        self._include_usage = include_usage
        self._shows_progress = shows_progress
        self._top: Json = {}
        self._said = False
        self._thought = ""

    def begin(self) -> Sequence[bytes]:
        """See `EventEncoder`."""
        return [self._chunk({"role": "assistant", "content": ""})]

    def on_text(self, text: str) -> Sequence[bytes]:
        """See `EventEncoder`."""
        self._said = True
        return [self._chunk({"content": text}, **self._top)]

    def on_thought(self, text: str) -> Sequence[bytes]:
        """See `EventEncoder`."""
        self._thought += text
        return [self._chunk({"reasoning_content": text})]

    def on_tool_calls(self, pieces: Sequence[Mapping[str, Any]]) -> Sequence[bytes]:
        """See `EventEncoder`."""
        return [self._chunk({"tool_calls": list(pieces)})]

    def on_sources(self, sources: Sequence[Source]) -> Sequence[bytes]:
        """See `EventEncoder`."""
        self._top = {"search_results": search_results(sources)}
        return ()

    def on_step(self, step: events.Progress) -> Sequence[bytes]:
        """See `EventEncoder`."""
        text = step_text(step) if self._shows_progress else ""
        return [self._chunk({"reasoning_content": text})] if text else ()

    def broken(self, problem: Problem) -> bytes:
        """See `EventEncoder`; clients raise the error."""
        return error_event(problem) + DONE

    def reply_of(self, result: events.TurnResult) -> Json:
        """`chat.completion`."""
        text = answer_text(result)
        message: Json = {
            "role": "assistant",
            "content": text if text or not result.tool_calls else None,
            "refusal": None,
            "annotations": [annotation(citation) for citation in result.citations],
        }
        if self._thought:
            message["reasoning_content"] = self._thought
        if result.tool_calls:
            message["tool_calls"] = list(result.tool_calls)
        choice = {
            "index": 0,
            "message": message,
            "finish_reason": result.finish_reason,
            "logprobs": None,
        }
        return {
            **self._head("chat.completion"),
            "choices": [choice],
            "usage": usage_json(result),
            "search_results": search_results(result.sources),
            **_marks(result),
        }

    def on_end(self, result: events.TurnResult) -> Sequence[bytes]:
        """Text that was never streamed, the annotations in a chunk of their own, the usage."""
        text = "" if self._said else answer_text(result)
        results = search_results(result.sources)
        last = {"annotations": [annotation(c) for c in one_per_address(result.citations)]}
        pieces = [self._chunk({"content": text}, search_results=results)] if text else []
        marks = {"search_results": results, **_marks(result)}
        pieces.append(self._chunk(last, finish=result.finish_reason, **marks))
        if self._include_usage:
            head = self._head("chat.completion.chunk")
            pieces.append(data_event({**head, "choices": [], "usage": usage_json(result)}))
        return [*pieces, DONE]

    def _chunk(self, delta: Json, *, finish: str | None = None, **top: Any) -> bytes:
        """One `chat.completion.chunk` as an event."""
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return data_event({**self._head("chat.completion.chunk"), "choices": [choice], **top})

    def _head(self, kind: str) -> Json:
        return {"id": self._id, "object": kind, "created": self._created, "model": self._model}


def _marks(result: events.TurnResult) -> Json:
    """Whether the answer is partial, and which of its statements no source supports."""
    partial = {"partial": True} if result.partial else {}
    return partial | unsupported(result)


def cut_off() -> bytes:
    """The end of a passed stream that broke off, marked as partial; it may stand in an event."""
    choice = {"index": 0, "delta": {}, "finish_reason": "length"}
    head = {"object": "chat.completion.chunk", "choices": [choice], "partial": True}
    return b"\n\n" + data_event(head) + DONE


def error_event(problem: Problem) -> bytes:
    """A failure in the middle of a stream; clients raise it."""
    return data_event(error_json(problem))
