"""What people send is in no log, metric, trace, key of a store or error.

A real installation with keys on, the caches in Redis and the state in SQLite files, a trace
collector and a model server. Twenty marked strings go in through every face; afterwards everything
that is written or told about requests is searched for them.
"""

import socket
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from rig.fake_model import FakeModel
from rig.installation import Installation
from rig.watched import MODEL_KEY, Watched

pytestmark = [pytest.mark.e2e, pytest.mark.redis, pytest.mark.timeout(400)]

# Of a corpus page that the person names; nothing but that page says it.
PAGE_TEXT = "deck was joined"

CANARIES: Mapping[str, str] = {
    "e-mail": "vera.canary01@private.example",
    "phone": "+49 171 5550192",
    "card": "4111 1111 1111 1111",
    "iban": "DE89370400440532013000",
    "ssn": "536-90-4399",
    "address": "198.51.100.77",
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
    watched: Watched, model: FakeModel
) -> None:
    model.pieces = ["The bridge cost 1.18 billion crowns [1]."]
    installation = watched.installation
    responses = plant(watched.http, 8099 + installation.offset)
    watched.collector.settled()

    places = {
        "logs": "\n".join(installation.lines),
        "metrics": _metrics(installation),
        "traces": b"\n".join(watched.collector.raw).decode("utf-8", "replace"),
        "keys of Redis": _redis_keys(watched.redis_port),
        "names in SQLite": _sqlite_names(installation.data_dir),
        "errors": _errors(responses),
    }
    found = [
        f"{name} in {place}: {_around(text, canary)!r}"
        for place, text in places.items()
        for name, canary in (CANARIES | {"key": watched.key}).items()
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
    theirs = {"user_id": CANARIES["user"]}
    path = f"/v1/conversations/{CANARIES['conversation']}"
    kept = watched.http.get(path, params=theirs).text
    assert CANARIES["query"] in kept
    assert PAGE_TEXT not in kept
