"""What is told of a page that was not read, a search that was not possible and a slow turn."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from api_fakes import FakeEngine, MakeApp
from opentelemetry.trace import NonRecordingSpan, SpanContext, use_span
from port_fakes import FakeDecision, FakeFetcher, FakeModel, FakeSearch, search_decision
from structlog.contextvars import merge_contextvars
from structlog.testing import capture_logs
from turn_fakes import Rig

from pellucid_gateway.api.http.problems import problem_of
from pellucid_gateway.domain.decision import Action
from pellucid_gateway.domain.errors import search_failure
from pellucid_gateway.domain.events import Done, Noticed, Progress, TurnResult
from pellucid_gateway.domain.findings import PageContent, ProviderReport, ProviderStatus
from pellucid_gateway.domain.notices import wording_for
from pellucid_gateway.domain.ports import SearchAnswer, SearchCall
from pellucid_gateway.domain.request import SearchCommand
from pellucid_gateway.turn import named_pages
from pellucid_language.calendar import LANGUAGES

PAGE = "https://amt-wiesenau.example/bekanntmachung"
SECRET = "Rosalind Achterberg of Kestrel Lane"


def result_of(events: list[Any]) -> TurnResult:
    assert isinstance(events[-1], Done), events[-1]
    return events[-1].result


@dataclass
class OnePage(FakeFetcher):
    """Every page has one outcome."""

    outcome: dict[str, Any] = field(default_factory=dict)

    def _page(self, url: str) -> PageContent:
        return PageContent(url=url, success=False, **self.outcome)


@dataclass
class Lost(FakeSearch):
    """No provider answers."""

    reports: tuple[ProviderReport, ...] = ()

    async def search(self, call: SearchCall) -> SearchAnswer:
        self.calls.append(call)
        return SearchAnswer(providers=self.reports)


def report(status: ProviderStatus, code: str = "", **values: Any) -> ProviderReport:
    return ProviderReport(name="brave", status=status, error_code=code, **values)


async def read(language: str = "en", **outcome: Any) -> TurnResult:
    decision = search_decision(action=Action.FETCH, urls=(PAGE,), queries=(), language=language)
    rig = Rig(decision=FakeDecision(decision), fetcher=OnePage(outcome=outcome))
    return result_of(await rig.events(f"What does {PAGE} say?"))


@pytest.mark.parametrize(
    ("outcome", "cause", "retry", "code"),
    [
        ({"status": "not_found", "http_status": 404}, "not_found", False, "FETCH_FAILED"),
        ({"status": "forbidden"}, "forbidden", False, "FETCH_FAILED"),
        (
            {"status": "total_timeout", "retryable": True},
            "too_slow",
            True,
            "FETCH_FAILED",
        ),
        ({"status": "blocked_by_site"}, "human_check", False, "FETCH_FAILED"),
        ({"status": "redirect_loop"}, "redirects", False, "FETCH_FAILED"),
        ({"status": "unsupported_type"}, "not_text", False, "EXTRACTION_FAILED"),
        (
            {"status": "decode_error", "reason": "encrypted"},
            "encrypted",
            False,
            "EXTRACTION_FAILED",
        ),
        ({"status": "decode_error"}, "damaged", False, "EXTRACTION_FAILED"),
        ({"status": "http_error", "retryable": True}, "site_error", True, "FETCH_FAILED"),
    ],
)
async def test_each_cause_of_a_page_not_read_has_its_sentence(
    outcome: dict[str, Any], cause: str, retry: object, code: str
) -> None:
    result = await read(**outcome)
    wording = wording_for("en")
    words = wording.page(cause, url=PAGE)

    (notice,) = [n for n in result.notices if n.code == "page_unreachable"]
    assert words in notice.text
    assert notice.retry is retry
    assert notice.text.endswith(wording.page("retry_or_paste" if retry else "paste"))
    (page,) = result.url_contents
    assert words in page.error
    assert page.error_code == code
    assert notice.text in result.answer


async def test_what_is_inside_is_told_like_what_is_not_there() -> None:
    inside, nowhere = (
        await read(status="blocked_target"),
        await read(status="dns_error", retryable=True),
    )

    assert inside.notices == nowhere.notices


async def test_payment_required_is_a_paywall() -> None:
    result = await read(status="http_error", http_status=402)

    assert "paywall" in {notice.code for notice in result.notices}


def test_every_status_of_the_fetcher_has_a_sentence_in_each_language() -> None:
    causes = {named_pages._cause(PageContent(url=PAGE, success=False, status=s)) for s in STATUSES}

    for language in LANGUAGES:
        texts = [wording_for(language).page(cause, url=PAGE) for cause in causes]
        assert len(set(texts)) == len(causes) == 14
        assert all(PAGE in text for text in texts)


STATUSES = (
    "blocked_target", "dns_error", "connect_error", "connect_timeout", "total_timeout",
    "tls_error", "redirect_loop", "not_found", "forbidden", "rate_limited", "http_error",
    "blocked_by_site", "robots_denied", "no_text", "unsupported_type", "parse_limit",
    "decode_error",
)  # fmt: skip


@pytest.mark.parametrize(
    ("reports", "code", "retry"),
    [
        ((report(ProviderStatus.FAILED, "unreachable"),), "search_unavailable", True),
        (
            (report(ProviderStatus.RATE_LIMITED, "rate", retry_after_s=59.2),),
            "search_busy",
            True,
        ),
        ((report(ProviderStatus.RATE_LIMITED, "quota"),), "search_quota_spent", False),
        ((report(ProviderStatus.BUDGET),), "search_budget_spent", False),
        ((report(ProviderStatus.SKIPPED, "bad_key"),), "search_not_configured", False),
        (
            (report(ProviderStatus.SKIPPED, "bad_key"), report(ProviderStatus.FAILED, "timeout")),
            "search_unavailable",
            True,
        ),
    ],
)
async def test_why_nothing_was_searched_is_told_to_the_person_and_to_the_model(
    reports: tuple[ProviderReport, ...], code: str, retry: object
) -> None:
    model = FakeModel(["As far as I know."])
    result = result_of(await Rig(search=Lost(reports=reports), model=model).events())

    (notice,) = [n for n in result.notices if n.code.startswith("search_")]
    assert (notice.code, notice.retry) == (code, retry)
    assert notice.text in model.prompts[0].messages[-1].content
    if code == "search_busy":
        assert "60 seconds" in notice.text


@pytest.mark.parametrize(
    ("reports", "status", "code", "retryable", "after"),
    [
        ((report(ProviderStatus.SKIPPED, "bad_key"),), 503, "API_KEY_INVALID", False, None),
        (
            (report(ProviderStatus.RATE_LIMITED, "rate", retry_after_s=7.0),),
            429,
            "RATE_LIMIT_EXCEEDED",
            True,
            7.0,
        ),
        (
            (report(ProviderStatus.BUDGET, retry_after_s=600.0),),
            429,
            "BUDGET_EXCEEDED",
            False,
            600.0,
        ),
        ((report(ProviderStatus.FAILED, "server"),), 503, "SEARCH_FAILED", True, None),
    ],
)
def test_search_apis_answer_the_cause(
    reports: tuple[ProviderReport, ...],
    status: int,
    code: str,
    retryable: object,
    after: float | None,
) -> None:
    problem = problem_of(search_failure(reports))

    assert (problem.http_status, problem.code) == (status, code)
    assert (problem.retryable, problem.retry_after_s) == (retryable, after)


async def test_a_slow_turn_is_told_while_it_goes_on() -> None:
    events = await Rig(search=FakeSearch(hangs=True)).events(deadline_ms=1_000)

    codes = [e.notice.code if isinstance(e, Noticed) else type(e) for e in events]
    assert codes.index("taking_long") < max(i for i, e in enumerate(events) if e_is_step(e))
    (notice,) = [n for n in result_of(events).notices if n.code == "taking_long"]
    assert notice.retry


def e_is_step(event: object) -> bool:
    return isinstance(event, Progress)


async def test_a_quick_turn_is_not_called_slow() -> None:
    result = result_of(await Rig().events())

    assert "taking_long" not in {notice.code for notice in result.notices}


class Unread(FakeEngine):
    """Reads no page."""

    pages: tuple[PageContent, ...] = ()

    async def fetch(self, *_: Any, **__: Any) -> tuple[PageContent, ...]:
        return self.pages


async def _fetched(make_app: MakeApp, *pages: PageContent) -> httpx.Response:
    engine = Unread()
    engine.pages = pages
    transport = httpx.ASGITransport(make_app(engine=engine), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8080") as http:
        return await http.post("/v1/fetch", json={"urls": [page.url for page in pages]})


async def test_a_fetch_without_any_page_is_an_error_with_its_cause(make_app: MakeApp) -> None:
    late = PageContent(
        url="https://a.example/", success=False, status="rate_limited", error="Come back later.",
        retryable=True, retry_after_s=30,
    )  # fmt: skip
    film = PageContent(
        url="https://b.example/x.mp4", success=False, status="unsupported_type", error="No text."
    )
    good = PageContent(url="https://c.example/", success=True, status="ok", text="Text")

    alone, textless = await _fetched(make_app, late), await _fetched(make_app, film)
    several, mixed = await _fetched(make_app, late, film), await _fetched(make_app, film, good)

    assert (alone.status_code, alone.json()["code"]) == (503, "FETCH_FAILED")
    assert (alone.json()["retryable"], alone.headers["Retry-After"]) == (True, "30")
    assert (textless.json()["code"], textless.json()["retryable"]) == ("EXTRACTION_FAILED", False)
    assert several.json()["code"] == "ALL_SOURCES_FAILED"
    assert [p["error_code"] for p in several.json()["results"]] == [
        "FETCH_FAILED",
        "EXTRACTION_FAILED",
    ]
    assert (mixed.status_code, len(mixed.json()["results"])) == (200, 2)


@pytest.fixture
async def logs() -> AsyncIterator[list[Any]]:
    with capture_logs() as lines:
        yield lines


def line_of(logs: list[Any], event: str) -> Any:
    (line,) = [line for line in logs if line["event"] == event]
    return line


async def test_a_turn_leaves_one_line_for_its_decision_its_rounds_and_its_end(
    logs: list[Any],
) -> None:
    decision = search_decision(standalone_question=SECRET, reason_code="price")
    rig = Rig(decision=FakeDecision(decision), search=FakeSearch(rounds=[(), ()], hits=()))
    await rig.events(SECRET, caller="caller-hash")

    decided, ended = line_of(logs, "decision"), line_of(logs, "turn")
    assert (decided["decision"], decided["reason"]) == ("search", "price")
    assert {"ms", "stage", "user"} <= decided.keys()
    rounds = [line for line in logs if line["event"] == "search_round"]
    assert [(r["round"], r["reason"], r["results"]) for r in rounds] == [
        (1, "decision", 0),
        (2, "nothing_found", 0),
    ]
    assert (ended["rounds"], ended["pages"], ended["searches"]) == (2, 0, 2)
    assert {"decision", "search"} <= ended["stages_ms"].keys()
    assert ended["user"] == decided["user"] != "caller-hash"
    assert not any(word in str(logs) for word in SECRET.split())


async def test_lines_of_a_turn_lead_to_its_trace() -> None:
    span = NonRecordingSpan(SpanContext(trace_id=0xABC, span_id=1, is_remote=False))
    with use_span(span), capture_logs(processors=[merge_contextvars]) as lines:
        await Rig().events(SECRET)
    assert {line["trace_id"] for line in lines} == {f"{0xABC:032x}"}
    assert {"decision", "turn"} <= {line["event"] for line in lines}


async def test_a_failed_model_and_a_failed_turn_leave_a_line(logs: list[Any]) -> None:
    await Rig(model=FakeModel(fails_after=0)).events()
    await Rig(model=FakeModel(fails_after=0), search=FakeSearch(hits=())).events()

    failed = [line for line in logs if line["event"] == "model_failed"]
    assert [line["model"] for line in failed] == ["fake-model"] * 2
    assert all(line["error"] and "ms" in line for line in failed)
    assert line_of(logs, "turn_failed")["error"] == "LLM_FAILED"


async def test_a_search_api_logs_its_decision_without_the_query(logs: list[Any]) -> None:
    await Rig().engine.search(SearchCommand(query=SECRET, caller="caller-hash"))

    assert line_of(logs, "decision")["user"]
    assert not any(word in str(logs) for word in SECRET.split())
