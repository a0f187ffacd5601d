"""A scoring profile that nobody has is refused at the door of every face that takes one."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
import yaml
from api_fakes import FakeEngine, MakeApp
from pellucid.gateway.v1 import gateway_pb2, gateway_pb2_grpc
from upstream_fakes import FakeUpstream
from websockets.asyncio.client import connect

from pellucid_gateway.access.scoring_profiles import KnownProfiles
from pellucid_gateway.adapters.model_server import KeptModelServer
from pellucid_gateway.api.http.identity import Identity
from pellucid_gateway.grpc.server import SERVICE_NAME, GatewayServicer
from pellucid_gateway.settings import GatewaySettings
from pellucid_runtime.health import Health
from pellucid_runtime.http_server import HttpServer
from pellucid_runtime.rpc.server import GrpcServer
from pellucid_runtime.settings import load_settings

TABLE = (
    Path(__file__).parents[2] / "scorer" / "src" / "pellucid_scorer" / "ranking" / "profiles.yaml"
)
SAID = "Thank you!"
MESSAGES = [{"role": "user", "content": SAID}]
AFTER_A_TOOL = [*MESSAGES, {"role": "tool", "tool_call_id": "1", "content": "42"}]
Body = Callable[[Mapping[str, Any]], dict[str, Any]]

NATIVE: Mapping[str, tuple[str, Body]] = {
    "chat": ("/v1/chat", lambda own: {"message": SAID, **own}),
    "chat-stream": ("/v1/chat", lambda own: {"message": SAID, "stream": True, **own}),
    "decide": ("/v1/decide", lambda own: {"message": SAID, **own}),
    "search": ("/v1/search", lambda own: {"query": SAID, **own}),
}
COMPATIBLE: Mapping[str, tuple[str, Body]] = {
    "openai": ("/v1/chat/completions", lambda own: {"messages": MESSAGES, "pellucid": own}),
    "openai-stream": (
        "/v1/chat/completions",
        lambda own: {"messages": MESSAGES, "stream": True, "pellucid": own},
    ),
    "openai-tool": (
        "/v1/chat/completions",
        lambda own: {"messages": AFTER_A_TOOL, "pellucid": own},
    ),
    "responses": ("/v1/responses", lambda own: {"input": SAID, "pellucid": own}),
    "anthropic": (
        "/v1/messages",
        lambda own: {"messages": MESSAGES, "max_tokens": 100, "pellucid": own},
    ),
}


@pytest.fixture
def known(engine: FakeEngine) -> KnownProfiles:
    return KnownProfiles(engine, load_settings(GatewaySettings).scoring_profiles)


@pytest.fixture
async def model(upstream: FakeUpstream) -> AsyncIterator[KeptModelServer]:
    server = HttpServer(upstream.app(), "127.0.0.1", 0)
    await server.start()
    kept = KeptModelServer(
        f"http://127.0.0.1:{server.port}/v1",
        api_key=str,
        internal=True,
        first_byte_s=5,
        idle_s=5,
    )
    yield kept
    kept.close()
    await server.stop(0)


@pytest.fixture
async def asked(
    make_app: MakeApp, known: KnownProfiles, model: KeptModelServer
) -> AsyncIterator[httpx.AsyncClient]:
    app = make_app(engine=known, upstream=model, own_model="m")
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8080") as client:
        yield client


def named(profile: str) -> dict[str, Any]:
    return {"scoring": {"profile": profile}}


@pytest.mark.parametrize("face", [*NATIVE, *COMPATIBLE])
async def test_an_unknown_one_is_a_400_that_names_the_known(
    asked: httpx.AsyncClient, engine: FakeEngine, upstream: FakeUpstream, face: str
) -> None:
    path, body = (NATIVE | COMPATIBLE)[face]
    reply = await asked.post(path, json=body(named("newz")))

    assert reply.status_code == 400, reply.text
    assert "scoring.profile: one of default, authority, news" in reply.text
    assert not engine.turns
    assert not engine.commands
    assert not upstream.bodies, "the model was not asked either"


@pytest.mark.parametrize("profile", ["", "default", "authority", "news"])
@pytest.mark.parametrize("face", [*NATIVE, "openai-tool", "responses", "anthropic"])
async def test_a_known_one_passes(asked: httpx.AsyncClient, face: str, profile: str) -> None:
    path, body = (NATIVE | COMPATIBLE)[face]
    assert (await asked.post(path, json=body(named(profile)))).status_code == 200


async def test_options_in_the_header_are_refused_alike(asked: httpx.AsyncClient) -> None:
    headers = {"X-Pellucid-Options": json.dumps(named("newz"))}
    reply = await asked.post("/v1/chat/completions", json={"messages": MESSAGES}, headers=headers)
    assert reply.status_code == 400
    assert "scoring.profile" in reply.json()["error"]["message"]


async def test_a_socket_says_so_and_stays_open(make_app: MakeApp, known: KnownProfiles) -> None:
    server = HttpServer(make_app(engine=known), "127.0.0.1", 0)
    await server.start()
    # Without bound, since a client whose queue is full waits ten seconds for the end of the socket.
    address = f"ws://127.0.0.1:{server.port}/v1/ws"
    async with connect(address, proxy=None, max_queue=None) as socket:
        await socket.send(json.dumps({"message": SAID, **named("newz")}))
        told = json.loads(await asyncio.wait_for(socket.recv(), 5))
        await socket.send(json.dumps({"message": SAID}))
        next_told = json.loads(await asyncio.wait_for(socket.recv(), 5))
    await server.stop(0)

    assert (told["type"], told["data"]["status"]) == ("error", 400)
    assert "scoring.profile: one of" in told["data"]["detail"]
    assert next_told["type"] != "error"


async def test_grpc_callers_get_an_invalid_argument(known: KnownProfiles) -> None:
    servicer = GatewayServicer(known, Identity(b"k" * 16))
    server = GrpcServer(
        GatewaySettings(grpc_port=0),
        register=[lambda one: gateway_pb2_grpc.add_GatewayServiceServicer_to_server(servicer, one)],
        services=[SERVICE_NAME],
        health=Health(),
    )
    chat = gateway_pb2.ChatRequest(
        messages=[{"role": "ROLE_USER", "content": SAID}], scoring={"profile": "newz"}
    )
    async with server, grpc.aio.insecure_channel(server.target) as channel:
        stub = gateway_pb2_grpc.GatewayServiceStub(channel)
        for call in (
            stub.Chat(chat, timeout=5).read(),
            stub.Decide(gateway_pb2.DecideRequest(chat=chat), timeout=5),
        ):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await call
            assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
            assert "scoring.profile" in (refused.value.details() or "")


def test_the_known_ones_are_those_that_the_scorer_ships() -> None:
    shipped = yaml.safe_load(TABLE.read_text("utf-8"))
    assert set(load_settings(GatewaySettings).scoring_profiles) == set(shipped)


def test_an_operator_adds_names_or_leaves_it_to_the_scorer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEWAY_SCORING_PROFILES", "default, house")
    assert load_settings(GatewaySettings).scoring_profiles == ("default", "house")
    monkeypatch.setenv("GATEWAY_SCORING_PROFILES", "any")
    assert load_settings(GatewaySettings).scoring_profiles == ()


async def test_where_any_is_known_the_scorer_alone_refuses(
    engine: FakeEngine, make_app: MakeApp
) -> None:
    transport = httpx.ASGITransport(make_app(engine=KnownProfiles(engine, ())))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8080") as client:
        reply = await client.post("/v1/chat", json={"message": SAID, **named("house")})
    assert reply.status_code == 200
    assert engine.turns[0].options.scoring.profile == "house"
