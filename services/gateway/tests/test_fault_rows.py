"""The promises for a search that fails and a model that misbehaves, one test for each fault.

The model is spoken to over a real socket, so that cuts, stalls and broken bytes are real ones.
"""

import asyncio
import json
import socket
import struct
import time
from collections.abc import AsyncIterator, Sized
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, cast

import pytest
from port_fakes import (
    HITS,
    QUESTION,
    FakeDecision,
    FakeFetcher,
    FakeModel,
    FakeScorer,
    FakeSearch,
    answer_decision,
)
from turn_fakes import Rig, turn

from pellucid_gateway.adapters.model import LlmAnswerModel
from pellucid_gateway.domain.events import AnswerKind, Delta, Done, Failed, TurnEvent, TurnResult
from pellucid_gateway.domain.findings import ProviderStatus
from pellucid_gateway.domain.request import CitationStyle, Depth
from pellucid_gateway.turn_context.budgets import StageBudgets
from pellucid_runtime.llm.asking import Patience
from pellucid_runtime.llm.endpoint import open_endpoint
from pellucid_runtime.llm.openai import OpenAiClient

RST = object()
HANG = object()
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


def said(text: str) -> bytes:
    return b"data: " + json.dumps({"choices": [{"delta": {"content": text}}]}).encode() + b"\n\n"


def ended(reason: str = "stop") -> bytes:
    piece = {"choices": [{"delta": {}, "finish_reason": reason}]}
    return b"data: " + json.dumps(piece).encode() + b"\n\ndata: [DONE]\n\n"


@dataclass
class ModelServer:
    """Sends each connection the next script: bytes, HANG or RST, in order."""

    scripts: list[list[object]]
    asked: int = 0
    gone: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        script = self.scripts[min(self.asked, len(self.scripts) - 1)]
        self.asked += 1
        await _read_request(reader)
        writer.write(_HEAD)
        try:
            await self._play(script, reader, writer)
        except (ConnectionError, asyncio.CancelledError):
            self.gone += 1
        finally:
            writer.close()

    async def _play(
        self, script: list[object], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        for step in script:
            if step is HANG:
                await reader.read()  # until the other side leaves
                self.gone += 1
                return
            if step is RST:
                linger = struct.pack("ii", 1, 0)
                writer.get_extra_info("socket").setsockopt(
                    socket.SOL_SOCKET, socket.SO_LINGER, linger
                )
                return
            writer.write(cast("bytes", step))
            await writer.drain()
            await asyncio.sleep(0.01)


async def _read_request(reader: asyncio.StreamReader) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")]
    await reader.readexactly(int(lengths[0].split(b":")[1]))


@asynccontextmanager
async def model_over(
    *servers: ModelServer, patience: Patience | None = None
) -> AsyncIterator[LlmAnswerModel]:
    """The real client and adapter over scripted servers: the first, then the alternative."""
    async with AsyncExitStack() as stack:
        endpoints = []
        for server in servers:
            listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
            stack.push_async_callback(_stopped, listening)
            port = listening.sockets[0].getsockname()[1]
            url = f"http://127.0.0.1:{port}/v1"
            endpoints.append(await open_endpoint(url, str, "m", stack))
        client = OpenAiClient(endpoints, patience or Patience(5.0, 5.0, 20.0))
        yield LlmAnswerModel(client, name="m", receiver="", window_tokens=8192)


async def _stopped(listening: asyncio.Server) -> None:
    listening.close()
    await listening.wait_closed()


def result_of(events: list[TurnEvent]) -> TurnResult:
    assert isinstance(events[-1], Done), events[-1]
    assert sum(isinstance(event, (Done, Failed)) for event in events) == 1
    return events[-1].result


def text_of(events: list[TurnEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, Delta))


def codes(result: TurnResult) -> set[str]:
    return {notice.code for notice in result.notices}


@pytest.mark.parametrize(
    ("search", "scorer"),
    [
        (FakeSearch(hits=()), FakeScorer()),
        (FakeSearch(hits=HITS), FakeScorer(included=False)),
        (FakeSearch(hits=(HITS[0], HITS[0])), FakeScorer(included=False)),
    ],
    ids=["none", "off topic", "duplicates"],
)
async def test_row_25_nothing_usable_found_is_said_and_nothing_made_up(
    search: FakeSearch, scorer: FakeScorer
) -> None:
    model = FakeModel(["As far as I know it is 4 crowns [1], see https://made-up.example/x."])
    result = result_of(await Rig(search=search, scorer=scorer, model=model).events())

    assert "nothing_found" in codes(result)
    assert (result.citations, result.sources) == ((), ())
    assert "[1]" not in result.answer
    assert "made-up" not in result.answer
    assert result.answer_kind is AnswerKind.MODEL


@pytest.mark.parametrize("fault", ["down", "failed"])
async def test_row_26_all_providers_down_is_flagged_and_answered_at_once(fault: str) -> None:
    broken = {"down": FakeSearch(down=True), "failed": FakeSearch(status=ProviderStatus.FAILED)}
    rig = Rig(search=broken[fault], model=FakeModel(["It may be 4 crowns."]))
    begun = time.monotonic()
    result = result_of(await rig.events())

    assert time.monotonic() - begun < StageBudgets().search_s
    assert result.answer == "It may be 4 crowns."
    assert {loss.component for loss in result.degraded} == {"search"}
    assert "search_unavailable" in codes(result)


async def test_row_27_a_cut_stream_keeps_what_was_sent_and_says_so() -> None:
    server = ModelServer([[said("The toll is 4.50 crowns [1]. "), said("And it "), RST]])
    async with model_over(server) as model:
        events = await Rig(model=cast("Any", model)).events()

    result = result_of(events)
    assert (result.partial, result.finish_reason) == (True, "length")
    assert "partial_answer" in codes(result)
    assert {(loss.component, loss.detail) for loss in result.degraded} == {("llm", "broke_off")}
    assert text_of(events) == result.answer == "The toll is 4.50 crowns. And it "
    assert server.asked == 1, "after the first text nothing is tried again"


async def test_row_28_no_first_token_is_tried_once_elsewhere_before_any_byte() -> None:
    silent = ModelServer([[HANG]])
    second = ModelServer([[said("The toll is 4.50 crowns [1]."), ended()]])
    # The second one is bounded by the same time: enough of it for a busy machine.
    async with model_over(silent, second, patience=Patience(1.5, 5.0, 20.0)) as model:
        result = result_of(await Rig(model=cast("Any", model)).events())

    assert (silent.asked, second.asked, silent.gone) == (1, 1, 1)
    assert result.answer == "The toll is 4.50 crowns."
    assert [citation.source for citation in result.citations] == [1]


async def test_row_28_when_both_are_silent_the_sources_answer() -> None:
    silent = ModelServer([[HANG]])
    async with model_over(silent, patience=Patience(0.3, 0.3, 2.0)) as model:
        result = result_of(await Rig(model=cast("Any", model)).events())

    assert result.answer_kind is AnswerKind.EXTRACTIVE
    assert {"model_failed"} <= codes(result)
    assert "llm" in {loss.component for loss in result.degraded}


async def test_row_29_a_stalled_stream_ends_after_the_idle_time() -> None:
    server = ModelServer([[said("The toll is 4.50 crowns [1]. "), HANG]])
    async with model_over(server, patience=Patience(2.0, 0.2, 2.0)) as model:
        begun = time.monotonic()
        events = await Rig(model=cast("Any", model)).events()

    assert result_of(events).partial
    assert time.monotonic() - begun < 5.0
    assert text_of(events) == "The toll is 4.50 crowns. "


async def test_row_30_characters_cut_by_the_network_are_put_together() -> None:
    text = "Die Brücke kostet 4.50 crowns — 통행료 [1]."
    piece = json.dumps({"choices": [{"delta": {"content": text}}]}, ensure_ascii=False)
    raw = b"data: " + piece.encode() + b"\n\n" + ended()
    server = ModelServer([[raw[i : i + 7] for i in range(0, len(raw), 7)]])
    async with model_over(server) as model:
        result = result_of(await Rig(model=cast("Any", model)).events())

    assert result.answer == "Die Brücke kostet 4.50 crowns — 통행료."


@pytest.mark.parametrize(
    "broken",
    [b'data: {"choices": [{"delta": {"content": "\xff\xfe"}}]}\n\n', b"data: {oops\n\n"],
    ids=["invalid UTF-8", "broken JSON"],
)
async def test_row_30_broken_bytes_before_any_text_leave_the_sources(broken: bytes) -> None:
    async with model_over(ModelServer([[broken, ended()]])) as model:
        result = result_of(await Rig(model=cast("Any", model)).events())

    assert result.answer_kind is AnswerKind.EXTRACTIVE
    assert "\ufffd" not in result.answer


async def test_row_30_tool_calls_nobody_offered_do_not_loop() -> None:
    call = {"index": 0, "id": "x", "function": {"name": "search", "arguments": "{}"}}
    piece = json.dumps({"choices": [{"delta": {"tool_calls": [call]}}]}).encode()
    server = ModelServer([[b"data: " + piece + b"\n\n", ended("tool_calls")]])
    async with model_over(server) as model:
        events = await Rig(model=cast("Any", model)).events()

    assert server.asked == 1
    assert result_of(events).answer_kind is AnswerKind.EXTRACTIVE


async def _read_to_the_end(events: AsyncIterator[TurnEvent]) -> None:
    async for _ in events:
        pass


async def _leave(events: AsyncIterator[TurnEvent], asked: Sized) -> float:
    """Go away once the part that hangs has been asked; the seconds until all has ended."""
    async with asyncio.timeout(10), aclosing(cast("Any", events)):
        reading = asyncio.create_task(_read_to_the_end(events))
        while not asked:  # noqa: ASYNC110 - fakes list their calls
            await asyncio.sleep(0.01)
        left = time.monotonic()
        reading.cancel()
        await asyncio.wait({reading})
    assert reading.cancelled()
    return time.monotonic() - left


async def _left_at(at: str) -> float:
    rig = Rig(
        decision=FakeDecision(hangs=at == "decision"),
        search=FakeSearch(hangs=at == "search"),
        fetcher=FakeFetcher(hangs=at == "fetcher"),
        model=(model := FakeModel(["Some text. ", "more"], hangs_after=1)),
        budgets=replace(StageBudgets(), decision_s=20.0, search_s=20.0, page_s=20.0),
    )
    before = {task for task in asyncio.all_tasks() if not task.done()}
    asked: dict[str, Sized] = {
        "decision": rig.decision.calls,
        "search": rig.search.calls,
        "fetcher": rig.fetcher.calls,
        "model": model.prompts,
    }
    took_s = await _leave(rig.engine.run(turn(QUESTION)), asked[at])

    waited = {
        "search": rig.search.cancelled,
        "fetcher": rig.fetcher.cancelled,
        "model": model.cancelled,
    }
    assert waited.get(at, 1) == 1
    assert {task for task in asyncio.all_tasks() if not task.done()} <= before
    return took_s


@pytest.mark.parametrize("at", ["decision", "search", "fetcher", "model"])
async def test_row_31_a_client_that_leaves_cancels_everything_within_half_a_second(at: str) -> None:
    # The shortest of three: a busy machine may hold up one or two.
    assert min([await _left_at(at) for _ in range(3)]) < 0.5


async def test_a_length_limit_is_continued_without_repeating_or_losing_citations() -> None:
    model = FakeModel(
        ["The toll for cars is 4.50 crowns [1]. The Skerry Bridge opened in 19"],
        rests=[["The Skerry Bridge opened in 1987 and carries 12,000 ", "cars a day [3]."]],
    )
    result = result_of(
        await Rig(model=model).events(citation_style=CitationStyle.NUMERIC, depth=Depth.DEEP)
    )

    text, _, listing = result.answer.partition("\n\nSources:")
    assert text == (
        "The toll for cars is 4.50 crowns [1]. The Skerry Bridge opened in 1987 and carries "
        "12,000 cars a day [3]."
    )
    assert listing.count("[1]") == listing.count("[3]") == 1
    assert [citation.source for citation in result.citations] == [1, 3]
    assert not result.partial
    assert "Continue exactly where it stops" in model.prompts[1].messages[-1].content


async def test_an_answer_that_never_ends_is_continued_a_bounded_number_of_times() -> None:
    model = FakeModel(["All day long. "], truncated=True)
    rig = Rig(decision=FakeDecision(answer_decision()), model=model)
    result = result_of(await rig.events("Explain photosynthesis"))

    assert len(model.prompts) == 1 + 2
    assert result.partial
    assert "partial_answer" in codes(result)


async def test_a_deadline_too_short_for_anything_ends_in_a_clean_error() -> None:
    rig = Rig(search=FakeSearch(hangs=True), model=FakeModel(hangs_after=0))
    failed = (await rig.events(deadline_ms=100))[-1]

    assert isinstance(failed, Failed)
    assert (failed.reason, failed.retryable) == ("LLM_FAILED", True)
