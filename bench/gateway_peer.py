"""The least that a proxy must do, to compare with: Starlette, uvicorn and aiohttp, nothing else."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route


def app(upstream: str) -> Starlette:
    """Pass a chat completion through."""

    @asynccontextmanager
    async def lifespan(proxy: Starlette) -> AsyncIterator[None]:
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector) as proxy.state.session:
            yield

    async def complete(request: Request) -> StreamingResponse:
        body = await request.body()
        reply = await request.app.state.session.post(f"{upstream}/chat/completions", data=body)
        return StreamingResponse(reply.content.iter_any(), media_type="text/event-stream")

    routes = [Route("/v1/chat/completions", complete, methods=["POST"])]
    return Starlette(routes=routes, lifespan=lifespan)


if __name__ == "__main__":
    uvicorn.run(app(sys.argv[1]), port=int(sys.argv[2]), access_log=False, log_level="warning")
