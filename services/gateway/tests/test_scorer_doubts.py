"""What a scorer says is believed only when it can be true; else the next replica is asked."""

import math
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from typing import Any

import grpc
import pytest
from pellucid.scorer.v1 import scorer_pb2, scorer_pb2_grpc

from pellucid_gateway.adapters.services import ScorerClient, open_services, patience_s
from pellucid_gateway.domain.ports import Passage
from pellucid_runtime.errors import DependencyDownError
from pellucid_runtime.rpc.latency import Latencies

NAN = math.nan


class Scripted(scorer_pb2_grpc.ScorerServiceServicer):
    """Answers with what a test wrote down, one after the other, the last one for ever."""

    def __init__(self) -> None:
        self.similarities: list[Sequence[float]] = []
        self.supports: list[Sequence[Sequence[float]]] = []
        self.calls = 0

    async def Similarity(self, request: Any, context: Any) -> Any:  # noqa: N802 - the contract's
        del request, context
        said = self.similarities[min(self.calls, len(self.similarities) - 1)]
        self.calls += 1
        return scorer_pb2.SimilarityResponse(similarities=said)

    async def Support(self, request: Any, context: Any) -> Any:  # noqa: N802 - the contract's
        del request, context
        said = self.supports[min(self.calls, len(self.supports) - 1)]
        self.calls += 1
        claims = [
            scorer_pb2.ClaimSupport(passages=[scorer_pb2.PassageSupport(score=s) for s in scores])
            for scores in said
        ]
        return scorer_pb2.SupportResponse(claims=claims)


@pytest.fixture
async def wired() -> AsyncIterator[tuple[ScorerClient, Scripted]]:
    scripted, server = Scripted(), grpc.aio.server()
    scorer_pb2_grpc.add_ScorerServiceServicer_to_server(scripted, server)
    target = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    async with AsyncExitStack() as stack:
        services = await open_services(
            stack, decision=target, search=target, scorer=target, fetcher=target
        )
        client = services.scorer
        assert isinstance(client, ScorerClient)
        yield client, scripted
    await server.stop(None)


@pytest.mark.parametrize("lie", [[0.5], [0.5, 0.5, 0.5], [0.5, NAN], [math.inf, 0.5]])
async def test_another_is_asked_where_similarities_cannot_be_true(
    wired: tuple[ScorerClient, Scripted], lie: Sequence[float]
) -> None:
    client, scripted = wired
    scripted.similarities = [lie, [0.25, 0.5]]

    assert await client.similarities("a", ["b", "c"]) == (0.25, 0.5)
    assert scripted.calls == 2


@pytest.mark.parametrize("lie", [[], [[NAN]], [[0.5], [0.5]]])
async def test_another_is_asked_where_support_cannot_be_true(
    wired: tuple[ScorerClient, Scripted], lie: Sequence[Sequence[float]]
) -> None:
    client, scripted = wired
    scripted.supports = [lie, [[0.75]]]
    ((judged,),) = await client.support(["claim"], [Passage("1", "text")])

    assert judged.score == 0.75


async def test_when_all_lie_the_scorer_is_lost_and_not_asked_twice_for_ever(
    wired: tuple[ScorerClient, Scripted],
) -> None:
    client, scripted = wired
    scripted.similarities = [[NAN]]
    for _ in range(40):
        with pytest.raises(DependencyDownError):
            await client.similarities("a", ["b"])

    # Ten that were saved up, and half as many as were asked for.
    assert 40 < scripted.calls <= 40 + 10 + 20


@pytest.mark.parametrize(
    ("usual_s", "calls", "waits_s"),
    [(0.06, 9, 0.2), (0.06, 10, 0.12), (0.01, 100, 0.05), (0.5, 100, 0.2)],
)
def test_what_is_slow_is_learnt_from_the_calls_of_its_kind(
    usual_s: float, calls: int, waits_s: float
) -> None:
    usual = Latencies()
    for _ in range(calls):
        usual.add(usual_s)

    assert patience_s(usual) == pytest.approx(waits_s)


async def test_every_answer_is_learnt_from(wired: tuple[ScorerClient, Scripted]) -> None:
    client, scripted = wired
    scripted.similarities = [[0.5]]
    for _ in range(20):
        await client.similarities("a", ["b"])

    usual = client._usual
    assert usual["similarity"].percentile(0.5) > 0
    assert not usual["score"].percentile(0.5)
