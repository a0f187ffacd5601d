"""A long page is read on over the faces that fetch, and links come when asked for."""

from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from door_fakes import FakeEngine

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


@pytest.mark.parametrize("ask", [_native, _tavily])
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


@pytest.mark.parametrize("ask", [_native, _tavily])
async def test_links_are_asked_for_by_name(http: httpx.AsyncClient, ask: Asked) -> None:
    assert await ask(http, {}) == ("Text", None)
    assert await ask(http, {"links": True}) == (f"[Text]({URL})", None)


@pytest.mark.parametrize("offset", [-1, "x", 10_000_001])
async def test_a_wrong_offset_is_explained(http: httpx.AsyncClient, offset: Any) -> None:
    reply = await http.post("/v1/fetch", json={"urls": [URL], "offset": offset})
    assert reply.status_code == 400
    assert "offset" in reply.text
