"""What SDKs look at besides the answer: models, counts, ids of requests, methods, small shapes."""

import asyncio
import contextlib
import json
from typing import Any

import httpx
import pytest
from api_fakes import ANSWER, FakeEngine
from mcp import Client
from test_api_errors import mcp

from pellucid_gateway.domain.request import ClientMessages

__all__ = ["mcp"]

MESSAGES: Any = [{"role": "user", "content": "What is the toll?"}]
TOOL: Any = {"type": "function", "function": {"name": "convert", "parameters": {}}}


async def test_models_have_what_both_vendors_clients_read(gateway: str) -> None:
    async with httpx.AsyncClient(base_url=gateway, trust_env=False) as http:
        listed = (await http.get("/v1/models")).json()
        one = await http.get("/v1/models/m")
        own = await http.get("/v1/models/pellucid")
        none = await http.get("/v1/models/a/b")

    assert (listed["object"], listed["has_more"]) == ("list", False)
    assert (listed["first_id"], listed["last_id"]) == ("pellucid", "m")
    for model in listed["data"]:
        assert model["display_name"] == model["id"]
        assert model["created_at"].endswith("Z")
    assert one.json() == listed["data"][1]
    assert own.json() == listed["data"][0]
    assert (none.status_code, none.json()["error"]["code"]) == (404, "not_found")


async def test_tokens_are_counted_before_anything_is_asked(
    http: httpx.AsyncClient, engine: FakeEngine
) -> None:
    short = {"messages": MESSAGES}
    long = {"messages": [{"role": "user", "content": "toll " * 500}]}
    counts = [
        (await http.post("/v1/messages/count_tokens", json={"model": "m", **body})).json()
        for body in (short, long)
    ]
    response = await http.post("/v1/responses/input_tokens", json={"input": "What is the toll?"})

    assert counts[0].keys() == {"input_tokens"}
    assert 4 <= counts[0]["input_tokens"] < 40
    assert 400 <= counts[1]["input_tokens"] < 800
    assert response.json()["object"] == "response.input_tokens"
    assert response.json()["input_tokens"] > 0
    assert engine.turns == []


async def test_every_answer_has_an_id(http: httpx.AsyncClient) -> None:
    replies = [
        await http.get("/livez"),
        await http.get("/nowhere"),
        await http.post("/v1/messages", json={"messages": MESSAGES, "max_tokens": 9}),
        await http.post("/v1/chat", json={"message": "x", "stream": True}),
    ]

    ids = [reply.headers["x-request-id"] for reply in replies]
    assert len(set(ids)) == len(ids)
    assert [reply.headers["request-id"] for reply in replies] == ids


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/v1/chat/completions", {"POST"}),
        ("/v1/messages", {"POST"}),
        ("/v1/models", {"GET"}),
        ("/compat/searxng/search", {"GET", "POST"}),
    ],
)
async def test_a_path_tells_its_methods(
    http: httpx.AsyncClient, path: str, methods: set[str]
) -> None:
    asked = await http.options(path)
    wrong = await http.put(path)

    assert asked.status_code == 204
    for reply in (asked, wrong):
        assert set(reply.headers["allow"].split(", ")) == methods | {"OPTIONS"}
    assert wrong.status_code == 405


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (
            "/v1/chat/completions",
            {"messages": MESSAGES, "response_format": {"type": "json_object"}},
        ),
        ("/v1/chat/completions", {"messages": MESSAGES, "tools": [TOOL]}),
        (
            "/v1/messages",
            {"messages": MESSAGES, "max_tokens": 9, "tools": [{"name": "f", "input_schema": {}}]},
        ),
        (
            "/v1/responses",
            {
                "input": "toll?",
                "text": {"format": {"type": "json_schema", "name": "n", "schema": {}}},
            },
        ),
    ],
)
async def test_what_only_a_model_can_write_is_refused_without_one(
    http: httpx.AsyncClient, engine: FakeEngine, path: str, body: dict[str, Any]
) -> None:
    reply = await http.post(path, json={"model": "m", **body})

    assert reply.status_code == 400
    assert "language model" in reply.json()["error"]["message"]
    assert engine.turns == []


async def test_tools_that_are_not_to_be_used_are_no_reason_to_refuse(
    http: httpx.AsyncClient,
) -> None:
    body = {"messages": MESSAGES, "tools": [TOOL], "tool_choice": "none"}
    reply = await http.post("/v1/chat/completions", json=body)

    assert reply.json()["choices"][0]["message"]["content"] == ANSWER


@pytest.mark.parametrize("base", ["/compat/searxng", "/compat/searxng/"])
async def test_searxngs_base_is_a_search_too(http: httpx.AsyncClient, base: str) -> None:
    found = await http.get(base, params={"q": "toll", "format": "json"})
    wrong = await http.get(base)

    assert found.json()["results"]
    assert "q" in wrong.json()["error"]


@pytest.mark.parametrize("query", [3, [], [""], ["x"] * 6, {"a": 1}])
async def test_perplexitys_errors_name_the_field_only(http: httpx.AsyncClient, query: Any) -> None:
    reply = await http.post("/compat/perplexity/search", json={"query": query})

    error = reply.json()["error"]
    assert reply.status_code == 400
    assert error["param"].startswith("query")
    for foreign in ("function-", "constrained", "validator", "pydantic"):
        assert foreign not in json.dumps(error)


async def test_the_answer_of_the_tool_is_no_longer_than_it_need_be(mcp: str) -> None:
    async with Client(mcp) as client:
        reply = await client.call_tool("web_answer", {"question": "toll?"})
        found = await client.call_tool("web_search", {"query": "toll"})
        capabilities = client.server_capabilities

    told = reply.structured_content
    assert told is not None
    assert told.keys() == {"answer", "answer_kind", "citations", "sources", "notices"}
    assert len(json.dumps(told)) < 2 * len(ANSWER) + 1200
    assert found.structured_content is not None
    assert found.structured_content.keys() == {"results", "notices"}
    assert capabilities.tools is not None
    assert capabilities.prompts is capabilities.resources is None


async def test_a_memory_never_comes_between_a_call_and_its_result() -> None:
    from port_fakes import FakeDecision, FakeModel, answer_decision
    from turn_fakes import Rig

    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    said: list[Any] = [
        {"role": "user", "content": "Convert it."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "4.20"},
    ]
    rig = Rig(decision=FakeDecision(answer_decision()), model=FakeModel(["It is 4.20."]))
    for messages in (said, [*said, {"role": "user", "content": "And back?"}]):
        client = ClientMessages(messages=tuple(messages))
        await rig.events("Convert it.", passthrough=client, memories=("I pay in crowns.",))

        assert rig.model is not None
        prompt = rig.model.prompts[-1].client
        assert prompt is not None
        roles = [message["role"] for message in prompt.messages]
        assert "crowns" in json.dumps(prompt.messages)
        assert roles[roles.index("assistant") + 1] == "tool"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/chat", {"message": "toll?"}),
        ("/v1/chat/completions", {"model": "m", "messages": MESSAGES}),
        ("/v1/responses", {"model": "m", "input": "toll?"}),
        ("/v1/messages", {"model": "m", "max_tokens": 9, "messages": MESSAGES}),
    ],
)
@pytest.mark.parametrize("after", ["head", "nothing"])
async def test_stop_is_no_error_of_the_server(
    gateway: str,
    engine: FakeEngine,
    caplog: pytest.LogCaptureFixture,
    *,
    path: str,
    body: dict[str, Any],
    after: str,
) -> None:
    engine.pause_s = 0.02 if after == "head" else 5.0
    async with httpx.AsyncClient(trust_env=False, timeout=0.5) as http:
        with contextlib.suppress(httpx.ReadTimeout):
            async with http.stream("POST", f"{gateway}{path}", json=body | {"stream": True}) as got:
                await anext(got.aiter_bytes())
    await asyncio.wait_for(engine.cancelled.wait(), 10)
    await asyncio.sleep(0.1)

    assert [record for record in caplog.records if record.name.startswith("uvicorn")] == []
