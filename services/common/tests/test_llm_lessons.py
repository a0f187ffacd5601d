"""What is learnt of a model server: kept for a day, about ours alone, told once."""

from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web
from model_server import ASK, DONE, USAGE, Refuses, StartModel, all_of, client_of, event
from structlog.testing import capture_logs

from pellucid_runtime.llm.endpoint import open_endpoint
from pellucid_runtime.llm.lessons import DAY_S, LessonBook, Lessons, in_form
from pellucid_runtime.llm.model import (
    ChatMessage,
    LlmCause,
    LlmRejectedError,
    LlmTimeoutError,
    LlmUnavailableError,
)
from pellucid_runtime.llm.openai import OpenAiClient
from pellucid_runtime.llm.probe import probe
from pellucid_runtime.llm.refusals import read_refusal, retry_after_s
from pellucid_runtime.llm.settings import LlmSettings
from pellucid_runtime.llm.side_calls import LEFT_OUT_S, SideCalls
from pellucid_runtime.rpc.deadline import deadline_scope

TEXT = (event("Hello"), event(finish="stop"), USAGE, DONE)


class Clock:
    def __init__(self) -> None:
        self.seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


def refusing(*names: str) -> Refuses:
    """Refuse these fields, one at a time."""

    def refuses(body: dict[str, Any]) -> web.Response | None:
        named = next((name for name in names if name in body), None)
        error = {"message": f"Unsupported parameter: '{named}'", "param": named}
        return web.json_response({"error": error}, status=400) if named else None

    return refuses


def test_a_lesson_is_kept_for_a_day_and_told_once() -> None:
    clock = Clock()
    book = LessonBook(clock)
    lessons = Lessons(without=frozenset({"temperature"}))
    with capture_logs() as logs:
        book.keep("s", "m", lessons)
        book.keep("s", "m", lessons)
    assert [line["event"] for line in logs] == ["model_learnt"]
    assert logs[0]["without"] == ["temperature"]
    assert book.of("s", "other") == Lessons()
    clock.seconds += DAY_S - 1
    assert book.of("s", "m") == lessons
    clock.seconds += 2
    assert book.of("s", "m") == Lessons()


def test_models_that_clients_name_do_not_fill_the_memory() -> None:
    book = LessonBook(Clock())
    for number in range(1_000):
        book.keep("s", f"m{number}", Lessons(thinks=True))
    known = [n for n in range(1_000) if book.of("s", f"m{n}").thinks]
    assert known == list(range(744, 1_000))


async def test_a_clients_own_field_is_never_dropped(
    start_model: StartModel, stack: AsyncExitStack
) -> None:
    model = await start_model()
    model.status = 400
    model.body = {"error": {"message": "Unknown parameter: 'top_k'", "param": "top_k"}}
    request = replace(ASK, temperature=0.3, extra={"top_k": 5})
    with pytest.raises(LlmRejectedError) as caught:
        await all_of(await client_of(stack, model), request)
    assert len(model.asked) == 1
    assert caught.value.said is not None
    assert (caught.value.said.status, caught.value.said.param) == (400, "top_k")


async def test_a_server_that_refuses_on_and_on_is_not_asked_for_ever(
    start_model: StartModel, stack: AsyncExitStack
) -> None:
    model = await start_model()
    model.status, model.body = 400, {"error": {"message": "temperature: no. max_tokens: no."}}
    request = replace(ASK, temperature=0.3, max_tokens=5)
    with pytest.raises(LlmRejectedError):
        await (await client_of(stack, model)).complete(request)
    assert len(model.asked) == 2


def test_messages_take_the_form_that_was_learnt() -> None:
    parts = [{"type": "image_url", "image_url": {"url": "u"}}]
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "Rules."},
        {"role": "user", "content": "Sources."},
        {"role": "user", "content": parts},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
        {"role": "tool", "content": "a", "tool_call_id": "1"},
        {"role": "tool", "content": "b", "tool_call_id": "2"},
    ]
    assert in_form(messages, Lessons()) == messages
    joined = in_form(messages, Lessons(joins_system=True, alternates=True))
    assert [m["role"] for m in joined] == ["user", "assistant", "tool", "tool"]
    assert joined[0]["content"] == [{"type": "text", "text": "Rules.\n\nSources."}, *parts]


@pytest.mark.parametrize(
    ("status", "body", "cause"),
    [
        (403, b"{}", LlmCause.WRONG_KEY),
        (402, b'{"error": {"message": "Insufficient Balance"}}', LlmCause.QUOTA_SPENT),
        (500, b'{"error": {"type": "exceed_context_size_error"}}', LlmCause.CONTEXT_TOO_LONG),
        (400, b'{"error": {"message": "The model `x` does not exist"}}', LlmCause.UNKNOWN_MODEL),
        (404, b"<html>nothing here</html>", LlmCause.UNKNOWN_MODEL),
        (529, b"\xff\xfe", LlmCause.SERVER_ERROR),
        (400, b"[]", LlmCause.REFUSED),
    ],
)
def test_a_refusal_has_a_cause_whatever_its_form(status: int, body: bytes, cause: LlmCause) -> None:
    refusal = read_refusal(status, {}, body)
    assert refusal.cause is cause
    assert refusal.error("m").cause is cause


def test_what_a_client_wrote_and_a_server_echoes_names_no_field() -> None:
    body = b'{"detail": [{"loc": ["body", "x"], "input": {"content": "temperature"}}]}'
    assert read_refusal(422, {}, body).names(("temperature",)) == ()


def test_waits_are_read_in_every_form() -> None:
    assert retry_after_s({"retry-after-ms": "1500"}) == 1.5
    assert retry_after_s({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0.0
    assert retry_after_s({}) is None


async def test_a_server_that_asks_for_peace_is_left_alone(
    start_model: StartModel, stack: AsyncExitStack
) -> None:
    model = await start_model()
    headers = {"Retry-After": "30"}
    model.refuses = lambda _body: web.json_response({}, status=429, headers=headers)
    client = await client_of(stack, model)
    for _ in range(2):
        with pytest.raises(LlmUnavailableError) as caught:
            await client.complete(ASK)
        assert caught.value.cause is LlmCause.RATE_LIMITED
        assert caught.value.retry_after_s is not None
        assert 25 < caught.value.retry_after_s <= 30
    assert len(model.asked) == 1


async def test_a_kind_of_side_call_that_is_always_late_is_left_out_for_a_while() -> None:
    clock = Clock()
    calls = SideCalls(clock)
    for _ in range(3):
        with pytest.raises(LlmTimeoutError, match="slow"), calls.watched("judging", "m"):
            raise LlmTimeoutError("slow")
    with pytest.raises(LlmTimeoutError, match="always late"), calls.watched("judging", "m"):
        pytest.fail("it was waited for")
    with calls.watched("decision", "m"), calls.watched("", "m"):
        clock.seconds += LEFT_OUT_S + 1
    with calls.watched("judging", "m"):
        pass


async def test_one_call_in_time_makes_up_for_late_ones() -> None:
    calls = SideCalls(Clock())
    for late in (True, True, False, True, True):
        if late:
            with pytest.raises(LlmTimeoutError), calls.watched("judging", "m"):
                raise LlmTimeoutError("slow")
        else:
            with calls.watched("judging", "m"):
                pass
    with calls.watched("judging", "m"):
        pass


async def test_a_late_side_call_is_seen_by_the_deadline(
    start_model: StartModel, stack: AsyncExitStack
) -> None:
    model = await start_model()
    model.streams(5.0)
    client = await client_of(stack, model)
    request = replace(ASK, task="decision")
    for _ in range(3):
        with deadline_scope(0.1), pytest.raises(Exception, match="out of time"):
            await client.complete(request)
    with pytest.raises(LlmTimeoutError, match="always late"):
        await client.complete(request)
    assert len(model.asked) == 3


async def test_azures_older_addresses_keep_their_version(
    start_model: StartModel, stack: AsyncExitStack
) -> None:
    model = await start_model()
    model.completes("hi")
    url = f"{model.url}?api-version=2024-10-21"
    client = OpenAiClient([await open_endpoint(url, lambda: "k", "m", stack)])
    assert (await client.complete(ASK)).text == "hi"
    (asked,) = model.requests
    assert asked.query_string == "api-version=2024-10-21"
    assert (asked.headers["api-key"], asked.headers["Authorization"]) == ("k", "Bearer k")


async def test_a_probe_says_what_a_model_can_do(
    start_model: StartModel, stack: AsyncExitStack
) -> None:
    good, bad = await start_model(), await start_model()
    good.streams(event('{"ready": true}'), event(finish="stop"), USAGE, DONE)
    bad.status, bad.body = 401, {"error": {"message": "no"}}
    client = await client_of(stack, good, bad)
    settings = LlmSettings(llm_model="model-0", llm_fast_model="small")
    lines = [str(finding) async for finding in probe(client, settings)]
    assert [line.partition(" at ")[0] for line in lines] == [
        "model model-0",
        "model small",
        "model model-1",
    ]
    assert "JSON by schema, reports usage" in lines[0]
    assert lines[2].endswith("does not answer: wrong_key (status 401)")


async def test_several_refusals_in_a_row_are_met_once(
    start_model: StartModel, stack: AsyncExitStack
) -> None:
    model = await start_model()
    model.streams(*TEXT)
    model.refuses = refusing("temperature", "stream_options")
    client = await client_of(stack, model)
    request = replace(ASK, messages=(ChatMessage("user", "a"),), temperature=0.3)
    for expected in (3, 1):
        before = len(model.asked)
        chunks = await all_of(client, request)
        assert "".join(chunk.text for chunk in chunks) == "Hello"
        assert len(model.asked) - before == expected
