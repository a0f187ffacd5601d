"""A turn as an Anthropic message: content blocks, and the events that build them.

A client that listed the search tool is told of the search in `server_tool_use` and
`web_search_tool_result` blocks, and its text is cut into blocks that end with what they cite; one
that listed the fetch tool is told of the pages that the person named in blocks of the same kind.
Any other client gets one block of text, as from a model without tools.
"""

from base64 import urlsafe_b64encode
from collections.abc import Sequence
from typing import Any

import orjson

from pellucid_gateway.api.anthropic.server_tools import FETCH_TOOL, SEARCH_TOOL
from pellucid_gateway.api.compatible.encoder import EventEncoder
from pellucid_gateway.api.compatible.sharing import answer_text, unsupported
from pellucid_gateway.api.http.problems import Problem
from pellucid_gateway.api.http.streams import frame
from pellucid_gateway.domain import events
from pellucid_gateway.domain.citation import Citation
from pellucid_gateway.domain.findings import Source

Json = dict[str, Any]

# Status of a busy server in this API.
STATUSES = {"OVERLOADED": 529}
_TYPES = {
    "OVERLOADED": "overloaded_error",
    "UNAUTHENTICATED": "authentication_error",
    "FORBIDDEN": "permission_error",
    "NOT_FOUND": "not_found_error",
    "PAYLOAD_TOO_LARGE": "request_too_large",
    "DEADLINE_EXCEEDED": "timeout_error",
}
_TYPES_OF_STATUS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    405: "invalid_request_error",
    413: "request_too_large",
    422: "invalid_request_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}
_STOPS = {"length": "max_tokens", "tool_calls": "tool_use", "content_filter": "refusal"}


def error_json(problem: Problem) -> Json:
    """The API's error object."""
    message = (problem.said and problem.said.message) or problem.detail
    kind = _TYPES.get(problem.code) or _TYPES_OF_STATUS.get(problem.http_status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": None}


def _opaque(**content: Any) -> str:
    """What clients send back unread."""
    return urlsafe_b64encode(orjson.dumps(content)).decode()


class MessageEncoder(EventEncoder):
    """Tells one turn as a message.

    Args:
        seed: Makes the ids of the message and its tool uses.
        model: Name that the client used.
        tools: Those of our tools that the client listed, by their names.
    """

    def __init__(self, seed: str, *, model: str, tools: frozenset[str]) -> None:
        self._seed = seed
        self._model = model
        self._shows_search = SEARCH_TOOL in tools
        self._shows_pages = FETCH_TOOL in tools
        self._pages: list[events.UrlFetched] = []
        self._content: list[Json] = []
        self._open = False
        self._search_id = ""

    def begin(self) -> Sequence[bytes]:
        """See `EventEncoder`."""
        return [_event("message_start", message=self._message())]

    def on_step(self, step: events.Progress) -> Sequence[bytes]:
        """See `EventEncoder`."""
        begins = step.kind is events.ProgressKind.SEARCH_START and self._shows_search
        return self._begin_search(step.query) if begins else ()

    def on_page(self, page: events.UrlFetched) -> Sequence[bytes]:
        """See `EventEncoder`."""
        if self._shows_pages:
            self._pages.append(page)
        return ()

    def on_sources(self, sources: Sequence[Source]) -> Sequence[bytes]:
        """See `EventEncoder`."""
        results = [_result_block(source) for source in sources]
        return [*self._end_search(results), *self._tell_pages(sources)]

    def on_search_lost(self) -> Sequence[bytes]:
        """See `EventEncoder`."""
        return self._end_search(_search_error("unavailable"))

    def on_thought(self, text: str) -> Sequence[bytes]:
        """See `EventEncoder`; thoughts after the answer began have no place."""
        if self._has_said:
            return ()
        return [*self._end_search([]), *self._tell_pages(()), *self._think(text)]

    def on_text(self, text: str) -> Sequence[bytes]:
        """See `EventEncoder`."""
        return [*self._end_search([]), *self._tell_pages(()), *self._say(text)]

    def broken(self, problem: Problem) -> bytes:
        """See `EventEncoder`; clients raise the error."""
        return frame("error", error_json(problem))

    def reply_of(self, result: events.TurnResult) -> Json:
        """`message`."""
        ended = {"stop_reason": _stop(result), "usage": _usage(result)}
        return self._message() | ended | unsupported(result)

    def _message(self) -> Json:
        return {
            "id": f"msg_{self._seed}",
            "type": "message",
            "role": "assistant",
            "model": self._model,
            "content": list(self._content),
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 0, "output_tokens": 0},
        }

    def _begin_search(self, query: str) -> list[bytes]:
        if self._search_id:
            return []
        self._search_id = f"srvtoolu_{self._seed}"
        use = {"type": "server_tool_use", "id": self._search_id, "name": "web_search"}
        return self._tool_use(use, {"query": query})

    def _end_search(self, content: Any) -> list[bytes]:
        answered = any(block["type"] == "web_search_tool_result" for block in self._content)
        if not self._search_id or answered:
            return []
        result = {"type": "web_search_tool_result", "tool_use_id": self._search_id}
        return [self._begin_block({**result, "content": content}), *self._end_block()]

    def _tell_pages(self, sources: Sequence[Source]) -> list[bytes]:
        """What was read waits for the sources, which hold the text; what was not read has none."""
        texts = {source.url: source.facts or source.snippet for source in sources}
        frames: list[bytes] = []
        for number, page in enumerate(self._pages):
            use_id = f"srvtoolu_{self._seed}_page{number}"
            use = {"type": "server_tool_use", "id": use_id, "name": FETCH_TOOL}
            content = _page_block(page, texts.get(page.url, ""))
            result = {"type": "web_fetch_tool_result", "tool_use_id": use_id, "content": content}
            frames += [*self._tool_use(use, {"url": page.url}), self._begin_block(result)]
            frames += self._end_block()
        self._pages.clear()
        return frames

    def _tool_use(self, use: Json, given: Any) -> list[bytes]:
        """A block whose input comes as a piece of JSON."""
        begun = self._begin_block({**use, "input": {}})
        self._content[-1]["input"] = given
        part = {"type": "input_json_delta", "partial_json": orjson.dumps(given).decode()}
        return [begun, self._delta(part), *self._end_block()]

    @property
    def _has_said(self) -> bool:
        return any(block["type"] == "text" for block in self._content)

    def _think(self, text: str) -> list[bytes]:
        frames = []
        if not self._open:
            block = {"type": "thinking", "thinking": "", "signature": ""}
            frames.append(self._begin_block(block))
        self._content[-1]["thinking"] += text
        return [*frames, self._delta({"type": "thinking_delta", "thinking": text})]

    def _end_thinking(self) -> list[bytes]:
        if not self._open or self._content[-1]["type"] != "thinking":
            return []
        self._content[-1]["signature"] = _opaque(thought=self._seed)
        signature = self._content[-1]["signature"]
        signed = self._delta({"type": "signature_delta", "signature": signature})
        return [signed, *self._end_block()]

    def _say(self, text: str) -> list[bytes]:
        frames = self._end_thinking()
        tells = self._shows_search or self._shows_pages
        if self._open and tells and self._content[-1].get("citations"):
            frames += self._end_block()
        if not self._open:
            frames.append(self._begin_block({"type": "text", "text": ""}))
        self._content[-1]["text"] += text
        return [*frames, self._delta({"type": "text_delta", "text": text})]

    def on_citation(self, citation: Citation) -> Sequence[bytes]:
        """See `EventEncoder`."""
        if not self._open:
            return []
        cited = {
            "type": "web_search_result_location",
            "url": citation.url,
            "title": citation.title,
            "encrypted_index": _opaque(n=citation.source),
            "cited_text": citation.cited_text,
            "check": citation.check.value,
        }
        block = self._content[-1]
        block.setdefault("citations", []).append(cited)
        return [self._delta({"type": "citations_delta", "citation": cited})]

    def on_end(self, result: events.TurnResult) -> Sequence[bytes]:
        """See `EventEncoder`."""
        frames = [*self._end_search([]), *self._tell_pages(()), *self._end_thinking()]
        text = answer_text(result)
        if not self._has_said and (text or not result.tool_calls):
            frames += self._say(text)
        if self._open:
            frames += self._end_block()
        for call in result.tool_calls:
            use = {"type": "tool_use", "id": call["id"], "name": call["function"]["name"]}
            frames += self._tool_use(use, _arguments(call["function"]["arguments"]))
        ended = {"stop_reason": _stop(result), "stop_sequence": None}
        return [
            *frames,
            _event("message_delta", delta=ended, usage=_usage(result), **unsupported(result)),
            _event("message_stop"),
        ]

    def _begin_block(self, block: Json) -> bytes:
        self._content.append(block)
        self._open = True
        return _event("content_block_start", index=len(self._content) - 1, content_block=block)

    def _delta(self, delta: Json) -> bytes:
        return _event("content_block_delta", index=len(self._content) - 1, delta=delta)

    def _end_block(self) -> list[bytes]:
        self._open = False
        return [_event("content_block_stop", index=len(self._content) - 1)]


def _result_block(source: Source) -> Json:
    published = source.published.time.date().isoformat() if source.published else None
    return {
        "type": "web_search_result",
        "url": source.url,
        "title": source.title or source.url,
        "page_age": published,
        "encrypted_content": _opaque(n=source.n, snippet=source.snippet),
    }


def _page_block(page: events.UrlFetched, text: str) -> Json:
    if not page.success:
        return {"type": "web_fetch_tool_result_error", "error_code": "url_not_accessible"}
    source = {"type": "text", "media_type": "text/plain", "data": text}
    document = {"type": "document", "title": page.title or None, "source": source}
    return {"type": "web_fetch_result", "url": page.url, "content": document}


def _search_error(code: str) -> Json:
    return {"type": "web_search_tool_result_error", "error_code": code}


def _arguments(text: str) -> Any:
    """Arguments as the model wrote them; what is no JSON cannot be sent in this form."""
    try:
        return orjson.loads(text or "{}")
    except orjson.JSONDecodeError:
        return {}


def _stop(result: events.TurnResult) -> str:
    return _STOPS.get(result.finish_reason, "end_turn")


def _usage(result: events.TurnResult) -> Json:
    spent = result.usage
    tools = {"web_search_requests": spent.searches, "web_fetch_requests": len(result.url_contents)}
    return {
        "input_tokens": spent.prompt_tokens,
        "output_tokens": spent.completion_tokens,
        "server_tool_use": tools,
    }


def _event(kind: str, **fields: Any) -> bytes:
    return frame(kind, {"type": kind, **fields})
