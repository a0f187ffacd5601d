"""The client of the scorer's trained model: what it sends, what it reads, and a rest after a fault."""  # noqa: E501 - one sentence

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import grpc
import pytest
from pellucid.common.v1 import common_pb2 as common
from pellucid.scorer.v1 import scorer_pb2 as pb
from pellucid.scorer.v1 import scorer_pb2_grpc

from pellucid_decision.adapters.scorer_understanding import SERVICE_NAME, ScorerUnderstanding
from pellucid_decision.decision import Freshness
from pellucid_decision.errors import UnavailableError
from pellucid_decision.text.conversation import Role, Turn
from pellucid_decision.understanding.words import Piece
from pellucid_runtime.rpc.channel import open_channel

REPLY = pb.UnderstandResponse(
    search=0.9,
    leans_on_history=0.2,
    freshness=[0.1, 0.2, 0.0, 0.6, 0.1],
    kind="news",
    pieces=[pb.Piece(text=1, start=2, end=4, queries=[0.5, 0.25, 0.0])],
)


@dataclass
class Scorer(scorer_pb2_grpc.ScorerServiceServicer):
    """Answers, refuses or is late."""

    refuses: grpc.StatusCode | None = None
    waits_s: float = 0.0
    reply: pb.UnderstandResponse = field(default_factory=lambda: REPLY)
    asked: list[pb.UnderstandRequest] = field(default_factory=list)

    async def Understand(  # noqa: N802 - gRPC
        self, request: pb.UnderstandRequest, context: grpc.aio.ServicerContext
    ) -> pb.UnderstandResponse:
        self.asked.append(request)
        await asyncio.sleep(self.waits_s)
        if self.refuses:
            await context.abort(self.refuses, "no")
        return self.reply


@asynccontextmanager
async def client(scorer: Scorer) -> AsyncIterator[ScorerUnderstanding]:
    server = grpc.aio.server()
    scorer_pb2_grpc.add_ScorerServiceServicer_to_server(scorer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            yield ScorerUnderstanding(channel, timeout_s=0.5)
    finally:
        await server.stop(None)


async def test_what_is_sent_and_what_is_read() -> None:
    scorer = Scorer()
    async with client(scorer) as model:
        turns = (Turn(Role.USER, "hello"), Turn(Role.ASSISTANT, "hi"))
        read = await model.understand("news?", turns)
    assert read.search == 0.9
    assert read.leans == 0.2
    assert read.freshness is Freshness.MONTH
    assert read.kind == "news"
    assert read.pieces == (Piece(1, 2, 4, (0.5, 0.25, 0.0)),)
    (request,) = scorer.asked
    assert request.message == "news?"
    assert [turn.role for turn in request.history] == [common.ROLE_USER, common.ROLE_ASSISTANT]


@pytest.mark.parametrize("code", [grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.UNAVAILABLE])
async def test_a_scorer_that_cannot_is_left_alone_for_a_while(code: grpc.StatusCode) -> None:
    scorer = Scorer(refuses=code)
    async with client(scorer) as model:
        for _ in range(2):
            with pytest.raises(UnavailableError):
                await model.understand("news?", ())
    assert len(scorer.asked) == 1


async def test_a_late_scorer_is_asked_again() -> None:
    scorer = Scorer(waits_s=2.0)
    async with client(scorer) as model:
        with pytest.raises(UnavailableError):
            await model.understand("news?", ())
        scorer.waits_s = 0.0
        assert (await model.understand("news?", ())).kind == "news"


@pytest.mark.parametrize(
    "code", [grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.INVALID_ARGUMENT]
)
async def test_a_scorer_that_refuses_one_message_is_asked_the_next(code: grpc.StatusCode) -> None:
    scorer = Scorer(refuses=code)
    async with client(scorer) as model:
        with pytest.raises(UnavailableError):
            await model.understand("news?", ())
        scorer.refuses = None
        assert (await model.understand("news?", ())).kind == "news"


async def test_a_scorer_that_is_not_there_is_waited_for_once() -> None:
    async with open_channel("127.0.0.1:1", service=SERVICE_NAME) as channel:
        model = ScorerUnderstanding(channel, timeout_s=0.1)
        with pytest.raises(UnavailableError, match="did not answer"):
            await model.understand("news?", ())
        with pytest.raises(UnavailableError, match="a moment ago"):
            await model.understand("news?", ())


@pytest.mark.parametrize(
    "reply",
    [
        pb.UnderstandResponse(search=math.nan),
        pb.UnderstandResponse(search=0.9, leans_on_history=1.5),
        pb.UnderstandResponse(search=0.9, pieces=[pb.Piece(end=2, queries=[0.5])]),
        pb.UnderstandResponse(search=0.9, pieces=[pb.Piece(end=2, queries=[0.5, math.nan, 0.1])]),
    ],
)
async def test_what_is_no_probability_is_no_reply(reply: pb.UnderstandResponse) -> None:
    async with client(Scorer(reply=reply)) as model:
        with pytest.raises(UnavailableError, match="usable"):
            await model.understand("news?", ())


@pytest.mark.parametrize(
    ("search", "turns", "kind"),
    [
        (0.2, (Turn(Role.USER, "hi"),), "smalltalk"),
        (0.3, (Turn(Role.USER, "hi"),), ""),
        (0.3, (), "smalltalk"),
        (0.8, (), ""),
    ],
)
async def test_small_talk_after_something_is_only_what_surely_is(
    search: float, turns: tuple[Turn, ...], kind: str
) -> None:
    reply = pb.UnderstandResponse(search=search, kind="smalltalk")
    async with client(Scorer(reply=reply)) as model:
        assert (await model.understand("dogs?", turns)).kind == kind
