"""Compressed bodies are unpacked, within the limit of the plain size."""

import gzip
import json

import httpx
import pytest
from api_fakes import FakeEngine

BODY = json.dumps({"message": "What is the toll?"}).encode()


async def test_a_compressed_body_is_unpacked(http: httpx.AsyncClient, engine: FakeEngine) -> None:
    reply = await http.post(
        "/v1/chat", content=gzip.compress(BODY, mtime=0), headers={"content-encoding": "GZIP"}
    )

    assert reply.status_code == 200
    assert engine.turns[0].message == "What is the toll?"


async def test_a_bomb_is_refused_without_being_unpacked(http: httpx.AsyncClient) -> None:
    bomb = gzip.compress(b"{" + b" " * 40_000_000, mtime=0)
    reply = await http.post("/v1/chat", content=bomb, headers={"content-encoding": "gzip"})

    assert len(bomb) < 60_000
    assert reply.status_code == 413
    assert reply.json()["code"] == "PAYLOAD_TOO_LARGE"


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (BODY, "gzip"),
        (gzip.compress(BODY, mtime=0)[:-6], "gzip"),
        (BODY, "br"),
        (BODY, "deflate"),
        (gzip.compress(gzip.compress(BODY, mtime=0), mtime=0), "gzip, gzip"),
    ],
    ids=["not packed", "cut short", "br", "deflate", "packed twice"],
)
async def test_what_cannot_be_unpacked_is_refused_by_name(
    http: httpx.AsyncClient, body: bytes, encoding: str
) -> None:
    reply = await http.post("/v1/chat", content=body, headers={"content-encoding": encoding})

    assert reply.status_code == 400
    assert reply.json()["errors"][0]["field"] == "Content-Encoding"
