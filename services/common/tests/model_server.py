"""An OpenAI-compatible server of the tests' own, and clients of it."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

from aiohttp import web

from pellucid_runtime.llm.asking import Patience
from pellucid_runtime.llm.endpoint import open_endpoint
from pellucid_runtime.llm.model import ChatMessage, ChatRequest, Chunk
from pellucid_runtime.llm.openai import OpenAiClient

ASK = ChatRequest([ChatMessage("user", "hello")])
Refuses = Callable[[dict[str, Any]], web.Response | None]
Script = Callable[[web.Request, web.StreamResponse], Awaitable[None]]


def event(content: str | None = None, finish: str | None = None, **more: Any) -> bytes:
    choice = {"index": 0, "delta": {"content": content}, "finish_reason": finish}
    body = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    return b"data: " + json.dumps(body | {"choices": [choice]} | more).encode() + b"\n\n"


USAGE = event(choices=[], usage={"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9})
DONE = b"data: [DONE]\n\n"


class ModelServer:
    """Answers as scripted, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.requests: list[web.Request] = []
        self.refuses: Refuses | None = None
        self.script: Script | None = None
        self.status = 200
        self.body: Any = None
        self.url = ""
        self.ends = asyncio.Event()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(await request.json())
        self.keys.append(request.headers.get("Authorization", ""))
        self.requests.append(request)
        if self.refuses is not None and (refusal := self.refuses(self.asked[-1])) is not None:
            return refusal
        if self.script is None:
            return web.json_response(self.body, status=self.status)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await self.script(request, response)
        return response

    def streams(self, *pieces: bytes | float) -> None:
        """Send the pieces; a number is a pause in seconds."""

        async def script(_request: web.Request, response: web.StreamResponse) -> None:
            for piece in pieces:
                if isinstance(piece, float):
                    await asyncio.wait({asyncio.create_task(self.ends.wait())}, timeout=piece)
                else:
                    await response.write(piece)

        self.script = script

    def completes(self, text: str) -> None:
        message = {"role": "assistant", "content": text}
        self.body = {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": "m-1",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9},
        }


async def client_of(
    stack: AsyncExitStack, *servers: ModelServer, **patience: float
) -> OpenAiClient:
    endpoints = [
        await open_endpoint(
            server.url, lambda number=number: f"key-{number}", f"model-{number}", stack
        )
        for number, server in enumerate(servers)
    ]
    return OpenAiClient(endpoints, Patience(**patience))


async def all_of(client: OpenAiClient, request: ChatRequest = ASK) -> list[Chunk]:
    """The pieces of an answer but for bare signs of life."""
    chunks = [chunk async for chunk in client.stream(request)]
    return [
        c for c in chunks if c.text or c.reasoning or c.tool_calls or c.finish_reason or c.usage
    ]


async def read_into(received: list[str], client: OpenAiClient) -> None:
    async for chunk in client.stream(ASK):
        received.extend(filter(None, (chunk.text,)))


StartModel = Callable[[], Awaitable[ModelServer]]
