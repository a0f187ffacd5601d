"""The log tells of searches, failing providers and a spent budget, and of no word of a query."""

from typing import Any

import structlog
from pellucid.search.v1 import search_pb2 as pb
from search_provider_fixtures import GOOD

KEY = "example-key-0123456789"
QUERY = "hip surgeons near Kestrel Lane for Rosalind Achterberg"


def _of(logs: list[Any], event: str) -> list[Any]:
    return [line for line in logs if line["event"] == event]


async def test_a_search_and_a_failing_provider_have_a_line_each(
    start_service: Any, serve_provider: Any, answer: Any, ask: Any
) -> None:
    brave = await serve_provider(answer({}, 429, {"Retry-After": "60"}))
    tavily = await serve_provider(answer(GOOD["tavily"]))
    client = await start_service(
        search_providers="brave,tavily",
        brave_search_api_key=KEY,
        brave_base_url=brave.url,
        tavily_api_key=KEY,
        tavily_base_url=tavily.url,
    )

    with structlog.testing.capture_logs() as logs:
        found = await client.Search(ask(QUERY))

    (failed,) = _of(logs, "provider_failed")
    assert (failed["provider"], failed["status"], failed["error"]) == (
        "brave",
        "rate_limited",
        "rate",
    )
    (line,) = _of(logs, "search")
    assert line["providers"] == {"brave": "rate_limited", "tavily": "ok"}
    assert line["results"] == len(found.hits) > 0
    assert {"ms", "queries"} <= line.keys()
    assert not {word for word in (*QUERY.split(), KEY) if word in str(logs)} - {"for", "near"}


async def test_a_spent_budget_is_logged_once_a_day_and_lasts_until_the_next(
    start_service: Any, serve_provider: Any, answer: Any, ask: Any
) -> None:
    brave = await serve_provider(answer(GOOD["brave"]))
    client = await start_service(
        search_providers="brave",
        brave_search_api_key=KEY,
        brave_base_url=brave.url,
        search_daily_budget_usd=0.001,
    )

    with structlog.testing.capture_logs() as logs:
        reports = [(await client.Search(ask(f"query {n}"))).providers[0] for n in range(2)]

    assert [report.status for report in reports] == [pb.PROVIDER_STATUS_BUDGET] * 2
    assert all(0 < report.retry_after_s <= 86_400 for report in reports)
    (line,) = _of(logs, "budget_spent")
    assert (line["limit_micro_usd"], line["used_micro_usd"]) == (1_000, 0)
