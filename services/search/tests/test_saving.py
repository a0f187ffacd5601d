"""From 80 % of the daily budget on: said once, and the cheapest providers first."""

from datetime import UTC, datetime
from typing import Any

from pellucid.search.v1 import search_pb2 as pb
from search_provider_fixtures import GOOD

from pellucid_search.asking.housekeeping import go_round
from pellucid_search.asking.ledger import Ledger
from pellucid_search.asking.planning import Lineup, Offer, make_plan
from pellucid_search.metrics import BUDGET_SOFT_LIMITS
from pellucid_search.query import Query, Routing, SearchRequest

NOW = datetime(2026, 1, 3, 12, tzinfo=UTC)
KEY = "example-key-0123456789"


async def test_the_soft_limit_is_told_once_a_day_over_replicas(counters: Any) -> None:
    one, other = (Ledger(counters, budget_micro_usd=10_000, providers=()) for _ in range(2))
    day = NOW.date()

    await one.reserve(day, 7_000)
    assert not one.is_saving(day)
    assert not await one.begins_to_save(day)
    await one.reserve(day, 1_000)
    await other.spent_micro_usd(day)

    assert one.is_saving(day)
    assert other.is_saving(day)
    told = [await ledger.begins_to_save(day) for ledger in (one, other, one, other)]
    assert told == [True, False, False, False]


async def test_a_new_day_and_an_installation_without_a_budget_save_nothing(counters: Any) -> None:
    ledger = Ledger(counters, budget_micro_usd=10_000, providers=())
    await ledger.reserve(NOW.date(), 9_000)
    free = Ledger(counters, budget_micro_usd=0, providers=())
    await free.spent_micro_usd(NOW.date())

    assert not ledger.is_saving(NOW.date().replace(day=4))
    assert not free.is_saving(NOW.date())


async def test_the_round_logs_and_counts_the_soft_limit(
    counters: Any, clock: Any, capsys: Any
) -> None:
    ledger = Ledger(counters, budget_micro_usd=10_000, providers=())
    await ledger.reserve(clock.now().date(), 8_000)
    before = BUDGET_SOFT_LIMITS._value.get()

    for _ in range(3):
        await go_round(ledger, {}, clock)

    assert BUDGET_SOFT_LIMITS._value.get() == before + 1
    written = capsys.readouterr()
    assert (written.out + written.err).count("budget_soft_limit") == 1


def test_saving_asks_the_cheapest_of_the_web_first_and_one_at_a_time() -> None:
    prices = {"tavily": 8_000, "brave": 5_000, "searxng": 0}
    offers = {name: Offer(name, price_micro_usd=price) for name, price in prices.items()}
    offers["local"] = Offer("local", external=False)
    line = Lineup(("local", *prices))
    wanted = SearchRequest((Query("q"),), NOW, routing=Routing.ALL)

    usual, saving = (make_plan(wanted, line, offers, saving=saving) for saving in (False, True))

    assert (usual.together, usual.saving) == (True, False)
    assert (saving.together, saving.saving) == (False, True)
    assert saving.members == ("searxng", "brave", "tavily", "local")


async def test_a_search_after_the_soft_limit_asks_one_and_says_so(
    start_service: Any, serve_provider: Any, answer: Any, ask: Any
) -> None:
    brave = await serve_provider(answer(GOOD["brave"]))
    tavily = await serve_provider(answer(GOOD["tavily"]))
    client = await start_service(
        brave_search_api_key=KEY, brave_base_url=brave.url, tavily_api_key=KEY,
        tavily_base_url=tavily.url, search_rates="brave=100/1",
        search_daily_budget_usd=0.011, search_prices="brave=1,tavily=8",
    )  # fmt: skip

    before = await client.Search(ask("harbour", routing=pb.ROUTING_ALL))
    after = await client.Search(ask("ferry", routing=pb.ROUTING_ALL))

    assert (before.cost_micro_usd, after.cost_micro_usd) == (9_000, 1_000)
    assert (len(brave.requests), len(tavily.requests)) == (2, 1)
    assert [part.component for part in before.degraded] == []
    assert [part.component for part in after.degraded] == ["budget"]
