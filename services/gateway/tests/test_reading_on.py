"""A long page is read on over the faces that fetch, and links come when asked for."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx
import pytest
from api_fakes import FakeEngine, MakeApp
from mcp import Client

from pellucid_runtime.http_server import HttpServer
from rig.sample import nightly_except

URL = "http://a.localhost/long"
DOCUMENT = "".join(f"Line {number} of the log.\n" for number in range(24_000))
Asked = Callable[[httpx.AsyncClient, dict[str, Any]], Awaitable[tuple[str, int | None]]]


async def _native(http: httpx.AsyncClient, asked: dict[str, Any]) -> tuple[str, int | None]:
    body = {"urls": [URL], "max_chars": 60_000, **asked}
    (page,) = (await http.post("/v1/fetch", json=body)).json()["results"]
    return page["text"], page["next_offset"]


async def _tavily(http: httpx.AsyncClient, asked: dict[str, Any]) -> tuple[str, int | None]:
    reply = await http.post("/compat/tavily/extract", json={"urls": URL, **asked})
    (page,) = reply.json()["results"]
    return page["raw_content"], page["next_offset"]


async def _mcp(http: httpx.AsyncClient, asked: dict[str, Any]) -> tuple[str, int | None]:
    return await _tool(http, "web_fetch", {"url": URL, "max_chars": 60_000, **asked})


async def _connector(http: httpx.AsyncClient, asked: dict[str, Any]) -> tuple[str, int | None]:
    return await _tool(http, "fetch", {"id": URL, **asked})


async def _tool(
    http: httpx.AsyncClient, name: str, asked: dict[str, Any]
) -> tuple[str, int | None]:
    async with Client(f"{http.base_url}mcp") as client:
        page = (await client.call_tool(name, asked)).structured_content
    assert page is not None
    return page["text"], page["next_offset"]


@pytest.fixture
async def http(make_app: MakeApp) -> AsyncIterator[httpx.AsyncClient]:
    server = HttpServer(make_app(), "127.0.0.1", 0)
    await server.start()
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{server.port}/") as client:
        yield client
    await server.stop(0)


ASKS = [_native, _tavily, _mcp, _connector]


@pytest.mark.parametrize("ask", nightly_except({_native, _tavily}, ASKS))
async def test_the_parts_of_a_long_page_are_the_whole(
    http: httpx.AsyncClient, engine: FakeEngine, ask: Asked
) -> None:
    engine.document = DOCUMENT
    assert len(DOCUMENT) > 500_000
    parts: list[str] = []
    following: int | None = 0
    while following is not None:
        text, following = await ask(http, {"offset": following})
        parts.append(text)
    assert len(parts) > 5
    assert "".join(parts) == DOCUMENT


@pytest.mark.parametrize("ask", ASKS)
async def test_links_are_asked_for_by_name(http: httpx.AsyncClient, ask: Asked) -> None:
    assert await ask(http, {}) == ("Text", None)
    assert await ask(http, {"links": True}) == (f"[Text]({URL})", None)


@pytest.mark.parametrize("offset", [-1, "x", 10_000_001])
async def test_a_wrong_offset_is_explained(http: httpx.AsyncClient, offset: Any) -> None:
    reply = await http.post("/v1/fetch", json={"urls": [URL], "offset": offset})
    assert reply.status_code == 400
    assert "offset" in reply.text
