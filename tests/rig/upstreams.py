"""What the services depend on outside: two search providers, a model and pages, all able to fail.

Each has a `mode`, by name, that a test switches while everything runs, and counts what it was
asked, so that a test can see that the fault occurred and how often it was tried again.
"""

import asyncio
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from rig.http_stub import HttpStub, Request, head, whole
from rig.invented_web import page, results

JSON = "application/json"
_HUGE_BYTES = 50 * 1024 * 1024
# Number, publisher and title; address; facts, headings before the first sentence: how sources stand
# in a prompt.
# Lines of sources begin with a mark that each prompt draws anew.
_SOURCE = re.compile(
    r"^(?:\w+\| )?\[(\d+)\] .*\n(?:\w+\| )?\S+\n(?:[^.!?\n]*\n)*?(?:\w+\| )?(.+?[.!?])(?=\s|$)",
    re.MULTILINE,
)


@dataclass
class Provider:
    """A search provider with the wire format of Brave (GET) or Tavily (POST).

    Attributes:
        pages_port: Where its results lead.
        mode: "ok" or a key of `_FAULTS`.
        pause_s: Seconds before each answer.
        asked: Instant and query of each request.
    """

    pages_port: int
    mode: str = "ok"
    pause_s: float = 0.02
    asked: list[tuple[float, str]] = field(default_factory=list)

    def stub(self, port: int) -> HttpStub:
        """The server; the caller opens it."""
        return HttpStub(self._answer, port)

    async def _answer(self, request: Request, writer: asyncio.StreamWriter) -> None:
        query = request.query.get("q") or str(request.json.get("query", ""))
        self.asked.append((time.monotonic(), query))
        if self.mode == "hang":
            await asyncio.sleep(3600)
        await asyncio.sleep(self.pause_s)
        fault = _FAULTS.get(self.mode)
        if fault is not None:
            writer.write(fault())
            return
        found = results(query, self.pages_port) if self.mode != "empty" else []
        if self.mode == "off_topic":
            found = [{**one, "title": "Tide tables", "description": _TIDES} for one in found]
        if self.mode == "duplicates":
            found = [one for one in found for _ in range(4)]
        writer.write(whole(200, JSON, json.dumps(_wire(found, request)).encode()))


_TIDES = "High water at the pier is at 04:12 and 16:40 on Saturday, low water at 10:25."


def _wire(found: list[dict[str, str]], request: Request) -> Mapping[str, object]:
    if request.body:
        return {"results": [{**one, "content": one["description"]} for one in found]}
    return {"type": "search", "web": {"type": "search", "results": found}}


def _rate_limited() -> bytes:
    body = {"type": "ErrorResponse", "error": {"code": "RATE_LIMITED", "status": 429}}
    return whole(429, JSON, json.dumps(body).encode(), Retry_After="5")


_FAULTS: Mapping[str, Callable[[], bytes]] = {
    "429": _rate_limited,
    "500": lambda: whole(500, JSON, b'{"error": "of its own"}'),
    "truncated": lambda: head(200, JSON, 400) + b'{"type": "search", "web": {"resu',
    "malformed": lambda: whole(200, JSON, b'{"type": "search", "web": [,]}'),
    "html": lambda: whole(200, "text/html", b"<html><body>Sign in</body></html>"),
    "charset": lambda: whole(200, JSON, '{"web": "\u00fc\u4e00"}'.encode("utf-16")),
    "huge": lambda: whole(200, JSON, b'{"web": "' + b"x" * _HUGE_BYTES + b'"}'),
}


@dataclass
class Model:
    """A language model with OpenAI's wire format that cites the sources it is shown.

    Attributes:
        mode: "ok", "silent" (no first token), "stall" (nothing after `cut_after` tokens),
            "broken" (no event stream), "tools" (calls a tool that nobody offered).
        first_s, gap_s: Seconds until the first token and between tokens.
        cut_after: Tokens before it stalls.
        filler: Words that it says before it answers.
        asked: Instant and last message of each streamed request.
        left: Instants at which callers hung up before the end.
        streaming: Streams in progress.
    """

    mode: str = "ok"
    first_s: float = 0.05
    gap_s: float = 0.005
    cut_after: int = 8
    filler: int = 0
    asked: list[tuple[float, str]] = field(default_factory=list)
    left: list[float] = field(default_factory=list)
    streaming: int = 0

    def stub(self, port: int) -> HttpStub:
        """The server; the caller opens it."""
        return HttpStub(self._answer, port)

    async def _answer(self, request: Request, writer: asyncio.StreamWriter) -> None:
        if not request.json.get("stream"):
            # Calls that want JSON are refused, so that the deterministic ways are taken.
            writer.write(whole(500, JSON, b'{"error": {"message": "not offered"}}'))
            return
        prompt = "\n".join(_texts(request))
        self.asked.append((time.monotonic(), prompt[-200:]))
        self.streaming += 1
        try:
            await self._stream(prompt, writer)
        except (ConnectionError, asyncio.CancelledError):
            self.left.append(time.monotonic())
            raise
        finally:
            self.streaming -= 1

    async def _stream(self, prompt: str, writer: asyncio.StreamWriter) -> None:
        writer.write(head(200, "text/event-stream"))
        await self._rest(self.first_s, writer)
        if self.mode == "silent":
            await self._rest(3600, writer)
        if self.mode == "broken":
            writer.write(b"data: {\xff\xfe not json\n\n")
            return
        for n, word in enumerate(self._words(prompt)):
            if self.mode == "stall" and n == self.cut_after:
                await self._rest(3600, writer)
            writer.write(_chunk({"content": word}))
            await self._rest(self.gap_s, writer)
        if self.mode == "tools":
            call = {"index": 0, "id": "c1", "function": {"name": "rm", "arguments": "{}"}}
            writer.write(_chunk({"tool_calls": [call]}) + _chunk({}, "tool_calls"))
        writer.write(_chunk({}, "stop") + b"data: [DONE]\n\n")

    @staticmethod
    async def _rest(seconds: float, writer: asyncio.StreamWriter) -> None:
        """Pause, noticing a caller that leaves meanwhile."""
        end = time.monotonic() + seconds
        while True:
            if writer.is_closing() or writer.transport.is_closing():
                raise ConnectionResetError
            await writer.drain()
            left = end - time.monotonic()
            if left <= 0:
                return
            await asyncio.sleep(min(left, 0.05))

    def _words(self, prompt: str) -> Iterator[str]:
        if self.mode == "tools":
            return
        cited = [f"{said[:-1]} [{n}]{said[-1]}" for n, said in _SOURCE.findall(prompt)[:3]]
        text = " ".join(cited) or "Glad to be of help, ask again whenever you like."
        yield from (f"word{n} " for n in range(self.filler))
        yield from (f"{word} " for word in text.split())


def _texts(request: Request) -> Iterator[str]:
    for message in request.json.get("messages", []):
        if isinstance(message.get("content"), str):
            yield message["content"]


def _chunk(delta: Mapping[str, object], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    event = {"id": "c1", "object": "chat.completion.chunk", "created": 0, "model": "invented"}
    return b"data: " + json.dumps({**event, "choices": [choice]}).encode() + b"\n\n"


@dataclass
class Pages:
    """The sites that results lead to.

    Attributes:
        pause_s: Seconds before each page.
        asked: Paths, robots.txt left out.
    """

    pause_s: float = 0.02
    asked: list[str] = field(default_factory=list)

    def stub(self, port: int) -> HttpStub:
        """The server; the caller opens it."""
        return HttpStub(self._answer, port)

    async def _answer(self, request: Request, writer: asyncio.StreamWriter) -> None:
        if request.path == "/robots.txt":
            writer.write(whole(404, "text/plain", b""))
            return
        self.asked.append(request.path)
        await asyncio.sleep(self.pause_s)
        writer.write(whole(200, "text/html; charset=utf-8", page(request.path).encode()))
