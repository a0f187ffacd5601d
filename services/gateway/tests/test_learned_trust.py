"""What use teaches of sources: pooled, bounded, shown, applied, and forgotten when asked."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kept_rig import KeptGateway, Plan, ask, open_gateway
from port_fakes import HITS, FakeFetcher, FakeModel
from turn_fakes import Rig

from pellucid_gateway.analytics.learned_trust import LearnedTrust
from pellucid_runtime.clock import SystemClock

PATH = "/v1/stats/sources"
CITED = "harbourpost.example"


class Moved(SystemClock):
    """Days and seconds that a test moves on."""

    days = 0
    seconds = 0.0

    def now(self) -> datetime:
        return datetime(2026, 11, 20, 12, tzinfo=UTC) + timedelta(days=self.days)

    def monotonic(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Moved:
    return Moved()


@pytest.fixture
async def gateway(tmp_path: Path, clock: Moved) -> AsyncIterator[KeptGateway]:
    fetcher = FakeFetcher(texts={HITS[0].url: HITS[0].snippet})
    rig = Rig(model=FakeModel(("The toll for cars is 4.50 crowns [1].",)), fetcher=fetcher)
    async with AsyncExitStack() as stack:
        yield await open_gateway(stack, Plan(tmp_path, rig=rig, clock=clock))


async def thumb(http: httpx.AsyncClient, answer: dict[str, Any], rating: str, person: str) -> None:
    body = {"id": answer["id"], "rating": rating, "user_id": person}
    assert (await http.post("/v1/feedback", json=body)).status_code == 200


async def learned(http: httpx.AsyncClient) -> dict[str, dict[str, Any]]:
    found = (await http.get(PATH)).json()
    assert found["limit"] == 0.1
    return {one.pop("domain"): one for one in found["sources"]}


async def test_thumbs_citations_and_pages_move_the_trust_of_the_next_search(
    gateway: KeptGateway, clock: Moved
) -> None:
    async with gateway.client() as http:
        for person in ("ada", "bob"):
            await thumb(http, await ask(http, user_id=person), "down", person)
        await gateway.afterwards.close()
        found = await learned(http)
        clock.seconds += 61
        await ask(http, user_id="eve")

    assert found[CITED] == {
        "shift": pytest.approx(0.1 * (-0.6 * 2 / 7 + 0.25 * 2 / 32 + 0.15 * 2 / 32), abs=1e-4),
        "thumbs_up": 0, "thumbs_down": 2, "cited": 2, "uncited": 0, "read": 2, "unread": 0,
    }  # fmt: skip
    assert found["council.example"]["uncited"] == 2
    assert found["council.example"]["unread"] == 2
    hits = gateway.rig.scorer.score_calls[-1].hits
    assert {hit.domain: hit.trust_shift for hit in hits} == {
        domain: one["shift"] for domain, one in found.items()
    }
    assert "ada" not in repr(found)


async def test_a_changed_mind_takes_its_thumb_back(gateway: KeptGateway) -> None:
    async with gateway.client() as http:
        answer = await ask(http)
        await thumb(http, answer, "down", "ada")
        await thumb(http, answer, "up", "ada")
        found = await learned(http)

    assert (found[CITED]["thumbs_up"], found[CITED]["thumbs_down"]) == (1, 0)


async def test_it_is_forgotten_when_asked_and_after_five_weeks(
    gateway: KeptGateway, clock: Moved
) -> None:
    async with gateway.client() as http:
        await ask(http)
        await gateway.afterwards.close()
        one = await http.delete(f"{PATH}/{CITED}")
        again = await http.delete(f"{PATH}/{CITED}")
        rest = await learned(http)
        every = await http.delete(PATH)
        nothing = await learned(http)
        await ask(http)
        await gateway.afterwards.close()
        new = await learned(http)
        clock.days += 35
        old = await learned(http)

    assert [reply.status_code for reply in (one, again, every)] == [204, 404, 204]
    assert set(rest) == {"council.example", "almanac.example"}
    assert nothing == {}
    assert set(new) == {CITED, "council.example", "almanac.example"}
    assert old == {}


class Sums:
    """Rollups in memory."""

    def __init__(self, counts: dict[str, int]) -> None:
        self.counts = counts

    async def read(self, buckets: Any) -> tuple[dict[str, int], ...]:
        return (self.counts, *({} for _ in buckets[1:]))


@given(st.lists(st.integers(-5, 10**6), min_size=6, max_size=6))
async def test_no_use_moves_trust_by_more_than_the_limit(counts: list[int]) -> None:
    kinds = ("thumbs_up", "thumbs_down", "cited", "uncited", "read", "unread")
    sums: Any = Sums({f"{kind}:a.example": n for kind, n in zip(kinds, counts, strict=True)})

    for source in await LearnedTrust(sums, Moved(), 0.1).sources():
        assert -0.1 <= source.shift <= 0.1
