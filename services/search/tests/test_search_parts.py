"""The pieces of the search service, one by one."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pellucid_runtime.breaker import Breaker, BreakerState
from pellucid_runtime.domains import registrable_domain
from pellucid_runtime.errors import InvalidArgumentError
from pellucid_search.asking.allowance import Allowance
from pellucid_search.asking.answer_cache import cache_key, time_to_live_s
from pellucid_search.asking.ledger import Ledger, UsageRow
from pellucid_search.asking.planning import Lineup, Offer, lineup, make_plan
from pellucid_search.dates.publication import publication_date
from pellucid_search.domains import host_name
from pellucid_search.hits import DateSource, Hit
from pellucid_search.providers import ddgs
from pellucid_search.query import Freshness, ProviderQuery, Query, Routing, SearchRequest
from pellucid_search.results.canonical import canonical_url, page_key
from pellucid_search.results.domain_policy import Verdict, policy_file, shipped_policy
from pellucid_search.results.plain_text import plain_text
from pellucid_search.results.syndication import collapse_syndicated

NOW = datetime(2026, 1, 3, 12, tzinfo=UTC)

SAME_PAGES = (
    ("https://example.com/a", "http://EXAMPLE.com:80/a/"),
    ("https://example.com/a", "https://www.example.com/a/index.html"),
    ("https://example.com/a", "https://m.example.com/a?utm_source=x&utm_medium=y"),
    ("https://example.com/a", "https://example.com/a?fbclid=1#part"),
    ("https://example.com/a", "https://amp.example.com/a"),
    ("https://example.com/a", "https://example.com/a/amp/"),
    ("https://example.com/a", "https://example.com/a?amp=1"),
    ("https://example.com/a", "https://www.google.com/amp/s/example.com/a"),
    ("https://example.com/a", "https://example-com.cdn.ampproject.org/c/s/example.com/a"),
    ("https://example.com/a.html", "https://example.com/a.amp.html"),
    ("https://en.wikipedia.org/wiki/Ferry", "https://en.m.wikipedia.org/wiki/Ferry"),
    ("https://example.com/?a=1&b=2", "https://example.com/?b=2&a=1"),
    ("https://example.com/%7Euser", "https://example.com/~user"),
    ("https://bücher.example/a", "https://xn--bcher-kva.example/a"),
)
DIFFERENT_PAGES = (
    "https://example.com/", "https://example.com/a", "https://example.com/A",
    "https://example.com/a/b", "https://example.com/a.html", "https://example.com/a?id=1",
    "https://example.com/a?id=2", "https://example.com/a?page=2", "https://example.com/a?q=amp",
    "https://example.com/index.php?title=One", "https://example.com/index.php?title=Two",
    "https://example.com:8443/a", "https://blog.example.com/a", "https://example.org/a",
    "https://example.co.uk/a", "https://example.com/#!/one", "https://example.com/#!/two",
    "https://example.com/amplifier", "https://example.com/guitar/amps", "https://m.example/a",
    "https://mobile.example/a", "https://example.com/a%2Fc", "https://example.com/index-of-things",
    "https://example.com/watch?v=abc", "https://example.com/watch?v=ABC",
    "https://example.com/list?by=name&by=size", "https://example.com/list?by=size&by=name",
)  # fmt: skip


@pytest.mark.parametrize(("one", "other"), SAME_PAGES)
def test_spellings_of_one_page_meet(one: str, other: str) -> None:
    first, second = canonical_url(one), canonical_url(other)

    assert first is not None
    assert second is not None
    assert page_key(first) == page_key(second)


@pytest.mark.parametrize(
    ("url", "canonical"),
    [("http://x.localhost:8099/dir/", "http://x.localhost:8099/dir/"),
     ("http://x.localhost:8099/dir", "http://x.localhost:8099/dir"),
     ("http://x.localhost:8099/dir/index.html", "http://x.localhost:8099/dir/"),
     ("http://x.localhost:8099/dir//", "http://x.localhost:8099/dir/"),
     ("http://x.localhost:8099", "http://x.localhost:8099/"),
     ("http://x.localhost:8099/dir/amp/", "http://x.localhost:8099/dir/")],
)  # fmt: skip
def test_a_canonical_address_can_be_opened_where_folders_need_their_slash(
    url: str, canonical: str
) -> None:
    assert canonical_url(url) == canonical


def test_different_pages_are_never_merged() -> None:
    keys = [page_key(canonical_url(url) or "") for url in DIFFERENT_PAGES]

    assert len(set(keys)) == len(DIFFERENT_PAGES)


@pytest.mark.parametrize(
    "url",
    ["ftp://example.com/", "javascript:alert(1)", "mailto:a@example.com", "", "example.com",
     "https://user:pass@example.com/", "https://", "data:text/html,x", "https://exa mple.com/"],
)  # fmt: skip
def test_what_is_no_web_address_is_refused(url: str) -> None:
    assert canonical_url(url) is None


def test_hosts() -> None:
    assert registrable_domain("a.b.example.co.uk") == "example.co.uk"
    assert registrable_domain("docs.fennwick.localhost") == "fennwick.localhost"
    assert registrable_domain("127.0.0.1") == "127.0.0.1"
    assert host_name("https://Bücher.example/x") == "xn--bcher-kva.example"
    assert host_name("a b") is None


@pytest.mark.parametrize(
    ("markup", "text"),
    [("<b>a</b> &lt;b&gt;", "a <b>"), ("x<script>evil()</script>y", "x y"),
     ("1 < 2 > 0", "1 < 2 > 0"),
     ("a\u202eb\x00c\u200bd", "abcd"), ("  many \n spaces ", "many spaces"),
     ("👩\u200d🔬", "👩\u200d🔬"),
     ("<img src=x onerror=alert(1)>pic", "pic"), ("<!-- hidden -->seen", "seen")],
)  # fmt: skip
def test_titles_become_plain_text(markup: str, text: str) -> None:
    assert plain_text(markup) == text


def test_long_text_is_cut_at_a_word() -> None:
    cut = plain_text("word " * 400)

    assert len(cut) <= 1_000
    assert cut.endswith("word…")


def test_dates_that_cannot_be_are_none() -> None:
    def read(text: str) -> Any:
        return publication_date(text, source=DateSource.PROVIDER, now=NOW)

    assert read("3 days ago").time == NOW - timedelta(days=3)
    assert read("2026-01-04T08:00:00Z") is not None
    assert read("2027-05-01") is None
    assert read("1875-05-01") is None
    assert read("N/A") is None
    assert read("01/02/2025").confidence < read("2025-02-01").confidence


def test_the_breaker_opens_probes_and_closes(clock: Any) -> None:
    breaker = Breaker(clock.monotonic)
    for _ in range(5):
        assert breaker.admit()
        breaker.fail()
    assert breaker.state is BreakerState.OPEN
    assert not breaker.admit()
    clock.advance(30)
    assert breaker.state is BreakerState.HALF_OPEN
    assert breaker.admit()
    assert not breaker.admit()
    breaker.fail()
    assert breaker.retry_in_s == 60
    clock.advance(60)
    assert breaker.admit()
    breaker.succeed()
    assert breaker.state is BreakerState.CLOSED


def test_a_lost_probe_does_not_block_for_ever(clock: Any) -> None:
    breaker = Breaker(clock.monotonic, failures_to_open=1)
    breaker.fail()
    clock.advance(30)
    assert breaker.admit()
    clock.advance(15)
    assert breaker.admit()


def test_extra_calls_are_bounded(clock: Any) -> None:
    allowance = Allowance(clock.monotonic)
    assert [allowance.spend() for _ in range(4)] == [True, True, True, False]
    for _ in range(10):
        allowance.earn()
    assert [allowance.spend(), allowance.spend()] == [True, False]
    clock.advance(1)
    assert allowance.spend()


@pytest.mark.parametrize(
    ("freshness", "news", "real_time", "found", "ttl_s"),
    [(Freshness.UNSET, False, False, 3, 3_600), (Freshness.WEEK, False, False, 3, 3_600),
     (Freshness.NONE, False, False, 3, 86_400), (Freshness.DAY, False, False, 3, 300),
     (Freshness.NONE, True, False, 3, 300), (Freshness.NONE, False, True, 3, 300),
     (Freshness.NONE, False, False, 0, 60)],
)  # fmt: skip
def test_life_times(
    *, freshness: Freshness, news: bool, real_time: bool, found: int, ttl_s: int
) -> None:
    query = ProviderQuery("q", NOW, freshness=freshness, news=news)

    assert time_to_live_s(query, real_time=real_time, found=found) == ttl_s


def test_cache_keys_tell_parameters_apart_and_hold_no_text() -> None:
    query = ProviderQuery("Secret  Words", NOW)
    keys = {
        cache_key("brave", query),
        cache_key("tavily", query),
        cache_key("brave", ProviderQuery("secret words", NOW, language="ko")),
        cache_key("brave", ProviderQuery("secret words", NOW, site="example.com")),
    }

    assert len(keys) == 4
    assert cache_key("brave", query) == cache_key("brave", ProviderQuery("secret words", NOW))
    assert not any("secret" in key.lower() for key in keys)


OFFERS = {
    "brave": Offer("brave", keyed=True, price_micro_usd=5_000),
    "tavily": Offer("tavily", keyed=True, price_micro_usd=8_000),
    "google": Offer("google", keyed=True, automatic=False),
    "searxng": Offer("searxng", keyed=True, missing=("SEARXNG_URL",)),
    "ddgs": Offer("ddgs"),
    "local": Offer("local", external=False, keyed=True),
}


def test_auto_takes_keyed_providers_cheapest_first_and_local_last() -> None:
    keyless = {name: OFFERS[name] for name in ("searxng", "ddgs", "local")}

    assert lineup(("auto",), OFFERS) == Lineup(("brave", "tavily"), ("local",))
    assert lineup(("auto",), keyless) == Lineup(("ddgs",), ("local",))
    assert lineup(("tavily", "brave"), OFFERS) == Lineup(("tavily", "brave"))


def test_plans() -> None:
    line = Lineup(("brave", "tavily"), ("local",))

    def plan(**values: Any) -> Any:
        return make_plan(SearchRequest((Query("q"),), NOW, **values), line, OFFERS)

    assert plan().members == ("brave", "tavily")
    assert plan(routing=Routing.ALL).together
    inside = plan(no_external=True)
    assert (inside.members, inside.last_resort) == (("local",), ())
    assert [skip.name for skip in inside.skips] == ["brave", "tavily"]
    named = plan(providers=("ddgs", "local"), no_external=True)
    assert (named.members, named.last_resort) == (("local",), ())
    with pytest.raises(InvalidArgumentError):
        plan(providers=("altavista",))


def test_the_shipped_policy_and_an_operators_own(tmp_path: Path) -> None:
    own = tmp_path / "policy.yaml"
    own.write_text("block: [bad.example]\nallow: [pinterest.com]\ndoubtful: {odd: [odd.example]}\n")
    policy = shipped_policy().joined(policy_file(own))

    assert shipped_policy().verdict("www.pinterest.com") is Verdict.BLOCKED
    assert policy.verdict("www.pinterest.com") is Verdict.FINE
    assert policy.verdict("x.bad.example") is Verdict.BLOCKED
    assert policy.verdict("odd.example") is Verdict.DOUBTFUL
    assert policy.verdict("notbad.example") is Verdict.FINE
    own.write_text("block: 3")
    with pytest.raises(ValueError, match="lists of host names"):
        policy_file(own)


def test_copies_of_one_article_collapse_and_keep_their_addresses() -> None:
    title = "Rare comet seen over the northern Alps"
    hits = [
        Hit("https://one.example/x", f"{title} - One News", "A comet was seen on Monday night.",
            "one.example", fused_score=0.3),
        Hit("https://two.example/y", title.upper(), "A comet was seen on Monday night, said",
            "two.example", fused_score=0.2),
        Hit("https://one.example/z", title, "Another page of the same site.", "one.example"),
        Hit("https://four.example/", "Contact us", "A comet was seen", "four.example"),
    ]  # fmt: skip
    kept, folded = collapse_syndicated(hits)

    assert folded == 1
    assert {hit.url for hit in kept} == {hit.url for hit in hits} - {"https://two.example/y"}
    assert any("https://two.example/y" in hit.alternate_urls for hit in kept)


@pytest.mark.parametrize(
    ("kind", "message", "code"),
    [("RatelimitException", "slow down", "rate"), ("TimeoutException", "x", "timeout"),
     ("DDGSException", "No results found.", None), ("DDGSException", "captcha page", "blocked"),
     ("DDGSException", "error trying to connect: dns error", "unreachable"),
     ("DDGSException", "something else", "server")],
)  # fmt: skip
def test_the_librarys_exceptions_are_told_apart(kind: str, message: str, code: str | None) -> None:
    failure = ddgs.failure(kind, message)

    assert (failure.code if failure else None) == code


async def test_the_budget_is_never_overspent(counters: Any) -> None:
    ledger = Ledger(counters, budget_micro_usd=12_000, providers=("brave",))
    day = NOW.date()

    taken = [await ledger.reserve(day, 5_000) for _ in range(4)]

    assert taken == [True, True, False, False]
    assert await ledger.spent_micro_usd(day) == 10_000
    ledger.record(UsageRow(day, "brave", 2, 20, 10_000), caller_hash="u1")
    assert await ledger.usage(day, day, "u1") == [UsageRow(day, "brave", 2, 20, 10_000)]
    assert await ledger.usage(day, day) == [UsageRow(day, "brave", 2, 20, 10_000)]
