"""The weekly report over searches that providers, the cache and the local index answered."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from kept_rig import KeptGateway, Plan, open_gateway
from port_fakes import HITS, FakeModel, search_decision
from turn_fakes import Rig

from pellucid_gateway.analytics.report_text import as_markdown
from pellucid_gateway.api.http.admission import RequestLimits
from pellucid_gateway.domain.decision import PlannedQuery
from pellucid_gateway.domain.findings import ProviderStatus

# Question, provider, status, times asked, relevance of what is found (None: nothing fits).
WEEK = (
    ("ferry times", "brave", ProviderStatus.OK, 40, 0.8),
    ("bridge toll", "brave", ProviderStatus.CACHED, 48, 0.7),
    ("staff handbook", "local", ProviderStatus.OK, 24, 0.9),
    ("old minutes", "local", ProviderStatus.OK, 8, 0.3),
    ("nobody knows", "local", ProviderStatus.CACHED, 5, None),
)
# Enough of them that nobody looks like a machine.
PEOPLE = 40


@pytest.fixture
async def gateway(tmp_path: Path) -> AsyncIterator[KeptGateway]:
    async with AsyncExitStack() as stack:
        plan = Plan(
            tmp_path,
            rig=Rig(model=FakeModel()),
            settings={"gateway_searches_per_day": 1000},
            limits=RequestLimits(address_per_minute=10_000),
        )
        yield await open_gateway(stack, plan)


async def ask(gateway: KeptGateway, question: str, person: str) -> Counter[str]:
    """Return how often each domain was cited in the answer."""
    async with gateway.client() as http:
        body = {"message": question, "user_id": person, "web_mode": "on"}
        response = await http.post("/v1/chat", json=body)
    assert response.status_code == 200, response.text
    reply = response.json()
    domain_of = {source["n"]: source["domain"] for source in reply["sources"]}
    return Counter(domain_of[citation["source"]] for citation in reply["citations"])


async def test_searches_of_which_two_thirds_left_to_nobody(gateway: KeptGateway) -> None:
    rig = gateway.rig
    cited: Counter[str] = Counter()
    for question, provider, status, count, relevance in WEEK:
        decision = search_decision(
            queries=(PlannedQuery(question),), standalone_question=question, fallback_queries=()
        )
        rig.decision.decision = decision
        rig.search.provider, rig.search.status = provider, status
        rig.scorer.included = relevance is not None
        rig.scorer.relevance = relevance or 0.1
        for n in range(count):
            cited += await ask(gateway, question, f"person-{n % PEOPLE}")
        await gateway.afterwards.close()
    async with gateway.client() as http:
        report = (await http.get("/v1/reports/weekly")).json()

    assert report["summary"]["searches"] == 125
    assert [(q["query"], q["count"]) for q in report["top_queries"]] == [
        ("bridge toll", 48),
        ("ferry times", 40),
        ("staff handbook", 24),
        ("old minutes", 8),
        ("nobody knows", 5),
    ]
    low = [(q["query"], round(q["average_relevance"], 2)) for q in report["low_relevance_queries"]]
    assert low == [("nobody knows", 0.0), ("old minutes", 0.3)]
    assert cited.total() >= 120, "whatever answered, cached and local searches are cited"
    assert {row["domain"]: row["citations"] for row in report["most_cited_domains"]} == cited
    assert cited.keys() <= {hit.domain for hit in HITS}


async def test_one_person_alone_sees_what_they_asked_and_a_second_one_hides_it(
    gateway: KeptGateway,
) -> None:
    await ask(gateway, "ferry times", "ada")
    await gateway.afterwards.close()
    alone = await _report(gateway)
    await ask(gateway, "ferry times", "bob")
    await gateway.afterwards.close()
    both = await _report(gateway)
    async with gateway.client() as http:
        await http.delete("/v1/users/me/data", params={"user_id": "bob"})
    again = await _report(gateway)

    assert [query["query"] for query in alone["top_queries"]] == ["skerry bridge toll cars"]
    assert [report["least_askers"] for report in (alone, both, again)] == [1, 3, 1]
    assert both["top_queries"] == []
    assert "Queries asked most" in as_markdown(alone)
    assert "Queries asked by 3 people or more" in as_markdown(both)


async def test_cost_is_told_by_provider_and_by_model_and_results_by_day(
    gateway: KeptGateway,
) -> None:
    rig = gateway.rig
    assert rig.model is not None
    rig.search.provider, rig.search.cost_micro_usd, rig.model.cost_micro_usd = "brave", 5000, 1200
    for _ in range(2):
        await ask(gateway, "ferry times", "ada")
    await gateway.afterwards.close()
    report = await _report(gateway)
    async with gateway.client() as http:
        (day,) = (await http.get("/v1/usage", params={"user_id": "ada"})).json()["days"]

    (brave,) = report["summary"]["providers"]
    (model,) = report["summary"]["models"]
    assert (brave["name"], brave["cost_usd"]) == ("brave", pytest.approx(0.01))
    assert model == {
        "name": "fake-model", "calls": 2, "tokens_in": 200, "tokens_out": 20,
        "cost_usd": pytest.approx(0.0024),
    }  # fmt: skip
    assert report["summary"]["cost_usd"] == pytest.approx(0.0124)
    assert day["results"] == 2 * len(HITS)
    assert day["cost_usd"] == pytest.approx(0.0124)
    text = as_markdown(report)
    assert "| brave | 2 | 100.0 % | 0 ms | $0.0100 |" in text
    assert "| fake-model | 2 | 200 | 20 | $0.0024 |" in text


async def _report(gateway: KeptGateway) -> dict[str, Any]:
    async with gateway.client() as http:
        report: dict[str, Any] = (await http.get("/v1/reports/weekly")).json()
    return report
