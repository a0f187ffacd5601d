"""A language model server that speaks the OpenAI wire format and says what a test told it to."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class FakeModel:
    """What the server says and what it was asked.

    Attributes:
        pieces: Deltas of the streamed answer, in order.
        pause_s: Pause before each delta, in seconds.
        requests: Bodies received.
        usage: What the last chunk says was used; None: no such chunk.
        speak: Makes the deltas from the prompt in place of `pieces`.
        reply: Makes the JSON of a call that wants some from its prompt; None refuses the call.
    """

    pieces: list[str]
    pause_s: float = 0.0
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    usage: dict[str, int] | None = None
    speak: Callable[[str], list[str]] | None = None
    reply: Callable[[str], dict[str, Any] | None] | None = None

    def answer_requests(self) -> list[dict[str, Any]]:
        """Return the streamed requests: those that asked for an answer."""
        return [request for request in self.requests if request.get("stream")]

    def forget(self) -> None:
        """Forget what a test told it and asked of it."""
        self.requests.clear()
        self.pieces = []
        self.usage = self.speak = self.reply = None


def _handler(model: FakeModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Stay silent."""

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            model.requests.append(body)
            prompt = "\n".join(str(message["content"]) for message in body["messages"])
            if body.get("stream"):
                self._stream(model.speak(prompt) if model.speak else model.pieces)
            else:
                self._json(*_answer_in_json(model, prompt))

        def _json(self, status: int, body: dict[str, Any]) -> None:
            text = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def _stream(self, pieces: list[str]) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            for piece in pieces:
                time.sleep(model.pause_s)
                self._send({"delta": {"content": piece}, "index": 0, "finish_reason": None})
            self._send({"delta": {}, "index": 0, "finish_reason": "stop"})
            if model.usage:
                self._send(None, usage=model.usage)
            self.wfile.write(b"data: [DONE]\n\n")
            self.close_connection = True

        def _send(self, choice: dict[str, Any] | None, **more: Any) -> None:
            chunk = {
                "id": "chatcmpl-1",
                "object": "chat.completion.chunk",
                "created": 0,
                "model": "test-model",
                "choices": [choice] if choice else [],
                **more,
            }
            self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
            self.wfile.flush()

    return Handler


def _answer_in_json(model: FakeModel, prompt: str) -> tuple[int, dict[str, Any]]:
    """Status and body; without a reply it fails, so that the deterministic paths are used."""
    found = model.reply(prompt) if model.reply else None
    if found is None:
        return 500, {"error": {"message": "not offered", "type": "server_error"}}
    message = {"role": "assistant", "content": json.dumps(found)}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    whole = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0}
    return 200, {**whole, "model": "test-model", "choices": [choice]}


@contextmanager
def serve_model(model: FakeModel) -> Iterator[FakeModel]:
    """Serve the model on a free loopback port; its address is put into `model.url`."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(model))
    model.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
