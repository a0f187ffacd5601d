"""Every provider: those over HTTP against a loopback server that behaves as documented."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from ddgs.exceptions import DDGSException
from faithful_providers import ACCOUNT, KEY, faithful
from search_provider_fixtures import GOOD, KEY_PLACES, NOTHING_FOUND, PAGE_ONE, PAGE_TWO, SENT
from search_provider_refusals import CASES, Case

from pellucid_search.adapters.ddgs_engine import DdgsEngine
from pellucid_search.adapters.http_engine import HttpEngine
from pellucid_search.adapters.http_transport import HttpxTransport
from pellucid_search.adapters.local_engine import LocalEngine
from pellucid_search.asking.answering import Generation
from pellucid_search.errors import ProviderError
from pellucid_search.local.index import LocalIndex
from pellucid_search.ports import Engine
from pellucid_search.providers.registry import REGISTRY
from pellucid_search.providers.wire import Endpoint
from pellucid_search.query import ProviderQuery

NOW = datetime(2026, 1, 3, tzinfo=UTC)
HTTP_PROVIDERS = tuple(name for name, spec in REGISTRY.items() if spec.dialect and not spec.topics)
WEB = (*HTTP_PROVIDERS, "ddgs", "local")
QUERY = ProviderQuery("island ferry", NOW)


@pytest.fixture
async def transport() -> AsyncIterator[HttpxTransport]:
    async with HttpxTransport() as opened:
        yield opened


def engine(name: str, url: str, transport: HttpxTransport) -> HttpEngine:
    dialect = REGISTRY[name].dialect
    assert dialect is not None
    return HttpEngine(dialect, lambda: Endpoint(url, KEY, ACCOUNT), transport)


LIBRARY_ROWS = {
    "good": [
        {"title": "The guide", "href": PAGE_ONE, "body": "All about it"},
        {"title": "A story", "url": PAGE_TWO, "body": "Happened", "date": "2026-01-01T10:00:00"},
    ],
    "nothing": [],
}
# Two documents of which the first says more about the guide.
DOCUMENTS = {
    "docs.example.com/guide.html": ("The guide to the island ferry", "All about it", "2026-01-02"),
    "news.example.org/story.html": ("A story", "Happened", "2026-01-01"),
}


@pytest.fixture
async def engine_with(
    serve_provider: Any, answer: Any, transport: HttpxTransport, tmp_path: Path
) -> AsyncIterator[Any]:
    """Return any provider's engine over a stock that is `good` or holds `nothing`."""
    async with AsyncExitStack() as stack:

        async def make(name: str, stock: str) -> Engine:
            if name == "ddgs":
                rows = LIBRARY_ROWS[stock]
                opened = DdgsEngine(lambda *_: rows, probe_host="")
                return await stack.enter_async_context(opened)
            if name == "local":
                return _local_engine(tmp_path, DOCUMENTS if stock == "good" else {}, stack)
            body = (GOOD if stock == "good" else NOTHING_FOUND)[name]
            provider = await serve_provider(faithful(name, answer, body))
            return engine(name, provider.url, transport)

        yield make


def _local_engine(
    folder: Path, documents: Mapping[str, tuple[str, str, str]], stack: AsyncExitStack
) -> LocalEngine:
    corpus = folder / "corpus"
    corpus.mkdir()
    (corpus / "corpus.yaml").write_text('base_url: "https://{host}"')
    for path, (title, text, date) in documents.items():
        file = corpus / path
        file.parent.mkdir(parents=True)
        file.write_text(
            f"<html><head><title>{title}</title>"
            f'<meta property="article:published_time" content="{date}"></head>'
            f"<body><main><p>{text}</p><p>island ferry</p></main></body></html>"
        )
    local = LocalEngine(LocalIndex(corpus, folder / "index.sqlite3"), Generation())
    stack.callback(asyncio.create_task(local.keep_fresh(60.0)).cancel)
    return local


def test_every_provider_has_fixtures() -> None:
    assert set(HTTP_PROVIDERS) == set(GOOD) == set(NOTHING_FOUND) == set(CASES)
    assert set(HTTP_PROVIDERS) == set(SENT)
    assert set(KEY_PLACES) == {spec.name for spec in REGISTRY.values() if spec.key}
    assert {name for name, spec in REGISTRY.items() if not spec.topics} == set(WEB)


@pytest.mark.parametrize("name", WEB)
async def test_results_are_read_in_order(name: str, engine_with: Any) -> None:
    asked = await engine_with(name, "good")

    reply = await asked.ask(QUERY, timeout_s=3)

    assert [hit.url.removesuffix(".html") for hit in reply.hits] == [PAGE_ONE, PAGE_TWO]
    assert "guide" in reply.hits[0].title
    assert "All about it" in reply.hits[0].snippet
    assert "Happened" in reply.hits[1].snippet
    assert any(hit.age for hit in reply.hits)
    assert "ferry" in asked.wording(QUERY)


@pytest.mark.parametrize("name", WEB)
async def test_nothing_found_is_an_empty_answer_and_no_error(name: str, engine_with: Any) -> None:
    asked = await engine_with(name, "nothing")

    assert (await asked.ask(QUERY, timeout_s=3)).hits == ()


async def test_the_librarys_word_for_nothing_found_is_no_error() -> None:
    def fetch(*_: Any) -> Any:
        raise DDGSException("No results found.")

    async with DdgsEngine(fetch, probe_host="") as asked:
        assert (await asked.ask(QUERY, timeout_s=3)).hits == ()


@pytest.mark.parametrize("rows", [["x"], [None, {}], [{"href": 3}], [{"href": "javascript:x()"}]])
async def test_the_librarys_odd_rows_are_left_out(rows: Any) -> None:
    async with DdgsEngine(lambda *_: rows, probe_host="") as asked:
        assert (await asked.ask(QUERY, timeout_s=3)).hits == ()


@pytest.mark.parametrize("name", HTTP_PROVIDERS)
async def test_the_key_is_sent_where_it_belongs_and_the_words_as_reported(
    name: str, serve_provider: Any, answer: Any, transport: HttpxTransport
) -> None:
    provider = await serve_provider(answer(GOOD[name]))
    asked = engine(name, provider.url, transport)

    await asked.ask(QUERY, timeout_s=3)

    request = provider.requests[0]
    sent = request.target.replace("+", " ").replace("%20", " ") + request.body.decode()
    assert asked.wording(QUERY) in sent
    if name in KEY_PLACES:
        place, field, before = KEY_PLACES[name]
        if place == "header":
            assert request.headers[field] == f"{before}{KEY}"
            assert KEY not in request.target
        else:
            assert f"{field}={KEY}" in request.target


@pytest.mark.parametrize(
    ("name", "case"), [(n, c) for n, cs in CASES.items() for c in cs],
    ids=[f"{n}-{c.name}" for n, cs in CASES.items() for c in cs],
)  # fmt: skip
async def test_each_documented_failure_is_typed(
    name: str, case: Case, serve_provider: Any, answer: Any, transport: HttpxTransport
) -> None:
    provider = await serve_provider(answer(case.body, case.status, case.headers))

    with pytest.raises(ProviderError) as caught:
        await engine(name, provider.url, transport).ask(QUERY, timeout_s=3)

    assert caught.value.code == case.error
    assert KEY not in caught.value.detail
    assert "ferry" not in caught.value.detail
    if case.retry_after_s is not None:
        assert caught.value.retry_after_s == case.retry_after_s


async def test_a_body_of_fifty_megabytes_is_not_read_to_its_end(
    serve_provider: Any, answer: Any, transport: HttpxTransport
) -> None:
    provider = await serve_provider(answer(b" " * 50_000_000))

    with pytest.raises(ProviderError, match="2 MiB"):
        await engine("brave", provider.url, transport).ask(QUERY, timeout_s=5)


async def test_a_small_body_that_grows_is_stopped(
    serve_provider: Any, answer: Any, transport: HttpxTransport
) -> None:
    import gzip

    bomb = gzip.compress(b" " * 50_000_000)
    provider = await serve_provider(answer(bomb, headers={"Content-Encoding": "gzip"}))

    with pytest.raises(ProviderError, match="2 MiB"):
        await engine("brave", provider.url, transport).ask(QUERY, timeout_s=5)


async def test_a_compressed_answer_is_read(
    serve_provider: Any, answer: Any, transport: HttpxTransport
) -> None:
    import gzip

    body = gzip.compress(json.dumps(GOOD["brave"]).encode())
    provider = await serve_provider(answer(body, headers={"Content-Encoding": "gzip"}))

    assert len((await engine("brave", provider.url, transport).ask(QUERY, timeout_s=3)).hits) == 2


@pytest.mark.parametrize(
    ("trouble", "code"),
    [({"reset": True}, "unreachable"), ({"announced_length": 10_000}, "unreachable"),
     ({"delay_s": 1.0}, "timeout")],
    ids=["reset", "cut_off", "hang"],
)  # fmt: skip
async def test_a_broken_connection_is_typed(
    trouble: dict[str, Any], code: str, serve_provider: Any, answer: Any, transport: HttpxTransport
) -> None:
    provider = await serve_provider(answer(GOOD["brave"], **trouble))

    with pytest.raises(ProviderError) as caught:
        await engine("brave", provider.url, transport).ask(
            QUERY, timeout_s=0.2 if code == "timeout" else 5
        )

    assert caught.value.code == code


async def test_nobody_listening_is_unreachable_and_nothing_left(transport: HttpxTransport) -> None:
    with pytest.raises(ProviderError) as caught:
        await engine("brave", "http://127.0.0.1:9", transport).ask(QUERY, timeout_s=1)

    assert (caught.value.code, caught.value.sent) == ("unreachable", False)


def test_brave_cuts_a_query_at_its_documented_limits() -> None:
    dialect = REGISTRY["brave"].dialect
    assert dialect is not None
    words = dialect.wording(ProviderQuery(" ".join(["word"] * 90), NOW))

    assert len(words.split()) == 50
    assert len(words) <= 400
