"""A model server for tests of the chat faces."""

import asyncio
import json
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

HEAD = b'{"id":"u1","object":"chat.completion.chunk","created":1,"model":"m","choices":'
CHUNKS = (
    b"data: " + HEAD + b'[{"index":0,"delta":{"content":"caf\xc3\xa9 "},"x":null}],"odd": 1}\n\n',
    b"data: " + HEAD + b'[{"index":0,"delta":{"content":"time"},"finish_reason":"stop"}]}\n\n'
    b"data: [DONE]\n\n",
)


class FakeUpstream:
    """A model server that records what it was sent."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.keys: list[str] = []
        self.breaks = False
        self.endless = False
        self.left = asyncio.Event()

    async def complete(self, request: Request) -> Response:
        body = await request.body()
        self.bodies.append(body)
        self.keys.append(request.headers.get("authorization", ""))
        if json.loads(body).get("model") == "refused":
            return JSONResponse({"error": {"message": "no such model"}}, 404)
        if json.loads(body).get("stream"):
            return StreamingResponse(self.stream(), media_type="text/event-stream")
        message = {"role": "assistant", "content": "plain"}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return JSONResponse(
            {
                "id": "u1",
                "object": "chat.completion",
                "created": 1,
                "model": "m",
                "choices": [choice],
            }
        )

    async def stream(self) -> AsyncIterator[bytes]:
        yield CHUNKS[0]
        if self.breaks:
            raise ConnectionError
        try:
            while self.endless:
                yield CHUNKS[0]
                await asyncio.sleep(0.01)
        finally:
            self.left.set()
        yield CHUNKS[1]

    async def models(self, _request: Request) -> Response:
        return JSONResponse({"object": "list", "data": [{"id": "m", "object": "model"}]})

    def app(self) -> Starlette:
        """Its two paths."""
        return Starlette(
            routes=[
                Route("/v1/chat/completions", self.complete, methods=["POST"]),
                Route("/v1/models", self.models),
            ]
        )
