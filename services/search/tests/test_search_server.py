"""The real gRPC server over loopback providers and a real corpus."""

from pathlib import Path
from typing import Any

import pytest
from pellucid.common.v1 import common_pb2
from pellucid.search.v1 import search_pb2 as pb

from pellucid_runtime.errors import InvalidArgumentError, PreconditionError


def brave_answer(*urls: str) -> dict[str, Any]:
    rows = [
        {"title": f"<strong>Title</strong> {url}", "url": url, "description": "About &amp; more",
         "page_age": "2026-01-01T10:00:00"}
        for url in urls
    ]  # fmt: skip
    return {"type": "search", "web": {"results": rows}}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus" / "news.localhost" / "ferry"
    folder.mkdir(parents=True)
    (tmp_path / "corpus" / "corpus.yaml").write_text('base_url: "http://{host}:8099"')
    (folder / "index.html").write_text(
        '<html lang="en"><head><title>Ferry runs again</title>'
        '<script type="application/ld+json">{"datePublished": "2026-02-03T08:00:00Z"}</script>'
        "</head><body><main><p>The island ferry runs again after the storm.</p></main></body>"
    )
    return tmp_path / "corpus"


async def test_a_key_in_the_environment_makes_its_provider_the_first_choice(
    start_service: Any, serve_provider: Any, ask: Any, answer: Any
) -> None:
    brave = await serve_provider(answer(brave_answer("https://example.com/a?utm_source=x")))
    client = await start_service(brave_search_api_key="k" * 20, brave_base_url=brave.url)

    found = await client.Search(ask("island ferry"))

    assert [(hit.url, hit.title, hit.snippet) for hit in found.hits] == [
        ("https://example.com/a", "Title https://example.com/a?utm_source=x", "About & more")
    ]
    assert list(found.hits[0].alternate_urls) == ["https://example.com/a?utm_source=x"]
    assert found.hits[0].published.source == common_pb2.DATE_SOURCE_PROVIDER
    assert [(r.name, r.status, r.calls) for r in found.providers] == [
        ("brave", pb.PROVIDER_STATUS_OK, 1)
    ]
    assert [(o.to, o.kind, o.text) for o in found.outbound] == [("brave", "query", "island ferry")]
    assert found.cost_micro_usd == 5_000


async def test_without_a_network_the_local_corpus_answers_and_the_loss_is_said(
    start_service: Any, ddgs_library: Any, corpus: Path, ask: Any
) -> None:
    ddgs_library.failure = OSError("no route")
    client = await start_service(local_corpus_dir=corpus)

    found = await client.Search(ask("island ferry"))

    hit = found.hits[0]
    # A file server has this page only under the address with the slash.
    assert hit.url == "http://news.localhost:8099/ferry/"
    assert (hit.title, hit.domain, hit.internal) == ("Ferry runs again", "news.localhost", True)
    assert hit.published.time.ToJsonString() == "2026-02-03T08:00:00Z"
    assert hit.published.source == common_pb2.DATE_SOURCE_JSON_LD
    assert [(r.name, r.status) for r in found.providers] == [
        ("ddgs", pb.PROVIDER_STATUS_FAILED),
        ("local", pb.PROVIDER_STATUS_OK),
    ]
    assert "provider:ddgs" in [part.component for part in found.degraded]


async def test_nothing_external_is_asked_when_nothing_may_leave(
    start_service: Any, ddgs_library: Any, corpus: Path, ask: Any
) -> None:
    client = await start_service(local_corpus_dir=corpus)

    found = await client.Search(ask("island ferry", no_external=True))

    assert len(found.hits) == 1
    assert list(found.outbound) == []
    assert ddgs_library.calls == []


async def test_the_same_query_is_served_from_the_cache(
    start_service: Any, ddgs_library: Any, ask: Any
) -> None:
    ddgs_library.rows = [{"href": "https://example.com/", "title": "One", "body": "text"}]
    client = await start_service()

    first = await client.Search(ask("Island  Ferry"))
    second = await client.Search(ask("island ferry"))

    assert len(ddgs_library.calls) == 1
    assert (first.from_cache, second.from_cache) == (False, True)
    assert second.providers[0].status == pb.PROVIDER_STATUS_CACHED
    assert list(second.outbound) == []
    assert second.hits[0].url == first.hits[0].url


async def test_a_named_provider_without_a_key_is_an_error_that_names_the_variable(
    start_service: Any, ask: Any
) -> None:
    client = await start_service()

    with pytest.raises(PreconditionError) as caught:
        await client.Search(ask("ferry", providers=["brave"]))

    assert caught.value.reason == "API_KEY_INVALID"
    assert caught.value.metadata["setting"] == "BRAVE_SEARCH_API_KEY"


async def test_an_unknown_provider_and_a_bad_site_are_refused(start_service: Any, ask: Any) -> None:
    client = await start_service()

    with pytest.raises(InvalidArgumentError, match="providers"):
        await client.Search(ask("ferry", providers=["altavista"]))
    with pytest.raises(InvalidArgumentError, match="site"):
        await client.Search(ask("ferry", site="me@example.com secret"))
    with pytest.raises(InvalidArgumentError, match="text"):
        await client.Search(ask("   "))


async def test_personal_data_never_reaches_a_provider_and_is_reported(
    start_service: Any, ddgs_library: Any, ask: Any
) -> None:
    ddgs_library.rows = [{"href": "https://example.com/", "title": "One", "body": "text"}]
    client = await start_service()

    found = await client.Search(ask("charge on 4111 1111 1111 1111 me@example.com"))

    assert ddgs_library.calls[0]["query"] == "charge on"
    assert [(o.text, list(o.redacted)) for o in found.outbound] == [
        ("charge on", ["card", "email"])
    ]


async def test_providers_and_usage_are_reported(
    start_service: Any, ddgs_library: Any, ask: Any
) -> None:
    ddgs_library.rows = [{"href": "https://example.com/", "title": "One", "body": "text"}]
    client = await start_service()
    await client.Search(ask("ferry", caller_hash="u1"))

    states = await client.ListProviders(pb.ListProvidersRequest())
    everybody = await client.GetUsage(pb.GetUsageRequest())
    nobody = await client.GetUsage(pb.GetUsageRequest(caller_hash="u2"))

    by_name = {state.name: state for state in states.providers}
    assert by_name["ddgs"].enabled
    assert by_name["brave"].disabled_reason == "BRAVE_SEARCH_API_KEY is not set"
    assert [(row.provider, row.calls, row.results) for row in everybody.rows] == [("ddgs", 1, 1)]
    assert list(nobody.rows) == []


async def test_a_call_without_a_query_breaks_the_contract(start_service: Any) -> None:
    client = await start_service()

    with pytest.raises(InvalidArgumentError):
        await client.Search(pb.SearchRequest())
