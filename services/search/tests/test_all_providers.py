"""All providers in one search, each a fake that demands what the real one demands."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from faithful_providers import DEMANDS, KEY, faithful, settings_of
from pellucid.search.v1 import search_pb2 as pb
from search_provider_fixtures import GOOD, PAGE_ONE, PAGE_TWO

from pellucid_search.adapters.http_engine import HttpEngine
from pellucid_search.adapters.http_transport import HttpxTransport
from pellucid_search.errors import BadKeyError
from pellucid_search.providers import exa
from pellucid_search.providers.registry import REGISTRY
from pellucid_search.providers.wire import Endpoint, HttpCall, HttpReply
from pellucid_search.query import ProviderQuery

pytestmark = pytest.mark.usefixtures("loaded_languages")

NOW = datetime(2026, 1, 3, tzinfo=UTC)
HTTP_PROVIDERS = tuple(name for name, spec in REGISTRY.items() if spec.dialect and not spec.topics)


def own_story(name: str) -> Any:
    """Return a provider's good answer with a second result that no other has."""
    said = json.dumps(GOOD[name]).replace(PAGE_TWO, f"https://{name}.example.org/story")
    return json.loads(said.replace("A story", f"What {name} heard of the harbour"))


def test_every_provider_over_http_has_demands() -> None:
    assert set(DEMANDS) == set(HTTP_PROVIDERS)


async def test_all_are_fused_in_one_search(
    start_service: Any, serve_provider: Any, answer: Any, ask: Any
) -> None:
    settings: dict[str, Any] = {}
    for name in HTTP_PROVIDERS:
        fake = await serve_provider(faithful(name, answer, own_story(name)))
        settings |= settings_of(name, fake.url)
    client = await start_service(search_providers=",".join(HTTP_PROVIDERS), **settings)

    found = await client.Search(
        ask("island ferry", routing=pb.ROUTING_ALL, language="en", country="US", news=True)
    )

    told = {report.name: report for report in found.providers}
    assert {
        name: (r.status, r.calls, r.results, r.detail) for name, r in told.items()
    } == dict.fromkeys(HTTP_PROVIDERS, (pb.PROVIDER_STATUS_OK, 1, 2, ""))
    first, *others = found.hits
    assert first.url == PAGE_ONE
    assert {finding.provider for finding in first.findings} == set(HTTP_PROVIDERS)
    assert {hit.url for hit in others} == {
        f"https://{name}.example.org/story" for name in HTTP_PROVIDERS
    }
    prices = {name: REGISTRY[name].price_micro_usd for name in HTTP_PROVIDERS}
    assert {name: report.cost_micro_usd for name, report in told.items()} == prices
    assert {item.to for item in found.outbound} == set(HTTP_PROVIDERS)
    assert KEY not in str(found)


@pytest.mark.parametrize("name", HTTP_PROVIDERS)
async def test_the_fakes_refuse_what_the_real_ones_refuse(
    name: str, serve_provider: Any, answer: Any
) -> None:
    fake = await serve_provider(faithful(name, answer))
    dialect = REGISTRY[name].dialect
    assert dialect is not None
    call = dialect.build(ProviderQuery("q", NOW), Endpoint(fake.url, KEY, "engine"))
    other = "GET" if call.method == "POST" else "POST"
    wrong = [
        HttpCall(other, call.url, call.params, call.headers, call.json),
        HttpCall(call.method, f"{call.url}/x", call.params, call.headers, call.json),
        HttpCall(call.method, call.url, (), call.headers, {} if call.json else None),
        HttpCall(
            call.method,
            call.url,
            (*call.params, ("odd", "1")),
            call.headers,
            {**call.json, "odd": 1} if call.json else None,
        ),
    ]
    async with HttpxTransport() as transport:
        good = await transport.send(call, timeout_s=3)
        refused = [await transport.send(each, timeout_s=3) for each in wrong]

    assert len(dialect.parse(good).hits) == 2
    assert [each.body == good.body for each in refused] == [False] * 4


@pytest.mark.parametrize("name", [name for name in HTTP_PROVIDERS if REGISTRY[name].key])
async def test_a_wrong_key_is_told_from_other_refusals(
    name: str, serve_provider: Any, answer: Any
) -> None:
    fake = await serve_provider(faithful(name, answer))
    dialect = REGISTRY[name].dialect
    assert dialect is not None
    async with HttpxTransport() as transport:
        asked = HttpEngine(dialect, lambda: Endpoint(fake.url, "another", "engine"), transport)
        with pytest.raises(BadKeyError):
            await asked.ask(ProviderQuery("q", NOW), timeout_s=3)


@pytest.mark.parametrize(
    ("name", "field", "twice"),
    [("exa", "costDollars", {"total": 2 * exa.USD_PER_CALL}), ("serper", "credits", 2),
     ("firecrawl", "creditsUsed", 4), ("jina", "meta", {"usage": {"tokens": 20_000}}),
     ("tavily", "usage", {"credits": 2})],
)  # fmt: skip
def test_what_a_call_cost_is_read_from_its_answer(name: str, field: str, twice: Any) -> None:
    dialect = REGISTRY[name].dialect
    assert dialect is not None
    body = json.dumps({**GOOD[name], field: twice}).encode()

    assert dialect.parse(HttpReply(200, {}, body)).credits == 2


def test_the_price_that_costs_are_told_by_is_the_registrys() -> None:
    assert round(exa.USD_PER_CALL * 1_000_000) == REGISTRY["exa"].price_micro_usd


def test_nothing_found_may_be_a_refusal() -> None:
    said = {"data": None, "code": 422, "message": "No search results available for query q"}
    dialect = REGISTRY["jina"].dialect
    assert dialect is not None

    assert dialect.parse(HttpReply(422, {}, json.dumps(said).encode())).hits == ()
