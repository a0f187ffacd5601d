"""The weekly report over searches that providers, the cache and the local index answered."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from kept_rig import KeptGateway, Plan, open_gateway
from port_fakes import HITS, FakeModel, search_decision
from turn_fakes import Rig

from pellucid_gateway.api.http.admission import DoorLimits
from pellucid_gateway.domain.decision import PlannedQuery
from pellucid_gateway.domain.findings import ProviderStatus

# Question, provider, status, times asked, relevance of what is found (None: nothing fits).
WEEK = (
    ("ferry times", "brave", ProviderStatus.OK, 100, 0.8),
    ("bridge toll", "brave", ProviderStatus.CACHED, 120, 0.7),
    ("staff handbook", "local", ProviderStatus.OK, 60, 0.9),
    ("old minutes", "local", ProviderStatus.OK, 15, 0.3),
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
            limits=DoorLimits(address_per_minute=10_000),
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


async def test_300_searches_of_which_200_left_to_nobody(gateway: KeptGateway) -> None:
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
        await gateway.keeping.afterwards.close()
    async with gateway.client() as http:
        report = (await http.get("/v1/reports/weekly")).json()

    assert report["summary"]["searches"] == 300
    assert [(q["query"], q["count"]) for q in report["top_queries"]] == [
        ("bridge toll", 120),
        ("ferry times", 100),
        ("staff handbook", 60),
        ("old minutes", 15),
        ("nobody knows", 5),
    ]
    low = [(q["query"], round(q["average_relevance"], 2)) for q in report["low_relevance_queries"]]
    assert low == [("nobody knows", 0.0), ("old minutes", 0.3)]
    assert cited.total() >= 295, "whatever answered, cached and local searches are cited"
    assert {row["domain"]: row["citations"] for row in report["most_cited_domains"]} == cited
    assert cited.keys() <= {hit.domain for hit in HITS}
