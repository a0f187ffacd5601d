"""A turn as an OpenAI response: output items, and the events that build them.

To a client that listed the search tool, the search is one `web_search_call`, each page that the
person named another one with the action `open_page`. What the model thinks is a `reasoning` item;
then comes the message with its annotations, then calls of the client's own tools.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any

from pellucid_gateway.api.compatible.encoder import EventEncoder
from pellucid_gateway.api.compatible.sharing import (
    answer_text,
    error_json,
    search_results,
    unsupported,
)
from pellucid_gateway.api.http.problems import Problem
from pellucid_gateway.api.http.streams import frame
from pellucid_gateway.domain import events
from pellucid_gateway.domain.citation import Citation
from pellucid_gateway.domain.decision import Decision
from pellucid_gateway.domain.findings import Source

Json = dict[str, Any]


# Reasons for which an answer is not whole, in this API's words.
_CUT = {"length": "max_output_tokens", "content_filter": "content_filter"}


class ResponseEncoder(EventEncoder):
    """Tells one turn as a response.

    Args:
        seed: Makes the ids of the response and its items.
        head: Model, time and what is repeated of the request.
        include: Extras that the client asked for, as the vendor names them.
        shows_search: The client listed the search tool; others know no items of it.
        now: Seconds since 1970.

    Attributes:
        output: Its items so far.
    """

    def __init__(
        self,
        seed: str,
        *,
        head: Json,
        include: Collection[str],
        shows_search: bool,
        now: Callable[[], int],
    ) -> None:
        self._seed = seed
        self._head = head
        self._include = include
        self._shows_search = shows_search
        self._now = now
        self.output: list[Json] = []
        self._sequence = 0
        self._queries: tuple[str, ...] = ()
        self._search: Json | None = None
        self._thinking: Json | None = None
        self._message: Json | None = None
        self._completed_at = 0

    def begin(self) -> Sequence[bytes]:
        """See `EventEncoder`."""
        response = self._response("in_progress")
        return [
            self._event("response.created", response=response),
            self._event("response.in_progress", response=response),
        ]

    def on_decision(self, decision: Decision) -> Sequence[bytes]:
        """See `EventEncoder`."""
        self._queries = tuple(query.text for query in decision.queries)
        return ()

    def on_step(self, step: events.Progress) -> Sequence[bytes]:
        """See `EventEncoder`."""
        begins = step.kind is events.ProgressKind.SEARCH_START and self._shows_search
        return self._begin_search(step.query) if begins else ()

    def on_sources(self, sources: Sequence[Source]) -> Sequence[bytes]:
        """See `EventEncoder`."""
        return self._end_search(sources)

    def on_search_lost(self) -> Sequence[bytes]:
        """See `EventEncoder`."""
        return self._end_search((), status="failed")

    def on_page(self, page: events.UrlFetched) -> Sequence[bytes]:
        """See `EventEncoder`."""
        return self._opened(page) if self._shows_search else ()

    def on_thought(self, text: str) -> Sequence[bytes]:
        """See `EventEncoder`; thoughts after the answer began have no place."""
        return () if self._message else [*self._end_search(()), *self._think(text)]

    def on_text(self, text: str) -> Sequence[bytes]:
        """See `EventEncoder`."""
        return [*self._end_search(()), *self._end_thinking(), *self._say(text)]

    def broken(self, problem: Problem) -> bytes:
        """See `EventEncoder`."""
        error = error_json(problem)["error"]
        told = {"code": error["code"] or error["type"], "message": error["message"]}
        return self._event("response.failed", response=self._response("failed") | {"error": told})

    @property
    def may_be_kept(self) -> bool:
        """Whether it is whole and quotes no page that the person named, which is never kept."""
        result = self.result
        if result is None or result.answer_kind is not events.AnswerKind.EXTRACTIVE:
            return result is not None
        return not any(source.user_supplied for source in result.sources)

    def _begin_search(self, query: str) -> list[bytes]:
        if self._search is not None:
            return []
        queries = list(self._queries) or [query]
        action = {"type": "search", "query": query or queries[0], "queries": queries}
        self._search = self._item("ws", "web_search_call", status="in_progress", action=action)
        return [
            self._added(self._search),
            self._of_item("response.web_search_call.in_progress", self._search),
            self._of_item("response.web_search_call.searching", self._search),
        ]

    def _end_search(self, sources: Sequence[Source], status: str = "completed") -> list[bytes]:
        search = self._search
        if search is None or search["status"] != "in_progress":
            return []
        search["status"] = status
        if "web_search_call.action.sources" in self._include:
            search["action"]["sources"] = [{"type": "url", "url": s.url} for s in sources]
        if "web_search_call.results" in self._include:
            search["results"] = search_results(sources)
        ended = self._of_item("response.web_search_call.completed", search)
        return [*([ended] if status == "completed" else []), self._done(search)]

    def _opened(self, fetched: events.UrlFetched) -> list[bytes]:
        status = "completed" if fetched.success else "failed"
        action = {"type": "open_page", "url": fetched.url}
        item = self._item("ws", "web_search_call", status=status, action=action)
        return [self._added(item), self._done(item)]

    def _think(self, text: str) -> list[bytes]:
        begun = []
        if self._thinking is None:
            part = {"type": "summary_text", "text": ""}
            self._thinking = self._item("rs", "reasoning", summary=[])
            begun = [self._added(self._thinking)]
            begun.append(self._of_thinking("part.added", part=part))
            self._thinking["summary"].append(part)
        self._thinking["summary"][0]["text"] += text
        return [*begun, self._of_thinking("text.delta", delta=text)]

    def _end_thinking(self) -> list[bytes]:
        if self._thinking is None:
            return []
        part = self._thinking["summary"][0]
        ended = [
            self._of_thinking("text.done", text=part["text"]),
            self._of_thinking("part.done", part=part),
            self._done(self._thinking),
        ]
        self._thinking = None
        return ended

    def _of_thinking(self, kind: str, **fields: Any) -> bytes:
        kind = f"response.reasoning_summary_{kind}"
        return self._of_item(kind, self._thinking or {}, summary_index=0, **fields)

    def _say(self, text: str) -> list[bytes]:
        begun = [] if self._message else self._begin_message()
        part = self._part()
        part["text"] += text
        delta = self._of_part("response.output_text.delta", delta=text, logprobs=[])
        return [*begun, delta]

    def _begin_message(self) -> list[bytes]:
        self._message = self._item(
            "msg", "message", status="in_progress", role="assistant", content=[]
        )
        added = self._added(self._message)
        part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
        begun = self._of_part("response.content_part.added", part=part)
        self._message["content"].append(part)
        return [added, begun]

    def on_citation(self, citation: Citation) -> Sequence[bytes]:
        """See `EventEncoder`."""
        if self._message is None:
            return []
        annotations = self._part()["annotations"]
        note = {
            "type": "url_citation",
            "start_index": citation.start,
            "end_index": citation.end,
            "url": citation.url,
            "title": citation.title,
            "check": citation.check.value,
        }
        annotations.append(note)
        return [
            self._of_part(
                "response.output_text.annotation.added",
                annotation=note,
                annotation_index=len(annotations) - 1,
            )
        ]

    def on_end(self, result: events.TurnResult) -> Sequence[bytes]:
        """See `EventEncoder`."""
        self._completed_at = self._now()
        frames = [*self._end_search(result.sources), *self._end_thinking()]
        text = answer_text(result)
        if self._message is None and (text or not result.tool_calls):
            frames += self._say(text)
        if self._message is not None:
            frames += self._end_message()
        for call in result.tool_calls:
            frames += self._call(call)
        finished = self.reply_of(result)
        return [*frames, self._event(f"response.{finished['status']}", response=finished)]

    def _end_message(self) -> list[bytes]:
        if self._message is None:
            return []
        part = self._part()
        done = self._of_part("response.output_text.done", text=part["text"], logprobs=[])
        self._message["status"] = "completed"
        return [
            done,
            self._of_part("response.content_part.done", part=part),
            self._done(self._message),
        ]

    def _call(self, call: Any) -> list[bytes]:
        is_custom = call["type"] == "custom"
        given = "input" if is_custom else "arguments"
        called = call[call["type"]]
        item = self._item(
            "ctc" if is_custom else "fc",
            "custom_tool_call" if is_custom else "function_call",
            status="in_progress",
            call_id=call["id"],
            name=called["name"],
            **{given: ""},
        )
        added = self._added(item)
        item |= {given: called[given], "status": "completed"}
        kind = f"response.{item['type']}_{given}"
        told = {given: item[given]} | ({} if is_custom else {"name": item["name"]})
        return [
            added,
            self._of_item(f"{kind}.delta", item, delta=item[given]),
            self._of_item(f"{kind}.done", item, **told),
            self._done(item),
        ]

    def reply_of(self, result: events.TurnResult) -> Json:
        """`response`."""
        reason = _CUT.get(result.finish_reason)
        spent = result.usage
        usage = {
            "input_tokens": spent.prompt_tokens,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": spent.completion_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": spent.prompt_tokens + spent.completion_tokens,
        }
        ended: Json = {"usage": usage} | unsupported(result)
        if reason:
            return self._response("incomplete") | ended | {"incomplete_details": {"reason": reason}}
        return self._response("completed") | ended | {"completed_at": self._completed_at}

    def _response(self, status: str) -> Json:
        return {
            "id": f"resp_{self._seed}",
            "object": "response",
            "status": status,
            "completed_at": None,
            "error": None,
            "incomplete_details": None,
            **self._head,
            "output": list(self.output),
            "usage": None,
        }

    def _item(self, prefix: str, kind: str, **fields: Any) -> Json:
        """Append an output item."""
        item_id = f"{prefix}_{self._seed}_{len(self.output)}"
        item = {"id": item_id, "type": kind, **fields}
        self.output.append(item)
        return item

    def _added(self, item: Json) -> bytes:
        index = self.output.index(item)
        return self._event("response.output_item.added", output_index=index, item=item)

    def _done(self, item: Json) -> bytes:
        index = self.output.index(item)
        return self._event("response.output_item.done", output_index=index, item=item)

    def _of_item(self, kind: str, item: Json, **fields: Any) -> bytes:
        place = {"output_index": self.output.index(item), "item_id": item["id"]}
        return self._event(kind, **place, **fields)

    def _of_part(self, kind: str, **fields: Any) -> bytes:
        message = self._message or {}
        return self._of_item(kind, message, content_index=0, **fields)

    def _part(self) -> Json:
        part: Json = (self._message or {})["content"][0]
        return part

    def _event(self, kind: str, **fields: Any) -> bytes:
        event = {"type": kind, "sequence_number": self._sequence, **fields}
        self._sequence += 1
        return frame(kind, event)
