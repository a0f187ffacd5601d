"""The HTTP listener: it answers, finishes what it began, and says why it cannot start."""

import asyncio
import socket
import urllib.request
from typing import Any

import pytest

from pellucid_runtime.http_server import HttpServer
from pellucid_runtime.listener import PortInUseError, StartError


def _get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=5) as response:
        return response.read().decode()


async def hello(scope: Any, receive: Any, send: Any) -> None:
    """The smallest ASGI application."""
    if scope["type"] == "lifespan":
        while True:
            kind = (await receive())["type"]
            await send({"type": f"{kind}.complete"})
            if kind == "lifespan.shutdown":
                return
    await asyncio.sleep(0.2 if scope["path"] == "/slow" else 0)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"hello"})


async def test_http_listener_answers_and_finishes_what_it_began() -> None:
    has_arrived = asyncio.Event()

    async def noted(scope: Any, receive: Any, send: Any) -> None:
        if scope.get("path") == "/slow":
            has_arrived.set()
        await hello(scope, receive, send)

    server = HttpServer(noted, "127.0.0.1", 0)
    await server.start()
    assert await asyncio.to_thread(_get, f"http://127.0.0.1:{server.port}/") == "hello"
    slow = asyncio.create_task(asyncio.to_thread(_get, f"http://127.0.0.1:{server.port}/slow"))
    await has_arrived.wait()
    await server.stop(5)
    assert await slow == "hello"


async def test_http_port_in_use_names_the_setting() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        server = HttpServer(hello, "127.0.0.1", taken.getsockname()[1])
        with pytest.raises(PortInUseError, match="GATEWAY_PORT"):
            await server.start()


async def test_http_application_that_cannot_start_is_an_error() -> None:
    async def broken(_scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "lifespan.startup.failed", "message": "no"})

    with pytest.raises(StartError):
        await HttpServer(broken, "127.0.0.1", 0).start()


async def test_http_listener_that_stops_by_itself_is_seen_to_end() -> None:
    server = HttpServer(hello, "127.0.0.1", 0)
    await server.start()
    watching = asyncio.create_task(server.ended())
    await asyncio.sleep(0.1)
    assert not watching.done()
    server._server.should_exit = True
    await asyncio.wait_for(watching, 10)
    await server.stop()
