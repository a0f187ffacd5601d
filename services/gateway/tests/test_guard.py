"""Who may talk to the gateway, and the headers that every answer carries."""

from pathlib import Path
from typing import Any

import httpx
import pytest
from api_fakes import MakeApp
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from pellucid_gateway.access.hosts import is_loopback
from pellucid_gateway.api.http.guard import PAGE_POLICY, SECURITY_HEADERS, Guard, GuardRules
from pellucid_gateway.api.http.identity import Identity
from pellucid_gateway.api.http.keys import RELOAD_S, KeyRing, WrongKeyFileError, read_keys
from pellucid_gateway.tools.keys import main
from pellucid_runtime.clock import FixedClock
from pellucid_runtime.health import Health
from pellucid_runtime.http_server import HttpServer


def client(app: ASGIApp) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app, raise_app_exceptions=False),
        base_url="http://localhost:8080",
    )


@pytest.mark.parametrize(
    "host",
    ["localhost", "localhost:8080", "127.0.0.1:8080", "127.8.8.8", "[::1]:8080", "a.localhost"],
)
async def test_loopback_hosts_are_served(http: httpx.AsyncClient, host: str) -> None:
    response = await http.post("/v1/chat", json={"message": "x"}, headers={"host": host})

    assert response.status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "rebind.example",
        "localhost.rebind.example",
        "10.0.0.1",
        "",
        "[::2]",
        "0.0.0.0",
        "127.0.0.1.rebind.example",
    ],
)
async def test_other_hosts_are_refused_while_keys_are_off(
    http: httpx.AsyncClient, host: str
) -> None:
    for method, path in (("POST", "/v1/chat"), ("GET", "/"), ("GET", "/metrics")):
        response = await http.request(method, path, headers={"host": host}, content=b"{}")
        assert response.status_code == 403
        assert response.json()["errors"][0]["field"] == "Host"
    assert (await http.get("/livez", headers={"host": host})).status_code == 200


async def test_extra_hosts_are_a_setting(make_app: MakeApp) -> None:
    async with client(make_app(rules=GuardRules(extra_hosts=("pellucid.example",)))) as http:
        allowed = await http.get("/v1/version", headers={"host": "pellucid.example:8080"})
        refused = await http.get("/v1/version", headers={"host": "other.example"})

    assert (allowed.status_code, refused.status_code) == (200, 403)


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost:9999", "file://"]
)
async def test_foreign_origins_may_not_ask(http: httpx.AsyncClient, origin: str) -> None:
    response = await http.post("/v1/chat", content=b'{"message": "x"}', headers={"origin": origin})

    assert response.status_code == 403
    assert response.json()["errors"][0]["field"] == "Origin"
    assert "access-control-allow-origin" not in response.headers


async def test_the_own_origin_may_ask(http: httpx.AsyncClient) -> None:
    headers = {"origin": "http://localhost:8080"}

    assert (await http.post("/v1/chat", json={"message": "x"}, headers=headers)).status_code == 200


async def test_cors_is_a_setting(make_app: MakeApp) -> None:
    origin = "https://chat.example"
    async with client(make_app(rules=GuardRules(origins=(origin,)))) as http:
        asked = {"origin": origin, "access-control-request-method": "POST"}
        preflight = await http.options("/v1/chat", headers=asked)
        reply = await http.post("/v1/chat", json={"message": "x"}, headers={"origin": origin})

    assert preflight.status_code == 204
    assert "authorization" in preflight.headers["access-control-allow-headers"]
    for response in (preflight, reply):
        assert response.headers["access-control-allow-origin"] == origin
    assert reply.status_code == 200


async def test_an_sdk_in_a_browser_may_send_its_own_headers(make_app: MakeApp) -> None:
    origin = "https://chat.example"
    app = make_app(rules=GuardRules(origins=(origin,)))
    wanted = "authorization,content-type,x-stainless-lang,x-stainless-os,anthropic-version"
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://localhost"
    ) as http:
        replies = [
            await http.options(
                "/v1/chat/completions",
                headers={
                    "origin": origin,
                    "access-control-request-method": "POST",
                    "access-control-request-headers": headers,
                },
            )
            for headers in (wanted, "x\tbad: 1")
        ]

    assert replies[0].headers["access-control-allow-headers"] == wanted
    assert "bad" not in replies[1].headers["access-control-allow-headers"]


@pytest.mark.parametrize("path", ["/", "/static/js/main.js", "/v1/version", "/nothing", "/docs"])
async def test_every_answer_has_the_security_headers(http: httpx.AsyncClient, path: str) -> None:
    response = await http.get(path)

    for name, value in SECURITY_HEADERS.items():
        assert response.headers[name] == value
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize(
    ("script", "hosts"),
    [
        (
            "https://challenges.cloudflare.com/turnstile/v0/api.js",
            "https://challenges.cloudflare.com",
        ),
        ("https://js.hcaptcha.com/1/api.js", "https://hcaptcha.com https://*.hcaptcha.com"),
    ],
)
async def test_the_chat_page_alone_may_load_the_challenge(
    make_app: MakeApp, script: str, hosts: str
) -> None:
    async with client(make_app(challenge_script=script)) as http:
        page, other = [(await http.get(path)).headers for path in ("/", "/dashboard")]

    assert other["content-security-policy"] == PAGE_POLICY
    assert page["content-security-policy"] == (
        f"default-src 'none'; script-src 'self' {hosts}; style-src 'self' {hosts}; "
        f"img-src 'self' data:; connect-src 'self' {hosts}; base-uri 'none'; "
        f"form-action 'none'; frame-ancestors 'none'; frame-src {hosts}"
    )


async def test_pages_load_nothing_from_elsewhere(http: httpx.AsyncClient) -> None:
    for path in ("/", "/docs"):
        page = await http.get(path)
        assert page.headers["content-type"].startswith("text/html")
        assert "<style" not in page.text
        assert 'src="http' not in page.text
        assert "src='http" not in page.text
        assert 'href="//' not in page.text


async def test_static_files_cannot_be_left(http: httpx.AsyncClient) -> None:
    for path in ("/static/../settings.py", "/static/%2e%2e/settings.py", "/static/js"):
        response = await http.get(path)
        assert response.status_code == 404
        assert response.headers["content-type"] == "application/problem+json"


def test_loopback_is_told_from_lookalikes() -> None:
    assert [is_loopback(name) for name in ("::1", "127.0.0.1", "x.localhost")] == [True] * 3
    assert not any(is_loopback(name) for name in ("127.0.0.1.example", "localhost.example", ""))


async def test_readiness_is_that_of_this_process(make_app: MakeApp) -> None:
    health = Health()
    part = health.component("faces")
    async with client(make_app(health=health)) as http:
        before = await http.get("/readyz")
        part.set_ready()
        after = await http.get("/readyz")
        live = await http.get("/livez")

    assert (before.status_code, after.status_code, live.status_code) == (503, 200, 200)
    assert before.json() == {"ready": False, "components": {"faces": False}}


async def test_metrics_are_prometheus_text(http: httpx.AsyncClient) -> None:
    response = await http.get("/metrics")

    assert response.status_code == 200
    assert "# HELP " in response.text


async def test_requests_are_counted_by_route_never_by_path(make_app: MakeApp) -> None:
    seen = []
    async with client(make_app(observe=lambda *args: seen.append(args))) as http:
        await http.post("/v1/chat", json={"message": "x"})
        await http.get("/secret-words-of-a-person")

    assert [(route, status) for route, status, _ in seen] == [("/v1/chat", 200), ("other", 404)]


async def test_a_prefix_of_a_proxy_in_front_is_a_setting(make_app: MakeApp) -> None:
    server = HttpServer(make_app(), "127.0.0.1", 0, root_path="/ask")
    await server.start()
    url = f"http://127.0.0.1:{server.port}"
    async with httpx.AsyncClient(base_url=url, trust_env=False) as http:
        paths = ("/", "/static/js/main.js", "/livez", "/v1/version", "/docs")
        statuses = [(await http.get(path)).status_code for path in paths]
        live = await http.get("/livez", headers={"host": "10.0.0.1"})
        document = (await http.get("/openapi.json")).json()
    await server.stop(0)

    assert statuses == [200] * 5
    assert live.status_code == 200
    assert document["servers"] == [{"url": "/ask"}]


def request(peer: str, forwarded: str = "", key: str = "") -> Request:
    return Request(
        {
            "type": "http",
            "client": (peer, 1),
            "headers": [(b"x-forwarded-for", forwarded.encode())] if forwarded else [],
            "pellucid.key": key,
        }
    )


def test_only_trusted_proxies_are_believed() -> None:
    identity = Identity(b"k" * 16, ["10.0.0.0/8"])
    direct = identity.caller(request("203.0.113.9"))

    assert identity.caller(request("10.1.1.1", "203.0.113.9")) == direct
    assert identity.caller(request("10.1.1.1", "198.51.100.1, 203.0.113.9, 10.2.2.2")) == direct
    assert identity.caller(request("203.0.113.9", "198.51.100.1")) == direct
    assert identity.caller(request("10.1.1.1", "198.51.100.1")) != direct


def test_who_comes_through_an_undeclared_proxy_of_this_machine_is_not_its_own() -> None:
    identity = Identity(b"k" * 16)
    forwarded = identity.caller(request("127.0.0.1", "203.0.113.9"))

    assert forwarded == identity.caller(request("127.0.0.1", "198.51.100.1"))
    assert forwarded not in {identity.of_address("127.0.0.1"), identity.of_address("203.0.113.9")}
    declared = Identity(b"k" * 16, ["127.0.0.1"])
    known = declared.caller(request("127.0.0.1", "203.0.113.9"))
    assert known == identity.of_address("203.0.113.9")


async def test_the_server_itself_believes_no_forwarded_address() -> None:
    heard: dict[str, Any] = {}

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            heard.update(client=scope["client"][0], scheme=scope["scheme"])
            await Response()(scope, receive, send)

    server = HttpServer(app, "127.0.0.1", 0, lifespan="off")
    await server.start()
    claims = {"x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https"}
    async with httpx.AsyncClient(trust_env=False) as http:
        await http.get(f"http://127.0.0.1:{server.port}/", headers=claims)
    await server.stop(0)

    assert heard == {"client": "127.0.0.1", "scheme": "http"}


def test_people_of_different_keys_differ() -> None:
    identity = Identity(b"k" * 16)
    names = {
        identity.caller(request("127.0.0.1")),
        identity.caller(request("127.0.0.1"), "ada"),
        identity.caller(request("127.0.0.1", key="a"), "ada"),
        identity.caller(request("127.0.0.1", key="b"), "ada"),
        identity.caller(request("127.0.0.1", key="a")),
        Identity(b"j" * 16).caller(request("127.0.0.1"), "ada"),
    }

    assert len(names) == 6


@pytest.fixture
def key_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[Path, str]:
    """A key file with one key called frontend, and the key itself."""
    monkeypatch.setattr("sys.argv", ["pellucid-gateway-key", "frontend"])
    main()
    first, second = capsys.readouterr().out.splitlines()
    path = tmp_path / "keys"
    path.write_text("# people of the desk\n" + second.partition(": ")[2] + "\n", encoding="utf-8")
    return path, first.partition(": ")[2]


async def test_with_keys_on_only_a_valid_key_opens(
    make_app: MakeApp, key_file: tuple[Path, str]
) -> None:
    path, key = key_file
    ring = KeyRing(path, FixedClock())
    app = make_app(find_key=ring.find, rules=GuardRules(any_host=True))
    async with client(app) as http:
        http.headers["host"] = "pellucid.example"
        statuses = [
            (await http.post("/v1/chat", json={"message": "x"}, headers=headers)).status_code
            for headers in (
                {"authorization": f"Bearer {key}"},
                {"x-api-key": key},
                {},
                {"authorization": f"Bearer {key}x"},
                {"authorization": f"Basic {key}"},
            )
        ]
        page = await http.get("/")
        metrics = await http.get("/metrics")

    assert statuses == [200, 200, 401, 401, 401]
    assert page.status_code == 200
    assert metrics.status_code == 401
    assert metrics.headers["www-authenticate"] == "Bearer"


def test_a_removed_key_is_refused_within_seconds(key_file: tuple[Path, str]) -> None:
    path, key = key_file
    clock = FixedClock()
    ring = KeyRing(path, clock)
    assert ring.find(key) is not None

    path.write_text("", encoding="utf-8")
    clock.advance(RELOAD_S)

    assert ring.find(key) is None


def test_a_broken_new_file_keeps_the_old_keys(key_file: tuple[Path, str]) -> None:
    path, key = key_file
    clock = FixedClock()
    ring = KeyRing(path, clock)

    path.write_text("nonsense\n", encoding="utf-8")
    clock.advance(RELOAD_S)

    assert ring.find(key) is not None


def test_an_expired_key_is_refused(key_file: tuple[Path, str]) -> None:
    path, key = key_file
    path.write_text(path.read_text(encoding="utf-8").strip() + " 2026-01-01T00:01:00Z\n")
    clock = FixedClock()
    ring = KeyRing(path, clock)
    assert ring.find(key) is not None

    clock.advance(61)

    assert ring.find(key) is None


def test_a_wrong_line_is_named_without_its_text(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    path.write_text("\nname abcdef\n", encoding="utf-8")

    with pytest.raises(WrongKeyFileError, match="line 2") as caught:
        read_keys(path)
    assert "abcdef" not in str(caught.value)


@pytest.mark.parametrize(
    "hosts",
    [
        ["[::1]evil.example"],
        ["127.0.0.1", "evil.example"],
        ["localhost@evil.example"],
        ["localhost:80:90"],
        ["local host"],
    ],
)
async def test_a_malformed_or_doubled_host_is_refused(hosts: list[str]) -> None:
    sent: list[Any] = []
    headers = [(b"host", host.encode()) for host in hosts]
    scope = {"type": "http", "method": "GET", "path": "/v1/version", "headers": headers}
    scope |= {"query_string": b"", "root_path": "", "http_version": "1.1", "scheme": "http"}

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    async def never(*_: Any) -> None:
        raise AssertionError

    await Guard(never, GuardRules(), lambda *_: None)(scope, receive, send)

    assert sent[0]["status"] == 400
