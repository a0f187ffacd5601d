"""Properties that hold for any input; P8, P10, P11 and P12 are those of the specification."""

import asyncio
import random
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pellucid_language.pii.gate import Redactor
from pellucid_runtime.clock import Clock, SystemClock
from pellucid_runtime.store_guard import Background
from pellucid_search.asking.answer_cache import CachedAnswer, decode, encode
from pellucid_search.asking.answering import Answering
from pellucid_search.asking.buckets import LocalGate
from pellucid_search.asking.ledger import Ledger
from pellucid_search.asking.planning import Lineup, Offer
from pellucid_search.asking.provider_client import ProviderClient, ProviderLimits
from pellucid_search.asking.relay import Relay
from pellucid_search.asking.write_behind import WriteBehind
from pellucid_search.dates.publication import publication_date, understand_date
from pellucid_search.errors import MalformedError, ProviderError, UnreachableError
from pellucid_search.hits import DateSource, Finding, Hit, ProviderReply, RawHit
from pellucid_search.providers.registry import REGISTRY, ProviderSpec
from pellucid_search.providers.wire import HttpReply
from pellucid_search.query import ProviderQuery, Query, Routing, SearchRequest
from pellucid_search.reports import ProviderStatus
from pellucid_search.results.canonical import canonical_url, page_key
from pellucid_search.results.domain_policy import DomainPolicy
from pellucid_search.results.fusion import FoundHit, fuse
from pellucid_search.results.syndication import collapse_syndicated
from pellucid_search.searching import Searcher
from rig.sample import often

NOW = datetime(2026, 1, 3, tzinfo=UTC)
NAMES = ("alpha", "beta", "gamma", "delta")
some = settings(
    max_examples=often(100), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
words = st.text(st.characters(categories=["Ll", "Lo"]), min_size=1, max_size=12)


class FakeEngine:
    """Finds one page of its own and one that everybody finds, or fails."""

    def __init__(self, name: str, *, works: bool) -> None:
        self.name, self.works, self.calls = name, works, 0

    def wording(self, query: ProviderQuery) -> str:
        return query.text

    async def ask(self, query: ProviderQuery, *, timeout_s: float) -> ProviderReply:
        assert timeout_s > 0
        self.calls += 1
        if not self.works:
            raise MalformedError("it does not work")
        pages = (f"https://{self.name}.example/{len(query.text)}", "https://shared.example/page")
        return ProviderReply(tuple(RawHit(url, f"Page of {self.name}", "text") for url in pages))


def build_searcher(engines: Mapping[str, FakeEngine], cache: Any, counters: Any) -> Searcher:
    clock: Clock = SystemClock()
    ledger = Ledger(counters, budget_micro_usd=10**9, providers=NAMES)
    gate = LocalGate({}, clock.monotonic)
    background = Background()
    provider_clients = {
        name: ProviderClient(
            ProviderSpec(name), engine, gate, ledger, clock, ProviderLimits(), lambda: 0.0
        )
        for name, engine in engines.items()
    }
    return Searcher(
        provider_clients=provider_clients,
        offers=lambda: {name: Offer(name) for name in engines},
        line=Lineup(tuple(engines)),
        relay=Relay(
            Answering(provider_clients, WriteBehind(cache, background), clock, background), clock
        ),
        redactor=Redactor(),
        policy=DomainPolicy(),
        is_internal=lambda _provider, _host: False,
        clock=clock,
        budget_s=3.0,
    )


@pytest.fixture(scope="module")
def search(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Run searches one after the other over fake providers and return outcomes and engines."""
    fakes = request.config.pluginmanager
    conftest = next(p for p in fakes.get_plugins() if hasattr(p, "MemoryCounters"))

    def run(working: Mapping[str, bool], *requests: SearchRequest) -> Any:
        engines = {name: FakeEngine(name, works=works) for name, works in working.items()}
        searcher = build_searcher(engines, conftest.MemoryCache(), conftest.MemoryCounters())

        async def all_of_them() -> list[Any]:
            return [await searcher.search(wanted, remaining_s=None) for wanted in requests]

        return asyncio.run(all_of_them()), engines

    return run


providers = st.dictionaries(st.sampled_from(NAMES), st.booleans(), min_size=1)


@some
@given(working=providers, text=words)
def test_p8_with_routing_all_results_come_from_all_working_providers(
    search: Any, working: dict[str, bool], text: str
) -> None:
    """P8: every working provider is among the findings, every failing one is reported."""
    wanted = SearchRequest((Query(text),), NOW, routing=Routing.ALL)

    ((outcome,), _) = search(working, wanted)

    found = {finding.provider for hit in outcome.hits for finding in hit.findings}
    assert found == {name for name, works in working.items() if works}
    status = {report.name: report.status for report in outcome.account.reports}
    assert status == {
        name: ProviderStatus.OK if works else ProviderStatus.FAILED
        for name, works in working.items()
    }


@some
@given(working=providers, text=words)
def test_p10_a_failing_primary_leads_to_the_alternatives(
    search: Any, working: dict[str, bool], text: str
) -> None:
    """P10: as long as one provider works there are results, and each failure is said."""
    ((outcome,), _) = search(working, SearchRequest((Query(text),), NOW))

    assert bool(outcome.hits) is any(working.values())
    before = (
        list(working)[: list(working.values()).index(True)] if any(working.values()) else working
    )
    lost = {part.component for part in outcome.account.degraded}
    assert lost >= {f"provider:{name}" for name in before}


class NoRoute(UnreachableError):  # noqa: N818 - a kind of an error, not a new one
    """Not tried again within the search, so that the property is seen without waiting."""

    retryable = False


class CutOff(FakeEngine):
    """Cannot be reached until it works."""

    async def ask(self, query: ProviderQuery, *, timeout_s: float) -> ProviderReply:
        if not self.works:
            raise NoRoute("no connection")
        return await super().ask(query, timeout_s=timeout_s)


@some
@given(
    names=st.sets(st.sampled_from(NAMES), min_size=1), text=words, routing=st.sampled_from(Routing)
)
def test_p11_a_lost_network_is_said_and_another_try_helps(
    request: pytest.FixtureRequest, names: set[str], text: str, routing: Routing
) -> None:
    """P11: no error but a typed, worded loss; nothing of it is kept when the network is back."""
    plugins = request.config.pluginmanager.get_plugins()
    conftest = next(p for p in plugins if hasattr(p, "MemoryCounters"))
    engines = {name: CutOff(name, works=False) for name in sorted(names)}
    searcher = build_searcher(engines, conftest.MemoryCache(), conftest.MemoryCounters())
    wanted = SearchRequest((Query(text),), NOW, routing=routing)

    async def twice() -> tuple[Any, Any]:
        first = await searcher.search(wanted, remaining_s=None)
        for engine in engines.values():
            engine.works = True
        return first, await searcher.search(wanted, remaining_s=None)

    cut, again = asyncio.run(twice())

    assert cut.hits == ()
    assert {report.error_code for report in cut.account.reports} == {"unreachable"}
    lost = {part.component: part.detail for part in cut.account.degraded}
    assert set(lost) == {"search", *(f"provider:{name}" for name in names)}
    assert all(lost.values())
    assert again.hits
    assert again.account.degraded == ()


@some
@given(text=words, spaces=st.integers(1, 5))
def test_p12_the_same_query_is_served_from_the_cache(search: Any, text: str, spaces: int) -> None:
    """P12: within the life time a second request makes no call, whatever its spacing and case."""
    first = SearchRequest((Query(f"{text} ferry"),), NOW)
    second = SearchRequest((Query(f"{text}{' ' * spaces}FERRY"),), NOW)

    (outcomes, engines) = search({"alpha": True}, first, second)

    assert engines["alpha"].calls == 1
    assert [outcome.account.from_cache for outcome in outcomes] == [False, True]
    assert [hit.url for hit in outcomes[0].hits] == [hit.url for hit in outcomes[1].hits]


paths = st.lists(st.sampled_from(["a", "B", "index.html", "amp", "x.amp.html", "%7e", "é", ""]))
queries = st.lists(
    st.sampled_from(["utm_source=x", "id=1", "amp=1", "b=%20", "fbclid=z", "a", "gclid"]),
    max_size=4,
)
hosts = st.sampled_from(
    ["example.com", "www.Example.com", "m.example.com", "en.m.wikipedia.org", "amp.example.co.uk",
     "example.com:443", "example.com:80", "m.m.example.com", "bücher.example", "127.0.0.1:8080"]
)  # fmt: skip


@given(
    st.sampled_from(["http", "HTTPS"]), hosts, paths, queries, st.sampled_from(["", "#top", "#!/x"])
)
def test_canonical_addresses_are_stable(
    scheme: str, host: str, path: list[str], query: list[str], tail: str
) -> None:
    url = f"{scheme}://{host}/{'/'.join(path)}{'?' if query else ''}{'&'.join(query)}{tail}"
    once = canonical_url(url)

    assert once is not None
    assert canonical_url(once) == once
    assert "utm_" not in once


@given(st.text(max_size=100))
def test_any_text_is_an_address_or_none(text: str) -> None:
    once = canonical_url(text)

    assert once is None or canonical_url(once) == once
    assert once is None or page_key(once)


found_hits = st.lists(
    st.builds(
        lambda page, provider, rank: FoundHit(
            Hit(f"https://example.com/{page}", f"Title {page}", "text", "example.com"),
            Finding(provider, rank, 0),
            f"example.com/{page}",
        ),
        st.integers(0, 5),
        st.sampled_from(NAMES),
        st.integers(1, 10),
    ),
    max_size=20,
)


@given(found_hits, st.randoms(use_true_random=False))
def test_fusion_does_not_depend_on_the_order_of_its_input(
    found: list[FoundHit], shuffle: random.Random
) -> None:
    mixed = found.copy()
    shuffle.shuffle(mixed)

    assert fuse(mixed) == fuse(found)
    assert collapse_syndicated(fuse(mixed)) == collapse_syndicated(fuse(found))


@given(found_hits)
def test_fusion_never_invents_or_loses_a_page(found: list[FoundHit]) -> None:
    fused = fuse(found)

    assert {hit.url for hit in fused} == {item.hit.url for item in found}
    assert len({hit.url for hit in fused}) == len(fused)
    assert [hit.fused_score for hit in fused] == sorted(
        (hit.fused_score for hit in fused), reverse=True
    )


@pytest.mark.parametrize("name", [name for name, spec in REGISTRY.items() if spec.dialect])
@given(status=st.sampled_from([200, 302, 400, 403, 429, 500]), body=st.binary(max_size=200))
def test_parsers_raise_only_typed_errors(name: str, status: int, body: bytes) -> None:
    dialect = REGISTRY[name].dialect
    assert dialect is not None
    try:
        reply = dialect.parse(HttpReply(status, {}, body))
    except ProviderError:
        return
    assert isinstance(reply, ProviderReply)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["web", "results", "items", "webPages", "value", "error", "errors", "code",
                         "url", "link", "title", "pagemap", "metatags", "usage", "credits",
                         "unresponsive_engines", "extra_snippets", "_type", "type"]),
        inner, max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


@pytest.mark.parametrize("name", [name for name, spec in REGISTRY.items() if spec.dialect])
@given(value=json_values, status=st.sampled_from([200, 403, 429]))
def test_parsers_survive_any_json(name: str, value: Any, status: int) -> None:
    import orjson

    dialect = REGISTRY[name].dialect
    assert dialect is not None
    try:
        body = orjson.dumps(value)
    except TypeError:
        return
    with suppress(ProviderError):
        assert isinstance(dialect.parse(HttpReply(status, {}, body)), ProviderReply)


@given(st.binary(max_size=100))
def test_stored_garbage_is_no_answer(stored: bytes) -> None:
    assert decode(stored) is None


@given(st.text(max_size=30), st.text(max_size=30))
def test_stored_answers_are_read_back(title: str, snippet: str) -> None:
    title, snippet = (t.encode("utf-8", "ignore").decode() for t in (title, snippet))
    answer = CachedAnswer((RawHit("https://example.com/", title, snippet),), NOW, 60.0)

    assert decode(encode(answer)) == answer


@some
@given(st.text(max_size=40))
@example("9999-12-31T23:59:59-05:00")
@example("31 Dec 9999 23:59:59 -1200")
@example("0001-01-01T00:00:00+09:00")
def test_no_text_breaks_the_reading_of_dates(text: str) -> None:
    reading = understand_date(text, NOW)
    published = publication_date(text, source=DateSource.META, now=NOW)

    assert reading is None or reading.time.tzinfo is not None
    assert published is None or published.time <= NOW + timedelta(days=1)
