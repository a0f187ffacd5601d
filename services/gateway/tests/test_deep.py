"""Deep turns: what is missing is named and searched for, and every reason to stop is shown."""

from dataclasses import replace
from typing import Any

import pytest
from port_fakes import HITS, FakeFetcher, FakeModel, FakeSearch, hit
from turn_fakes import Rig

from pellucid_gateway.domain.account import Degradation
from pellucid_gateway.domain.events import Done, Progress, ProgressKind, TurnResult
from pellucid_gateway.domain.findings import ProviderStatus
from pellucid_gateway.domain.ports import Reflection, SearchAnswer, SearchCall
from pellucid_gateway.domain.request import Depth
from pellucid_gateway.turn_context.budgets import StageBudgets

MORE = Reflection(
    sufficient=False, missing_aspects=("the year",), refined_query="Skerry Bridge year opened"
)
OTHER = hit(9, "The Skerry Bridge was opened in 1987 by the king.", "kings.example")


async def deep(rig: Rig, **options: Any) -> tuple[TurnResult, list[str]]:
    events = await rig.events(depth=Depth.DEEP, **options)
    assert isinstance(events[-1], Done)
    rounds = [
        event.message
        for event in events
        if isinstance(event, Progress) and event.kind is ProgressKind.ITERATION
    ]
    return events[-1].result, rounds


def rig_with(*reflections: Reflection, **parts: Any) -> Rig:
    rig = Rig(model=FakeModel(), **parts)
    rig.decision.reflections = list(reflections)
    return rig


def codes(result: TurnResult) -> set[str]:
    return {notice.code for notice in result.notices}


async def test_what_is_missing_is_named_when_it_is_searched_for() -> None:
    search = FakeSearch(rounds=[HITS, (OTHER,)])
    rig = rig_with(MORE, Reflection(sufficient=True), search=search)
    result, rounds = await deep(rig)

    assert result.iterations == 2
    assert "still missing: the year" in rounds[1]
    assert search.calls[1].queries[0].text == "Skerry Bridge year opened"
    assert "still_missing" not in codes(result)
    assert OTHER.url in {source.url for source in result.sources}
    asked = [call.further_questions for call in rig.scorer.score_calls]
    assert asked == [(), ("Skerry Bridge year opened",)], "a page may answer the refined query"


async def test_it_stops_when_it_is_enough() -> None:
    # A query all the same, so that nothing but being enough can be what stops it.
    enough = Reflection(sufficient=True, refined_query="Skerry Bridge year opened")
    result, _ = await deep(rig_with(enough, search=FakeSearch(rounds=[HITS, (OTHER,)])))

    assert result.iterations == 1
    assert "still_missing" not in codes(result)


async def test_it_stops_without_progress_and_says_what_is_missing() -> None:
    rig = rig_with(MORE, replace(MORE, refined_query="Skerry Bridge king year"))
    result, _ = await deep(rig)

    assert result.iterations == 2, "the second round found nothing new"
    (notice,) = [n for n in result.notices if n.code == "still_missing"]
    assert "the year" in notice.text


async def test_it_stops_after_three_rounds() -> None:
    pages = [(hit(n, f"Fact number {n} of the Skerry Bridge.", f"d{n}.example"),) for n in range(5)]
    wishes = [replace(MORE, refined_query=f"Skerry Bridge {n}") for n in range(5)]
    result, _ = await deep(rig_with(*wishes, search=FakeSearch(rounds=list(pages))))

    assert result.iterations == 3
    assert "still_missing" in codes(result)


class SpentSearch(FakeSearch):
    """The first round uses up the money."""

    async def search(self, call: SearchCall) -> SearchAnswer:
        answer = await super().search(call)
        spent = replace(answer.providers[0], status=ProviderStatus.BUDGET)
        return replace(answer, providers=(*answer.providers, replace(spent, name="paid")))


async def test_it_stops_when_the_budget_is_spent() -> None:
    result, _ = await deep(rig_with(MORE, search=SpentSearch()))

    assert result.iterations == 1
    assert "budget" in {loss.component for loss in result.degraded}
    assert "budget_reached" in codes(result)


def lost_deadline(result: TurnResult) -> list[str]:
    return [loss.detail for loss in result.degraded if loss.component == "deadline"]


async def test_it_stops_at_the_deadline_and_answers_with_what_is_there() -> None:
    # Reading the pages takes all the time that gathering has.
    rig = rig_with(MORE, MORE, fetcher=FakeFetcher(hangs=True))
    result, _ = await deep(rig, deadline_ms=1500)

    assert result.iterations == 1
    assert rig.decision.reflect_calls == [], "there is no time for what it would ask for"
    assert lost_deadline(result) == ["no time for another round"]
    assert result.answer


@pytest.mark.parametrize("reflect_s", [0.95, 5.0], ids=["ends just in time", "is cut off"])
async def test_a_reflection_that_uses_up_the_time_leads_to_no_round(reflect_s: float) -> None:
    rig = rig_with(MORE, MORE, search=FakeSearch(rounds=[HITS, (OTHER,)]))
    rig.decision.reflect_s = reflect_s
    result, _ = await deep(rig, deadline_ms=2000)

    assert len(rig.search.calls) == result.iterations == 1
    assert lost_deadline(result) == ["no time for another round"]
    assert "search" not in {loss.component for loss in result.degraded}


async def test_a_lost_reflection_ends_the_search_and_not_the_turn() -> None:
    rig = rig_with(budgets=replace(StageBudgets(), reflect_s=0.05))
    rig.decision.reflect_s = 5.0
    result, _ = await deep(rig)

    assert result.iterations == 1
    assert result.answer == "The toll is 4.50 crowns."
    assert {loss.detail for loss in result.degraded} == {"reflection: DEADLINE_EXCEEDED"}


async def test_a_model_that_gave_no_judgement_is_a_lost_part() -> None:
    lost = (Degradation("llm", "The reasoning model gave no judgement."),)
    result, _ = await deep(rig_with(Reflection(sufficient=True, degraded=lost)))

    assert "llm" in {part.component for part in result.degraded}
