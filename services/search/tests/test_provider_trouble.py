"""One provider in trouble: the right typed status, no crash, and an answer from the others."""

import time
from pathlib import Path
from typing import Any

import pytest
from pellucid.search.v1 import search_pb2 as pb
from search_provider_fixtures import CASES, GOOD, Case

from pellucid_search.adapters.provider_commands import main

KEY = "example-key-0123456789"
CODES = {
    "bad_key": pb.PROVIDER_ERROR_CODE_BAD_KEY, "quota": pb.PROVIDER_ERROR_CODE_QUOTA,
    "rate": pb.PROVIDER_ERROR_CODE_RATE, "timeout": pb.PROVIDER_ERROR_CODE_TIMEOUT,
    "malformed": pb.PROVIDER_ERROR_CODE_MALFORMED, "empty": pb.PROVIDER_ERROR_CODE_EMPTY,
    "blocked": pb.PROVIDER_ERROR_CODE_BLOCKED, "server": pb.PROVIDER_ERROR_CODE_SERVER,
    "unreachable": pb.PROVIDER_ERROR_CODE_UNREACHABLE,
    "bad_request": pb.PROVIDER_ERROR_CODE_BAD_REQUEST,
}  # fmt: skip
LIMITED = {"rate", "quota"}


@pytest.fixture
def pair(start_service: Any, serve_provider: Any, answer: Any) -> Any:
    """Brave in some state, with Tavily behind it that works."""

    async def start(brave_answer: Any, **values: Any) -> Any:
        brave = await serve_provider(brave_answer)
        tavily = await serve_provider(answer(GOOD["tavily"]))
        keys = {"brave_search_api_key": KEY, "tavily_api_key": KEY}
        urls = {"brave_base_url": brave.url, "tavily_base_url": tavily.url}
        client = await start_service(search_rates="brave=100/1", **keys, **urls, **values)
        return client, brave, tavily

    return start


@pytest.mark.parametrize("case", CASES["brave"], ids=[case.name for case in CASES["brave"]])
async def test_a_failing_provider_is_reported_and_replaced(
    case: Case, pair: Any, answer: Any, ask: Any
) -> None:
    client, brave, _ = await pair(answer(case.body, case.status, case.headers))

    started = time.monotonic()
    found = await client.Search(ask("island ferry"), timeout=4)

    reports = {report.name: report for report in found.providers}
    expected = "RATE_LIMITED" if case.error in LIMITED else "FAILED"
    assert reports["brave"].status == pb.ProviderStatus.Value(f"PROVIDER_STATUS_{expected}")
    assert reports["brave"].error_code == CODES[case.error]
    assert reports["tavily"].status == pb.PROVIDER_STATUS_OK
    assert len(found.hits) == 2
    assert len(brave.requests) <= 3
    assert time.monotonic() - started < 3
    assert "provider:brave" in [part.component for part in found.degraded]
    assert KEY not in str(found)


@pytest.mark.parametrize(
    "trouble",
    [{"delay_s": 5.0}, {"reset": True}, {"announced_length": 10_000}],
    ids=["hang", "reset", "truncated"],
)
async def test_a_provider_that_hangs_or_breaks_off_is_replaced(
    trouble: dict[str, Any], pair: Any, answer: Any, ask: Any
) -> None:
    client, _, _ = await pair(answer(GOOD["brave"], **trouble), search_hedge_s=0.2)

    started = time.monotonic()
    found = await client.Search(ask("island ferry"), timeout=4)

    assert len(found.hits) == 2
    assert time.monotonic() - started < 2
    assert found.providers[0].status == pb.PROVIDER_STATUS_FAILED


async def test_a_bad_key_is_not_tried_again(pair: Any, answer: Any, ask: Any) -> None:
    wrong = {"type": "ErrorResponse", "error": {"code": "SUBSCRIPTION_TOKEN_INVALID"}}
    client, brave, tavily = await pair(answer(wrong, 422))

    for turn in range(4):
        await client.Search(ask(f"query {turn}"))
    states = await client.ListProviders(pb.ListProvidersRequest())

    assert len(brave.requests) == 1
    assert len(tavily.requests) == 4
    state = next(state for state in states.providers if state.name == "brave")
    assert state.breaker == "open"
    assert 290 < state.breaker_retry_in_s <= 300


async def test_the_breaker_opens_after_five_failures_in_a_row(
    pair: Any, answer: Any, ask: Any
) -> None:
    client, brave, _ = await pair(answer(b"oops", 400))
    brave.answer = answer(b"{broken", 200)

    for turn in range(8):
        assert (await client.Search(ask(f"query {turn}"))).hits

    assert len(brave.requests) == 5


async def test_retry_after_is_obeyed(pair: Any, answer: Any, ask: Any) -> None:
    client, brave, _ = await pair(answer(b"", 503, {"Retry-After": "30"}))

    found = await client.Search(ask("island ferry"))

    assert found.hits
    assert len(brave.requests) == 1


async def test_a_server_error_is_tried_again_in_moderation(
    pair: Any, answer: Any, ask: Any
) -> None:
    replies = [answer(b"", 500), answer(b"", 500), answer(GOOD["brave"])]
    client, brave, tavily = await pair(lambda _request: replies[min(len(brave_calls), 2)])
    brave_calls = brave.requests

    found = await client.Search(ask("island ferry"))

    assert found.hits
    assert found.providers[0].calls <= 3
    assert len(tavily.requests) <= 1


async def test_a_spent_budget_stops_paid_calls_and_leaves_local_ones(
    pair: Any, answer: Any, ask: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "corpus.yaml").write_text('base_url: "http://intranet.localhost"')
    (folder / "ferry.md").write_text("# Ferry times\n\nThe island ferry leaves at nine.")
    client, brave, tavily = await pair(
        answer(GOOD["brave"]), search_daily_budget_usd=0.005, local_corpus_dir=folder
    )

    first = await client.Search(ask("harbour"))
    second = await client.Search(ask("island ferry times"))
    again = await client.Search(ask("harbour"))

    assert first.cost_micro_usd == 5_000
    assert [report.status for report in second.providers] == [
        pb.PROVIDER_STATUS_BUDGET, pb.PROVIDER_STATUS_BUDGET, pb.PROVIDER_STATUS_OK,
    ]  # fmt: skip
    assert second.hits[0].title == "Ferry times"
    assert "budget" in [part.component for part in second.degraded]
    assert again.from_cache
    assert (len(brave.requests), len(tavily.requests)) == (1, 0)


async def test_an_old_answer_helps_when_every_provider_fails(
    start_service: Any, serve_provider: Any, answer: Any, ask: Any
) -> None:
    provider = await serve_provider(answer(GOOD["searxng"]))
    client = await start_service(searxng_url=provider.url, pellucid_clock="2026-01-01T00:00:00Z")
    await client.Search(ask("island ferry"))
    provider.answer = answer(b"oops", 400)
    later = await start_service(searxng_url=provider.url, pellucid_clock="2026-01-01T05:00:00Z")

    found = await later.Search(ask("island ferry"))

    assert len(found.hits) == 2
    assert found.providers[0].status == pb.PROVIDER_STATUS_CACHED
    assert "older answer" in found.providers[0].detail
    assert [part.component for part in found.degraded] == ["provider:searxng"]


async def test_everything_down_is_said_quickly(
    start_service: Any, serve_provider: Any, answer: Any, ask: Any
) -> None:
    provider = await serve_provider(answer(b"", reset=True))
    client = await start_service(searxng_url=provider.url)

    started = time.monotonic()
    found = await client.Search(ask("island ferry"))

    assert list(found.hits) == []
    assert {"search", "provider:searxng"} <= {part.component for part in found.degraded}
    assert time.monotonic() - started < 1


async def test_a_deadline_that_is_near_is_kept(pair: Any, answer: Any, ask: Any) -> None:
    client, _, tavily = await pair(answer(GOOD["brave"], delay_s=3.0))
    tavily.answer = answer(GOOD["tavily"], delay_s=3.0)

    started = time.monotonic()
    found = await client.Search(ask("island ferry"), timeout=0.6)

    assert time.monotonic() - started < 0.6
    assert "search" in [part.component for part in found.degraded]


async def test_all_and_named_routing_fuse_with_provenance(pair: Any, answer: Any, ask: Any) -> None:
    client, _, _ = await pair(answer(GOOD["brave"]))

    fused = await client.Search(ask("island ferry", routing=pb.ROUTING_ALL))
    named = await client.Search(ask("other words", providers=["tavily"]))

    assert [sorted({f.provider for f in hit.findings}) for hit in fused.hits] == [
        ["brave", "tavily"], ["brave", "tavily"],
    ]  # fmt: skip
    assert fused.hits[0].fused_score == pytest.approx(2 / 61)
    assert [report.name for report in named.providers] == ["tavily"]


async def test_blocked_and_doubtful_sites(
    start_service: Any, serve_provider: Any, answer: Any, ask: Any
) -> None:
    urls = (
        "https://www.pinterest.com/pin/1",
        "https://www.dailymail.co.uk/x",
        "https://fine.example/",
    )
    rows = [{"title": "T", "url": url, "content": "c"} for url in urls]
    provider = await serve_provider(answer({"results": rows}))
    client = await start_service(searxng_url=provider.url)

    found = await client.Search(ask("island ferry", exclude_domains=["fine.example"]))

    assert found.blocked == 1
    assert [(hit.domain, list(hit.warnings)) for hit in found.hits] == [
        ("dailymail.co.uk", ["possibly_harmful"])
    ]


async def test_operators_can_list_and_test_providers(
    pair: Any, answer: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    import asyncio

    client, _, _ = await pair(answer(GOOD["brave"]))
    target = client.target

    shown = await asyncio.to_thread(main, ["--target", target, "list"])
    tested = await asyncio.to_thread(main, ["--target", target, "test", "brave", "island ferry"])
    refused = await asyncio.to_thread(main, ["--target", target, "test", "google", "island ferry"])
    used = await asyncio.to_thread(main, ["--target", target, "usage"])

    written = capsys.readouterr()
    assert (shown, tested, refused, used) == (0, 0, 1, 0)
    assert "brave: ok, 2 results" in written.out
    assert "GOOGLE_API_KEY, GOOGLE_SEARCH_ENGINE_ID" in written.out
    assert "GOOGLE_API_KEY" in written.err
