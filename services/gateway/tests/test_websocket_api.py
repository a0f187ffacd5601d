"""GET /v1/ws over a real socket."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from api_fakes import ANSWER, FakeEngine, MakeApp, forced_events, turn_events
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from pellucid_gateway.access.api_keys import ApiKey
from pellucid_runtime.http_server import HttpServer


@pytest.fixture
async def address(make_app: MakeApp) -> AsyncIterator[str]:
    server = HttpServer(make_app(), "127.0.0.1", 0)
    await server.start()
    yield f"ws://127.0.0.1:{server.port}/v1/ws"
    await server.stop(0)


@pytest.fixture
async def socket(address: str) -> AsyncIterator[ClientConnection]:
    async with connect(address, proxy=None) as opened:
        yield opened


async def say(socket: ClientConnection, message: Any) -> None:
    await socket.send(message if isinstance(message, str) else json.dumps(message))


async def hear(socket: ClientConnection) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(await asyncio.wait_for(socket.recv(), 5))
    return message


async def until(socket: ClientConnection, kind: str) -> list[dict[str, Any]]:
    heard = [await hear(socket)]
    while heard[-1]["type"] != kind:
        heard.append(await hear(socket))
    return heard


async def test_a_turn_tells_the_same_events_as_the_stream(socket: ClientConnection) -> None:
    await say(socket, {"type": "chat", "turn": "a", "data": {"message": "hi"}})

    heard = await until(socket, "done")

    assert {message["turn"] for message in heard} == {"a"}
    kinds = [message["type"] for message in heard]
    assert kinds[:4] == ["decision", "url_fetch", "web_search_start", "status"]
    assert heard[3] == {
        "type": "status",
        "turn": "a",
        "status": "searching_web",
        "message": "Searching the web…",
    }
    assert "".join(m["data"]["text"] for m in heard if m["type"] == "delta") == ANSWER
    assert heard[-1]["data"]["answer"] == ANSWER


async def test_a_bare_request_is_turn_one(socket: ClientConnection) -> None:
    await say(socket, {"message": "hi"})

    assert (await until(socket, "done"))[-1]["turn"] == "1"


async def test_a_forced_search_names_provider_and_model(
    socket: ClientConnection, engine: FakeEngine
) -> None:
    engine.events = forced_events()
    await say(socket, {"message": "x", "force_search": True, "model": "m"})

    results = (await until(socket, "web_search_results"))[-1]

    assert (results["model"], results["provider"]) == ("m", "local")
    assert results["data"]["results"][0].keys() >= {"title", "url", "snippet"}


async def test_turns_run_side_by_side(socket: ClientConnection, engine: FakeEngine) -> None:
    engine.pause_s = 0.01
    for turn in ("a", "b"):
        await say(socket, {"type": "chat", "turn": turn, "data": {"message": turn}})

    ended: list[str] = []
    while len(ended) < 2:
        message = await hear(socket)
        ended += [message["turn"]] if message["type"] == "done" else []

    assert sorted(ended) == ["a", "b"]


async def test_a_turn_can_be_cancelled_and_the_socket_lives_on(
    socket: ClientConnection, engine: FakeEngine
) -> None:
    engine.pause_s = 0.3
    await say(socket, {"type": "chat", "turn": "a", "data": {"message": "x"}})
    await hear(socket)
    await say(socket, {"type": "cancel", "turn": "a"})

    assert (await until(socket, "cancelled"))[-1]["turn"] == "a"
    assert engine.cancelled.is_set()
    await say(socket, {"type": "ping"})
    assert (await hear(socket))["type"] == "pong"


async def test_leaving_cancels_what_runs(address: str, engine: FakeEngine) -> None:
    engine.pause_s = 1.0
    async with connect(address, proxy=None) as socket:
        await say(socket, {"message": "x"})
        await hear(socket)

    await asyncio.wait_for(engine.cancelled.wait(), 10)


@pytest.mark.parametrize(
    ("message", "field"),
    [
        ("{", "body"),
        ("[]", "body"),
        ({"type": "dance"}, "type"),
        ({"message": ""}, "message"),
        ({"type": "chat", "data": {"message": "x", "web_mode": "maybe"}}, "web_mode"),
        ({"type": "chat", "data": "x"}, "message"),
    ],
)
async def test_bad_messages_are_explained_and_the_socket_lives_on(
    socket: ClientConnection, message: Any, field: str
) -> None:
    await say(socket, message)

    error = await hear(socket)

    assert error["type"] == "error"
    assert error["data"]["errors"][0]["field"] == field
    await say(socket, {"type": "ping"})
    assert (await hear(socket))["type"] == "pong"


async def test_too_many_turns_are_refused(socket: ClientConnection, engine: FakeEngine) -> None:
    engine.pause_s = 5
    for turn in range(5):
        await say(socket, {"type": "chat", "turn": str(turn), "data": {"message": "x"}})

    assert (await hear(socket))["data"]["code"] == "OVERLOADED"


async def test_a_defect_ends_the_turn_with_an_error(
    socket: ClientConnection, engine: FakeEngine
) -> None:
    engine.events = turn_events()[:2]
    engine.defect = RuntimeError("the secret text")
    await say(socket, {"message": "x"})

    heard = await until(socket, "error")

    assert heard[-1]["data"]["code"] == "INTERNAL"
    assert "secret" not in json.dumps(heard)


@pytest.mark.parametrize("headers", [{"Origin": "https://evil.example"}, {"Host": "evil.example"}])
async def test_foreign_pages_cannot_connect(address: str, headers: dict[str, str]) -> None:
    origin = headers.get("Origin")
    target = address if origin else address.replace("127.0.0.1", "127.0.0.1.nip.example")
    port = int(address.rpartition(":")[2].partition("/")[0])

    with pytest.raises(InvalidStatus) as caught:
        await connect(target, proxy=None, origin=origin, host="127.0.0.1", port=port)  # type: ignore[arg-type]

    assert caught.value.response.status_code == 403


async def test_with_keys_on_the_key_comes_first(make_app: MakeApp) -> None:
    key = ApiKey("desk", None)
    app = make_app(find_key=lambda token: key if token == "plc_right" else None)
    server = HttpServer(app, "127.0.0.1", 0)
    await server.start()
    address = f"ws://127.0.0.1:{server.port}/v1/ws"

    async with connect(address, proxy=None, subprotocols=["pellucid", "plc_right"]) as socket:  # type: ignore[list-item]
        assert socket.subprotocol == "pellucid"
        await say(socket, {"type": "ping"})
        assert (await hear(socket))["type"] == "pong"
    async with connect(address, proxy=None) as socket:
        await say(socket, {"type": "auth", "key": "plc_right"})
        await say(socket, {"message": "x"})
        assert (await until(socket, "done"))[0]["type"] == "decision"
    async with connect(address, proxy=None) as socket:
        await say(socket, {"message": "x"})
        assert (await hear(socket))["data"]["code"] == "UNAUTHENTICATED"
        with pytest.raises(ConnectionClosed):
            await hear(socket)
    await server.stop(0)


async def test_a_frame_beyond_the_limit_closes_the_socket(
    make_app: MakeApp, engine: FakeEngine
) -> None:
    app = make_app(max_body_bytes=65_536)
    server = HttpServer(app, "127.0.0.1", 0, ws_max_size=65_536)
    await server.start()
    async with connect(f"ws://127.0.0.1:{server.port}/v1/ws", proxy=None) as socket:
        await say(socket, {"message": "x" * 100_000})
        with pytest.raises(ConnectionClosed) as caught:
            await hear(socket)
    await server.stop(0)

    assert caught.value.rcvd is not None
    assert caught.value.rcvd.code == 1009
    assert engine.turns == []
