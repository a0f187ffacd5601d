"""Evidence and feedback: one's own answers only, kept for a time, deletable."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from api_fakes import MakeApp
from starlette.types import ASGIApp

from pellucid_gateway.adapters.evidence_store import StoredEvidence
from pellucid_gateway.adapters.sqlite_state import SqliteState
from pellucid_gateway.analytics.counting import Counting
from pellucid_gateway.api.http.identity import Identity
from pellucid_gateway.conversation.feedback import StoredFeedback
from pellucid_runtime.clock import SystemClock

IDENTITY = Identity(b"0123456789abcdef")
RECORD = {"id": "e-1", "answer": "4.20"}


@pytest.fixture
async def http(make_app: MakeApp, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    clock = SystemClock()
    async with SqliteState(tmp_path / "state.db", clock) as state:
        evidence = StoredEvidence(state)
        ada = IDENTITY.hashed("\0user:ada")
        await evidence.save("e-1", ada, RECORD)
        app: ASGIApp = make_app(
            identity=IDENTITY,
            evidence=evidence,
            feedback=StoredFeedback(state, Counting(state), clock),
        )
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            yield client


async def test_evidence_belongs_to_who_asked(http: httpx.AsyncClient) -> None:
    own = await http.get("/v1/evidence/e-1", params={"user_id": "ada"})
    other = await http.get("/v1/evidence/e-1", params={"user_id": "bob"})
    missing = await http.get("/v1/evidence/e-2", params={"user_id": "ada"})

    assert own.json() == RECORD
    assert own.headers["cache-control"] == "no-store"
    assert (other.status_code, missing.status_code) == (404, 404)
    assert other.json()["code"] == "NOT_FOUND"


async def test_evidence_can_be_forgotten(http: httpx.AsyncClient) -> None:
    refused = await http.delete("/v1/evidence/e-1", params={"user_id": "bob"})
    done = await http.delete("/v1/evidence/e-1", params={"user_id": "ada"})
    gone = await http.get("/v1/evidence/e-1", params={"user_id": "ada"})

    assert (refused.status_code, done.status_code, gone.status_code) == (404, 204, 404)


async def test_a_thumb_is_a_score(http: httpx.AsyncClient) -> None:
    thumb = {"id": "e-1", "user_id": "ada", "rating": "up", "comment": "right"}

    first = await http.post("/v1/feedback", json=thumb)
    second = await http.post("/v1/feedback", json=thumb | {"rating": "down", "score": 2})

    assert first.json() == {"id": "e-1", "rating": "up", "score": 5}
    assert second.json() == {"id": "e-1", "rating": "down", "score": 2}
    assert "feedback" in (await http.get("/v1/version")).json()["features"]


@pytest.mark.parametrize(
    ("change", "status", "field"),
    [
        ({"user_id": "bob"}, 404, None),
        ({"id": "e-2"}, 404, None),
        ({"rating": "sideways"}, 400, "rating"),
        ({"score": 6}, 400, "score"),
        ({"comment": "x" * 2049}, 400, "comment"),
        ({"id": ""}, 400, "id"),
    ],
)
async def test_wrong_feedback_is_refused(
    http: httpx.AsyncClient, change: dict[str, Any], status: int, field: str | None
) -> None:
    reply = await http.post(
        "/v1/feedback", json={"id": "e-1", "user_id": "ada", "rating": "up"} | change
    )

    assert reply.status_code == status
    assert [error["field"] for error in reply.json()["errors"][:1]] == ([field] if field else [])


async def test_without_a_store_there_are_no_such_routes(make_app: MakeApp) -> None:
    transport = httpx.ASGITransport(make_app(), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        assert (await client.get("/v1/evidence/e-1")).status_code == 404
        assert (await client.post("/v1/feedback", json={})).status_code == 404
        assert (await client.get("/v1/version")).json()["features"] == []
