"""Whole turns over fakes of the ports: what happens, in which order, and what it says."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from port_fakes import (
    HITS,
    FakeDecision,
    FakeFetcher,
    FakeModel,
    FakeScorer,
    FakeSearch,
    answer_decision,
    hit,
    search_decision,
)
from turn_fakes import Rig

from pellucid_gateway.domain.account import OutboundText
from pellucid_gateway.domain.decision import Action, PlannedQuery, WebMode
from pellucid_gateway.domain.events import (
    AnswerKind,
    Cited,
    Decided,
    Delta,
    Done,
    Noticed,
    Progress,
    ProgressKind,
    ResultsReady,
    SourcesReady,
    TurnResult,
    UrlFetched,
)
from pellucid_gateway.domain.findings import Purpose
from pellucid_gateway.domain.ports import Reflection
from pellucid_gateway.domain.request import (
    ChatMessage,
    Depth,
    Role,
    SearchOptions,
)
from pellucid_gateway.turn.named_pages import DOUBTFUL, WALLS

PAGE = "http://harbourpost.example/story"
ORDER = (Decided, UrlFetched, Progress, ResultsReady, SourcesReady, Noticed, Delta, Done)


def result_of(events: list[Any]) -> TurnResult:
    assert isinstance(events[-1], Done), events[-1]
    return events[-1].result


def codes(result: TurnResult) -> list[str]:
    return [notice.code for notice in result.notices]


async def test_events_come_in_the_order_of_the_specification() -> None:
    events = await Rig(model=FakeModel()).events()

    kinds = [Delta if isinstance(event, Cited) else type(event) for event in events]
    positions = [ORDER.index(kind) for kind in kinds]
    assert all(a <= b for a, b in pairwise(positions)), kinds
    steps = [event.kind for event in events if isinstance(event, Progress)]
    assert steps == [
        ProgressKind.SEARCH_START,
        ProgressKind.ITERATION,
        ProgressKind.FETCHING,
        ProgressKind.EXTRACTING,
        ProgressKind.COMPLETE,
    ]
    assert sum(isinstance(event, Done) for event in events) == 1


@pytest.mark.parametrize("model", [None, FakeModel()])
async def test_deltas_join_to_exactly_the_answer(model: FakeModel | None) -> None:
    events = await Rig(model=model).events()

    text = "".join(event.text for event in events if isinstance(event, Delta))
    assert text == result_of(events).answer
    assert [e.citation for e in events if isinstance(e, Cited)] == list(result_of(events).citations)


async def test_without_a_model_the_answer_is_made_of_attributed_excerpts() -> None:
    result = result_of(await Rig().events())

    assert result.answer_kind is AnswerKind.EXTRACTIVE
    assert result.model_label == "Web + extractive"
    assert len({s.domain for s in result.sources if s.cited}) >= 2
    for citation in result.citations:
        claim = result.answer[citation.start : citation.end]
        source = result.sources[citation.source - 1]
        assert claim == citation.cited_text
        assert citation.cited_text in source.facts
    assert result.degraded == ()


async def test_a_message_that_needs_no_search_makes_no_call_but_to_the_model() -> None:
    rig = Rig(
        decision=FakeDecision(answer_decision()), model=FakeModel(["Light ", "becomes sugar."])
    )
    result = result_of(await rig.events("Explain photosynthesis"))

    assert (rig.search.calls, rig.fetcher.calls, rig.scorer.score_calls) == ([], [], [])
    assert result.answer == "Light becomes sugar."
    assert result.model_label == "fake-model"
    assert [text.kind for text in result.outbound] == ["prompt"]


async def test_without_model_and_search_it_says_what_it_cannot_do() -> None:
    rig = Rig(decision=FakeDecision(answer_decision()))
    result = result_of(await rig.events("Explain photosynthesis"))

    assert result.answer_kind is AnswerKind.NONE
    assert codes(result) == ["no_model"]
    assert "language model" in result.answer
    assert rig.search.calls == []


async def test_small_talk_without_a_model_has_no_word_of_it() -> None:
    rig = Rig(decision=FakeDecision(answer_decision(topicless=True)))
    result = result_of(await rig.events("hi there"))

    assert result.answer.startswith("Hello!")
    assert codes(result) == []


async def test_a_named_page_is_read_and_nothing_is_searched_or_kept() -> None:
    decision = search_decision(action=Action.FETCH, queries=(), urls=(PAGE,))
    secret = "The merger of Quill and Sons closes on 5 May 2027 for 12 million crowns."
    rig = Rig(decision=FakeDecision(decision), fetcher=FakeFetcher(texts={PAGE: secret}))
    result = result_of(await rig.events(f"Summarise {PAGE}"))

    assert rig.search.calls == []
    assert rig.fetcher.calls[0].purpose is Purpose.USER_URL
    assert "12 million crowns" in result.answer
    assert result.citations[0].cited_text == secret
    kept = str(rig.evidence.records[result.evidence_id])
    assert "Quill" not in kept
    assert "12 million" not in kept
    assert "content_not_kept" in kept
    assert result.sources[0].user_supplied


async def test_at_most_the_named_pages_are_reported_and_the_rest_is_said() -> None:
    decision = search_decision(
        action=Action.FETCH, queries=(), urls=(PAGE,), ignored_urls=("http://d.example/",)
    )
    rig = Rig(decision=FakeDecision(decision), fetcher=FakeFetcher())
    result = result_of(await rig.events())

    assert [c.success for c in result.url_contents] == [False]
    assert codes(result)[:2] == ["urls_ignored", "page_unreachable"]
    assert "http://d.example/" in result.notices[0].text


async def test_a_page_that_cannot_be_read_is_not_met_with_a_greeting() -> None:
    decision = search_decision(action=Action.FETCH, queries=(), urls=(PAGE,), topicless=True)
    rig = Rig(decision=FakeDecision(decision), fetcher=FakeFetcher())
    result = result_of(await rig.events(f"Summarise {PAGE}"))

    assert "Hello" not in result.answer
    assert "page_unreachable" in codes(result)


async def test_a_paywall_is_called_one() -> None:
    decision = search_decision(action=Action.FETCH, queries=(), urls=(PAGE,))
    fetcher = FakeFetcher(
        texts={PAGE: "Subscribe to read on about the bridge."}, warnings=("paywall",)
    )
    result = result_of(await Rig(decision=FakeDecision(decision), fetcher=fetcher).events())

    assert "paywall" in codes(result)


@pytest.mark.parametrize(
    ("warnings", "code"),
    [
        (("soft_404", "soft_error"), "page_doubtful"),
        (("soft_error",), "page_doubtful"),
        (("consent_page", "soft_error"), "page_doubtful"),
        (("login_wall", "soft_error"), "paywall"),
    ],
)
async def test_a_page_that_stands_for_another_is_called_doubtful(
    warnings: tuple[str, ...], code: str
) -> None:
    decision = search_decision(action=Action.FETCH, queries=(), urls=(PAGE,))
    fetcher = FakeFetcher(texts={PAGE: "Nothing to see on the bridge."}, warnings=warnings)
    result = result_of(await Rig(decision=FakeDecision(decision), fetcher=fetcher).events())

    assert code in codes(result)


def test_the_warnings_that_matter_are_those_that_the_fetcher_gives() -> None:
    proto = Path(__file__).parents[3] / "protos/pellucid/fetcher/v1/fetcher.proto"
    comment = re.search(
        r"// Stable words:(.*?)repeated string warnings", proto.read_text(), re.DOTALL
    )

    assert comment
    assert set(re.findall(r'"(\w+)"', comment.group(1))) >= DOUBTFUL | WALLS


async def test_force_search_gives_results_and_no_answer() -> None:
    rig = Rig(model=FakeModel())
    events = await rig.events(force_search=True)
    result = result_of(events)

    assert result.answer == ""
    assert result.answer_kind is AnswerKind.RESULTS
    assert [s.n for s in result.sources] == [1, 2, 3]
    assert any(isinstance(event, ResultsReady) for event in events)
    assert rig.model is not None
    assert rig.model.prompts == []
    assert rig.fetcher.calls == []


async def test_force_search_on_small_talk_chats_and_says_so() -> None:
    rig = Rig(decision=FakeDecision(search_decision(topicless=True)), model=FakeModel(["Hello!"]))
    result = result_of(await rig.events("hello", force_search=True))

    assert result.answer == "Hello!"
    assert "chat_instead" in codes(result)
    assert rig.search.calls == []


async def test_a_used_up_quota_answers_without_search_and_says_so() -> None:
    rig = Rig(model=FakeModel(["From memory."]))
    result = result_of(await rig.events(quota_spent=True))

    assert rig.search.calls == []
    assert "rate_limited" in codes(result)
    assert result.answer == "From memory."


async def test_web_mode_off_opens_no_address_and_says_so() -> None:
    rig = Rig(decision=FakeDecision(answer_decision()), model=FakeModel(["No."]))
    result = result_of(await rig.events(f"Read {PAGE}", web_mode=WebMode.OFF))

    assert rig.fetcher.calls == []
    assert "web_off" in codes(result)


async def test_no_external_keeps_prompts_from_an_external_model() -> None:
    model = FakeModel()
    result = result_of(await Rig(model=model).events(options=SearchOptions(no_external=True)))

    assert model.prompts == []
    assert result.answer_kind is AnswerKind.EXTRACTIVE
    assert "model_external" in codes(result)


async def test_a_scorer_may_pass_on_redacted_queries_and_what_left_is_listed() -> None:
    decided = search_decision(queries=(PlannedQuery("bridge toll of bob@corp.example"),))
    rig = Rig(
        decision=FakeDecision(decided), scorer=FakeScorer(sent=(("voyage.example", "bridge toll"),))
    )
    result = result_of(await rig.events())
    await rig.events(options=SearchOptions(no_external=True))

    open_call, closed_call = rig.scorer.score_calls
    assert open_call.shareable_questions == ("bridge toll of",)
    assert closed_call.shareable_questions == ()
    assert OutboundText("voyage.example", "embedding", "bridge toll") in result.outbound


async def test_no_external_may_ask_an_internal_model_and_lists_no_prompt() -> None:
    model = FakeModel(receiver="")
    result = result_of(await Rig(model=model).events(options=SearchOptions(no_external=True)))

    assert result.answer_kind is AnswerKind.MODEL
    assert "prompt" not in [text.kind for text in result.outbound]


@pytest.mark.parametrize(
    ("depth", "queries", "pages", "sources"),
    [
        (Depth.QUICK, 1, 0, 3),
        (Depth.STANDARD, 2, 3, 3),
        (Depth.LEAN, 2, 3, 3),
        (Depth.DEEP, 2, 3, 3),
    ],
)
async def test_depth_settles_how_much_is_done(
    depth: Depth, queries: int, pages: int, sources: int
) -> None:
    two = tuple(search_decision().queries) * 2
    rig = Rig(decision=FakeDecision(search_decision(queries=two)), model=FakeModel())
    result = result_of(await rig.events(depth=depth))

    assert len(rig.search.calls[0].queries) == queries
    assert sum(len(call.urls) for call in rig.fetcher.calls) == pages
    assert len(result.sources) == sources


async def test_deep_searches_again_for_what_is_missing() -> None:
    more = hit(4, "Lorries pay a toll of 9 crowns on the Skerry Bridge.", "freight.example")
    reflection = Reflection(
        sufficient=False, missing_aspects=("lorries",), refined_query="Skerry Bridge toll lorries"
    )
    rig = Rig(
        decision=FakeDecision(reflections=[reflection]),
        search=FakeSearch(rounds=[HITS, (more,)]),
    )
    events = await rig.events(depth=Depth.DEEP)
    result = result_of(events)

    assert result.iterations == 2
    assert rig.search.calls[1].queries[0].text == "Skerry Bridge toll lorries"
    assert "freight.example" in {s.domain for s in result.sources}
    assert ProgressKind.REFLECTING in [e.kind for e in events if isinstance(e, Progress)]


async def test_deep_stops_when_the_refined_query_is_not_new() -> None:
    same = Reflection(sufficient=False, refined_query="Skerry Bridge toll cars")
    rig = Rig(decision=FakeDecision(reflections=[same, same]))
    result = result_of(await rig.events(depth=Depth.DEEP))

    assert result.iterations == 1


async def test_poor_results_are_searched_once_more_with_a_broader_query() -> None:
    rig = Rig(scorer=FakeScorer(included=False), model=FakeModel(["I am not sure."]))
    result = result_of(await rig.events())

    assert [call.queries[0].text for call in rig.search.calls] == [
        "Skerry Bridge toll cars",
        "Skerry Bridge",
    ]
    assert result.sources == ()
    assert "nothing_found" in codes(result)
    assert "2025-01" in result.notices[0].text


async def test_results_below_the_threshold_never_reach_the_model() -> None:
    model = FakeModel(["Nothing."])
    await Rig(scorer=FakeScorer(included=False), model=model).events()

    assert "4.50" not in str(model.prompts[0].messages)


async def test_the_account_of_the_turn_is_whole() -> None:
    search = FakeSearch(provider="brave")
    result = result_of(await Rig(model=FakeModel(), search=search).events())

    assert {"decision", "search", "score", "fetch", "first_token", "generate", "total"} <= set(
        result.timings_ms
    )
    assert result.usage.prompt_tokens == 100
    assert result.usage.completion_tokens == 10
    assert result.usage.context_tokens > 0
    assert result.usage.searches == 1
    kinds = [text.kind for text in result.outbound]
    assert kinds == ["query", "url", "url", "url", "prompt"]
    assert [report.name for report in result.providers] == ["brave"]
    assert result.searched == ("Skerry Bridge toll cars",)


async def test_evidence_is_kept_without_prompts() -> None:
    rig = Rig(model=FakeModel())
    result = result_of(await rig.events())

    record = rig.evidence.records[result.evidence_id]
    prompt = next(text for text in record["outbound"] if text["kind"] == "prompt")
    assert prompt["text"] == ""
    assert prompt["length"] > 0
    assert record["sources"][0]["facts"]
    assert "text" not in record["sources"][0], "whole pages are not kept"


async def test_history_goes_to_decision_and_model() -> None:
    history = tuple(ChatMessage(Role.USER, f"earlier {n}") for n in range(8))
    model = FakeModel()
    rig = Rig(model=model)
    await rig.events(history=history)

    assert [m.content for m in rig.decision.calls[0].history] == [
        f"earlier {n}" for n in (0, *range(3, 8))
    ]
    assert "earlier 7" in str(model.prompts[0].messages)
