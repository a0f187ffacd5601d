"""The second search of a turn whose first found nothing, and what the decision is told."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from pellucid.decision.v1 import decision_pb2
from port_fakes import HITS, FakeSearch
from turn_fakes import Rig

from pellucid_gateway.adapters.requests import decide_request
from pellucid_gateway.domain.decision import (
    Action,
    Decision,
    Freshness,
    PlannedQuery,
    Stage,
)
from pellucid_gateway.domain.findings import Hit
from pellucid_gateway.domain.ports import DecideCall
from pellucid_gateway.domain.request import ChatMessage, Depth, Role, TurnRequest
from pellucid_gateway.question.fallback_decision import decide_by_rule
from pellucid_gateway.retrieval.search_plan import further_questions, second_try
from pellucid_gateway.turn.deciding import recent_messages
from pellucid_gateway.turn_context.plans import DEPTH_PLANS

NOW = datetime(2026, 11, 22, tzinfo=UTC)
# Of the release before.
MOST_HISTORY = 5


def decision(query: PlannedQuery, *fallbacks: str) -> Decision:
    return Decision(
        action=Action.SEARCH,
        confidence=1.0,
        stage=Stage.RULE,
        reason="",
        standalone_question="what is the toll of the Skerry Bridge",
        queries=(query,),
        fallback_queries=fallbacks,
    )


@pytest.mark.parametrize(
    ("first", "fallbacks", "expected"),
    [
        (PlannedQuery("Skerry toll"), ("Skerry Bridge",), ("Skerry Bridge",)),
        (
            PlannedQuery("Skerry toll", Freshness.DAY, "example.com"),
            ("Skerry Bridge",),
            ("Skerry toll", "Skerry Bridge"),
        ),
        (PlannedQuery("Skerry toll", Freshness.WEEK), (), ("Skerry toll",)),
        (PlannedQuery("Skerry toll"), (), ("what is the toll of the Skerry Bridge",)),
        (PlannedQuery("Skerry toll"), ("Skerry toll",), ("what is the toll of the Skerry Bridge",)),
    ],
)
def test_an_empty_first_round_gets_another(
    first: PlannedQuery, fallbacks: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    again = second_try(decision(first, *fallbacks), [first.text])
    assert tuple(query.text for query in again) == expected
    assert all(query.freshness is Freshness.NONE and not query.site for query in again)


def test_a_page_may_answer_what_a_message_leaves_to_its_context() -> None:
    alone = decision(PlannedQuery("Skerry Bridge toll"))
    assert further_questions(alone) == ()
    leaning = replace(alone, requires_context=True)
    assert further_questions(leaning) == ("Skerry Bridge toll",)


def test_the_gateways_own_decision_has_a_second_query_too() -> None:
    message = ChatMessage(Role.USER, "search for the latest toll of the Skerry Bridge today")
    own = decide_by_rule(TurnRequest(messages=(message,)))
    assert second_try(own, [own.queries[0].text])


def conversation(turns: int) -> tuple[ChatMessage, ...]:
    return tuple(
        ChatMessage((Role.USER, Role.ASSISTANT)[place % 2], str(place)) for place in range(turns)
    )


@pytest.mark.parametrize(
    ("turns", "heard"),
    [(0, ()), (4, range(4)), (10, range(10)), (30, (0, *range(20, 30)))],
)
def test_five_exchanges_and_the_first_message_are_heard(turns: int, heard: object) -> None:
    assert [m.content for m in recent_messages(conversation(turns))] == [str(n) for n in heard]


@pytest.mark.parametrize("turns", [0, 3, 5, 11, 40])
def test_a_decision_service_of_the_release_before_takes_the_request(turns: int) -> None:
    heard = recent_messages(conversation(turns))
    request = decide_request(DecideCall(message="and its toll?", history=heard, now=NOW))
    assert len(request.history) <= MOST_HISTORY
    told = [message.content for message in (*request.earlier, *request.history)]
    assert told == [message.content for message in heard]
    unknown = decision_pb2.DecideRequest.FromString(request.SerializeToString())
    assert unknown == request


def test_quick_turns_ask_one_thing() -> None:
    assert DEPTH_PLANS[Depth.QUICK].parts == 1
    assert DEPTH_PLANS[Depth.STANDARD].parts == 3


DAY = PlannedQuery("Skerry Bridge toll", Freshness.DAY)


@pytest.mark.parametrize(
    ("query", "first", "rounds"),
    [
        (DAY, HITS[:1], 2),
        (DAY, HITS * 3, 1),
        (replace(DAY, freshness=Freshness.NONE), HITS[:1], 1),
    ],
)
async def test_few_results_of_a_window_of_time_are_searched_for_again_without_it(
    query: PlannedQuery, first: tuple[Hit, ...], rounds: int
) -> None:
    hits = tuple(replace(one, url=f"{one.url}?{n}") for n, one in enumerate(first))
    rig = Rig(search=FakeSearch(rounds=[hits, HITS]))
    rig.decision.decision = decision(query)
    events = await rig.events()
    assert len(rig.search.calls) == rounds
    if rounds == 2:
        assert rig.search.calls[1].queries == (replace(DAY, freshness=Freshness.NONE),)
        result = events[-1].result
        assert {source.url for source in result.sources} >= {one.url for one in HITS}
