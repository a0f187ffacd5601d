"""A search that begins before the decision: bounded, counted, and never where nothing may leave."""

import asyncio
from typing import Any

import pytest
from port_fakes import FakeDecision, FakeModel, answer_decision, search_decision
from turn_fakes import Rig

from pellucid_gateway.domain.decision import PlannedQuery, WebMode
from pellucid_gateway.domain.events import Done, TurnResult
from pellucid_gateway.domain.ports import DecideAnswer, DecideCall
from pellucid_gateway.domain.request import ChatMessage, Role, SearchOptions, SubjectContext

LATEST = "What is the latest toll on the Skerry Bridge?"
SAME = search_decision(queries=(PlannedQuery("Skerry Bridge toll latest"),))


class SlowDecision(FakeDecision):
    """As slow as one by a model."""

    async def decide(self, call: DecideCall) -> DecideAnswer:
        await asyncio.sleep(0.2)
        return await super().decide(call)


async def run(rig: Rig, message: str = LATEST, **options: Any) -> TurnResult:
    events = await rig.events(message, **options)
    assert isinstance(events[-1], Done)
    return events[-1].result


async def test_the_begun_search_is_used_when_it_is_the_one_decided_on() -> None:
    rig = Rig(decision=SlowDecision(SAME), model=FakeModel())
    result = await run(rig)

    assert result.speculation == "used"
    assert len(rig.search.calls) == 1
    assert result.sources


async def test_a_value_of_this_moment_is_searched_for_as_such() -> None:
    now = search_decision(
        queries=SAME.queries, real_time=True, reason_code="finance", category="finance_price"
    )
    rig = Rig(decision=SlowDecision(now), model=FakeModel())
    await run(rig)

    begun, decided = rig.search.calls
    assert (begun.real_time, begun.topic) == (False, "")
    assert (decided.real_time, decided.topic) == (True, "finance_price")


async def test_it_is_cancelled_and_told_when_no_search_is_wanted() -> None:
    rig = Rig(decision=SlowDecision(answer_decision(LATEST)), model=FakeModel(["Well."]))
    rig.search.hangs = True
    result = await run(rig)

    assert result.speculation == "cancelled"
    assert rig.search.cancelled == 1
    assert ("search", "query") in {(text.to, text.kind) for text in result.outbound}


async def test_what_is_told_of_a_cancelled_search_has_no_relatives_name() -> None:
    message = "What is the latest visa fee for my son Ned Example today?"
    rig = Rig(decision=SlowDecision(answer_decision(message)), model=FakeModel(["Well."]))
    rig.search.hangs = True
    result = await run(rig, message)

    (sent,) = [text.text for text in result.outbound if text.kind == "query"]
    assert "fee" in sent
    assert not {"Ned", "Example"} & set(sent.split())


async def test_another_search_than_the_one_decided_on_is_dropped() -> None:
    other = search_decision(queries=(PlannedQuery("Vellmark ferry fares"),))
    rig = Rig(decision=SlowDecision(other), model=FakeModel())
    result = await run(rig)

    assert result.speculation == "cancelled"
    assert [call.queries[0].text for call in rig.search.calls][-1] == "Vellmark ferry fares"
    assert len(rig.search.calls) == 2


async def test_a_decision_by_rules_is_always_first() -> None:
    rig = Rig(decision=FakeDecision(SAME), model=FakeModel())
    result = await run(rig)

    assert result.speculation == ""
    assert len(rig.search.calls) == 1


@pytest.mark.parametrize(
    ("message", "options"),
    [
        (LATEST, {"web_mode": WebMode.OFF}),
        (LATEST, {"quota_spent": True}),
        (LATEST, {"options": SearchOptions(no_external=True)}),
        (LATEST, {"history": (ChatMessage(Role.USER, "My PIN is 1234."),)}),
        ("What is the latest at https://private.example/x?", {}),
        ("Don't search: what is the latest toll?", {}),
        ("Explain how photosynthesis works", {}),
        ("Thanks, that helps!", {}),
    ],
)
async def test_nothing_leaves_for_messages_that_must_not(
    message: str, options: dict[str, Any]
) -> None:
    rig = Rig(decision=SlowDecision(answer_decision(message)), model=FakeModel(["Well."]))
    result = await run(rig, message, **options)

    assert rig.search.calls == []
    assert result.speculation == ""


@pytest.mark.parametrize(
    "known",
    [{"subject": SubjectContext(title="The Skerry Bridge")}, {"memories": ("Lives in Skerry.",)}],
)
async def test_nothing_begins_where_more_than_the_words_shapes_the_queries(
    known: dict[str, Any],
) -> None:
    rig = Rig(decision=SlowDecision(SAME), model=FakeModel())
    result = await run(rig, **known)

    assert result.speculation == ""
    assert len(rig.search.calls) == 1
