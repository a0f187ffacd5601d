"""Turns for which there is no room are refused before any work, over HTTP, gRPC and sockets."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import grpc
import httpx
import pytest
from door_fakes import FakeEngine, MakeApp, fallen_bound
from pellucid.common.v1 import common_pb2
from pellucid.gateway.v1 import gateway_pb2, gateway_pb2_grpc

from pellucid_gateway.admission.search_bound import SearchBound
from pellucid_gateway.admission.turnstile import Cause, GatedEngine, Turnstile
from pellucid_gateway.faces.door.identity import Identity
from pellucid_gateway.grpc.server import SERVICE_NAME, GatewayServicer
from pellucid_gateway.settings import GatewaySettings
from pellucid_gateway.vocabulary.decision import Action
from pellucid_gateway.vocabulary.events import Decided, Delta, Done, Failed, SourcesReady
from pellucid_gateway.vocabulary.request import ChatMessage, Role, SearchCommand, TurnRequest
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
def turnstile(refusals: Refusals) -> Turnstile:
    searches = SearchBound(least=2, most=2, late_s=0.01)
    return Turnstile(most_turns=4, searches=searches, most_lag_s=0.2, refused=refusals.append)


@pytest.fixture
async def client(
    make_app: MakeApp, engine: FakeEngine, turnstile: Turnstile
) -> AsyncIterator[httpx.AsyncClient]:
    app = make_app(engine=GatedEngine(engine, turnstile), turnstile=turnstile)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8080") as http:
        yield http


async def test_one_turn_too_many_is_refused_and_told_when_to_come_back(
    client: httpx.AsyncClient, engine: FakeEngine, turnstile: Turnstile, refusals: Refusals
) -> None:
    with turnstile.permit(), turnstile.permit(), turnstile.permit():
        assert (await client.post("/v1/chat", json=ASK)).status_code == 200
        with turnstile.permit():
            refused = await client.post("/v1/chat", json=ASK)

    assert (refused.status_code, refused.json()["code"]) == (503, "OVERLOADED")
    assert refused.json()["retryable"] is True
    assert int(refused.headers["retry-after"]) >= 1
    assert refusals == [Cause.TURNS]
    assert len(engine.turns) == 1
    assert turnstile.in_progress == 0


async def test_a_refused_body_is_not_parsed(
    client: httpx.AsyncClient, turnstile: Turnstile
) -> None:
    turnstile.begin_search()
    turnstile.begin_search()

    assert (await client.post("/v1/chat", content=b"not json")).status_code == 503


@pytest.fixture
def full(turnstile: Turnstile) -> Turnstile:
    """There is room for turns, and none for searches."""
    turnstile.begin_search()
    turnstile.begin_search()
    return turnstile


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
    client: httpx.AsyncClient, full: Turnstile, path: str, body: dict[str, object]
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
    client: httpx.AsyncClient, full: Turnstile, content: bytes, refusals: Refusals
) -> None:
    assert (await client.post("/v1/chat", content=content)).status_code == 503
    assert refusals == [Cause.SEARCHES]
    assert full.in_progress == 0


async def test_small_talk_is_refused_as_well_where_searches_are_and_the_loop_is_late(
    client: httpx.AsyncClient, full: Turnstile, refusals: Refusals
) -> None:
    full._lag_s = 0.25  # beyond what small talk may find, within the general bound
    full._most_lag_s = 60.0
    assert (await client.post("/v1/chat", json={"message": "Thank you!"})).status_code == 503
    assert refusals == [Cause.LAG]


async def test_small_talk_of_a_held_connection_is_answered_too(
    engine: FakeEngine, full: Turnstile
) -> None:
    thanks = replace(TURN, messages=(ChatMessage(Role.USER, "Thank you!"),))
    assert isinstance([event async for event in GatedEngine(engine, full).run(thanks)][-1], Done)


async def test_faces_that_only_search_are_refused_first(
    client: httpx.AsyncClient, turnstile: Turnstile, refusals: Refusals
) -> None:
    with turnstile.permit(), turnstile.permit(), turnstile.permit():
        search = await client.post("/v1/search", json={"query": "bridge toll"})
        tavily = await client.post("/compat/tavily/search", json={"query": "bridge toll"})
        chat = await client.post("/v1/chat", json=ASK)

    assert (search.status_code, tavily.status_code, chat.status_code) == (503, 503, 200)
    assert refusals == [Cause.TURNS, Cause.TURNS]


async def test_probes_and_pages_are_let_in_whatever_is_in_hand(
    client: httpx.AsyncClient, turnstile: Turnstile
) -> None:
    turnstile.begin_search()
    turnstile.begin_search()

    assert (await client.get("/livez")).status_code == 200
    assert (await client.get("/readyz")).status_code == 200
    assert (await client.get("/")).status_code == 200


async def test_a_turn_is_a_search_from_the_decision_until_its_sources(
    engine: FakeEngine, turnstile: Turnstile
) -> None:
    seen = {}
    async for event in GatedEngine(engine, turnstile).run(TURN):
        seen.setdefault(type(event), turnstile.searches)

    assert (seen[Decided], seen[SourcesReady], seen[Done]) == (1, 0, 0)
    assert (turnstile.searches, turnstile.in_progress) == (0, 0)


async def test_a_turn_that_is_left_gives_its_places_back(
    engine: FakeEngine, turnstile: Turnstile
) -> None:
    events = GatedEngine(engine, turnstile).run(TURN)
    assert isinstance(await anext(events), Decided)
    assert (turnstile.searches, turnstile.in_progress) == (1, 1)

    await events.aclose()  # type: ignore[attr-defined]

    assert (turnstile.searches, turnstile.in_progress) == (0, 0)


async def test_a_turn_that_no_face_let_in_is_asked_about_in_the_engine(
    engine: FakeEngine, turnstile: Turnstile
) -> None:
    gated = GatedEngine(engine, turnstile)
    turnstile.begin_search()
    turnstile.begin_search()

    events = [event async for event in gated.run(TURN)]
    with pytest.raises(OverloadedError):
        await gated.search(SearchCommand(query="bridge toll"))

    assert [type(event) for event in events] == [Failed]
    assert (events[0].reason, events[0].retryable) == ("OVERLOADED", True)
    assert not engine.turns
    assert not engine.commands


async def test_a_late_event_loop_refuses_until_it_comes_round_again(
    turnstile: Turnstile, refusals: Refusals
) -> None:
    watching = asyncio.create_task(turnstile.watch_lag())
    await asyncio.sleep(0)
    with turnstile.permit():
        pass
    time.sleep(0.4)  # noqa: ASYNC251 - holding the loop up is the point
    await asyncio.sleep(0.01)
    with pytest.raises(OverloadedError):
        turnstile.permit().__enter__()
    assert refusals == [Cause.LAG]

    for _ in range(200):
        await asyncio.sleep(0.05)
        if _lets_in(turnstile):
            break
    assert _lets_in(turnstile)
    watching.cancel()
    await asyncio.wait({watching})


def _lets_in(turnstile: Turnstile) -> bool:
    try:
        with turnstile.permit():
            return True
    except OverloadedError:
        return False


def opened(searches: SearchBound, told: Callable[[int], None] = lambda _: None) -> Turnstile:
    """A turnstile that refuses for no other reason than its bound of searches."""
    return Turnstile(
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
    turnstile = opened(SearchBound(least=2, most=16, late_s=0.08), told)
    watching = asyncio.create_task(turnstile.watch_lag())
    for _ in range(3):
        turnstile.begin_search()
    async with asyncio.timeout(30):
        while not bounds or bounds[-1] == 16:
            time.sleep(0.2)  # noqa: ASYNC251 - holding the loop up is the point
            await asyncio.sleep(0)
    assert bounds[-1] < 3
    assert not _lets_in(turnstile)

    is_wide.clear()
    for _ in range(3):
        turnstile.end_search()
    async with asyncio.timeout(30):
        await is_wide.wait()
    watching.cancel()
    await asyncio.wait({watching})


async def test_a_crowd_that_comes_at_once_is_let_in_while_nothing_is_late() -> None:
    turnstile = opened(SearchBound(least=2, most=64, late_s=0.02))
    for _ in range(240):
        turnstile.begin_deciding()
    for _ in range(40):
        turnstile.begin_search()

    assert _lets_in(turnstile)


async def test_answers_with_sources_count_for_a_part_once_it_was_too_much(
    engine: FakeEngine,
) -> None:
    searches = fallen_bound(least=1, most_in_hand=1)
    turnstile = opened(searches)
    let_in = []
    three = [GatedEngine(engine, turnstile).run(TURN) for _ in range(3)]
    for events in three:
        async for event in events:
            if isinstance(event, SourcesReady):
                break
        let_in.append(_lets_in(turnstile))
    for events in three:
        await events.aclose()  # type: ignore[attr-defined]

    assert let_in == [True, True, False]
    assert _lets_in(turnstile)


async def test_turns_that_are_not_decided_count_once_the_loop_was_late() -> None:
    searches = fallen_bound(least=2, most_in_hand=10)
    turnstile = opened(searches)
    for _ in range(searches.searches):
        turnstile.begin_deciding()
    assert not _lets_in(turnstile)

    turnstile.end_deciding()
    assert _lets_in(turnstile)


async def test_a_turn_that_does_not_search_counts_until_its_decision(engine: FakeEngine) -> None:
    decided = next(event for event in engine.events if isinstance(event, Decided))
    answer = replace(decided, decision=replace(decided.decision, action=Action.ANSWER))
    engine.events = [answer, *(e for e in engine.events if isinstance(e, Delta | Done))]
    searches = fallen_bound(least=1, most_in_hand=1)
    turnstile = opened(searches)

    assert {_lets_in(turnstile) async for _ in GatedEngine(engine, turnstile).run(TURN)} == {True}
    assert turnstile.in_progress == 0


async def test_grpc_callers_are_told_to_come_back(engine: FakeEngine, turnstile: Turnstile) -> None:
    servicer = GatewayServicer(GatedEngine(engine, turnstile), Identity(b"k" * 16))
    server = GrpcServer(
        GatewaySettings(grpc_port=0),
        register=[
            lambda server: gateway_pb2_grpc.add_GatewayServiceServicer_to_server(servicer, server)
        ],
        services=[SERVICE_NAME],
        health=Health(),
        admission=turnstile,
    )
    message = common_pb2.Message(role=common_pb2.ROLE_USER, content="What is the toll?")
    request = gateway_pb2.ChatRequest(messages=[message])
    async with server, grpc.aio.insecure_channel(server.target) as channel:
        stub = gateway_pb2_grpc.GatewayServiceStub(channel)
        assert [event async for event in stub.Chat(request)]
        turnstile.begin_search()
        turnstile.begin_search()
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            async for _ in stub.Chat(request):
                pass

    assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    trailers = dict(refused.value.trailing_metadata() or ())
    assert int(str(trailers["grpc-retry-pushback-ms"])) > 0
    assert turnstile.in_progress == 0
