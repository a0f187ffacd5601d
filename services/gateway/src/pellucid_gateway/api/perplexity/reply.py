"""A turn as Perplexity chat completions: citations and results at the top of every object.

Markers `[1]` in the text count from 1 into `citations`. Stream chunks carry the text so far in
`message` and the new text in `delta`, as that API does.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pellucid_gateway.api.compatible.encoder import EventEncoder
from pellucid_gateway.api.compatible.sharing import DONE, answer_text, data_event, error_json
from pellucid_gateway.api.compatible.sharing import search_results as results_json
from pellucid_gateway.api.http.problems import Problem
from pellucid_gateway.api.http.streams import frame
from pellucid_gateway.domain import events
from pellucid_gateway.domain.findings import Source

Json = dict[str, Any]


class PerplexityEncoder(EventEncoder):
    """Tells one turn as a Perplexity completion.

    Args:
        completion_id: Id of the completion.
        model: Name that the client used.
        created: Seconds since 1970.
        context_size: `search_context_size` of the request, repeated in the usage.
    """

    def __init__(self, completion_id: str, *, model: str, created: int, context_size: str) -> None:
        self._head = {"id": completion_id, "model": model, "created": created}
        self._context_size = context_size
        self._sources: Sequence[Source] = ()
        self._text = ""

    def on_sources(self, sources: Sequence[Source]) -> Sequence[bytes]:
        """See `EventEncoder`."""
        self._sources = sources
        return ()

    def on_text(self, text: str) -> Sequence[bytes]:
        """See `EventEncoder`."""
        return [self._chunk({"content": text})]

    def on_tool_calls(self, pieces: Sequence[Mapping[str, Any]]) -> Sequence[bytes]:
        """See `EventEncoder`."""
        return [self._chunk({"content": "", "tool_calls": list(pieces)})]

    def broken(self, problem: Problem) -> bytes:
        """See `EventEncoder`; the official client raises events of this name only."""
        return frame("error", error_json(problem)) + DONE

    def reply_of(self, result: events.TurnResult) -> Json:
        """`chat.completion`."""
        ended = {"status": "COMPLETED", "type": "message", "usage": self._usage(result)}
        return {**self._object("chat.completion", {"content": ""}, result), **ended}

    def _chunk(self, delta: Json) -> bytes:
        self._text += delta["content"]
        chunk = self._object("chat.completion.chunk", delta, None)
        return data_event({**chunk, "status": "PENDING", "type": "message"})

    def on_end(self, result: events.TurnResult) -> Sequence[bytes]:
        """See `EventEncoder`."""
        self._sources = result.sources or self._sources
        unsaid = "" if self._text else answer_text(result)
        frames = [self._chunk({"content": unsaid})] if unsaid else []
        last = self._object("chat.completion.chunk", {"content": ""}, result)
        ended = {"status": "COMPLETED", "type": "end_of_stream", "usage": self._usage(result)}
        return [*frames, data_event({**last, **ended}), DONE]

    def _object(self, kind: str, delta: Json, result: events.TurnResult | None) -> Json:
        message: Json = {"role": "assistant", "content": self._text}
        if result is not None and result.tool_calls:
            message["tool_calls"] = list(result.tool_calls)
        choice = {
            "index": 0,
            "message": message,
            "delta": {"role": "assistant", **delta},
            "finish_reason": result.finish_reason if result else None,
        }
        return {
            **self._head,
            "object": kind,
            "choices": [choice],
            "citations": [source.url for source in self._sources],
            "search_results": results_json(self._sources),
        }

    def _usage(self, result: events.TurnResult) -> Json:
        spent = result.usage
        cost = {
            "input_tokens_cost": 0.0,
            "output_tokens_cost": 0.0,
            "request_cost": spent.cost_usd,
            "total_cost": spent.cost_usd,
        }
        return {
            "prompt_tokens": spent.prompt_tokens,
            "completion_tokens": spent.completion_tokens,
            "total_tokens": spent.prompt_tokens + spent.completion_tokens,
            "citation_tokens": spent.context_tokens,
            "num_search_queries": spent.searches,
            "search_context_size": self._context_size,
            "cost": cost,
        }
