"""Keys, scopes, rates, places, quotas, budgets and challenges, at the doors and behind them."""

import asyncio
import gc
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from api_fakes import MakeApp
from challenge_vendor import SECRET, SITE_KEY, open_vendor
from kept_rig import IDENTITY, KeptGateway, Plan, open_gateway
from pellucid.common.v1 import common_pb2
from pellucid.gateway.v1 import gateway_pb2, gateway_pb2_grpc
from port_fakes import QUESTION

from pellucid_gateway.access.api_keys import ApiKey, Scope, new_key, parse_line
from pellucid_gateway.access.local_limits import LocalLimiter
from pellucid_gateway.api.http.admission import Admission, RequestLimits
from pellucid_gateway.api.http.guard import GuardRules
from pellucid_gateway.api.http.keys import KeyRing
from pellucid_gateway.grpc.server import SERVICE_NAME, GatewayServicer
from pellucid_gateway.settings import GatewaySettings
from pellucid_gateway.tools.keys import main
from pellucid_runtime.clock import FixedClock
from pellucid_runtime.health import Health
from pellucid_runtime.rpc.server import GrpcServer

ASK = {"message": QUESTION, "user_id": "ada"}


def only(**keys: ApiKey) -> Callable[[str], ApiKey | None]:
    return keys.get


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


@asynccontextmanager
async def opened(plan: Plan) -> AsyncIterator[tuple[KeptGateway, httpx.AsyncClient]]:
    async with AsyncExitStack() as stack:
        gateway = await open_gateway(stack, plan)
        yield gateway, await stack.enter_async_context(gateway.client())


async def test_a_key_opens_what_its_scopes_say(tmp_path: Path) -> None:
    keys = only(
        chat=ApiKey("chat", None, frozenset({Scope.CHAT})),
        numbers=ApiKey("numbers", None, frozenset({Scope.STATS})),
    )
    async with opened(Plan(tmp_path, find_key=keys)) as (_, http):
        statuses = {
            (key, path): (await http.request(method, path, json=body, headers=bearer(key)))
            .status_code
            for key in ("chat", "numbers")
            for method, path, body in (
                ("POST", "/v1/chat", ASK),
                ("POST", "/v1/search", {"query": "toll"}),
                ("GET", "/v1/stats", None),
                ("GET", "/metrics", None),
            )
        }  # fmt: skip
        dashboard = await http.get("/dashboard")

    assert statuses == {
        ("chat", "/v1/chat"): 200,
        ("chat", "/v1/search"): 403,
        ("chat", "/v1/stats"): 403,
        ("chat", "/metrics"): 403,
        ("numbers", "/v1/chat"): 403,
        ("numbers", "/v1/search"): 403,
        ("numbers", "/v1/stats"): 200,
        ("numbers", "/metrics"): 200,
    }
    assert dashboard.status_code == 200


async def test_requests_with_a_key_are_counted_by_their_route(make_app: MakeApp) -> None:
    seen: list[tuple[str, int]] = []
    app = make_app(
        find_key=only(k=ApiKey("k", None)),
        rules=GuardRules(any_host=True),
        observe=lambda route, status, _: seen.append((route, status)),
    )
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
        await http.post("/v1/chat", json=ASK, headers=bearer("k"))

    assert seen == [("/v1/chat", 200)]


async def test_too_many_requests_of_a_key_are_told_when_to_come_back(tmp_path: Path) -> None:
    keys = only(few=ApiKey("few", None, requests_per_minute=3), many=ApiKey("many", None))
    async with opened(Plan(tmp_path, find_key=keys, clock=FixedClock())) as (_, http):
        replies = [await http.get("/v1/memories", headers=bearer("few")) for _ in range(4)]
        others = await http.get("/v1/memories", headers=bearer("many"))

    assert [reply.status_code for reply in replies] == [200, 200, 200, 429]
    assert [reply.headers["ratelimit"] for reply in replies[:3]] == [
        '"key";r=2;t=0', '"key";r=1;t=0', '"key";r=0;t=63',
    ]  # fmt: skip
    refused = replies[3]
    assert refused.headers["ratelimit-policy"] == '"key";q=3;w=60'
    assert refused.headers["retry-after"] == "63"
    assert refused.json()["code"] == "RATE_LIMIT_EXCEEDED"
    assert others.status_code == 200


async def test_addresses_without_a_key_are_limited_and_this_machine_is_not(tmp_path: Path) -> None:
    limits = RequestLimits(address_per_minute=2)
    far = {"x-forwarded-for": "203.0.113.9"}
    near = {"x-forwarded-for": "203.0.113.10"}
    async with opened(Plan(tmp_path, limits=limits, clock=FixedClock())) as (_, http):
        statuses = [(await http.get("/v1/memories", headers=far)).status_code for _ in range(3)]
        other = (await http.get("/v1/memories", headers=near)).status_code
        own = [(await http.get("/v1/memories")).status_code for _ in range(5)]

    assert statuses == [200, 200, 429]
    assert other == 200
    assert own == [200] * 5


async def test_places_are_taken_while_a_request_runs(tmp_path: Path) -> None:
    plan = Plan(tmp_path, limits=RequestLimits(places=2), find_key=only(k=ApiKey("k", None)))
    plan.rig.search.hangs = True
    async with opened(plan) as (_, http):
        asking = [
            asyncio.create_task(http.post("/v1/chat", json=ASK, headers=bearer("k")))
            for _ in range(2)
        ]
        async with asyncio.timeout(10):
            while len(plan.rig.search.calls) < 2:  # noqa: ASYNC110 - a fake counts its calls
                await asyncio.sleep(0.01)
        refused = await http.post("/v1/chat", json=ASK, headers=bearer("k"))
        listed = await http.get("/v1/memories", headers=bearer("k"))
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        plan.rig.search.hangs = False
        again = await http.post("/v1/chat", json=ASK, headers=bearer("k"))

    assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
    assert listed.status_code == 200
    assert again.status_code == 200


async def test_over_the_days_searches_chat_answers_and_search_apis_refuse(tmp_path: Path) -> None:
    plan = Plan(tmp_path, settings={"gateway_searches_per_day": 2})
    async with opened(plan) as (_, http):
        answers = [(await http.post("/v1/chat", json=ASK)).json() for _ in range(3)]
        refused = await http.post("/v1/search", json={"query": "toll", "user_id": "ada"})
        other = await http.post("/v1/search", json={"query": "toll", "user_id": "bob"})

    assert [answer["iterations"] for answer in answers] == [1, 1, 0]
    assert [n["code"] for n in answers[2]["notices"]] == ["rate_limited"]
    assert answers[2]["answer"]
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) > 3600
    assert other.status_code == 200


async def test_a_key_searches_within_its_providers_and_its_budget(tmp_path: Path) -> None:
    key = ApiKey("k", None, providers=("local",), budget_usd=0.5)
    async with opened(Plan(tmp_path, find_key=only(k=key))) as (gateway, http):
        within = await http.post("/v1/search", json={"query": "toll"}, headers=bearer("k"))
        beyond = await http.post(
            "/v1/search", json={"query": "toll", "providers": ["brave"]}, headers=bearer("k")
        )
        day = f"{datetime.now(UTC):%Y%m%d}"
        spent = {f"usage-key-k-{day}": {"cost_micro_usd": 500_000}}
        await gateway.kept.state.rollups.add(spent, ttl_s=60.0)
        search = await http.post("/v1/search", json={"query": "toll"}, headers=bearer("k"))
        chat = (await http.post("/v1/chat", json=ASK, headers=bearer("k"))).json()

    assert within.status_code == 200
    assert gateway.rig.search.calls[0].options.providers == ("local",)
    assert (beyond.status_code, beyond.json()["code"]) == (403, "FORBIDDEN")
    assert (search.status_code, search.json()["code"]) == (429, "BUDGET_EXCEEDED")
    assert (chat["iterations"], bool(chat["answer"])) == (0, True)


async def test_a_suspicious_caller_solves_a_challenge(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        vendor = await stack.enter_async_context(open_vendor())
        plan = Plan(tmp_path, settings=vendor.settings)
        _, http = await stack.enter_async_context(opened(plan))
        answered = 0
        while (asked := await http.post("/v1/chat", json=ASK)).status_code == 200:
            answered += 1
        searched = await http.post("/v1/search", json={"query": QUESTION, "user_id": "ada"})
        wrong, right = [
            await http.post("/v1/chat", json=ASK, headers={"x-pellucid-challenge": answer})
            for answer in ("wrong", "right")
        ]
        after = await http.post("/v1/chat", json=ASK)
        other = await http.post("/v1/chat", json=ASK | {"user_id": "bob"})

    assert 5 < answered < 20
    for refused in (asked, searched, wrong):
        assert (refused.status_code, refused.json()["code"]) == (403, "CHALLENGE_REQUIRED")
        assert refused.json()["challenge"] == {"site_key": SITE_KEY, "script": ""}
    assert [reply.status_code for reply in (right, after, other)] == [200, 200, 200]
    assert [form["secret"] for form in vendor.forms] == [SECRET] * 2


async def test_who_ignores_challenges_is_blocked_for_a_while(tmp_path: Path) -> None:
    async with open_vendor() as vendor:
        plan = Plan(tmp_path, settings=vendor.settings, clock=FixedClock())
        async with opened(plan) as (_, http):
            replies = [await http.post("/v1/chat", json=ASK) for _ in range(40)]
            plan.clock.advance(1000.0)  # type: ignore[attr-defined]
            later = await http.post("/v1/chat", json=ASK)

    codes = [reply.json().get("code", "ok") for reply in replies]
    assert codes.count("CHALLENGE_REQUIRED") == 10
    assert codes[-1] == "RATE_LIMIT_EXCEEDED"
    assert later.status_code == 200


async def test_a_block_does_not_go_with_the_persons_data(tmp_path: Path) -> None:
    async with opened(Plan(tmp_path, clock=FixedClock())) as (_, http):
        for _ in range(40):
            blocked = await http.post("/v1/chat", json=ASK)
        gone = await http.delete("/v1/users/me/data", params={"user_id": "ada"})
        still = await http.post("/v1/chat", json=ASK)

    assert (blocked.status_code, gone.status_code, still.status_code) == (429, 204, 429)


async def test_ten_thousand_bad_keys_leave_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    path.write_text("", encoding="utf-8")
    ring = KeyRing(path, FixedClock())
    sent: list[Any] = []

    async def nobody(*_: Any) -> None:
        raise AssertionError("nobody may get here")

    async def send(message: Any) -> None:
        sent.append(message.get("status"))

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    door = Admission(
        nobody,
        identity=IDENTITY,
        limiter=LocalLimiter(FixedClock()),
        limits=RequestLimits(address_per_minute=100_000),
        find_key=ring.find,
    )

    async def knock(times: int) -> None:
        for n in range(times):
            headers = [(b"authorization", f"Bearer {new_key()}{n}".encode())]
            scope = {"type": "http", "method": "GET", "path": "/v1/usage", "headers": headers}
            await door(scope | {"client": ("203.0.113.9", 1)}, receive, send)
            await asyncio.sleep(0)

    await knock(200)
    gc.collect()
    before = len(gc.get_objects())
    sent.clear()
    await knock(10_000)
    refused = sent.count(401)
    sent.clear()
    gc.collect()

    assert refused == 10_000
    assert len(gc.get_objects()) - before < 500


def test_the_key_tool_adds_lists_and_revokes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "keys"
    main(["desk", "--file", str(path), "--scopes", "chat", "--budget-usd", "5"])
    token = capsys.readouterr().out.partition(": ")[2].strip()
    main(["other", "--file", str(path), "--expires-days", "90", "--providers", "brave,local"])
    key = KeyRing(path, FixedClock(datetime.now(UTC))).find(token)
    capsys.readouterr()
    main(["--list", "--file", str(path)])
    listed = capsys.readouterr().out
    main(["--revoke", "desk", "--file", str(path)])

    assert key is not None
    assert (key.name, key.scopes, key.budget_usd) == ("desk", frozenset({Scope.CHAT}), 5.0)
    assert path.stat().st_mode & 0o077 == 0
    assert token not in listed
    assert [line.split()[0] for line in listed.splitlines()] == ["desk", "other"]
    assert KeyRing(path, FixedClock(datetime.now(UTC))).find(token) is None
    for wrong in (["--list"], ["--revoke", "nobody", "--file", str(path)], [], ["a", "--scopes=x"]):
        with pytest.raises(SystemExit) as stopped:
            main(wrong)
        assert stopped.value.code == 2


@pytest.mark.parametrize(
    "rest", ["scopes=everything", "budget=5", "2026-01-01 2027-01-01", "budget_usd=much"]
)
def test_a_wrong_option_of_a_key_is_refused(rest: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - which one differs, and callers hide it
        parse_line(f"desk {'0' * 64} {rest}")


async def test_grpc_callers_need_a_key_when_keys_are_on(tmp_path: Path) -> None:
    keys = only(k=ApiKey("k", None), s=ApiKey("s", None, frozenset({Scope.SEARCH})))
    request = gateway_pb2.ChatRequest(
        messages=[common_pb2.Message(role=common_pb2.ROLE_USER, content=QUESTION)]
    )
    async with AsyncExitStack() as stack:
        gateway = await open_gateway(stack, Plan(tmp_path))
        servicer = GatewayServicer(gateway.engine, IDENTITY, keys)
        register = gateway_pb2_grpc.add_GatewayServiceServicer_to_server
        server = GrpcServer(
            GatewaySettings(grpc_port=0),
            register=[lambda grpc_server: register(servicer, grpc_server)],
            services=[SERVICE_NAME],
            health=Health(),
        )
        await stack.enter_async_context(server)
        channel = await stack.enter_async_context(grpc.aio.insecure_channel(server.target))
        stub = gateway_pb2_grpc.GatewayServiceStub(channel)
        codes = {}
        for name, metadata in {
            "none": (),
            "wrong": (("authorization", "Bearer x"),),
            "scope": (("authorization", "Bearer s"),),
        }.items():
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await stub.Decide(
                    gateway_pb2.DecideRequest(chat=request), metadata=metadata, timeout=5
                )
            codes[name] = refused.value.code()
        good = (("authorization", "Bearer k"),)
        events = [event async for event in stub.Chat(request, metadata=good, timeout=5)]

    assert codes == {
        "none": grpc.StatusCode.UNAUTHENTICATED,
        "wrong": grpc.StatusCode.UNAUTHENTICATED,
        "scope": grpc.StatusCode.PERMISSION_DENIED,
    }
    assert events[-1].WhichOneof("event") == "done"
