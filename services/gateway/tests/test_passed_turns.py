"""Turns that the model server answers by itself: what they cost is counted, nobody is forgotten."""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from kept_rig import KeptGateway, Plan, open_gateway
from port_fakes import FakeDecision, FakeModel, answer_decision
from turn_fakes import Rig

from pellucid_gateway.api.compatible.upstream import Take
from pellucid_gateway.domain.passed_on import Spent, told_by_reply, told_by_stream
from pellucid_gateway.domain.state_ports import Entry

SAID = "Thank you for the van advice!"
STREAM = (
    b'data: {"choices":[{"index":0,"delta":{"content":"You are wel"}}],"usage":null}\n\n',
    b'data: {"choices":[{"index":0,"delta":{"content":"come."}}]}\n\ndata: {"choices":[],"usa',
    b'ge":{"prompt_tokens":31,"completion_tokens":5}}\n\ndata: [DONE]\n\n',
)
WHOLE = b'{"choices": [], "usage": {"prompt_tokens": 31, "completion_tokens": 5}}'


@dataclass(slots=True)
class Reply:
    """A reply whose head has arrived."""

    is_stream: bool
    status: int = 200
    media_type: str = "application/json"
    retry_after: str = ""
    spent: Spent = field(default_factory=Spent)

    async def pour(self, take: Take) -> None:
        for piece in STREAM:
            waits = take(piece)
            if waits is not None:
                await waits
        self.spent = replace(told_by_stream(STREAM), cost_micro_usd=52)

    async def read(self) -> bytes:
        self.spent = replace(told_by_reply(WHOLE), cost_micro_usd=52)
        return WHOLE


@dataclass(slots=True)
class Upstream:
    """A model server."""

    internal: bool = True
    bodies: list[bytes] = field(default_factory=list)

    async def complete(self, body: bytes, _model: str) -> Reply:
        self.bodies.append(body)
        return Reply(is_stream=b'"stream": true' in body)

    async def models(self) -> tuple[Any, ...]:
        return ()


@pytest.fixture
def upstream() -> Upstream:
    return Upstream()


@pytest.fixture
async def gateway(tmp_path: Path, upstream: Upstream) -> AsyncIterator[KeptGateway]:
    rig = Rig(decision=FakeDecision(answer_decision(SAID)), model=FakeModel(["Mind the height."]))
    async with AsyncExitStack() as stack:
        yield await open_gateway(stack, Plan(tmp_path, rig=rig, upstream=upstream))


async def complete(http: httpx.AsyncClient, **more: Any) -> bytes:
    messages = [{"role": "user", "content": SAID}]
    body = json.dumps({"model": "m", "messages": messages, "user": "ada"} | more)
    reply = await http.post("/v1/chat/completions", content=body)
    assert reply.status_code == 200, reply.text
    return reply.content


async def used(gateway: KeptGateway, http: httpx.AsyncClient) -> list[dict[str, Any]]:
    await gateway.kept.counting.flush()
    days: list[dict[str, Any]] = (await http.get("/v1/usage", params={"user_id": "ada"})).json()[
        "days"
    ]
    return days


@pytest.mark.parametrize(("stream", "expected"), [(True, b"".join(STREAM)), (False, WHOLE)])
async def test_a_turn_that_is_passed_on_is_counted_and_not_touched(
    gateway: KeptGateway, upstream: Upstream, *, stream: bool, expected: bytes
) -> None:
    async with gateway.client() as http:
        got = await complete(http, **({"stream": True} if stream else {}))
        days = await used(gateway, http)

    assert got == expected
    assert len(upstream.bodies) == 1
    assert len(days) == 1
    assert (days[0]["turns"], days[0]["tokens_in"], days[0]["tokens_out"]) == (1, 31, 5)
    assert days[0]["cost_usd"] == 52e-6


async def test_a_memory_that_fits_is_told_to_the_model_even_when_nothing_is_searched(
    gateway: KeptGateway, upstream: Upstream
) -> None:
    assert gateway.rig.model is not None
    async with gateway.client() as http:
        await complete(http)  # now it is known that ada has none
        memory = {"text": "Thank you for the van advice!", "user_id": "ada"}
        await http.post("/v1/memories", json=memory)
        said = json.loads(await complete(http))
        stranger = await complete(http, user="bob")

    client = gateway.rig.model.prompts[0].client
    assert client is not None
    assert [m["content"] for m in client.messages][-1] == SAID
    assert "van advice" in client.messages[0]["content"]
    assert len(client.messages) == 2
    assert said["choices"][0]["message"]["content"] == "Mind the height."
    assert stranger == WHOLE
    assert len(upstream.bodies) == 2, "neither ada's second turn"


async def test_the_store_is_not_asked_again_at_once(
    gateway: KeptGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []

    async def none(*key: Any) -> tuple[Entry, ...]:
        looks.append(key[2])
        return ()

    monkeypatch.setattr(type(gateway.kept.memories._shelf.records), "newest", none)
    async with gateway.client() as http:
        await complete(http)
        await complete(http)

    assert looks == ["memory"]


@pytest.mark.parametrize(
    "end", [b"data: [DONE]\n\n", b'data: {"usage":null}\n\n', b'{"usage"', b""]
)
def test_a_stream_that_tells_no_usage_counts_none(end: bytes) -> None:
    assert told_by_stream([end]) == Spent()
