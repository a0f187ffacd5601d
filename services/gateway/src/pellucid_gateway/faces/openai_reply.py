"""A turn as OpenAI chat completions: whole, and as the chunks that known frontends understand.

The recipe: text chunks carry `search_results` at the top, one last chunk carries the annotations
with no text and `finish_reason: stop`, then a usage chunk, then `[DONE]`. One annotation for each
address in a stream, because frontends show one chip for each. Never tool calls.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import orjson

from pellucid_gateway.faces.problems import Problem
from pellucid_gateway.findings import Source
from pellucid_gateway.turn import Citation, TurnResult

Json = dict[str, Any]

DONE = b"data: [DONE]\n\n"

_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "invalid_request_error",
    429: "rate_limit_error",
}


def error_json(problem: Problem) -> Json:
    """OpenAI's error object."""
    return {
        "error": {
            "message": problem.detail,
            "type": _TYPES.get(problem.http_status, "server_error"),
            "param": problem.errors[0].field if problem.errors else None,
            "code": problem.code.lower(),
        }
    }


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
        },
    }


def one_per_address(citations: Iterable[Citation]) -> tuple[Citation, ...]:
    """The first citation of each address, in order."""
    found: dict[str, Citation] = {}
    for citation in citations:
        found.setdefault(citation.url, citation)
    return tuple(found.values())


def search_results(sources: Iterable[Source]) -> list[Json]:
    """Sources in the top-level form that frontends read."""
    return [
        {
            "title": source.title or source.url,
            "url": source.url,
            "snippet": source.snippet,
            "date": source.published.time.date().isoformat() if source.published else None,
            "source": "web",
        }
        for source in sources
    ]


def answer_text(result: TurnResult) -> str:
    """The answer; a forced search without one becomes a list, notices stand in for silence."""
    if result.answer:
        return result.answer
    listed = [f"{s.n}. [{s.title or s.url}]({s.url})\n   {s.snippet}" for s in result.sources]
    return "\n".join(listed) or "\n".join(notice.text for notice in result.notices)


def usage_json(result: TurnResult) -> Json:
    """Token counts."""
    prompt, completion = result.usage.prompt_tokens, result.usage.completion_tokens
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }


@dataclass(frozen=True, slots=True)
class Completion:
    """Builds the objects of one completion; created is seconds since 1970."""

    id: str
    model: str
    created: int

    def whole(self, result: TurnResult) -> Json:
        """`chat.completion`."""
        message = {
            "role": "assistant",
            "content": answer_text(result),
            "refusal": None,
            "annotations": [annotation(citation) for citation in result.citations],
        }
        return {
            **self._head("chat.completion"),
            "choices": [
                {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
            ],
            "usage": usage_json(result),
            "search_results": search_results(result.sources),
        }

    def chunk(self, delta: Json, *, finish: str | None = None, **top: Any) -> bytes:
        """One `chat.completion.chunk` as an event."""
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return _event({**self._head("chat.completion.chunk"), "choices": [choice], **top})

    def usage(self, result: TurnResult) -> bytes:
        """The usage chunk: no choices."""
        head = self._head("chat.completion.chunk")
        return _event({**head, "choices": [], "usage": usage_json(result)})

    def _head(self, kind: str) -> Json:
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model}


def error_event(problem: Problem) -> bytes:
    """A failure in the middle of a stream; clients raise it."""
    return _event(error_json(problem))


def _event(content: Json) -> bytes:
    return b"data: " + orjson.dumps(content) + b"\n\n"
