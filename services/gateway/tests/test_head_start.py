"""The model server is asked beside the decision where that plainly says no; it still decides."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from kept_rig import KeptGateway, Plan, open_gateway
from port_fakes import FakeDecision, FakeModel, answer_decision, search_decision
from turn_fakes import Rig

from pellucid_gateway.api.compatible.head_start import HeadStart
from pellucid_gateway.api.compatible.upstream import Take
from pellucid_gateway.domain.decision import Decision
from pellucid_gateway.domain.passed_on import Spent
from pellucid_gateway.domain.ports import DecideAnswer, DecideCall
from pellucid_gateway.question.plain_messages import is_plain
from pellucid_runtime.llm.model import LlmUnavailableError

THANKS = "Thank you, that was very helpful!"
QUESTION = "What does the Ondry Bridge cost?"
SAID = b'data: {"choices":[{"delta":{"content":"Gladly."}}]}\n\ndata: [DONE]\n\n'


@dataclass(slots=True)
class Reply:
    """A reply whose head has arrived."""

    is_stream: bool = True
    status: int = 200
    media_type: str = "text/event-stream"
    retry_after: str = ""
    poured: bool = False
    hung_up: bool = False
    spent: Spent = field(default_factory=Spent)

    async def pour(self, take: Take) -> None:
        self.poured = True
        waits = take(SAID)
        if waits is not None:
            await waits

    async def read(self) -> bytes:
        return SAID

    def hang_up(self) -> None:
        self.hung_up = True


@dataclass(slots=True)
class Upstream:
    """A model server that tells when it was asked."""

    internal: bool = True
    hangs: bool = False
    is_lost: bool = False
    bodies: list[bytes] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    cancelled: int = 0
    asked: asyncio.Event = field(default_factory=asyncio.Event)

    async def complete(self, body: bytes, _model: str) -> Reply:
        self.bodies.append(body)
        self.asked.set()
        if self.is_lost:
            raise LlmUnavailableError("the model server cannot be reached")
        try:
            if self.hangs:
                await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        self.replies.append(Reply())
        return self.replies[-1]

    async def models(self) -> tuple[Any, ...]:
        return ()


@dataclass
class LateDecision(FakeDecision):
    """Decides a moment later; `seen` tells what the model server had been asked by then."""

    upstream: Upstream = field(default_factory=Upstream)
    seen: list[int] = field(default_factory=list)

    async def decide(self, call: DecideCall) -> DecideAnswer:
        await asyncio.sleep(0.02)
        self.seen.append(len(self.upstream.bodies))
        return await super().decide(call)


@dataclass(frozen=True, slots=True)
class Opened:
    """A gateway between a late decision and a model server."""

    gateway: KeptGateway
    upstream: Upstream
    decision: LateDecision

    async def complete(self, message: str, **more: Any) -> httpx.Response:
        """Ask for a stream."""
        messages = [{"role": "user", "content": message}]
        body = {"model": "m", "messages": messages, "stream": True, "user": "ada"} | more
        async with self.gateway.client() as http:
            return await http.post("/v1/chat/completions", content=json.dumps(body))


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Opened]:
    async with AsyncExitStack() as stack:
        yield await open_one(stack, tmp_path)


async def open_one(
    stack: AsyncExitStack, folder: Path, decided: Decision | None = None, **settings: Any
) -> Opened:
    upstream = Upstream()
    decision = LateDecision(decided or answer_decision(THANKS), upstream=upstream)
    rig = Rig(decision=decision, model=FakeModel(["It costs 4.50 crowns [1]."]))
    plan = Plan(folder, rig=rig, upstream=upstream, settings=settings)
    return Opened(await open_gateway(stack, plan), upstream, decision)


async def test_plain_thanks_reach_the_model_before_the_decision_and_once(opened: Opened) -> None:
    reply = await opened.complete(THANKS)

    assert reply.content == SAID
    assert opened.decision.seen == [1]
    assert len(opened.upstream.bodies) == 1
    assert [r.hung_up for r in opened.upstream.replies] == [False]


async def test_with_the_web_off_any_message_does(opened: Opened) -> None:
    reply = await opened.complete(QUESTION, pellucid={"web_mode": "off"})

    assert reply.content == SAID
    assert opened.decision.seen == [1]


@pytest.mark.parametrize(
    ("message", "more"),
    [
        (QUESTION, {}),
        (f"{THANKS} {QUESTION}", {}),
        (THANKS, {"pellucid": {"memories": ["I am Ada."]}}),
        (THANKS, {"pellucid": {"context": {"title": "Keynote"}}}),
        (THANKS, {"pellucid": {"force_search": True}}),
    ],
)
async def test_other_messages_wait_for_the_decision(
    opened: Opened, message: str, more: dict[str, Any]
) -> None:
    await opened.complete(message, **more)

    assert opened.decision.seen == [0]


@pytest.mark.parametrize(
    ("message", "more", "seen"),
    [
        (QUESTION, {}, 1),
        (f"search for this: {QUESTION}", {}, 0),
        ("What does https://ondry.example say?", {}, 0),
        (QUESTION, {"pellucid": {"web_mode": "on"}}, 0),
        (QUESTION, {"pellucid": {"context": {"title": "Keynote"}}}, 0),
    ],
)
async def test_where_all_may_begin_those_that_ask_for_the_web_wait(
    tmp_path: Path, message: str, more: dict[str, Any], seen: int
) -> None:
    async with AsyncExitStack() as stack:
        opened = await open_one(stack, tmp_path, gateway_head_starts="all")
        await opened.complete(message, **more)

    assert opened.decision.seen == [seen]


@pytest.mark.parametrize("hangs", [False, True])
async def test_a_decision_to_search_ends_what_was_begun(tmp_path: Path, *, hangs: bool) -> None:
    async with AsyncExitStack() as stack:
        opened = await open_one(stack, tmp_path)
        opened.decision.decision = search_decision()
        opened.upstream.hangs = hangs
        reply = await opened.complete(THANKS)

    assert opened.decision.seen == [1]
    assert "4.50 crowns" in reply.text
    assert "Gladly" not in reply.text
    assert len(opened.upstream.bodies) == 1
    assert opened.upstream.cancelled == int(hangs)
    assert all(r.hung_up and not r.poured for r in opened.upstream.replies)
    assert len(opened.upstream.replies) == int(not hangs)


@pytest.mark.parametrize(
    ("memory", "seen"), [("A haiku about autumn pleases me.", 0), ("I drive a van.", 1)]
)
async def test_only_what_is_remembered_and_fits_is_waited_for(
    opened: Opened, memory: str, seen: int
) -> None:
    async with opened.gateway.client() as http:
        await http.post("/v1/memories", json={"text": memory, "user_id": "ada"})
    await opened.complete("Write a haiku about autumn")

    assert opened.decision.seen == [seen]


async def test_the_second_message_of_somebody_without_memories_begins_as_the_first(
    opened: Opened,
) -> None:
    for _ in range(2):
        await opened.complete(THANKS)

    assert opened.decision.seen == [1, 2]


async def test_memories_that_come_after_the_decision_begin_nothing() -> None:
    upstream = Upstream()
    async with HeadStart(lambda: upstream.complete(b"", "m")) as start:
        await start.reply()
        start.begin()
    start.begin()
    await asyncio.sleep(0)

    assert len(upstream.bodies) == 1


async def test_who_is_refused_costs_no_model(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        opened = await open_one(stack, tmp_path, gateway_suspicion_threshold=0.3)
        replies = [await opened.complete(THANKS) for _ in range(12)]

    assert "rate_limit_exceeded" in replies[-1].text
    answered = sum(r.content == SAID for r in replies)
    assert 0 < answered < len(replies)
    assert len(opened.upstream.bodies) == answered


async def test_a_model_that_is_lost_is_told_as_ever(opened: Opened) -> None:
    opened.upstream.is_lost = True
    reply = await opened.complete(THANKS)

    assert reply.status_code == 503
    assert len(opened.upstream.bodies) == 1


async def test_leaving_ends_what_was_begun() -> None:
    upstream = Upstream(hangs=True)

    async def work() -> None:
        async with HeadStart(lambda: upstream.complete(b"", "m")) as start:
            start.begin()
            await upstream.asked.wait()
            await start.reply()

    task = asyncio.create_task(work())
    await upstream.asked.wait()
    task.cancel()
    await asyncio.wait({task})

    assert task.cancelled()
    assert upstream.cancelled == 1


async def test_a_reply_that_comes_as_the_client_leaves_is_hung_up_on() -> None:
    upstream, may_answer = Upstream(), asyncio.Event()

    async def ask() -> Reply:
        await may_answer.wait()
        return await upstream.complete(b"", "m")

    async def work() -> None:
        async with HeadStart(ask) as start:
            start.begin()
            await start.reply()

    task = asyncio.create_task(work())
    await asyncio.sleep(0.01)
    may_answer.set()
    await asyncio.sleep(0)
    task.cancel()  # after the reply has come, before the work has it
    await asyncio.wait({task})

    assert task.cancelled()
    assert [reply.hung_up for reply in upstream.replies] == [True]


@pytest.mark.parametrize(
    "message",
    [
        THANKS, "hi", "Hello there!", "👋 Hi", "Great, thanks a lot 🙏", "Good morning!",
        "고마워요!", "정말 감사합니다", "谢谢你，太好了！", "どうもありがとう！", "Hola, ¿qué tal?",
        "Muchas gracias por tu ayuda.", "Vielen Dank, das war sehr hilfreich!", "Merci bien !",
        "Translate into French: the bridge is closed.", "please rewrite this: hello wrold",
        "### Task:\nGenerate a title for the chat.", "Write a short poem about autumn leaves",
        "Give me a Python function that reverses a list.", "Could you make up a little riddle?",
        "Schreib mir ein kurzes Gedicht", "Hazme un chiste corto", "Invente une petite comptine",
        "写一首诗",
        "Traduce al inglés: hola", "Übersetze ins Englische: guten Tag", "翻译成英文：桥关闭了",
    ],
)  # fmt: skip
def test_plain_messages_are_known(message: str) -> None:
    assert is_plain(message)


@pytest.mark.parametrize(
    "message",
    [
        "", "!!!", "yes please", "Really?", "thanks, and the weather?", "hello world in Rust",
        "Thank you for the music", "great wall of china", "Nice hotels", "谢谢你的歌词",
        "ありがとうの意味", "hallo welt", "salut les copains", "thanks " * 20, "please",
        "Translate the latest news into French", "Translate https://a.example/b into French",
        "Translators of Homer", "Who can translate this?", "Write a letter to the mayor of Ondry",
        "Write a poem about today's election", "Give me the top story in Brazil", "Give me a job",
        "Make functional clothes last", "Who wrote me a poem",
        "search for this and rewrite it", "Rewrite today's headline",
    ],
)  # fmt: skip
def test_other_messages_are_none(message: str) -> None:
    assert not is_plain(message)
