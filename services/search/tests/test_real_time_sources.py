"""Real-time sources: asked for what they know, with nothing else of the query, and read right."""

import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from pellucid.common.v1 import common_pb2
from pellucid.search.v1 import search_pb2 as pb
from pydantic import ValidationError

from pellucid_search.adapters.http_engine import HttpEngine
from pellucid_search.adapters.http_transport import HttpxTransport
from pellucid_search.errors import BadRequestError, MalformedError, ProviderServerError, RateError
from pellucid_search.providers import coinpaprika, frankfurter
from pellucid_search.providers.registry import REGISTRY
from pellucid_search.providers.wire import Endpoint, HttpReply
from pellucid_search.query import ProviderQuery
from pellucid_search.settings import SearchSettings

pytestmark = pytest.mark.usefixtures("loaded_languages")

NOW = datetime(2026, 11, 27, 9, tzinfo=UTC)
# As their documentation shows answers, in numbers of our own.
RATES = {
    "amount": 1.0, "base": "USD", "start_date": "2026-11-20", "end_date": "2026-11-26",
    "rates": {
        "2026-11-20": {"EUR": 0.861}, "2026-11-25": {"EUR": 0.86}, "2026-11-26": {"EUR": 0.8643},
    },
}  # fmt: skip
TICKER = {
    "id": "btc-bitcoin", "name": "Bitcoin", "symbol": "BTC", "rank": 1, "beta_value": 0.98,
    "last_updated": "2026-11-27T08:59:31Z",
    "quotes": {
        "USD": {"price": 91234.56, "volume_24h": 1.2e10, "percent_change_24h": -1.28},
        "EUR": {"price": 78850.1, "volume_24h": 1.0e10, "percent_change_24h": -1.07},
    },
}  # fmt: skip


def faithful_rates(answer: Any) -> Any:
    """Return what answers like Frankfurter: it knows its path, its parameters and its codes."""

    def respond(request: Any) -> Any:
        target = urlsplit(request.target)
        fields = dict(parse_qsl(target.query))
        if target.path != "/v1/2026-11-20.." or set(fields) != {"base", "symbols"}:
            return answer({"message": "not found"}, 404)
        return answer(RATES | {"base": fields["base"]})

    return respond


def faithful_ticker(answer: Any) -> Any:
    """Return what answers like CoinPaprika."""

    def respond(request: Any) -> Any:
        target = urlsplit(request.target)
        if target.path != "/v1/tickers/btc-bitcoin":
            return answer({"error": "id not found"}, 404)
        wanted = dict(parse_qsl(target.query))["quotes"].split(",")
        quotes = {code: TICKER["quotes"][code] for code in wanted}
        return answer(TICKER | {"quotes": quotes})

    return respond


async def asked(name: str, url: str, text: str) -> Any:
    dialect = REGISTRY[name].dialect
    assert dialect is not None
    async with HttpxTransport() as transport:
        engine = HttpEngine(dialect, lambda: Endpoint(url), transport)
        return await engine.ask(ProviderQuery(text, NOW), timeout_s=3)


async def test_a_rate_comes_with_its_change_and_its_day(serve_provider: Any, answer: Any) -> None:
    provider = await serve_provider(faithful_rates(answer))

    (hit,) = (await asked("frankfurter", provider.url, "dollar euro exchange rate today")).hits

    assert hit.title == "Exchange rate USD to EUR: 1 USD = 0.8643 EUR (2026-11-26)"
    assert hit.snippet == (
        "Reference rate of the European Central Bank on 2026-11-26: 1 USD = 0.8643 EUR, up 0.50 % "
        "from 0.86 EUR on 2026-11-25."
    )
    assert hit.age == "2026-11-26"
    assert hit.url == "https://api.frankfurter.dev/v1/2026-11-20..?base=USD&symbols=EUR"


async def test_a_price_comes_with_its_change_and_its_time(serve_provider: Any, answer: Any) -> None:
    provider = await serve_provider(faithful_ticker(answer))

    (hit,) = (await asked("coinpaprika", provider.url, "bitcoin price in euros")).hits

    assert hit.title == "Bitcoin (BTC) price: 91,234.56 USD (down 1.28 % in 24 hours)"
    assert hit.snippet == (
        "Price by CoinPaprika as of 2026-11-27 08:59 UTC: 1 Bitcoin costs 91,234.56 USD (down "
        "1.28 % in 24 hours) and 78,850.10 EUR (down 1.07 % in 24 hours)."
    )
    assert hit.age == "2026-11-27T08:59:31Z"
    assert hit.url == "https://coinpaprika.com/coin/btc-bitcoin/"


@pytest.mark.parametrize(
    ("text", "rate", "price"),
    [
        ("USD to EUR", "USD EUR", ""),
        ("100 € en dólares", "EUR USD", ""),
        ("달러 엔 환율", "USD JPY", ""),
        ("ドル 円 相場", "USD JPY", ""),
        ("australian dollar in pounds", "AUD GBP", ""),
        ("Wechselkurs Franken Euro", "CHF EUR", ""),
        ("what is the euro worth", "", ""),
        ("tokens per second of a pounding heart", "", ""),
        ("bitcoin kurs", "", "btc-bitcoin USD"),
        ("비트코인 시세", "", "btc-bitcoin USD"),
        ("ethereum classic in euros", "", "etc-ethereum-classic USD EUR"),
        ("ether net cable", "", ""),
    ],
)
def test_only_what_is_named_leaves(text: str, rate: str, price: str) -> None:
    query = ProviderQuery(text, NOW)

    assert frankfurter.wording(query) == rate
    assert coinpaprika.wording(query) == price


REFUSALS = [
    ("frankfurter", 404, {"message": "not found"}, BadRequestError),
    ("frankfurter", 422, {"message": "bad currency pair"}, BadRequestError),
    ("coinpaprika", 404, {"error": "id not found"}, BadRequestError),
    ("coinpaprika", 429, {"error": "too many requests"}, RateError),
    ("coinpaprika", 500, {"error": "internal"}, ProviderServerError),
    ("frankfurter", 200, [], MalformedError),
]


@pytest.mark.parametrize(("name", "status", "body", "error"), REFUSALS)
def test_refusals_are_typed(name: str, status: int, body: Any, error: type[Exception]) -> None:
    dialect = REGISTRY[name].dialect
    assert dialect is not None
    with pytest.raises(error):
        dialect.parse(HttpReply(status, {}, json.dumps(body).encode()))


ODD = [
    {}, {"rates": 3}, {"base": "USD", "rates": {"2026-11-26": {"EUR": "much"}}},
    {"base": "USD", "rates": {"2026-11-26": None}}, {"id": "x", "name": "X", "quotes": {"USD": 1}},
    {"id": 1, "name": None, "quotes": []},
]  # fmt: skip


@pytest.mark.parametrize("name", ["frankfurter", "coinpaprika"])
@pytest.mark.parametrize("body", ODD)
def test_an_odd_answer_is_no_result(name: str, body: Any) -> None:
    dialect = REGISTRY[name].dialect
    assert dialect is not None
    assert dialect.parse(HttpReply(200, {}, json.dumps(body).encode())).hits == ()


@pytest.fixture
async def sources(serve_provider: Any, answer: Any) -> dict[str, Any]:
    """A search engine and both sources."""
    page = {"title": "Rates", "url": "https://bank.example/rates", "content": "Rates of today"}
    return {
        "searxng": await serve_provider(lambda _: answer({"results": [page]})),
        "frankfurter": await serve_provider(faithful_rates(answer)),
        "coinpaprika": await serve_provider(faithful_ticker(answer)),
    }


def addresses(sources: dict[str, Any]) -> dict[str, Any]:
    return {
        "searxng_url": sources["searxng"].url,
        "frankfurter_base_url": sources["frankfurter"].url,
        "coinpaprika_base_url": sources["coinpaprika"].url,
        "search_providers": "searxng",
    }


async def test_a_source_is_asked_beside_the_others_for_its_kind_of_question(
    start_service: Any, sources: dict[str, Any], ask: Any
) -> None:
    client = await start_service(search_real_time="frankfurter,coinpaprika", **addresses(sources))
    mine = "dollar in euro today jane@mail.example"

    found = await client.Search(ask(mine, topic="finance", now=NOW))
    wider = ask(mine, topic="finance", now=NOW, freshness=common_pb2.FRESHNESS_DAY, count=20)
    again = await client.Search(wider)
    other = await client.Search(ask("dollar in euro history", topic="concept", now=NOW))

    told = {report.name: report.status for report in found.providers}
    assert told == {
        "searxng": pb.PROVIDER_STATUS_OK,
        "frankfurter": pb.PROVIDER_STATUS_OK,
        "coinpaprika": pb.PROVIDER_STATUS_SKIPPED,
    }
    assert {hit.domain for hit in found.hits} == {"bank.example", "frankfurter.dev"}
    assert {out.to: out.text for out in found.outbound}["frankfurter"] == "USD EUR"
    assert [report.name for report in other.providers] == ["searxng"]
    assert "frankfurter.dev" in {hit.domain for hit in again.hits}
    assert len(sources["frankfurter"].requests) == 1, "a wider search is answered from the cache"
    assert sources["coinpaprika"].requests == []


async def test_without_the_setting_a_source_is_asked_only_by_name(
    start_service: Any, sources: dict[str, Any], ask: Any
) -> None:
    client = await start_service(**addresses(sources))

    await client.Search(ask("bitcoin price", topic="finance", now=NOW))
    unasked = list(sources["coinpaprika"].requests)
    named = await client.Search(ask("bitcoin price", providers=["coinpaprika"], now=NOW))
    foreign = await client.Search(ask("island ferry", providers=["coinpaprika"], now=NOW))

    assert unasked == []
    assert [hit.domain for hit in named.hits] == ["coinpaprika.com"]
    quoted_at = datetime(2026, 11, 27, 8, 59, 31, tzinfo=UTC)
    assert named.hits[0].published.time.ToDatetime(UTC) == quoted_at
    assert list(foreign.hits) == []
    assert len(sources["coinpaprika"].requests) == 1


async def test_nothing_leaves_where_nothing_may(
    start_service: Any, sources: dict[str, Any], ask: Any
) -> None:
    client = await start_service(search_real_time="coinpaprika", **addresses(sources))

    for providers in ([], ["coinpaprika"]):
        request = ask("bitcoin price", topic="finance", no_external=True, providers=providers)
        assert list((await client.Search(request)).outbound) == []

    assert sources["coinpaprika"].requests == []


def test_settings_take_each_name_in_its_place() -> None:
    assert SearchSettings(search_real_time="coinpaprika").beside == ("coinpaprika",)
    for wrong in (
        {"search_real_time": "brave"},
        {"search_real_time": "wikidata"},
        {"search_providers": "coinpaprika"},
    ):
        with pytest.raises(ValidationError):
            SearchSettings(**wrong)
