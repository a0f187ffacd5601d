"""A server of `/v1/embeddings` for tests, as strict as those that people run."""

import asyncio
import base64
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from aiohttp import web

Embed = Callable[[Sequence[str]], np.ndarray]


@dataclass
class EmbeddingServer:
    """Answers with the vectors of `embed`, in reverse order, and remembers what it was asked.

    Attributes:
        most_texts: A larger batch is refused, as by TEI.
        knows_base64: It answers in the form that is asked for; else in numbers whatever is asked.
        status: Of every answer; one that is not 200 has no vectors.
        headers: Of every answer.
        delay_s: Before every answer.
        spoil: Changes the answer before it is sent; a text is sent as it is.
    """

    embed: Embed
    most_texts: int = 32
    knows_base64: bool = True
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    spoil: Callable[[dict[str, Any]], Any] = lambda body: body
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    url: str = ""

    @property
    def texts(self) -> list[str]:
        return [text for body in self.asked for text in body["input"]]

    async def handle(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.asked.append(body)
        self.keys.add(request.headers.get("Authorization", ""))
        await asyncio.sleep(self.delay_s)
        if self.status != web.HTTPOk.status_code:
            error = {"error": {"message": "no", "type": "any"}}
            return web.json_response(error, status=self.status, headers=self.headers)
        if len(body["input"]) > self.most_texts or not all(body["input"]):
            return web.json_response({"message": "batch size > maximum", "type": "Validation"}, status=422)  # fmt: skip # noqa: E501
        vectors = self.embed(body["input"]).astype("<f4")
        in_base64 = self.knows_base64 and body["encoding_format"] == "base64"
        rows = [
            {"object": "embedding", "index": place, "embedding": _written(row, in_base64)}
            for place, row in enumerate(vectors)
        ]
        usage = {"prompt_tokens": 7, "total_tokens": 7}
        said = self.spoil({"object": "list", "data": rows[::-1], "model": "m", "usage": usage})
        return web.json_response(said) if isinstance(said, dict) else web.Response(text=said)


def _written(row: np.ndarray, in_base64: bool) -> Any:  # noqa: FBT001
    return base64.b64encode(row.tobytes()).decode() if in_base64 else row.tolist()


@asynccontextmanager
async def serving(embed: Embed, **fields: Any) -> AsyncIterator[EmbeddingServer]:
    server = EmbeddingServer(embed, **fields)
    app = web.Application()
    app.router.add_post("/v1/embeddings", server.handle)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        yield server
    finally:
        await runner.cleanup()
