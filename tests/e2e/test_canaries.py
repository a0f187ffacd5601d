"""What people send is in no log, metric, trace, key of a store or error.

A real installation with keys on, the caches in Redis and the state in SQLite files, a trace
collector and a model server. Twenty marked strings go in through every face; afterwards everything
that is written or told about requests is searched for them.
"""

import shutil
import socket
import sqlite3
import subprocess
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest

from pellucid_gateway.access.api_keys import digest_of, new_key
from rig.fake_model import FakeModel, serve_model
from rig.installation import Installation, start_installation

pytestmark = [pytest.mark.e2e, pytest.mark.redis, pytest.mark.timeout(400)]

OFFSET = 13_200
KEY = new_key()
MODEL_KEY = "sk-canary-0f3b2a77c1"
# Of a corpus page that the person names; nothing but that page says it.
PAGE_TEXT = "deck was joined"

CANARIES: Mapping[str, str] = {
    "e-mail": "vera.canary01@private.example",
    "phone": "+49 171 5550192",
    "card": "4111 1111 1111 1111",
    "iban": "DE89370400440532013000",
    "ssn": "536-90-4399",
    "address": "198.51.100.77",
    "key": KEY,
    "wrong key": "plc_canary02wrongkeywrongkey",
    "model key": MODEL_KEY,
    "secret": "ghp_canary03A1b2C3d4E5f6G7h8I9j0K1l2M3n4",
    "query": "zephyrcanary04",
    "user": "user-canary05",
    "conversation": "conversation-canary06",
    "memory": "memorycanary07",
    "comment": "commentcanary08",
    "subject": "subjectcanary09",
    "history": "historycanary10",
    "value": "valuecanary11",
    "path": "pathcanary12",
    "challenge": "challengecanary13",
    "page": PAGE_TEXT,
}


@dataclass
class Collector:
    """Takes traces as bytes."""

    target: str = ""
    received: list[bytes] = field(default_factory=list)

    def export(self, request: bytes, _context: Any) -> bytes:
        self.received.append(request)
        return b""


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    collecting = Collector()
    methods = {"Export": grpc.unary_unary_rpc_method_handler(collecting.export)}
    handler = grpc.method_handlers_generic_handler(
        "opentelemetry.proto.collector.trace.v1.TraceService", methods
    )
    server = grpc.server(ThreadPoolExecutor(max_workers=2))
    server.add_generic_rpc_handlers((handler,))
    collecting.target = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    yield collecting
    server.stop(grace=1.0).wait()


@pytest.fixture(scope="module")
def redis_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    binary = shutil.which("redis-server")
    assert binary, "tests marked redis need redis-server"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [binary, "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
    folder = tmp_path_factory.mktemp("redis")
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
        yield port
        process.kill()


@pytest.fixture(scope="module")
def installation(
    tmp_path_factory: pytest.TempPathFactory, collector: Collector, redis_port: int
) -> Iterator[Installation]:
    keys = tmp_path_factory.mktemp("keys") / "keys"
    keys.write_text(f"desk {digest_of(KEY)}\n", encoding="utf-8")
    with serve_model(FakeModel(pieces=["The bridge cost 1.18 billion crowns [1]."])) as model:
        environment = {
            "GATEWAY_AUTH": "keys",
            "GATEWAY_KEYS_FILE": str(keys),
            "OPENAI_BASE_URL": model.url,
            "LLM_PROBE": "false",
            "OPENAI_API_KEY": MODEL_KEY,
            "LLM_MODEL": "test-model",
            "REDIS_CACHE_URL": f"redis://127.0.0.1:{redis_port}/0",
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.target,
            "OTEL_BSP_SCHEDULE_DELAY": "500",
            "LOG_LEVEL": "debug",
        }
        running = start_installation(tmp_path_factory.mktemp("data"), OFFSET, environment)
        try:
            running.wait_for_line("ready after", within_s=120.0)
            yield running
        finally:
            running.stop()


def plant(http: httpx.Client, pages_port: int) -> list[httpx.Response]:
    """Send every canary through every face; returns all responses."""
    c = CANARIES
    told = ", ".join(c[n] for n in ("e-mail", "phone", "card", "iban", "ssn", "address", "secret"))
    message = f"What did the Ondry Bridge cost? {c['query']} {told}"
    page = f"http://almanac.localhost:{pages_port}/ondry-bridge.html"
    turn: dict[str, Any] = {
        "user_id": c["user"],
        "conversation_id": c["conversation"],
        "context": {"title": c["subject"]},
        "memories": [c["memory"]],
        "web_mode": "on",
    }
    history = [{"role": "user", "content": c["history"]}, {"role": "assistant", "content": "ok"}]
    as_chat = {"model": "pellucid", "messages": [{"role": "user", "content": message}]}
    posts: list[tuple[str, Any]] = [
        ("/v1/chat", turn | {"message": message}),
        ("/v1/chat", turn | {"message": message, "messages": history, "stream": True}),
        ("/v1/chat", turn | {"message": f"What does {page} say?", "web_mode": "auto"}),
        ("/v1/chat", turn | {"message": message, "web_mode": c["value"]}),
        ("/v1/decide", {"message": message}),
        ("/v1/search", {"query": message, "user_id": c["user"]}),
        ("/v1/search", {"query": message, "providers": [c["value"]]}),
        ("/v1/fetch", {"urls": [page, f"http://{c['query']}.example/{c['path']}"]}),
        ("/v1/memories", {"text": c["memory"], "user_id": c["user"]}),
        ("/v1/feedback", {"id": c["path"], "rating": "up", "comment": c["comment"]}),
        ("/v1/chat/completions", as_chat | {"user": c["user"]}),
        ("/v1/chat/completions", as_chat | {"stream": True, "web_search_options": {}}),
        ("/v1/responses", {"model": "pellucid", "input": message}),
        ("/v1/messages", as_chat | {"max_tokens": 100}),
        ("/compat/tavily/search", {"query": message}),
        ("/compat/openwebui/search", {"query": message, "count": 3}),
        ("/compat/perplexity/search", {"query": message}),
        ("/mcp", {"jsonrpc": "2.0", "id": 1, "method": c["value"], "params": {"q": message}}),
    ]
    responses = [http.post(path, json=body) for path, body in posts]
    theirs = {"user_id": c["user"]}
    responses += [
        http.post("/v1/chat", content=f'{{"message": "{c["query"]}'.encode()),
        http.get("/compat/searxng/search", params={"q": message, "format": "json"}),
        http.get(f"/v1/evidence/{c['path']}", params=theirs),
        http.get(f"/v1/conversations/{c['conversation']}", params=theirs),
        http.get(f"/v1/conversations/{c['path']}", params=theirs),
        http.delete(f"/v1/memories/{c['path']}", params=theirs),
        http.get(f"/{c['path']}", params={"q": c["query"]}),
        http.get("/v1/usage", headers={"authorization": f"Bearer {c['wrong key']}"}),
        http.get("/v1/usage", headers={"x-pellucid-challenge": c["challenge"]}),
    ]
    return responses


def _metrics(installation: Installation) -> str:
    ports = [9100 + n + installation.offset for n in range(5)]
    with httpx.Client(trust_env=False, timeout=10.0) as http:
        return "\n".join(http.get(f"http://127.0.0.1:{port}/metrics").text for port in ports)


def _redis_keys(port: int) -> str:
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.sendall(b"*2\r\n$4\r\nKEYS\r\n$1\r\n*\r\n")
        connection.settimeout(0.5)
        reply = b""
        try:
            while piece := connection.recv(65536):
                reply += piece
        except TimeoutError:
            return reply.decode()
    return reply.decode()


# What names entries; the rest of a row is their content, which has a lifetime and an owner.
_NAMES = frozenset({"key", "owner", "kind", "id", "bucket", "field"})


def _sqlite_names(folder: Path) -> str:
    """Names of everything in every table of every file."""
    names = []
    for path in folder.rglob("*.sqlite3"):
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
            for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'"):
                rows = db.execute(f'SELECT * FROM "{table}"')
                wanted = [n for n, column in enumerate(rows.description) if column[0] in _NAMES]
                names += [str(row[n]) for row in rows for n in wanted]
        db.close()
    return "\n".join(names)


def _errors(responses: list[httpx.Response]) -> str:
    """Bodies of refusals, and heads of everything."""
    failed = [r.text for r in responses if r.status_code >= 400]
    heads = [str(r.headers) for r in responses]
    return "\n".join((*failed, *heads))


def _around(text: str, canary: str) -> str:
    at = text.index(canary)
    return text[max(0, at - 150) : at + 60]


def test_what_people_send_is_nowhere_but_in_their_records(
    installation: Installation, collector: Collector, redis_port: int
) -> None:
    headers = {"authorization": f"Bearer {KEY}"}
    with httpx.Client(
        base_url=installation.url, headers=headers, trust_env=False, timeout=60.0
    ) as http:
        responses = plant(http, 8099 + installation.offset)
    time.sleep(3.0)  # counts and traces go out every few seconds

    places = {
        "logs": "\n".join(installation.lines),
        "metrics": _metrics(installation),
        "traces": b"\n".join(collector.received).decode("utf-8", "replace"),
        "keys of Redis": _redis_keys(redis_port),
        "names in SQLite": _sqlite_names(installation.data_dir),
        "errors": _errors(responses),
    }
    found = [
        f"{name} in {place}: {_around(text, canary)!r}"
        for place, text in places.items()
        for name, canary in CANARIES.items()
        if canary in text
    ]
    assert not found, "\n".join(found)
    # The test itself must have looked at something.
    statuses = {response.status_code for response in responses}
    assert {200, 400, 401, 404} <= statuses, statuses
    assert "pellucid_gateway_turns_total" in places["metrics"]
    assert "/v1/chat" in places["logs"]
    assert "POST /v1/chat" in places["traces"]
    assert "pellucid:v1:" in places["keys of Redis"]
    assert "turns-" in places["names in SQLite"]
    assert CANARIES["query"] in "\n".join(r.text for r in responses if r.status_code == 200)
    with httpx.Client(base_url=installation.url, headers=headers, trust_env=False) as http:
        theirs = {"user_id": CANARIES["user"]}
        kept = http.get(f"/v1/conversations/{CANARIES['conversation']}", params=theirs).text
        assert CANARIES["query"] in kept
        assert PAGE_TEXT not in kept
