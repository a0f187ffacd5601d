"""What each provider is sent for the common parameters: exactly this and nothing else."""

from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from search_provider_fixtures import SENT, WITH_SITES

from pellucid_search.adapters.http_engine import HttpEngine
from pellucid_search.adapters.http_transport import HttpxTransport
from pellucid_search.providers import ddgs
from pellucid_search.providers.registry import REGISTRY
from pellucid_search.providers.wire import Endpoint
from pellucid_search.query import Freshness, ProviderQuery, SafeSearch

NOW = datetime(2026, 1, 3, tzinfo=UTC)
PLAIN = ProviderQuery("island ferry", NOW)
FULL = ProviderQuery(
    "island ferry", NOW, count=7, freshness=Freshness.WEEK, language="ko", country="KR",
    safe_search=SafeSearch.STRICT, site="docs.example.com", exclude_domains=("bad.example",),
    news=True,
)  # fmt: skip


@pytest.mark.parametrize("name", SENT)
async def test_every_parameter_is_sent_as_documented(
    name: str, serve_provider: Any, answer: Any
) -> None:
    import orjson

    provider = await serve_provider(answer({}))
    dialect = REGISTRY[name].dialect
    assert dialect is not None
    async with HttpxTransport() as transport:
        engine = HttpEngine(dialect, lambda: Endpoint(provider.url, "k", "engine"), transport)
        for query in (PLAIN, FULL):
            await engine.ask(query, timeout_s=3)

    path, plain, full = SENT[name]
    for request, expected in zip(provider.requests, (plain, full), strict=True):
        target = urlsplit(request.target)
        sent = orjson.loads(request.body) if request.body else dict(parse_qsl(target.query))
        assert sent == expected
        assert target.path == path


def sent_for(name: str, **values: Any) -> dict[str, Any]:
    """Return the parameters for one query, without a connection."""
    dialect = REGISTRY[name].dialect
    assert dialect is not None
    call = dialect.build(ProviderQuery("q", NOW, **values), Endpoint("http://x", "k", "engine"))
    return dict(call.json or dict(call.params))


FRESHNESS = {
    "brave": ("freshness", (None, "pd", "pw", "pm", "py")),
    "tavily": ("time_range", (None, "day", "week", "month", "year")),
    "searxng": ("time_range", (None, "day", "week", "month", "year")),
    "google": ("dateRestrict", (None, "d1", "w1", "m1", "y1")),
    "bing": ("freshness", (None, "Day", "Week", "Month", "2025-01-03..2026-01-03")),
    "serper": ("tbs", (None, "qdr:d", "qdr:w", "qdr:m", "qdr:y")),
    "serpapi": ("tbs", (None, "qdr:d", "qdr:w", "qdr:m", "qdr:y")),
    "firecrawl": ("tbs", (None, "qdr:d", "qdr:w", "qdr:m", "qdr:y")),
    "you": ("freshness", (None, "day", "week", "month", "year")),
    "perplexity": ("search_recency_filter", (None, "day", "week", "month", "year")),
    "mojeek": ("since", (None, "20260102", "20251227", "20251203", "20250103")),
    "exa": (
        "startPublishedDate",
        (
            None,
            *(f"{day}T00:00:00Z" for day in ("2026-01-02", "2025-12-27", "2025-12-03")),
            "2025-01-03T00:00:00Z",
        ),
    ),
    "kagi": (
        "filters",
        (
            None,
            *({"after": day} for day in ("2026-01-02", "2025-12-27", "2025-12-03", "2025-01-03")),
        ),
    ),
}
WINDOWS = (Freshness.NONE, Freshness.DAY, Freshness.WEEK, Freshness.MONTH, Freshness.YEAR)


@pytest.mark.parametrize("name", FRESHNESS)
def test_freshness(name: str) -> None:
    field, expected = FRESHNESS[name]

    assert tuple(sent_for(name, freshness=each).get(field) for each in WINDOWS) == expected


SAFE_SEARCH = {
    "brave": ("safesearch", ("off", "moderate", "strict")),
    "tavily": ("safe_search", (None, None, True)),
    "searxng": ("safesearch", ("0", "1", "2")),
    "google": ("safe", ("off", "active", "active")),
    "bing": ("safeSearch", ("Off", "Moderate", "Strict")),
    "serpapi": ("safe", ("off", "active", "active")),
    "you": ("safesearch", ("off", "moderate", "strict")),
    "mojeek": ("safe", ("0", "1", "1")),
    "exa": ("moderation", (False, True, True)),
    "kagi": ("safe_search", (False, True, True)),
    "vertex": ("safeSearch", (False, True, True)),
}


@pytest.mark.parametrize("name", SAFE_SEARCH)
def test_safe_search(name: str) -> None:
    field, expected = SAFE_SEARCH[name]

    assert tuple(sent_for(name, safe_search=each).get(field) for each in SafeSearch) == expected


@pytest.mark.parametrize("name", SENT)
def test_a_site_is_always_sent(name: str) -> None:
    assert "docs.example.com" in str(sent_for(name, site="docs.example.com"))


@pytest.mark.parametrize("name", SENT)
def test_the_tables_have_each_provider_that_takes_the_parameter(name: str) -> None:
    takes_window = sent_for(name) != sent_for(name, freshness=Freshness.WEEK)
    takes_level = len({str(sent_for(name, safe_search=level)) for level in SafeSearch}) > 1

    assert takes_window is (name in FRESHNESS)
    assert takes_level is (name in SAFE_SEARCH)


@pytest.mark.parametrize(
    ("language", "country", "code", "region"),
    [("ja", "JP", "jp", "JP"), ("zh", "CN", "zh-hans", "CN"), ("zh", "TW", "zh-hant", "TW"),
     ("zh", "HK", "zh-hant", "HK"), ("zh", "", "zh-hans", "ALL"), ("pt", "BR", "pt-br", "BR"),
     ("pt", "PT", "pt-pt", "PT"), ("pt", "", "pt-br", "ALL"), ("en", "GB", "en-gb", "GB"),
     ("en", "US", "en", "US"), ("nb", "NO", "nb", "NO"), ("no", "NO", "nb", "NO"),
     ("ko", "KR", "ko", "KR"), ("sw", "KE", None, "ALL"), ("", "IE", None, "ALL")],
)  # fmt: skip
def test_brave_has_language_codes_of_its_own_and_refuses_others(
    language: str, country: str, code: str | None, region: str
) -> None:
    sent = sent_for("brave", language=language, country=country)

    assert (sent.get("search_lang"), sent["country"]) == (code, region)


@pytest.mark.parametrize(
    ("country", "news", "name"),
    [("KR", False, "south korea"), ("US", False, "united states"), ("NO", False, "norway"),
     ("GB", False, "united kingdom"), ("KR", True, None), ("", False, None), ("AQ", False, None)],
)  # fmt: skip
def test_tavily_takes_a_countrys_name_and_only_for_general_topics(
    *, country: str, news: bool, name: str | None
) -> None:
    assert sent_for("tavily", country=country, news=news).get("country") == name


@pytest.mark.parametrize(
    ("language", "country", "lr", "gl"),
    [("zh", "TW", "lang_zh-TW", "tw"), ("zh", "", "lang_zh-CN", None),
     ("he", "IL", "lang_iw", "il"), ("en", "GB", "lang_en", "uk"), ("", "DE", None, "de")],
)  # fmt: skip
def test_google_has_codes_of_its_own(
    language: str, country: str, lr: str | None, gl: str | None
) -> None:
    sent = sent_for("google", language=language, country=country)

    assert (sent.get("lr"), sent.get("gl")) == (lr, gl)


@pytest.mark.parametrize(
    ("name", "field", "denied"),
    [("tavily", "exclude_domains", ["bad.example"]), ("exa", "excludeDomains", ["bad.example"]),
     ("you", "exclude_domains", ["bad.example"]),
     ("perplexity", "search_domain_filter", ["-bad.example"])],
)  # fmt: skip
def test_domains_without_operators(name: str, field: str, denied: list[str]) -> None:
    assert sent_for(name, exclude_domains=("bad.example",))[field] == denied


@pytest.mark.parametrize(
    ("name", "language", "country", "sent"),
    [("you", "ja", "JP", {"language": "JP", "country": "JP"}), ("you", "sw", "KE", {}),
     ("serper", "zh", "TW", {"hl": "zh-TW", "gl": "tw"}), ("jina", "en", "GB", {"hl": "en"}),
     ("jina", "", "GB", {"gl": "gb"}), ("serpapi", "zh", "", {"hl": "zh-cn"}),
     ("kagi", "ko", "KR", {"filters": {"region": "KR"}}), ("mojeek", "de", "", {"lb": "DE"})],
)  # fmt: skip
def test_languages_and_countries(
    name: str, language: str, country: str, sent: dict[str, Any]
) -> None:
    assert sent_for(name, language=language, country=country).items() >= sent.items()


def test_the_library_gets_the_same_parameters() -> None:
    assert ddgs.arguments(PLAIN) == {
        "query": "island ferry", "region": "us-en", "safesearch": "moderate", "timelimit": None,
        "max_results": 10,
    }  # fmt: skip
    assert ddgs.arguments(FULL) == {
        "query": WITH_SITES, "region": "kr-ko", "safesearch": "on", "timelimit": "w",
        "max_results": 7,
    }  # fmt: skip
    british = ProviderQuery("q", NOW, language="en", country="GB", safe_search=SafeSearch.OFF)
    assert ddgs.arguments(british)["region"] == "uk-en"
    assert ddgs.arguments(british)["safesearch"] == "off"
