"""The faces that answer in Markdown, asked over a socket: what a client has after each event."""

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from itertools import count, product
from pathlib import Path
from typing import Any

import httpx
from hostile_markdown import chunks
from kept_rig import Plan, open_gateway
from port_fakes import HITS, QUESTION, FakeModel, FakeSearch
from turn_fakes import Rig

from pellucid_gateway.api.http.admission import RequestLimits
from pellucid_runtime.http_server import HttpServer

STYLES = ("natural", "numeric", "markdown", "none")
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Face:
    """One way to ask.

    Attributes:
        body: Of a request in a citation style.
        text: Of a whole reply.
        piece: Of one event of a stream.
    """

    name: str
    path: str
    body: Callable[[str], dict[str, Any]]
    text: Callable[[Json], str]
    piece: Callable[[Json], str]


def _chat(style: str) -> dict[str, Any]:
    return {
        "model": "pellucid",
        "messages": [{"role": "user", "content": QUESTION}],
        "pellucid": {"citation_style": style},
    }


def _choice(reply: Json) -> str:
    return str(reply["choices"][0]["message"]["content"])


def _delta(event: Json) -> str:
    choices = event.get("choices") or [{}]
    return str(choices[0].get("delta", {}).get("content") or "")


def _output(reply: Json) -> str:
    parts = [part for item in reply["output"] for part in item.get("content", ())]
    return "".join(part.get("text", "") for part in parts)


def _said(event: Json) -> str:
    return str(event["delta"]) if event.get("type") == "response.output_text.delta" else ""


def _blocks(reply: Json) -> str:
    return "".join(block.get("text", "") for block in reply["content"])


def _block(event: Json) -> str:
    return str(event.get("delta", {}).get("text", "")) if "delta" in event else ""


FACES = (
    Face(
        "native",
        "/v1/chat",
        lambda style: {"message": QUESTION, "citation_style": style},
        lambda reply: str(reply["answer"]),
        lambda event: str(event.get("text", "")) if set(event) == {"text"} else "",
    ),
    Face("openai", "/v1/chat/completions", _chat, _choice, _delta),
    Face("perplexity", "/compat/perplexity/chat/completions", _chat, _choice, _delta),
    Face(
        "responses",
        "/v1/responses",
        lambda style: {
            "model": "pellucid",
            "input": QUESTION,
            "pellucid": {"citation_style": style},
        },
        _output,
        _said,
    ),
    Face("anthropic", "/v1/messages", lambda s: {**_chat(s), "max_tokens": 900}, _blocks, _block),
)
Way = tuple[Face, str, bool]
WAYS: tuple[Way, ...] = tuple(product(FACES, STYLES, (True, False)))
"""Every face in every style of citations, streaming and not."""


class Clients:
    """Clients of one gateway whose model or whose pages say what a test wants.

    Args:
        http: Client of the gateway.
        rig: What stands behind it.
    """

    def __init__(self, http: httpx.AsyncClient, rig: Rig) -> None:
        self._http = http
        self._rig = rig
        self._people = count(1)

    async def of_model(self, text: str, size: int, way: Way) -> list[str]:
        """What a client has of an answer, after each event, whose model obeys a page."""
        model = self._rig.model
        assert model is not None
        model.pieces = chunks(text, size)
        return await self._asked(way)

    async def of_page(self, payload: str, way: Way) -> list[str]:
        """What it has of an answer about pages that bear the payload, with no model."""
        snippets = (
            f"The toll for cars on the Skerry Bridge {payload} is 4.50 crowns since October.",
            f"{payload} The toll on the Skerry Bridge rose, the council said {payload}",
            "The Skerry Bridge opened in 1987 and carries 12,000 cars a day.",
        )
        self._rig.search.hits = tuple(
            replace(hit, title=f"{hit.title} {payload}", snippet=snippet)
            for hit, snippet in zip(HITS, snippets, strict=True)
        )
        return await self._asked(way)

    async def _asked(self, way: Way) -> list[str]:
        face, style, streams = way
        body = {**face.body(style), "stream": streams}
        # A person for each request: so many alike from one would be suspicious.
        person = {"x-person": f"p{next(self._people)}"}
        if not streams:
            reply = await self._http.post(face.path, json=body, headers=person)
            assert reply.status_code == httpx.codes.OK, reply.text
            return [face.text(reply.json())]
        states = [""]
        async with self._http.stream("POST", face.path, json=body, headers=person) as events:
            assert events.status_code == httpx.codes.OK
            async for line in events.aiter_lines():
                assert line not in {"event: error", "event: response.failed"}, states
                if line.startswith("data: {"):
                    assert '"error":{' not in line, line
                    states.append(states[-1] + face.piece(json.loads(line[6:])))
        return list(dict.fromkeys(states[1:]))


@asynccontextmanager
async def clients(folder: Path, *, model: bool) -> AsyncIterator[Clients]:
    """A gateway on a port of its own, with or without an obedient model."""
    rig = Rig(model=FakeModel() if model else None, search=FakeSearch())
    settings = {"gateway_searches_per_day": 1_000_000}
    async with AsyncExitStack() as stack:
        none = RequestLimits(key_per_minute=0, address_per_minute=0, places=0)
        plan = Plan(folder, rig=rig, settings=settings, limits=none)
        gateway = await open_gateway(stack, plan)
        server = HttpServer(gateway.app, "127.0.0.1", 0)
        await server.start()
        base = f"http://127.0.0.1:{server.port}"
        try:
            async with httpx.AsyncClient(base_url=base, trust_env=False, timeout=30) as http:
                yield Clients(http, gateway.rig)
        finally:
            await server.stop(0)
