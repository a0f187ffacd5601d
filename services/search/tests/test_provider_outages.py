"""Every failure of every provider, through the real service, with a healthy second one behind it.

The right typed status, no crash, and an answer from the other within the deadline.
"""

import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest
from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException
from faithful_providers import KEY, settings_of
from pellucid.search.v1 import search_pb2 as pb
from search_provider_fixtures import GOOD, LIBRARY_FAILURES
from search_provider_refusals import CASES, NO_JSON, Case

from pellucid_runtime.errors import InvalidArgumentError
from pellucid_search.local.index import LocalIndex
from pellucid_search.providers.registry import REGISTRY
from rig.sample import sampled

pytestmark = pytest.mark.usefixtures("loaded_languages")

DEADLINE_S = 4.0
LIMITED = {"rate", "quota"}


HTTP_PROVIDERS = tuple(name for name, spec in REGISTRY.items() if spec.dialect and not spec.topics)
BROKEN = {
    "hang": ({"delay_s": 8.0}, "timeout"),
    "reset": ({"reset": True}, "unreachable"),
    "cut_off": ({"announced_length": 10_000}, "unreachable"),
    "fifty_megabytes": ({"body": b" " * 50_000_000}, "malformed"),
}
# What is the same for all (no JSON, a broken connection) once for each method. That each failure
# has its type is tried in `test_provider_contract.py`; here one in so many is met by the service.
EVERY_FAILURE = 4
HTTP_TABLE = [
    pytest.param(name, case, id=f"{name}-{case.name}")
    for name, cases in CASES.items()
    for case in cases
    if case not in NO_JSON or name == "brave"
]
BROKEN_TABLE = [
    pytest.param(name, *BROKEN[kind], id=f"{name}-{kind}")
    for name in ("brave", "tavily")
    for kind in BROKEN
]
EXCEPTIONS = {
    "RatelimitException": RatelimitException, "TimeoutException": TimeoutException,
    "DDGSException": DDGSException, "OSError": OSError, "ValueError": ValueError,
}  # fmt: skip


def test_every_provider_is_in_the_tables() -> None:
    web = {name for name, spec in REGISTRY.items() if not spec.topics}
    assert set(CASES) | {"ddgs", "local"} == web
    assert set(HTTP_PROVIDERS) == set(CASES) == set(GOOD)


@pytest.fixture
def pair(start_service: Any, serve_provider: Any, answer: Any) -> Any:
    """A provider that gives one answer, and a healthy one behind it."""

    async def start(name: str, given: Any, **values: Any) -> Any:
        second = "brave" if name == "searxng" else "searxng"
        healthy = await serve_provider(answer(GOOD[second]))
        # A busy machine is no reason to ask the second one before the first has failed.
        values = {"search_hedge_s": 3.0, **values, **settings_of(second, healthy.url)}
        failing = None
        if name in HTTP_PROVIDERS:
            failing = await serve_provider(given)
            values |= settings_of(name, failing.url)
        rates = ",".join(f"{each}=100/1" for each in (name, second))
        client = await start_service(
            search_providers=f"{name},{second}", search_rates=rates, **values
        )
        return client, failing

    return start


async def check(client: Any, request: pb.SearchRequest, name: str, code: str) -> None:
    """Ask once: the failure is named, and the other has answered in time."""
    started = time.monotonic()
    found = await client.Search(request, timeout=DEADLINE_S)

    assert time.monotonic() - started < DEADLINE_S - 0.5
    failed, healthy = found.providers
    wanted = "RATE_LIMITED" if code in LIMITED else "FAILED"
    assert failed.name == name
    assert failed.status == pb.ProviderStatus.Value(f"PROVIDER_STATUS_{wanted}")
    assert failed.error_code == pb.ProviderErrorCode.Value(f"PROVIDER_ERROR_CODE_{code.upper()}")
    assert failed.detail
    assert healthy.status == pb.PROVIDER_STATUS_OK
    assert len(found.hits) == 2
    assert {f.provider for hit in found.hits for f in hit.findings} == {healthy.name}
    assert f"provider:{name}" in [part.component for part in found.degraded]
    assert KEY not in str(found)


@pytest.mark.parametrize(("name", "case"), sampled(HTTP_TABLE, EVERY_FAILURE))
async def test_each_documented_failure_is_named_and_replaced(
    name: str, case: Case, pair: Any, answer: Any, ask: Any
) -> None:
    client, failing = await pair(name, answer(case.body, case.status, case.headers))

    await check(client, ask("island ferry"), name, case.error)

    assert 1 <= len(failing.requests) <= 3


@pytest.mark.parametrize(("name", "trouble", "code"), BROKEN_TABLE)
async def test_each_broken_connection_is_named_and_replaced(  # noqa: PLR0917 - fixtures
    name: str, trouble: dict[str, Any], code: str, pair: Any, answer: Any, ask: Any
) -> None:
    given = answer(**{"body": GOOD[name], **trouble})
    # Only who says nothing at all is to be overtaken.
    client, failing = await pair(name, given, search_hedge_s=0.2 if code == "timeout" else 3.0)

    await check(client, ask("island ferry"), name, code)

    assert 1 <= len(failing.requests) <= 3


@pytest.mark.parametrize(("kind", "message", "code"), LIBRARY_FAILURES)
async def test_each_failure_of_the_library_is_named_and_replaced(  # noqa: PLR0917 - fixtures
    kind: str, message: str, code: str, pair: Any, ddgs_library: Any, ask: Any
) -> None:
    ddgs_library.failure = EXCEPTIONS[kind](message)
    client, _ = await pair("ddgs", None)

    await check(client, ask("island ferry"), "ddgs", code)

    assert 1 <= len(ddgs_library.calls) <= 3


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "corpus.yaml").write_text('base_url: "http://intranet.localhost"')
    (folder / "ferry.md").write_text("# Ferry times\n\nThe island ferry leaves at nine.")
    return folder


async def test_a_broken_local_index_is_named_and_replaced(
    pair: Any, ask: Any, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, _ = await pair("local", None, local_corpus_dir=corpus)
    assert (await client.Search(ask("island ferry times"))).hits[0].title == "Ferry times"

    def broken(*_: Any) -> Any:
        raise sqlite3.DatabaseError("database disk image is malformed")

    monkeypatch.setattr(LocalIndex, "search", broken)
    await check(client, ask("another island"), "local", "server")


async def test_a_slow_local_index_is_named_and_replaced(
    pair: Any, ask: Any, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The healthy one is bounded by the same time: enough of it for a busy machine.
    client, _ = await pair("local", None, local_corpus_dir=corpus, search_timeout_s=1.5)
    monkeypatch.setattr(LocalIndex, "search", lambda *_: time.sleep(2.0) or ())

    await check(client, ask("another island"), "local", "timeout")


async def test_a_provider_that_hangs_is_left_alone_after_five(
    pair: Any, answer: Any, ask: Any
) -> None:
    """Although another has answered long before each call would have timed out."""
    client, hanging = await pair("brave", answer(b"", delay_s=8.0), search_hedge_s=0.1)

    for turn in range(8):
        assert (await client.Search(ask(f"query {turn}"), timeout=DEADLINE_S)).hits

    assert len(hanging.requests) == 5


async def test_bing_disables_itself_when_the_address_is_retired(
    pair: Any, answer: Any, ask: Any
) -> None:
    client, bing = await pair("bing", answer(b"gone", 404))

    for turn in range(3):
        assert (await client.Search(ask(f"query {turn}"))).hits
    states = await client.ListProviders(pb.ListProvidersRequest())

    assert len(bing.requests) == 1
    (state,) = [state for state in states.providers if state.name == "bing"]
    assert not state.enabled
    assert "until a restart" in state.disabled_reason


async def test_a_server_error_is_tried_again_until_it_answers(
    pair: Any, answer: Any, ask: Any
) -> None:
    replies = [answer(b"", 500), answer(b"", 500), answer(GOOD["brave"])]
    client, brave = await pair("brave", lambda _request: replies.pop(0))

    found = await client.Search(ask("island ferry"))

    brave_report, second = found.providers
    assert (brave_report.status, brave_report.calls) == (pb.PROVIDER_STATUS_OK, 3)
    assert second.status == pb.PROVIDER_STATUS_SKIPPED
    assert len(brave.requests) == 3
    assert found.cost_micro_usd == 5_000
    gaps = [b.at - a.at for a, b in zip(brave.requests, brave.requests[1:], strict=False)]
    assert gaps[0] >= 0.05
    assert gaps[1] >= 0.1


async def test_an_unknown_name_is_refused_and_nobody_is_asked(
    pair: Any, answer: Any, ask: Any
) -> None:
    client, brave = await pair("brave", answer(GOOD["brave"]))

    for names in (["altavista"], ["brave", "altavista"], [""]):
        with pytest.raises(InvalidArgumentError, match="providers"):
            await client.Search(ask("ferry", providers=names))

    assert brave.requests == []
