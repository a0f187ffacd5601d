"""Serves one row of `model_profiles` and counts what it refused."""

import asyncio
import json
from typing import Self

from rig.http_stub import HttpStub, Request, head, whole
from rig.profile_rules import (
    DONE,
    SHOWN,
    USAGE,
    WRITTEN,
    Call,
    Profile,
    Step,
    chunk,
    needs_room,
)

_MARKED = SHOWN[:-1] + " [1]."
_JSON = '{"search": true, "confidence": 0.9, "reason": "a price", "queries": ["bridge toll"]}'
_CUT = chunk(finish="length", usage={"prompt_tokens": 9, "completion_tokens": 99})


_READY = chunk({"content": '{"ready": true}'})


def _wants_usage(call: Call) -> bool:
    return bool((call.body.get("stream_options") or {}).get("include_usage"))


class ProfileServer:
    """A server of one profile; an asynchronous context manager.

    Args:
        profile: What it takes and says.
    """

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.calls: list[Call] = []
        self.refused = 0
        self._http = HttpStub(self._answer)
        self._left = asyncio.Event()
        self._interrupted = asyncio.Event()

    async def __aenter__(self) -> Self:
        await self._http.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        self._left.set()
        await self._http.__aexit__(*error)

    @property
    def url(self) -> str:
        """The address as one configures it."""
        return f"http://127.0.0.1:{self._http.port}{self.profile.path}{self.profile.query}"

    async def _answer(self, request: Request, writer: asyncio.StreamWriter) -> None:
        call = Call(request.path, request.query, request.headers, request.json, len(self.calls))
        self.calls.append(call)
        if self.profile.one_at_a_time:
            self._interrupted.set()
            self._interrupted = asyncio.Event()
        if request.path != f"{self.profile.path}/chat/completions":
            writer.write(whole(404, "application/json", b'{"detail": "Not Found"}'))
            return
        for rule in self.profile.rules:
            if (reply := rule(call)) is not None:
                self.refused += 1
                body = json.dumps(reply.body).encode()
                writer.write(whole(reply.status, "application/json", body, **dict(reply.headers)))
                return
        if call.body.get("stream") and not self.profile.whole:
            await self._stream(self._steps(call), writer)
        else:
            writer.write(whole(200, "application/json", self._whole(call)))

    def _steps(self, call: Call) -> list[Step]:
        if needs_room(self.profile, call):
            return [_CUT, DONE]
        steps = [step for step in self.profile.steps if step != USAGE or _wants_usage(call)]
        if "ready" in call.text:
            written = [chunk({"content": piece}) for piece in WRITTEN]
            steps = [_READY if step == written[0] else step for step in steps]
            steps = [step for step in steps if step not in written]
        return steps

    def _whole(self, call: Call) -> bytes:
        cut = needs_room(self.profile, call)
        wants_json = "response_format" in call.body or "JSON" in call.text
        text = _JSON if wants_json and "search" in call.text else _MARKED
        text = f"Here it is:\n```json\n{text}\n```" if self.profile.fences and wants_json else text
        message = {"role": "assistant", "content": "" if cut else text}
        choice = {"index": 0, "message": message, "finish_reason": "length" if cut else "stop"}
        return json.dumps({"id": "c", "object": "chat.completion", "choices": [choice]}).encode()

    async def _stream(self, steps: list[Step], writer: asyncio.StreamWriter) -> None:
        lines = head(200, "text/event-stream", Transfer_Encoding="chunked")
        writer.write(lines)
        interrupted = self._interrupted
        for step in steps:
            if interrupted.is_set():
                break
            if step is None:
                writer.transport.abort()
                return
            if isinstance(step, float):
                await self._pause(step)
                continue
            writer.write(b"%x\r\n%s\r\n" % (len(step), step))
            await writer.drain()
        if interrupted.is_set():
            writer.write(b"%x\r\n%s\r\n" % (len(DONE), DONE))
        writer.write(b"0\r\n\r\n")

    async def _pause(self, seconds: float) -> None:
        ends = (self._left, self._interrupted)
        waits = {asyncio.ensure_future(event.wait()) for event in ends}
        await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
