"""Clients that send ids in place of what was said and called before."""

from collections.abc import AsyncIterator, Mapping
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from api_fakes import ANSWER, FakeEngine, MakeApp, tool_call_events

from pellucid_runtime.errors import DependencyDownError, NotFoundError

FUNCTION: Any = {"type": "function", "name": "convert", "parameters": {"type": "object"}}


class Shelf:
    """Evidence in a dictionary."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], Mapping[str, Any]] = {}
        self.down = False

    async def save(self, evidence_id: str, owner: str, record: Mapping[str, Any]) -> None:
        if self.down:
            raise DependencyDownError("store")
        self.kept[evidence_id, owner] = record

    async def load(self, evidence_id: str, owner: str) -> Mapping[str, Any]:
        if (evidence_id, owner) not in self.kept:
            raise NotFoundError("evidence")
        return self.kept[evidence_id, owner]

    async def delete(self, evidence_id: str, owner: str) -> None:
        del self.kept[evidence_id, owner]


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
async def http(make_app: MakeApp, shelf: Shelf) -> AsyncIterator[httpx.AsyncClient]:
    app = make_app(evidence=shelf, upstream=SimpleNamespace(internal=True))
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield client


async def _ask(http: httpx.AsyncClient, *items: Any, **more: Any) -> httpx.Response:
    body = {"model": "pellucid", "user": "ada", "input": list(items), **more}
    return await http.post("/v1/responses", json=body)


QUESTION = {"role": "user", "content": "What is the toll?"}
MORE = {"role": "user", "content": "And for lorries?"}


@pytest.mark.parametrize("more", [{}, {"stream": True}])
async def test_what_was_said_is_told_again(
    http: httpx.AsyncClient, engine: FakeEngine, shelf: Shelf, more: Any
) -> None:
    assert (await _ask(http, QUESTION, **more)).status_code == 200
    ((kept,),) = (tuple(shelf.kept.values()),)
    (said,) = (item for item in kept["items"] if item["type"] == "message")
    reply = await _ask(http, QUESTION, {"type": "item_reference", "id": said["id"]}, MORE)
    assert reply.status_code == 200
    assert [message.content for message in engine.turns[-1].messages] == [
        "What is the toll?", ANSWER, "And for lorries?",
    ]  # fmt: skip


async def test_a_call_is_told_before_its_result(
    http: httpx.AsyncClient, engine: FakeEngine
) -> None:
    engine.events = tool_call_events()
    called = (await _ask(http, QUESTION, tools=[FUNCTION])).json()["output"][-1]
    assert called["type"] == "function_call"
    result = {"type": "function_call_output", "call_id": called["call_id"], "output": "4"}
    reference = {"type": "item_reference", "id": called["id"]}
    await _ask(http, QUESTION, reference, result, tools=[FUNCTION])
    client = engine.turns[-1].passthrough
    assert client is not None
    assert [message["role"] for message in client.messages] == ["user", "assistant", "tool"]
    assert client.messages[1]["tool_calls"][0]["id"] == called["call_id"]


async def test_what_is_not_kept_is_said(http: httpx.AsyncClient, shelf: Shelf) -> None:
    first = (await _ask(http, QUESTION, store=False)).json()
    assert not shelf.kept
    reference = {"type": "item_reference", "id": first["output"][-1]["id"]}
    unkept = await _ask(http, QUESTION, reference, MORE)
    kept = (await _ask(http, QUESTION)).json()["output"][-1]["id"]
    others = await _ask(http, QUESTION, {"type": "item_reference", "id": kept}, MORE, user="bob")
    for reply in (unkept, others):
        assert reply.status_code == 404
        assert "store" in reply.json()["error"]["message"]
    thought = await _ask(http, QUESTION, {"type": "item_reference", "id": "rs_x_0"}, MORE)
    assert thought.status_code == 200


async def test_a_store_that_is_down_costs_no_answer(http: httpx.AsyncClient, shelf: Shelf) -> None:
    shelf.down = True
    assert (await _ask(http, QUESTION)).status_code == 200
