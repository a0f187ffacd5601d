"""The four services over gRPC. Deadlines, retries and error mapping are the channel's business."""

import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from typing import TypeVar

import grpc
from pellucid.decision.v1 import decision_pb2_grpc
from pellucid.fetcher.v1 import fetcher_pb2_grpc
from pellucid.scorer.v1 import scorer_pb2, scorer_pb2_grpc
from pellucid.search.v1 import search_pb2_grpc

from pellucid_gateway.adapters import requests as calls
from pellucid_gateway.adapters import responses as answers
from pellucid_gateway.domain import ports
from pellucid_gateway.domain.decision import PlannedQuery
from pellucid_gateway.domain.findings import PageContent, ScoredHit
from pellucid_gateway.domain.ports import Services
from pellucid_gateway.retrieval.unscored import are_numbers, is_sound
from pellucid_runtime.errors import DependencyDownError
from pellucid_runtime.rpc.channel import open_channel
from pellucid_runtime.rpc.hedging import HedgeBudget, hedged
from pellucid_runtime.rpc.latency import Latencies
from pellucid_runtime.rpc.tls import TlsFiles

T = TypeVar("T")

# A call that takes twice the usual 95th percentile of its kind is slow, within these bounds: below,
# a busy moment would pass for a slow replica; above, a second call would not end within the
# shortest stage, which has 0.5 s.
_LEAST_SCORER_PATIENCE_S = 0.05
_SCORER_PATIENCE_S = 0.2
# More would double the load of scorers that are all slow.
_EXTRA_SCORER_CALLS = 0.05
# Replicas that are asked until what one says can be true; other callers' turns lie between ours, so
# the second may be the first again.
_MOST_OPINIONS = 3
# One replica of two may be wrong all the time. Unlike slow ones, wrong ones are not overloaded.
_DOUBTED_SCORER_CALLS = 0.5


class DecisionClient:
    """Implements `ports.DecisionPort`."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = decision_pb2_grpc.DecisionServiceStub(channel)

    async def decide(self, call: ports.DecideCall) -> ports.DecideAnswer:
        """See `DecisionPort`."""
        response = await self._stub.Decide(calls.decide_request(call))
        return answers.decide_answer(response)

    async def write_queries(
        self, call: ports.DecideCall, known: tuple[PlannedQuery, ...]
    ) -> ports.Written:
        """See `DecisionPort`."""
        response = await self._stub.WriteQueries(calls.write_queries_request(call, known))
        return answers.written(response)

    async def reflect(self, call: ports.ReflectCall) -> ports.Reflection:
        """See `DecisionPort`."""
        response = await self._stub.Reflect(calls.reflect_request(call))
        return answers.reflection(response)


class SearchClient:
    """Implements `ports.SearchPort`."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = search_pb2_grpc.SearchServiceStub(channel)

    async def search(self, call: ports.SearchCall) -> ports.SearchAnswer:
        """See `SearchPort`."""
        response = await self._stub.Search(calls.search_request(call))
        return answers.search_answer(response)


class ScorerClient:
    """Implements `ports.ScorerPort`.

    A call that takes long, or is answered with what cannot be true, is made once more, on the next
    replica: its stages have no time for one that hangs. All calls may be made twice.
    """

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = scorer_pb2_grpc.ScorerServiceStub(channel)
        self._budget = HedgeBudget("scorer", ratio=_EXTRA_SCORER_CALLS)
        self._more_opinions = HedgeBudget("scorer-doubted", ratio=_DOUBTED_SCORER_CALLS)
        self._usual: defaultdict[str, Latencies] = defaultdict(Latencies)

    async def score(self, call: ports.ScoreCall) -> tuple[ScoredHit, ...]:
        """See `ScorerPort`."""
        request = calls.score_request(call)

        async def ask() -> tuple[ScoredHit, ...]:
            return answers.scored_hits(await self._stub.Score(request), call.hits)

        return await self._believable("score", ask, lambda scored: is_sound(scored, call.hits))

    async def similarities(
        self,
        text: str,
        others: Sequence[str],
        *,
        no_store: bool = False,
        thorough: bool = False,
    ) -> tuple[float, ...]:
        """See `ScorerPort`."""
        request = scorer_pb2.SimilarityRequest(
            text=text, others=others, no_store=no_store, thorough=thorough
        )

        async def ask() -> tuple[float, ...]:
            return tuple((await self._stub.Similarity(request)).similarities)

        return await self._believable(
            "similarity", ask, lambda said: are_numbers(said, len(others))
        )

    async def support(
        self, claims: Sequence[str], passages: Sequence[ports.Passage]
    ) -> tuple[tuple[ports.PassageSupport, ...], ...]:
        """See `ScorerPort`."""
        request = calls.support_request(claims, passages)

        async def ask() -> tuple[tuple[ports.PassageSupport, ...], ...]:
            return answers.supports(await self._stub.Support(request))

        def is_believable(said: Sequence[Sequence[ports.PassageSupport]]) -> bool:
            scores = [one.score for claim in said for one in claim]
            return len(said) == len(claims) and are_numbers(scores, len(scores))

        return await self._believable("support", ask, is_believable)

    async def _believable(
        self, kind: str, ask: Callable[[], Awaitable[T]], is_believable: Callable[[T], bool]
    ) -> T:
        """What a replica says; what the next one says where that cannot be true.

        Raises:
            DependencyDownError: None of them can be true, or too many before could not.
        """
        self._more_opinions.earn()
        for _ in range(_MOST_OPINIONS):
            said = await self._twice(ask, self._usual[kind])
            if is_believable(said):
                return said
            if not self._more_opinions.spend():
                break
        raise DependencyDownError("scorer")

    async def _twice(self, call: Callable[[], Awaitable[T]], usual: Latencies) -> T:
        async def timed() -> T:
            begun_s = time.monotonic()
            said = await call()
            usual.add(time.monotonic() - begun_s)
            return said

        # The second call may meet the same replica, since other callers' lie between.
        return await hedged(timed, after_s=patience_s(usual), budget=self._budget, most=3)


def patience_s(usual: Latencies) -> float:
    """Seconds after which another replica is asked as well."""
    slow_s = 2 * usual.hedge_after_s(_SCORER_PATIENCE_S)
    return min(_SCORER_PATIENCE_S, max(_LEAST_SCORER_PATIENCE_S, slow_s))


class FetcherClient:
    """Implements `ports.FetcherPort`."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = fetcher_pb2_grpc.FetcherServiceStub(channel)

    async def fetch_many(self, call: ports.FetchCall) -> AsyncIterator[tuple[int, PageContent]]:
        """See `FetcherPort`."""
        request = calls.fetch_many_request(call)
        async for response in self._stub.FetchMany(request):
            yield response.index, answers.page_content(response.page)


async def open_services(
    stack: AsyncExitStack,
    *,
    decision: str,
    search: str,
    scorer: str,
    fetcher: str,
    tls: TlsFiles | None = None,
) -> Services:
    """Channels to the four targets, closed with the stack; connecting happens with the first call.

    Args:
        stack: Closes the channels.
        decision: Target of the decision service, for example `127.0.0.1:50051`.
        search: Target of the search service.
        scorer: Target of the scorer.
        fetcher: Target of the fetcher.
        tls: Files of mutual TLS; None: plain text.
    """

    async def channel(target: str, service: str) -> grpc.aio.Channel:
        return await stack.enter_async_context(open_channel(target, service=service, tls=tls))

    return Services(
        decision=DecisionClient(await channel(decision, "pellucid.decision.v1.DecisionService")),
        search=SearchClient(await channel(search, "pellucid.search.v1.SearchService")),
        scorer=ScorerClient(await channel(scorer, "pellucid.scorer.v1.ScorerService")),
        fetcher=FetcherClient(await channel(fetcher, "pellucid.fetcher.v1.FetcherService")),
    )
