"""Parts that fail, hang or lie: every turn ends in time, in one event, and says what it lost."""

import time
from dataclasses import replace
from typing import Any

import pytest
from port_fakes import (
    HITS,
    FakeDecision,
    FakeEvidence,
    FakeFetcher,
    FakeModel,
    FakeScorer,
    FakeSearch,
    answer_decision,
    hit,
    search_decision,
)
from turn_fakes import Rig

from pellucid_gateway.domain.account import Degradation
from pellucid_gateway.domain.decision import Action, Stage
from pellucid_gateway.domain.events import AnswerKind, Delta, Done, Failed, TurnResult
from pellucid_gateway.domain.findings import ProviderReport, ProviderStatus, ScoredHit
from pellucid_gateway.domain.ports import ScoreCall
from pellucid_gateway.domain.request import Depth, SearchCommand, SubjectContext
from pellucid_gateway.turn_context.budgets import StageBudgets
from pellucid_runtime.errors import InvalidArgumentError, PreconditionError, ServiceError
from pellucid_runtime.llm.model import LlmCause

DEADLINE_MS = 1000
# What a busy machine may add to a deadline; without one a turn takes ten seconds.
GRACE_S = 3.0


def result_of(events: list[Any]) -> TurnResult:
    assert isinstance(events[-1], Done), events[-1]
    assert sum(isinstance(event, (Done, Failed)) for event in events) == 1
    return events[-1].result


def lost(result: TurnResult) -> set[str]:
    return {loss.component for loss in result.degraded}


def codes(result: TurnResult) -> set[str]:
    return {notice.code for notice in result.notices}


@pytest.mark.parametrize("fault", ["down", "hangs"])
async def test_a_lost_decision_service_leaves_the_rule(fault: str) -> None:
    rig = Rig(
        decision=FakeDecision(**{fault: True}), budgets=replace(StageBudgets(), decision_s=0.05)
    )
    result = result_of(await rig.events("What is the latest toll on the Skerry Bridge?"))

    assert lost(result) == {"decision"}
    assert result.decision.stage is Stage.FALLBACK
    assert result.decision.queries[0].text == "latest toll on the Skerry Bridge"
    assert result.answer_kind is AnswerKind.EXTRACTIVE
    assert "simple_decision" in codes(result)


async def test_the_rule_does_not_search_for_what_is_timeless() -> None:
    rig = Rig(decision=FakeDecision(down=True), model=FakeModel(["So it is."]))
    result = result_of(await rig.events("Explain how photosynthesis works"))

    assert result.decision.action is Action.ANSWER
    assert rig.search.calls == []


@pytest.mark.parametrize(
    "search",
    [
        FakeSearch(down=True),
        FakeSearch(hangs=True),
        FakeSearch(status=ProviderStatus.FAILED),
    ],
)
async def test_a_lost_search_is_said_and_the_model_still_answers(search: FakeSearch) -> None:
    rig = Rig(
        search=search,
        model=FakeModel(["As far as I know [1]."]),
        budgets=replace(StageBudgets(), search_s=0.05),
    )
    result = result_of(await rig.events())

    assert lost(result) == {"search"}
    assert "search_unavailable" in codes(result)
    assert result.answer == "As far as I know."
    assert result.citations == ()
    assert len(search.calls) == 1


async def test_with_a_subject_and_no_provider_it_offers_to_answer_from_that() -> None:
    rig = Rig(search=FakeSearch(down=True), model=FakeModel(["Well."]))
    result = result_of(await rig.events(subject=SubjectContext(title="Skerry Bridge opening")))

    assert "subject_only" in codes(result)


@pytest.mark.parametrize("fault", ["down", "hangs"])
async def test_a_lost_scorer_leaves_the_order_of_the_providers(fault: str) -> None:
    rig = Rig(scorer=FakeScorer(**{fault: True}), budgets=replace(StageBudgets(), score_s=0.05))
    result = result_of(await rig.events())

    assert lost(result) == {"scorer"}
    assert [source.url for source in result.sources] == [h.url for h in HITS]
    assert [source.relevance for source in result.sources] == [None, None, None]
    assert "unranked" in codes(result)


class LyingScorer(FakeScorer):
    """Answers with numbers that are none."""

    async def score(self, call: ScoreCall) -> tuple[ScoredHit, ...]:
        scored = await super().score(call)
        return (*scored[:-1], replace(scored[-1], relevance=float("nan")))


async def test_scores_that_are_no_numbers_count_as_a_lost_scorer() -> None:
    result = result_of(await Rig(scorer=LyingScorer()).events())

    assert "scorer" in lost(result)
    assert [source.url for source in result.sources] == [h.url for h in HITS]


async def test_without_the_scorer_citations_are_checked_by_words_and_numbers() -> None:
    model = FakeModel(
        [
            "The toll for cars on the Skerry Bridge is 4.50 crowns [1]. ",
            "The toll for cars is 7 crowns [1].",
        ]
    )
    result = result_of(await Rig(scorer=FakeScorer(down=True), model=model).events())

    assert (result.citation_report.kept, result.citation_report.dropped) == (1, 1)
    assert {"scorer", "citations"} <= lost(result)


@pytest.mark.parametrize("fault", ["down", "hangs"])
async def test_a_lost_fetcher_leaves_snippets(fault: str) -> None:
    rig = Rig(fetcher=FakeFetcher(**{fault: True}), budgets=replace(StageBudgets(), page_s=0.05))
    result = result_of(await rig.events())

    assert lost(result) == {"fetcher"}
    assert {source.method.value for source in result.sources} == {"snippet"}
    assert "snippets_only" in codes(result)
    assert result.citations


async def test_a_named_page_that_cannot_be_read_offers_to_paste_it() -> None:
    page = "http://harbourpost.example/story"
    decision = search_decision(action=Action.FETCH, queries=(), urls=(page,))
    rig = Rig(decision=FakeDecision(decision), fetcher=FakeFetcher(down=True))
    result = result_of(await rig.events())

    assert "page_unreachable" in codes(result)
    assert result.url_contents[0].success is False
    assert rig.search.calls == []


async def test_a_model_that_is_down_is_replaced_by_excerpts() -> None:
    result = result_of(await Rig(model=FakeModel(fails_after=0)).events())

    assert result.answer_kind is AnswerKind.EXTRACTIVE
    assert lost(result) == {"llm"}
    assert "model_failed" in codes(result)
    assert result.model_label == "Web + extractive"


async def test_a_model_that_says_nothing_counts_as_failed() -> None:
    result = result_of(await Rig(model=FakeModel([])).events())

    assert lost(result) == {"llm"}
    assert result.answer_kind is AnswerKind.EXTRACTIVE


async def test_a_model_that_breaks_off_leaves_a_partial_answer() -> None:
    events = await Rig(
        model=FakeModel(["The toll is not ", "known yet to "], fails_after=2)
    ).events()

    assert result_of(events).partial
    assert "".join(e.text for e in events if isinstance(e, Delta)).startswith("The toll")


async def test_a_model_that_stalls_gives_a_partial_answer_in_time() -> None:
    rig = Rig(model=FakeModel(["The toll is 4.50 crowns [1]. And ", "then"], hangs_after=1))
    begun = time.monotonic()
    result = result_of(await rig.events(deadline_ms=DEADLINE_MS))

    assert time.monotonic() - begun <= DEADLINE_MS / 1000 + GRACE_S
    assert result.partial
    assert "deadline" in lost(result)
    assert "partial_answer" in codes(result)
    assert result.answer.startswith("The toll is 4.50 crowns.")
    assert result.citations[0].source == 1


@pytest.mark.parametrize("depth", list(Depth))
async def test_nothing_hangs_past_the_deadline_when_everything_hangs(depth: Depth) -> None:
    rig = Rig(
        decision=FakeDecision(hangs=True),
        search=FakeSearch(hangs=True),
        scorer=FakeScorer(hangs=True),
        fetcher=FakeFetcher(hangs=True),
        model=FakeModel(hangs_after=0),
    )
    begun = time.monotonic()
    events = await rig.events("latest news", deadline_ms=DEADLINE_MS, depth=depth)

    assert time.monotonic() - begun <= DEADLINE_MS / 1000 + GRACE_S
    assert isinstance(events[-1], Failed)
    assert events[-1].cause is LlmCause.TOO_SLOW


async def test_a_slow_search_leaves_time_to_answer() -> None:
    rig = Rig(search=FakeSearch(hangs=True), model=FakeModel(["From memory."]))
    result = result_of(await rig.events(deadline_ms=DEADLINE_MS))

    assert result.answer == "From memory."
    assert rig.search.cancelled == 1


async def test_a_lost_store_costs_only_the_evidence() -> None:
    result = result_of(await Rig(evidence=FakeEvidence(down=True)).events())

    assert result.evidence_id == ""
    assert lost(result) == {"store"}


async def test_a_provider_named_without_a_key_is_an_error_with_its_reason() -> None:
    missing = PreconditionError("API_KEY_INVALID", "brave needs BRAVE_SEARCH_API_KEY")
    events = await Rig(search=FakeSearch(error=missing)).events()

    assert events[-1] == Failed("API_KEY_INVALID", missing.message, retryable=False)


async def test_an_unforeseen_error_still_ends_the_stream_once_without_its_text() -> None:
    secret = "what the person wrote"
    events = await Rig(search=FakeSearch(error=ZeroDivisionError(secret))).events()

    assert isinstance(events[-1], Failed)
    assert events[-1].reason == "INTERNAL"
    assert secret not in str(events[-1])


async def test_a_search_api_without_any_provider_fails_with_its_own_code() -> None:
    with pytest.raises(ServiceError) as caught:
        await Rig(search=FakeSearch(down=True)).engine.search(SearchCommand(query="Skerry"))

    assert caught.value.reason == "SEARCH_FAILED"


async def test_hits_beyond_two_of_a_domain_are_left_out_even_without_the_scorer() -> None:
    hits = tuple(
        hit(n, f"The Skerry Bridge fact number {n} stands.", "same.example") for n in range(4)
    )
    result = result_of(
        await Rig(search=FakeSearch(hits=hits), scorer=FakeScorer(down=True)).events()
    )

    assert len(result.sources) == 2


async def test_small_talk_does_not_notice_a_dead_search() -> None:
    rig = Rig(
        decision=FakeDecision(answer_decision("hello")),
        search=FakeSearch(down=True),
        scorer=FakeScorer(down=True),
        fetcher=FakeFetcher(down=True),
        model=FakeModel(["Hello!"]),
    )
    result = result_of(await rig.events("hello"))

    assert result.degraded == ()
    assert result.answer == "Hello!"


async def test_an_unknown_provider_is_the_callers_error_and_no_outage() -> None:
    wrong = InvalidArgumentError("providers", "one of brave, local")
    events = await Rig(search=FakeSearch(error=wrong)).events()

    assert events[-1] == Failed("INVALID_ARGUMENT", wrong.message, retryable=False)


async def test_a_search_that_was_down_is_not_said_to_have_looked() -> None:
    result = result_of(await Rig(search=FakeSearch(down=True)).events())

    assert result.answer.startswith("I could not search the web")
    assert [loss.detail for loss in result.degraded if loss.component == "search"] == [
        "DEPENDENCY_DOWN"
    ]


async def test_sentences_about_others_do_not_answer_a_question_about_a_name() -> None:
    decision = search_decision(standalone_question="What is the toll on the Marrow Tunnel?")
    hits = (hit(1, "The toll for cars on the Skerry Bridge is 4.50 crowns.", "post.example"),)
    rig = Rig(decision=FakeDecision(decision), search=FakeSearch(hits))
    result = result_of(await rig.events("What is the toll on the Marrow Tunnel?"))

    assert result.answer_kind is AnswerKind.NONE
    assert "4.50" not in result.answer


async def test_small_talk_without_a_model_gets_a_greeting() -> None:
    decision = answer_decision("hello", topicless=True)
    result = result_of(await Rig(decision=FakeDecision(decision)).events("hello"))

    assert result.answer.startswith("Hello!")


def dead_web(status: ProviderStatus = ProviderStatus.FAILED, **values: Any) -> FakeSearch:
    """A web provider that fails, or is left alone by its breaker, beside the local index."""
    brave = ProviderReport(name="brave", status=status, results=0)
    loss = Degradation("provider:brave", "no answer")
    return FakeSearch(others=(brave,), degraded=(loss,), **values)


@pytest.mark.parametrize("status", [ProviderStatus.FAILED, ProviderStatus.SKIPPED])
async def test_a_dead_web_behind_a_local_index_is_told(status: ProviderStatus) -> None:
    result = result_of(await Rig(search=dead_web(status)).events())

    assert "web_unavailable" in codes(result)
    assert result.model_label == "Local + extractive"
    assert result.sources


async def test_a_dead_web_and_a_local_index_that_finds_nothing_is_told() -> None:
    result = result_of(await Rig(search=dead_web(hits=())).events())

    assert "search_unavailable" in codes(result)
    assert "nothing_found" not in codes(result)
    assert "Web" not in result.model_label


async def test_one_web_provider_that_answers_is_the_web() -> None:
    tavily = ProviderReport(name="tavily", status=ProviderStatus.CACHED, results=2)
    search = dead_web()
    search.others = (*search.others, tavily)
    result = result_of(await Rig(search=search).events())

    assert "web_unavailable" not in codes(result)
    assert result.model_label == "Web + extractive"


async def test_a_spare_web_provider_that_was_not_needed_is_not_lost() -> None:
    spare = ProviderReport(name="brave", status=ProviderStatus.SKIPPED, results=0)
    result = result_of(await Rig(search=FakeSearch(others=(spare,))).events())

    assert "web_unavailable" not in codes(result)
    assert result.model_label == "Web + extractive"
