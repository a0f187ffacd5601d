"""One provider in trouble: the right typed status, no crash, and an answer from the others."""

import asyncio
import re
import time
from pathlib import Path
from typing import Any

import pytest
import trustme
from pellucid.search.v1 import search_pb2 as pb
from search_provider_fixtures import GOOD

from pellucid_search import searching
from pellucid_search.adapters.provider_commands import main

KEY = "example-key-0123456789"


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


async def test_a_bad_key_is_not_tried_again(pair: Any, answer: Any, ask: Any) -> None:
    wrong = {"type": "ErrorResponse", "error": {"code": "SUBSCRIPTION_TOKEN_INVALID"}}
    client, brave, tavily = await pair(answer(wrong, 422))

    for turn in range(4):
        found = await client.Search(ask(f"query {turn}"))
    states = await client.ListProviders(pb.ListProvidersRequest())

    reports = {report.name: report for report in found.providers}
    assert reports["brave"].error_code == pb.PROVIDER_ERROR_CODE_BAD_KEY
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
    assert time.monotonic() - started < 3


async def test_a_deadline_that_is_near_is_kept(
    pair: Any, answer: Any, ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The way back takes a busy machine longer than another.
    monkeypatch.setattr(searching, "_FINISH_S", 0.7)
    client, _, tavily = await pair(answer(GOOD["brave"], delay_s=3.0))
    tavily.answer = answer(GOOD["tavily"], delay_s=3.0)

    started = time.monotonic()
    found = await client.Search(ask("island ferry"), timeout=1.2)

    assert time.monotonic() - started < 1.2
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


async def test_no_malicious_address_is_a_result(
    start_service: Any, serve_provider: Any, answer: Any, ask: Any, tmp_path: Path
) -> None:
    urls = (
        "https://www.bad.example/",
        "http://files.example/a/x.exe",
        "http://files.example/a/y.txt",
        "https://allowed.example/",
    )
    rows = [{"title": "T", "url": url, "content": "c"} for url in urls]
    provider = await serve_provider(answer({"results": rows}))
    hosts, pages, policy = (tmp_path / name for name in ("hosts", "urls.txt", "policy.yaml"))
    hosts.write_text("0.0.0.0 bad.example\n0.0.0.0 allowed.example\n")
    pages.write_text("http://files.example/a/x.exe\n")
    policy.write_text("allow: [allowed.example]\n")
    client = await start_service(
        searxng_url=provider.url,
        malicious_lists=f"{hosts},{pages}",
        search_domain_policy=policy,
    )

    async with asyncio.timeout(10):
        while (found := await client.Search(ask("island ferry", bypass_cache=True))).blocked < 2:  # noqa: ASYNC110 - read in the background
            await asyncio.sleep(0.05)

    assert found.blocked == 2
    assert {hit.domain for hit in found.hits} == {"files.example", "allowed.example"}


RATES = {
    "X-RateLimit-Limit": "50, 2000", "X-RateLimit-Policy": "50;w=1, 2000;w=2592000",
    "X-RateLimit-Remaining": "40, 1500", "X-RateLimit-Reset": "1, 86400",
}  # fmt: skip


async def run_command(client: Any, *words: str) -> int:
    return await asyncio.to_thread(main, ["--target", client.target, *words])


def rows_of(table: str) -> dict[str, list[str]]:
    """Return the cells of a printed table by the first of each row."""
    cells = (re.split(r"\s{2,}", line.strip()) for line in table.splitlines())
    return {row[0]: row for row in cells}


async def test_operators_see_health_breaker_buckets_and_spend(
    pair: Any, answer: Any, ask: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    client, brave, _ = await pair(answer(GOOD["brave"], 200, RATES))
    await client.Search(ask("island ferry"))
    capsys.readouterr()

    assert await run_command(client, "list") == 0
    before = rows_of(capsys.readouterr().out)
    brave.answer = answer({"error": {"code": "SUBSCRIPTION_TOKEN_INVALID"}}, 422)
    await client.Search(ask("another harbour"))
    capsys.readouterr()
    assert await run_command(client, "list") == 0
    after = rows_of(capsys.readouterr().out)

    assert before["provider"] == [
        "provider", "state", "breaker", "left", "quota left", "p50 ms", "p95 ms", "USD today",
    ]  # fmt: skip
    _, state, breaker, left, quota, median, slow, usd = before["brave"]
    assert (state, breaker, quota, usd) == ("ready", "closed", "1500", "0.0050")
    assert 1 <= int(left) <= 12
    assert 0 <= int(median) <= int(slow)
    assert re.fullmatch(r"open (29\d|300)s", after["brave"][2])
    assert after["brave"][7] == "0.0050"
    assert after["tavily"][7] == "0.0080"
    assert before["google"][1] == "off: GOOGLE_API_KEY and GOOGLE_SEARCH_ENGINE_ID are not set"


async def test_operators_can_test_one_provider_and_see_usage(
    pair: Any, answer: Any, ask: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    client, brave, tavily = await pair(answer(GOOD["brave"]))
    await client.Search(ask("island ferry"))
    capsys.readouterr()

    assert await run_command(client, "test", "brave", "island ferry") == 0
    tested = capsys.readouterr().out
    assert await run_command(client, "usage") == 0
    usage = capsys.readouterr().out
    brave.answer = answer(b"{broken")
    failed = await run_command(client, "test", "brave", "island ferry")
    broken = capsys.readouterr().out
    unset = await run_command(client, "test", "google", "island ferry")
    unknown = await run_command(client, "test", "altavista", "island ferry")
    refused = capsys.readouterr().err

    # The cache is passed by, and nobody else is asked.
    assert "brave: ok, 2 results in " in tested
    assert "The guide\n    https://docs.example.com/guide" in tested
    assert (len(brave.requests), len(tavily.requests)) == (3, 0)
    assert re.search(r"^\d{4}-\d\d-\d\d +brave +2 +4 +0\.0100$", usage, re.MULTILINE)
    assert (failed, unset, unknown) == (1, 1, 1)
    assert "brave: failed (" in broken
    assert "GOOGLE_API_KEY" in refused
    assert "searxng, brave, tavily" in refused


async def test_the_operators_tool_runs_inside_a_pod_with_certificates(
    start_service: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """No option: the pod's own environment says where, and with which certificate."""
    authority = trustme.CA()
    certificate = authority.issue_cert("search", "localhost")
    files = {name: tmp_path / f"tls.{name}" for name in ("cert", "key", "ca")}
    files["cert"].write_bytes(certificate.cert_chain_pems[0].bytes())
    files["key"].write_bytes(certificate.private_key_pem.bytes())
    files["ca"].write_bytes(authority.cert_pem.bytes())
    paths = {f"grpc_tls_{name}_file": path for name, path in files.items()}
    client = await start_service(search_providers="brave", brave_search_api_key="k", **paths)
    monkeypatch.setenv("GRPC_PORT", client.target.rpartition(":")[2])
    monkeypatch.setenv("SEARCH_TARGET", "dns:///search.invalid:50052")

    without = await asyncio.to_thread(main, ["list"])
    for name, path in paths.items():
        monkeypatch.setenv(name.upper(), str(path))
    with_certificate = await asyncio.to_thread(main, ["list"])

    assert (without, with_certificate) == (1, 0)
    assert rows_of(capsys.readouterr().out)["brave"][1] == "ready"
