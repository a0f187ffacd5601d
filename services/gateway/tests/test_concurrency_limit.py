"""Turns for which there is no room are refused before any work, over HTTP, gRPC and sockets."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import grpc
import httpx
import pytest
from api_fakes import FakeEngine, MakeApp, fallen_bound
from pellucid.common.v1 import common_pb2
from pellucid.gateway.v1 import gateway_pb2, gateway_pb2_grpc

from pellucid_gateway.api.http.identity import Identity
from pellucid_gateway.domain.decision import Action
from pellucid_gateway.domain.events import Decided, Delta, Done, Failed, SourcesReady
from pellucid_gateway.domain.request import ChatMessage, Role, SearchCommand, TurnRequest
from pellucid_gateway.grpc.server import SERVICE_NAME, GatewayServicer
from pellucid_gateway.load_shedding.adaptive_limit import AdaptiveLimit
from pellucid_gateway.load_shedding.concurrency_limit import Cause, ConcurrencyLimit
from pellucid_gateway.load_shedding.gated_engine import GatedEngine
from pellucid_gateway.settings import GatewaySettings
from pellucid_runtime.errors import OverloadedError
from pellucid_runtime.health import Health
from pellucid_runtime.rpc.server import GrpcServer

TURN = TurnRequest(messages=(ChatMessage(Role.USER, "What is the toll?"),))
ASK = {"message": "What is the toll?"}
THANKS = {"role": "user", "content": "Thank you!"}


class Refusals(list[Cause]):
    """What the turnstile told of its refusals."""


@pytest.fixture
def refusals() -> Refusals:
    return Refusals()


@pytest.fixture
def concurrency_limit(refusals: Refusals) -> ConcurrencyLimit:
    searches = AdaptiveLimit(least=2, most=2, late_s=0.01)
    return ConcurrencyLimit(
        most_turns=4, searches=searches, most_lag_s=0.2, refused=refusals.append
    )


@pytest.fixture
async def client(
    make_app: MakeApp, engine: FakeEngine, concurrency_limit: ConcurrencyLimit
) -> AsyncIterator[httpx.AsyncClient]:
    app = make_app(
        engine=GatedEngine(engine, concurrency_limit), concurrency_limit=concurrency_limit
    )
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8080") as http:
        yield http


async def test_one_turn_too_many_is_refused_and_told_when_to_come_back(
    client: httpx.AsyncClient,
    engine: FakeEngine,
    concurrency_limit: ConcurrencyLimit,
    refusals: Refusals,
) -> None:
    with concurrency_limit.permit(), concurrency_limit.permit(), concurrency_limit.permit():
        assert (await client.post("/v1/chat", json=ASK)).status_code == 200
        with concurrency_limit.permit():
            refused = await client.post("/v1/chat", json=ASK)

    assert (refused.status_code, refused.json()["code"]) == (503, "OVERLOADED")
    assert refused.json()["retryable"] is True
    assert int(refused.headers["retry-after"]) >= 1
    assert refusals == [Cause.TURNS]
    assert len(engine.turns) == 1
    assert concurrency_limit.in_progress == 0


async def test_a_refused_body_is_not_parsed(
    client: httpx.AsyncClient, concurrency_limit: ConcurrencyLimit
) -> None:
    concurrency_limit.begin_search()
    concurrency_limit.begin_search()

    assert (await client.post("/v1/chat", content=b"not json")).status_code == 503


@pytest.fixture
def full(concurrency_limit: ConcurrencyLimit) -> ConcurrencyLimit:
    """There is room for turns, and none for searches."""
    concurrency_limit.begin_search()
    concurrency_limit.begin_search()
    return concurrency_limit


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/chat", {"message": "Thanks, that was great!"}),
        ("/v1/chat/completions", {"model": "m", "messages": [THANKS]}),
        ("/v1/messages", {"model": "m", "messages": [THANKS], "max_tokens": 9}),
        ("/v1/responses", {"model": "m", "input": "Thank you!"}),
    ],
)
async def test_small_talk_is_answered_while_searches_are_refused(
    client: httpx.AsyncClient, full: ConcurrencyLimit, path: str, body: dict[str, object]
) -> None:
    answered = await client.post(path, json=body)
    assert answered.status_code == 200, answered.text
    assert full.in_progress == 0


@pytest.mark.parametrize(
    "content",
    [
        b'{"message": "Thanks. Who built the bridge?"}',
        b'{"message": "Thanks!", "messages": [' + b" " * 5_000 + b"]}",
        b'{"messages": [{"role": "assistant", "content": "Thank you!"}]}',
        b'["Thank you!"]',
        b"Thank you!",
    ],
)
async def test_what_is_not_plainly_small_talk_is_refused_as_searches_are(
    client: httpx.AsyncClient, full: ConcurrencyLimit, content: bytes, refusals: Refusals
) -> None:
    assert (await client.post("/v1/chat", content=content)).status_code == 503
    assert refusals == [Cause.SEARCHES]
    assert full.in_progress == 0


async def test_small_talk_is_refused_as_well_where_searches_are_and_the_loop_is_late(
    client: httpx.AsyncClient, full: ConcurrencyLimit, refusals: Refusals
) -> None:
    full._lag_s = 0.25  # beyond what small talk may find, within the general bound
    full._most_lag_s = 60.0
    assert (await client.post("/v1/chat", json={"message": "Thank you!"})).status_code == 503
    assert refusals == [Cause.LAG]


async def test_small_talk_of_a_held_connection_is_answered_too(
    engine: FakeEngine, full: ConcurrencyLimit
) -> None:
    thanks = replace(TURN, messages=(ChatMessage(Role.USER, "Thank you!"),))
    assert isinstance([event async for event in GatedEngine(engine, full).run(thanks)][-1], Done)


async def test_apis_that_only_search_are_refused_first(
    client: httpx.AsyncClient, concurrency_limit: ConcurrencyLimit, refusals: Refusals
) -> None:
    with concurrency_limit.permit(), concurrency_limit.permit(), concurrency_limit.permit():
        search = await client.post("/v1/search", json={"query": "bridge toll"})
        tavily = await client.post("/compat/tavily/search", json={"query": "bridge toll"})
        chat = await client.post("/v1/chat", json=ASK)

    assert (search.status_code, tavily.status_code, chat.status_code) == (503, 503, 200)
    assert refusals == [Cause.TURNS, Cause.TURNS]


async def test_probes_and_pages_are_let_in_whatever_is_in_hand(
    client: httpx.AsyncClient, concurrency_limit: ConcurrencyLimit
) -> None:
    concurrency_limit.begin_search()
    concurrency_limit.begin_search()

    assert (await client.get("/livez")).status_code == 200
    assert (await client.get("/readyz")).status_code == 200
    assert (await client.get("/")).status_code == 200


async def test_a_turn_is_a_search_from_the_decision_until_its_sources(
    engine: FakeEngine, concurrency_limit: ConcurrencyLimit
) -> None:
    seen = {}
    async for event in GatedEngine(engine, concurrency_limit).run(TURN):
        seen.setdefault(type(event), concurrency_limit.searches)

    assert (seen[Decided], seen[SourcesReady], seen[Done]) == (1, 0, 0)
    assert (concurrency_limit.searches, concurrency_limit.in_progress) == (0, 0)


async def test_a_turn_that_is_left_gives_its_places_back(
    engine: FakeEngine, concurrency_limit: ConcurrencyLimit
) -> None:
    events = GatedEngine(engine, concurrency_limit).run(TURN)
    assert isinstance(await anext(events), Decided)
    assert (concurrency_limit.searches, concurrency_limit.in_progress) == (1, 1)

    await events.aclose()  # type: ignore[attr-defined]

    assert (concurrency_limit.searches, concurrency_limit.in_progress) == (0, 0)


async def test_a_turn_that_no_api_let_in_is_asked_about_in_the_engine(
    engine: FakeEngine, concurrency_limit: ConcurrencyLimit
) -> None:
    gated = GatedEngine(engine, concurrency_limit)
    concurrency_limit.begin_search()
    concurrency_limit.begin_search()

    events = [event async for event in gated.run(TURN)]
    with pytest.raises(OverloadedError):
        await gated.search(SearchCommand(query="bridge toll"))

    assert [type(event) for event in events] == [Failed]
    assert (events[0].reason, events[0].retryable) == ("OVERLOADED", True)
    assert not engine.turns
    assert not engine.commands


async def test_a_late_event_loop_refuses_until_it_comes_round_again(
    concurrency_limit: ConcurrencyLimit, refusals: Refusals
) -> None:
    watching = asyncio.create_task(concurrency_limit.watch_lag())
    await asyncio.sleep(0)
    with concurrency_limit.permit():
        pass
    time.sleep(0.4)  # noqa: ASYNC251 - holding the loop up is the point
    await asyncio.sleep(0.01)
    with pytest.raises(OverloadedError):
        concurrency_limit.permit().__enter__()
    assert refusals == [Cause.LAG]

    for _ in range(200):
        await asyncio.sleep(0.05)
        if _lets_in(concurrency_limit):
            break
    assert _lets_in(concurrency_limit)
    watching.cancel()
    await asyncio.wait({watching})


def _lets_in(concurrency_limit: ConcurrencyLimit) -> bool:
    try:
        with concurrency_limit.permit():
            return True
    except OverloadedError:
        return False


def opened(
    searches: AdaptiveLimit, told: Callable[[int], None] = lambda _: None
) -> ConcurrencyLimit:
    """A turnstile that refuses for no other reason than its bound of searches."""
    return ConcurrencyLimit(
        most_turns=512, searches=searches, most_lag_s=60, refused=lambda _: None, settled=told
    )


async def test_a_busy_loop_lowers_the_bound_of_searches_and_a_quiet_one_raises_it() -> None:
    bounds: list[int] = []
    is_wide = asyncio.Event()

    def told(bound: int) -> None:
        bounds.append(bound)
        if bound == 16:
            is_wide.set()

    # Far from what a busy machine's loop is late by itself.
    concurrency_limit = opened(AdaptiveLimit(least=2, most=16, late_s=0.08), told)
    watching = asyncio.create_task(concurrency_limit.watch_lag())
    for _ in range(3):
        concurrency_limit.begin_search()
    async with asyncio.timeout(30):
        while not bounds or bounds[-1] == 16:
            time.sleep(0.2)  # noqa: ASYNC251 - holding the loop up is the point
            await asyncio.sleep(0)
    assert bounds[-1] < 3
    assert not _lets_in(concurrency_limit)

    is_wide.clear()
    for _ in range(3):
        concurrency_limit.end_search()
    async with asyncio.timeout(30):
        await is_wide.wait()
    watching.cancel()
    await asyncio.wait({watching})


async def test_a_crowd_that_comes_at_once_is_let_in_while_nothing_is_late() -> None:
    concurrency_limit = opened(AdaptiveLimit(least=2, most=64, late_s=0.02))
    for _ in range(240):
        concurrency_limit.begin_deciding()
    for _ in range(40):
        concurrency_limit.begin_search()

    assert _lets_in(concurrency_limit)


async def test_answers_with_sources_count_for_a_part_once_it_was_too_much(
    engine: FakeEngine,
) -> None:
    searches = fallen_bound(least=1, most_in_hand=1)
    concurrency_limit = opened(searches)
    let_in = []
    three = [GatedEngine(engine, concurrency_limit).run(TURN) for _ in range(3)]
    for events in three:
        async for event in events:
            if isinstance(event, SourcesReady):
                break
        let_in.append(_lets_in(concurrency_limit))
    for events in three:
        await events.aclose()  # type: ignore[attr-defined]

    assert let_in == [True, True, False]
    assert _lets_in(concurrency_limit)


async def test_turns_that_are_not_decided_count_once_the_loop_was_late() -> None:
    searches = fallen_bound(least=2, most_in_hand=10)
    concurrency_limit = opened(searches)
    for _ in range(searches.searches):
        concurrency_limit.begin_deciding()
    assert not _lets_in(concurrency_limit)

    concurrency_limit.end_deciding()
    assert _lets_in(concurrency_limit)


async def test_a_turn_that_does_not_search_counts_until_its_decision(engine: FakeEngine) -> None:
    decided = next(event for event in engine.events if isinstance(event, Decided))
    answer = replace(decided, decision=replace(decided.decision, action=Action.ANSWER))
    engine.events = [answer, *(e for e in engine.events if isinstance(e, Delta | Done))]
    searches = fallen_bound(least=1, most_in_hand=1)
    concurrency_limit = opened(searches)

    assert {
        _lets_in(concurrency_limit) async for _ in GatedEngine(engine, concurrency_limit).run(TURN)
    } == {True}
    assert concurrency_limit.in_progress == 0


async def test_grpc_callers_are_told_to_come_back(
    engine: FakeEngine, concurrency_limit: ConcurrencyLimit
) -> None:
    servicer = GatewayServicer(GatedEngine(engine, concurrency_limit), Identity(b"k" * 16))
    server = GrpcServer(
        GatewaySettings(grpc_port=0),
        register=[
            lambda server: gateway_pb2_grpc.add_GatewayServiceServicer_to_server(servicer, server)
        ],
        services=[SERVICE_NAME],
        health=Health(),
        admission=concurrency_limit,
    )
    message = common_pb2.Message(role=common_pb2.ROLE_USER, content="What is the toll?")
    request = gateway_pb2.ChatRequest(messages=[message])
    async with server, grpc.aio.insecure_channel(server.target) as channel:
        stub = gateway_pb2_grpc.GatewayServiceStub(channel)
        assert [event async for event in stub.Chat(request)]
        concurrency_limit.begin_search()
        concurrency_limit.begin_search()
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            async for _ in stub.Chat(request):
                pass

    assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    trailers = dict(refused.value.trailing_metadata() or ())
    assert int(str(trailers["grpc-retry-pushback-ms"])) > 0
    assert concurrency_limit.in_progress == 0
