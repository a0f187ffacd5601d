"""A follow-up is answered from the sources of the turn before where they answer it."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from port_fakes import NOW, FakeDecision, FakeModel, answer_decision, search_decision
from turn_fakes import Rig

from pellucid_gateway.domain.decision import Decision, WebMode
from pellucid_gateway.domain.events import Done, TurnResult
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.domain.request import ChatMessage, EarlierTurn, Role

FOLLOW_UP = "And for lorries?"
STANDALONE = "What is the toll for lorries on the Skerry Bridge?"
FACTS = "The toll for cars on the Skerry Bridge is 4.50 crowns. Lorries pay a toll of 9 crowns."
EARLIER = EarlierTurn(
    question="What is the toll for cars on the Skerry Bridge?",
    queries=("Skerry Bridge toll cars",),
    sources=(
        Source(
            n=1,
            url="http://post.example/1",
            title="Toll on the Skerry Bridge",
            domain="post.example",
            publisher="Post",
            facts=FACTS,
            text=FACTS,
            snippet=FACTS,
        ),
    ),
    at=NOW - timedelta(minutes=2),
)
NEEDS_CONTEXT = search_decision(standalone_question=STANDALONE, requires_context=True)


async def follow_up(
    decision: Decision = NEEDS_CONTEXT,
    earlier: EarlierTurn = EARLIER,
    message: str = FOLLOW_UP,
    **options: Any,
) -> tuple[Rig, TurnResult]:
    rig = Rig(decision=FakeDecision(decision), model=FakeModel(["Lorries pay 9 crowns [1]."]))
    history = (ChatMessage(Role.USER, EARLIER.question), ChatMessage(Role.ASSISTANT, "4.50."))
    events = await rig.events(message, history=history, earlier=earlier, **options)
    assert isinstance(events[-1], Done)
    return rig, events[-1].result


async def test_the_sources_of_the_turn_before_answer_and_nothing_is_searched() -> None:
    rig, result = await follow_up()

    assert rig.search.calls == []
    assert rig.fetcher.calls == []
    assert [citation.url for citation in result.citations] == ["http://post.example/1"]
    assert "earlier_sources" in {notice.code for notice in result.notices}


@pytest.mark.parametrize(
    ("decision", "earlier", "options"),
    [
        (replace(NEEDS_CONTEXT, real_time=True), EARLIER, {}),
        (replace(NEEDS_CONTEXT, requires_context=False), EARLIER, {}),
        (replace(NEEDS_CONTEXT, standalone_question="Who built the ferry?"), EARLIER, {}),
        (NEEDS_CONTEXT, replace(EARLIER, at=NOW - timedelta(hours=2)), {}),
        (NEEDS_CONTEXT, EARLIER, {"web_mode": WebMode.ON}),
    ],
    ids=["real time", "stands alone", "not covered", "long ago", "asked to search"],
)
async def test_otherwise_it_is_searched_for(
    decision: Decision, earlier: EarlierTurn, options: dict[str, Any]
) -> None:
    rig, result = await follow_up(decision, earlier, **options)

    assert len(rig.search.calls) == 1
    assert "earlier_sources" not in {notice.code for notice in result.notices}


async def test_a_thing_that_the_sources_do_not_name_is_searched_for() -> None:
    question = "What is the toll on the Skerry Bridge for motorcycles?"
    motorcycles = replace(NEEDS_CONTEXT, standalone_question=question)

    rig, _ = await follow_up(motorcycles, message="And for motorcycles?")

    assert len(rig.search.calls) == 1


async def test_a_follow_up_in_unspaced_writing_is_answered_too() -> None:
    facts = "스케리 다리의 통행료는 승용차 4.50크라운, 오토바이 2크라운이다."
    source = replace(EARLIER.sources[0], title="스케리 다리 통행료", facts=facts, text=facts)
    asked = replace(NEEDS_CONTEXT, standalone_question="스케리 다리 오토바이 통행료")

    rig, _ = await follow_up(
        asked, replace(EARLIER, sources=(source,)), message="그럼 오토바이는요?"
    )

    assert rig.search.calls == []


async def test_small_talk_after_an_answer_brings_no_sources() -> None:
    _, result = await follow_up(answer_decision("Thanks!", topicless=True))

    assert result.sources == ()
