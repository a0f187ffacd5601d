"""A compatible face's own messages reach the model unchanged, with one message of ours."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from api_fakes import MakeApp
from hypothesis import given, settings
from hypothesis import strategies as st
from port_fakes import QUESTION, FakeDecision, FakeModel, FakeSearch, answer_decision
from test_engine_prompts import SETTING, source
from turn_fakes import Rig, turn

from pellucid_gateway.adapters.model import LlmAnswerModel
from pellucid_gateway.answering.client_prompt import build_client_prompt
from pellucid_gateway.answering.window import PER_MESSAGE_TOKENS
from pellucid_gateway.domain.answer_model import ModelToolCalls, Prompt
from pellucid_gateway.domain.events import Delta, Done, ToolCallPieces, TurnResult
from pellucid_gateway.domain.request import ClientMessages, SubjectContext
from pellucid_gateway.question.tokens import SAFETY, tokens_of
from pellucid_runtime.llm.model import ChatRequest, Chunk
from rig.sample import often

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 50_000}}
CLIENT = ClientMessages(
    messages=(
        {"role": "system", "content": "Answer like a pirate."},
        {"role": "user", "content": [{"type": "text", "text": "What is this?"}, IMAGE]},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function"}]},
        {"role": "tool", "tool_call_id": "c1", "content": "a bridge"},
        {"role": "user", "name": "kim", "content": QUESTION},
    ),
    fields={"temperature": 1.7, "tools": [{"type": "function"}], "top_k": 5},
)


def result_of(events: list[Any]) -> TurnResult:
    assert isinstance(events[-1], Done), events[-1]
    return events[-1].result


async def test_only_one_message_is_added_and_nothing_else_changes() -> None:
    rig = Rig(model=FakeModel())
    result = result_of(await rig.events(passthrough=CLIENT))
    sent = rig.model.prompts[0].client
    assert sent is not None

    assert (*sent.messages[:-2], sent.messages[-1]) == CLIENT.messages
    assert sent.fields == CLIENT.fields
    added = sent.messages[-2]
    assert added["role"] == "user"
    assert "4.50 crowns" in added["content"]
    assert "<<<DATA" in added["content"]
    assert result.citations, "citations of such turns are checked as well"
    assert any(text.kind == "prompt" for text in result.outbound)


async def test_a_turn_without_search_adds_nothing_but_what_is_known() -> None:
    rig = Rig(decision=FakeDecision(answer_decision()), model=FakeModel(["Arr."]))
    await rig.events(passthrough=CLIENT)
    await rig.events(passthrough=CLIENT, subject=SubjectContext(title="Keynote"))

    plain, about = (prompt.client for prompt in rig.model.prompts)
    assert plain is not None
    assert plain.messages == CLIENT.messages
    assert about is not None
    assert "Keynote" in about.messages[-2]["content"]


async def test_calls_of_the_clients_tools_come_out_as_they_are() -> None:
    pieces = (
        {"index": 0, "id": "c7", "type": "function", "function": {"name": "f", "arguments": ""}},
        {"index": 0, "function": {"arguments": '{"a":'}},
        {"index": 0, "function": {"arguments": " 1}"}},
    )
    rig = Rig(model=FakeModel([ModelToolCalls((piece,)) for piece in pieces]))
    events = await rig.events(passthrough=CLIENT)
    result = result_of(events)

    assert [e.pieces[0] for e in events if isinstance(e, ToolCallPieces)] == list(pieces)
    assert not [e for e in events if isinstance(e, Delta)]
    assert result.tool_calls == (
        {"id": "c7", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}},
    )


async def test_a_lost_search_adds_nothing_and_the_model_still_answers() -> None:
    rig = Rig(search=FakeSearch(down=True), model=FakeModel(["Arr."]))
    result = result_of(await rig.events(passthrough=CLIENT))

    sent = rig.model.prompts[0].client
    assert sent is not None
    assert sent.messages == CLIENT.messages
    assert "search_unavailable" in {notice.code for notice in result.notices}


class RecordingLlm:
    """Keeps the request."""

    async def stream(self, request: ChatRequest) -> Any:
        self.request = request
        yield Chunk("a", finish_reason="stop")

    async def complete(self, request: ChatRequest) -> Any:
        raise NotImplementedError


async def test_the_adapter_sends_fields_and_messages_as_they_are() -> None:
    llm = RecordingLlm()
    model = LlmAnswerModel(llm, name="m", receiver="", window_tokens=4096)
    prompt = Prompt(messages=(), max_tokens=None, model="other", client=CLIENT)
    _ = [piece async for piece in model.stream(prompt)]

    assert llm.request.extra == {**CLIENT.fields, "messages": list(CLIENT.messages)}
    assert (llm.request.temperature, llm.request.max_tokens) == (None, None)
    assert llm.request.model == "other"


def bound_of(client: ClientMessages) -> Fraction:
    """What the model reads is counted with, and what a chat template puts around it."""
    return SAFETY * sum(tokens_of(m["content"]) + PER_MESSAGE_TOKENS for m in client.messages)


TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": f"tool_{n}",
            "description": "Reads a file of the person's and gives its lines, some at a time.",
            "parameters": {
                "type": "object",
                "properties": {"path": {"type": "string"}, "offset": {"type": "number"}},
                "required": ["path"],
            },
        },
    }
    for n in range(40)
]


def test_a_clients_limit_for_any_model_and_its_tools_leave_room_for_sources() -> None:
    client = replace(CLIENT, fields={"max_tokens": 128_000, "tools": TOOLS})
    setting = replace(SETTING, window_tokens=32_768)
    prompt = build_client_prompt(turn(), client, [source(1), source(2)], setting)

    assert prompt.shown == (1, 2)
    assert prompt.left_out == 0


async def test_the_messages_api_gets_sources_beside_forty_tools_and_the_greatest_limit(
    make_app: MakeApp,
) -> None:
    model = FakeModel(window_tokens=32_768)
    tools = [{"name": t["function"]["name"], "input_schema": {"type": "object"}} for t in TOOLS]
    asked = {"role": "user", "content": QUESTION}
    body = {"model": "pellucid", "max_tokens": 128_000, "tools": tools, "messages": [asked]}
    served = make_app(engine=Rig(model=model).engine, upstream=SimpleNamespace(internal=True))
    transport = httpx.ASGITransport(served)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8080") as http:
        reply = await http.post("/v1/messages", json=body)

    assert reply.status_code == 200
    (prompt,) = model.prompts
    assert prompt.shown
    assert prompt.client is not None
    assert "4.50 crowns" in prompt.client.messages[0]["content"]
    assert prompt.client.fields["max_tokens"] == 128_000


async def test_sources_that_do_not_fit_beside_a_conversation_are_told_of() -> None:
    long = ClientMessages(messages=({"role": "user", "content": "word " * 20_000},))
    rig = Rig(model=FakeModel(["Arr."]))
    result = result_of(await rig.events(passthrough=long))

    assert rig.model.prompts[0].client == long
    told = {notice.code: notice.text for notice in result.notices}
    assert told["sources_left_out"].startswith("The conversation is so long")


def test_what_is_added_never_parts_a_call_of_a_tool_from_its_result() -> None:
    client = replace(CLIENT, messages=(CLIENT.messages[-1], *CLIENT.messages[2:4]))
    prompt = build_client_prompt(turn(), client, [source(1)], SETTING)

    assert prompt.client is not None
    assert prompt.client.messages[1:] == client.messages


def test_a_client_is_told_the_time_with_the_sources() -> None:
    prompt = build_client_prompt(turn(time_zone="Asia/Seoul"), CLIENT, [source(1)], SETTING)

    assert prompt.client is not None
    assert "21 November 2026, 08:30 (Asia/Seoul" in prompt.client.messages[-2]["content"]


@pytest.mark.parametrize("window", [2_048, 4_096, 6_000])
def test_a_long_conversation_leaves_no_room_and_is_not_cut(window: int) -> None:
    long = ClientMessages(messages=({"role": "user", "content": "word " * 4_000},))
    prompt = build_client_prompt(turn(), long, [source(1)], replace(SETTING, window_tokens=window))

    assert prompt.client is not None
    assert prompt.client.messages == long.messages
    assert prompt.shown == ()


@settings(max_examples=often(200), deadline=None)
@given(
    st.integers(2_048, 200_000),
    st.lists(st.text(max_size=3_000), max_size=20),
    st.lists(st.text(max_size=3_000), min_size=1, max_size=5),
)
def test_what_is_added_always_fits_beside_the_clients_own(
    window: int, facts: list[str], said: list[str]
) -> None:
    client = ClientMessages(messages=tuple({"role": "user", "content": text} for text in said))
    sources = [source(n, text) for n, text in enumerate(facts, start=1)]
    prompt = build_client_prompt(turn(), client, sources, replace(SETTING, window_tokens=window))
    assert prompt.client is not None

    added = len(prompt.client.messages) - len(client.messages)
    assert added == bool(prompt.shown)
    if added:
        assert bound_of(prompt.client) + SETTING.plan.answer_tokens <= window
