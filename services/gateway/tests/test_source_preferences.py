"""Sources that a person prefers or avoids: kept for them alone, applied, and told to nobody."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from kept_rig import KeptGateway, Plan, ask, open_gateway
from port_fakes import HITS, hit
from turn_fakes import Rig, turn

from pellucid_gateway.domain.events import Done
from pellucid_gateway.domain.standing import PREFERRED_SHIFT, Standing
from pellucid_gateway.turn.orchestrator import Engine
from pellucid_runtime.errors import DependencyDownError

PATH = "/v1/source-preferences"


@pytest.fixture
async def gateway(tmp_path: Path) -> AsyncIterator[KeptGateway]:
    async with AsyncExitStack() as stack:
        yield await open_gateway(stack, Plan(tmp_path))


async def say(http: httpx.AsyncClient, domain: str, stance: str, person: str = "ada") -> Any:
    body = {"domain": domain, "stance": stance, "user_id": person}
    return (await http.post(PATH, json=body)).json()


async def listed(http: httpx.AsyncClient, person: str = "ada") -> list[tuple[str, str]]:
    found = (await http.get(PATH, params={"user_id": person})).json()["sources"]
    return [(one["domain"], one["stance"]) for one in found]


async def test_they_are_kept_for_the_person_alone_until_deleted(gateway: KeptGateway) -> None:
    theirs = {"user_id": "ada"}
    async with gateway.client() as http:
        kept = await say(http, "WWW.Almanac.example", "avoid")
        await say(http, "bücher.example", "prefer")
        await say(http, "almanac.example", "prefer")
        both = await listed(http)
        others = await listed(http, "bob")
        stranger = await http.delete(f"{PATH}/almanac.example", params={"user_id": "bob"})
        gone = await http.delete(f"{PATH}/almanac.example", params=theirs)
        left = await listed(http)
        await http.delete("/v1/users/me/data", params=theirs)
        nothing = await listed(http)

    assert (kept["domain"], kept["stance"]) == ("almanac.example", "avoid")
    assert both == [("almanac.example", "prefer"), ("xn--bcher-kva.example", "prefer")]
    assert others == []
    assert (stranger.status_code, gone.status_code) == (404, 204)
    assert left == [("xn--bcher-kva.example", "prefer")]
    assert nothing == []


@pytest.mark.parametrize(
    "domain", ["", "two words", "https://a.example/", "a.example/path", "a..b"]
)
async def test_a_domain_is_a_host_name(gateway: KeptGateway, domain: str) -> None:
    async with gateway.client() as http:
        refused = await say(http, domain, "prefer")

    assert refused["errors"][0]["field"] == "domain"


async def test_avoided_sources_are_left_out_and_preferred_ones_gain_trust(
    gateway: KeptGateway,
) -> None:
    async with gateway.client() as http:
        await say(http, "almanac.example", "avoid")
        await say(http, "council.example", "prefer")
        mine = await ask(http)
        theirs = await ask(http, user_id="bob")
        evidence = (
            await http.get(f"/v1/evidence/{mine['evidence_id']}", params={"user_id": "ada"})
        ).json()
        search = {"query": "Skerry Bridge toll", "user_id": "ada"}
        found = (await http.post("/v1/search", json=search)).json()

    rated, others, _ = gateway.rig.scorer.score_calls
    domains = ["harbourpost.example", "council.example"]
    assert [(one.domain, one.trust_shift) for one in rated.hits] == [
        (domains[0], 0.0), (domains[1], PREFERRED_SHIFT),
    ]  # fmt: skip
    assert [source["domain"] for source in mine["sources"]] == domains
    assert [(one["url"], one["exclusion"]) for one in evidence["excluded"]] == [
        (HITS[2].url, "avoided")
    ]
    assert [one.trust_shift for one in others.hits] == [0.0] * 3
    assert len(theirs["sources"]) == 3
    assert [one["reason"] for one in found["excluded"]] == ["avoided"]
    assert all("almanac" not in repr(call.options) for call in gateway.rig.search.calls)


async def test_a_site_that_is_asked_for_by_name_is_searched_all_the_same(
    gateway: KeptGateway,
) -> None:
    async with gateway.client() as http:
        await say(http, "almanac.example", "avoid")
        answer = await ask(http, include_domains=["almanac.example", "council.example"])

    assert "almanac.example" in {source["domain"] for source in answer["sources"]}


def test_of_nested_hosts_the_nearest_counts() -> None:
    standing = Standing(
        preferred=frozenset({"docs.big.example"}),
        avoided=frozenset({"big.example"}),
        learned={"big.example": -0.1},
    )
    docs, blog, alike = (
        hit(1, "", host) for host in ("docs.big.example", "big.example", "notbig.example")
    )

    assert [standing.avoids(one) for one in (docs, blog, alike)] == [False, True, False]
    assert standing.shift(replace(docs, domain="big.example")) == pytest.approx(0.1)
    assert standing.shift(blog) == -0.1
    assert standing.shift(alike) == 0.0


async def test_without_the_store_the_turn_goes_on_and_says_so() -> None:
    class Down:
        async def of(self, caller: str) -> Standing:
            del caller
            raise DependencyDownError("store")

    engine = Engine(replace(Rig().engine._dependencies, standings=Down()))

    done = [event async for event in engine.run(turn())][-1]

    assert isinstance(done, Done)
    assert len(done.result.sources) == 3
    assert "store" in {lost.component for lost in done.result.degraded}
