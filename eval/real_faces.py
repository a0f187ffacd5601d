"""One question over each face of a running gateway, and its answer in one form."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import httpx
from mcp import Client

# A small model on two cores takes its time.
_PATIENCE_S = 300.0

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a face answered.

    Attributes:
        text: The answer, or the error.
        spans: Start and end of each cited piece, in code points.
        checks: How often each way of checking decided, where the face tells it.
        added: Citations where the model wrote none, where the face tells it.
        kind: Who wrote it, where the face tells it; "error" when there is no answer.
        notices: Codes of notices, where the face tells them.
        seconds: From the request to the whole answer.
    """

    text: str
    spans: Sequence[tuple[int, int]] = ()
    checks: Sequence[str] = ()
    added: int = 0
    kind: str = ""
    notices: Sequence[str] = ()
    seconds: float = 0.0


Ask = Callable[[httpx.AsyncClient, str], Awaitable[Reply]]


def _said(question: str) -> list[Json]:
    return [{"role": "user", "content": question}]


async def _posted(http: httpx.AsyncClient, path: str, body: Json) -> Json:
    reply = await http.post(path, json=body)
    reply.raise_for_status()
    answer: Json = reply.json()
    return answer


def _of_turn(turn: Json) -> Reply:
    """A turn as `/v1/chat` and `web_answer` tell it."""
    cited = turn["citations"]
    return Reply(
        text=turn["answer"],
        spans=[(one["start"], one["end"]) for one in cited],
        checks=[one["check"] for one in cited if "check" in one],
        added=sum(one.get("added", False) for one in cited),
        kind=turn["answer_kind"],
        notices=[one["code"] for one in turn["notices"]],
    )


def _of_part(text: str, annotations: Sequence[Json]) -> Reply:
    """A text with OpenAI's annotations."""
    notes = [note.get("url_citation", note) for note in annotations]
    return Reply(text, [(note["start_index"], note["end_index"]) for note in notes])


async def _native(http: httpx.AsyncClient, question: str) -> Reply:
    return _of_turn(await _posted(http, "/v1/chat", {"messages": _said(question)}))


async def _completions(http: httpx.AsyncClient, question: str) -> Reply:
    body = {"model": "pellucid", "messages": _said(question)}
    message = (await _posted(http, "/v1/chat/completions", body))["choices"][0]["message"]
    return _of_part(message["content"], message.get("annotations") or ())


async def _responses(http: httpx.AsyncClient, question: str) -> Reply:
    body = {"model": "pellucid", "input": _said(question)}
    output = (await _posted(http, "/v1/responses", body))["output"]
    (part,) = next(item for item in output if item["type"] == "message")["content"]
    return _of_part(part["text"], part["annotations"])


async def _messages(http: httpx.AsyncClient, question: str) -> Reply:
    tools = [{"type": "web_search_20250305", "name": "web_search"}]
    body = {"model": "pellucid", "max_tokens": 1024, "messages": _said(question), "tools": tools}
    text, spans = "", []
    for block in (await _posted(http, "/v1/messages", body))["content"]:
        if block["type"] == "text":
            start, text = len(text), text + block["text"]
            spans += [(start, len(text))] * len(block.get("citations") or ())
    return Reply(text, spans)


async def _mcp(http: httpx.AsyncClient, question: str) -> Reply:
    url = str(http.base_url.join("/mcp"))
    async with Client(url, read_timeout_seconds=_PATIENCE_S) as client:
        reply = await client.call_tool("web_answer", {"question": question})
    if reply.structured_content is None:
        return Reply(str(reply.content), kind="error")
    return _of_turn(reply.structured_content)


FACES: Mapping[str, Ask] = {
    "chat": _native,
    "completions": _completions,
    "responses": _responses,
    "messages": _messages,
    "web_answer": _mcp,
}


async def ask(url: str, face: str, question: str) -> Reply:
    """Ask one question and time it; an error of the gateway is a reply too.

    Args:
        url: Address of the gateway.
        face: A name of `FACES`.
        question: The person's only message.
    """
    begun = time.perf_counter()
    async with httpx.AsyncClient(base_url=url, timeout=_PATIENCE_S, trust_env=False) as http:
        try:
            reply = await FACES[face](http, question)
        except httpx.HTTPError as error:
            said = error.response.text if isinstance(error, httpx.HTTPStatusError) else repr(error)
            reply = Reply(said[:300], kind="error")
    return replace(reply, seconds=time.perf_counter() - begun)
