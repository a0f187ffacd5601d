"""A model's further query is searched for when it comes before the first results, else dropped."""

import asyncio
import time
from dataclasses import dataclass, field

import pytest
from pellucid.decision.v1 import decision_pb2
from port_fakes import HITS, FakeDecision, FakeSearch
from turn_fakes import Rig

from pellucid_gateway.adapters.requests import write_queries_request
from pellucid_gateway.adapters.responses import decide_answer
from pellucid_gateway.domain.account import Degradation, OutboundText
from pellucid_gateway.domain.decision import Freshness, PlannedQuery
from pellucid_gateway.domain.events import Done, TurnResult
from pellucid_gateway.domain.findings import Hit
from pellucid_gateway.domain.ports import SearchAnswer, SearchCall, Written
from pellucid_runtime.errors import DependencyDownError

PROMPT = OutboundText("llm.example", "prompt", "Write up to 2 queries")
FURTHER = PlannedQuery("Skerry Bridge toll exemption")
FOUND = Hit(
    url="https://further.example/a", title="Exempt", snippet="Exempt", domain="further.example"
)
SEARCH_S = 0.4
# Longer than any of these turns.
NEVER_S = 30.0


@dataclass
class TimedSearch(FakeSearch):
    """Takes a time; finds another page for the further query, after a time of its own."""

    further_s: float = 0.0
    further_error: Exception | None = None
    texts: list[str] = field(default_factory=list)

    async def search(self, call: SearchCall) -> SearchAnswer:
        self.texts += [query.text for query in call.queries]
        if call.queries[0] != FURTHER:
            await asyncio.sleep(SEARCH_S)
            return await super().search(call)
        await asyncio.sleep(self.further_s)
        if self.further_error:
            raise self.further_error
        return SearchAnswer(hits=(FOUND,), queries=(FURTHER.text,), providers=())


def rig(
    after_s: float,
    *,
    writes: Written | Exception | None = None,
    writing: tuple[OutboundText, ...] | None = (PROMPT,),
    **search: float | Exception,
) -> Rig:
    decision = FakeDecision(
        writing=writing, writes=writes or Written((FURTHER,)), writes_after_s=after_s
    )
    return Rig(decision=decision, search=TimedSearch(**search))


async def result(of: Rig) -> TurnResult:
    end = (await of.events())[-1]
    assert isinstance(end, Done)
    return end.result


def urls(turn: TurnResult) -> set[str]:
    return {source.url for source in turn.sources}


async def test_a_query_in_time_is_searched_for_beside_the_others() -> None:
    of = rig(0.05)
    turn = await result(of)
    rated = {hit.url for hit in of.scorer.score_calls[0].hits}
    assert rated == {FOUND.url, *(hit.url for hit in HITS)}
    assert of.search.texts.count(FURTHER.text) == 1
    assert of.decision.known == [of.decision.decision.queries]
    assert PROMPT in turn.outbound


async def test_a_query_after_the_first_results_is_not() -> None:
    of = rig(NEVER_S)
    begun = time.monotonic()
    turn = await result(of)
    assert time.monotonic() - begun < NEVER_S / 2
    assert FURTHER.text not in of.search.texts
    assert urls(turn)
    assert PROMPT in turn.outbound
    assert not turn.degraded


@pytest.mark.parametrize("writes", [Written(), Written(degraded=(Degradation("llm", "late"),))])
async def test_without_a_query_the_turn_is_as_it_was(writes: Written) -> None:
    of = rig(0.0, writes=writes)
    turn = await result(of)
    assert FURTHER.text not in of.search.texts
    assert urls(turn)
    assert [lost.component for lost in turn.degraded] == [d.component for d in writes.degraded]


async def test_a_decision_service_that_fails_meanwhile_costs_only_the_query() -> None:
    turn = await result(rig(0.0, writes=DependencyDownError("decision")))
    assert urls(turn)
    assert [lost.component for lost in turn.degraded] == ["llm"]


async def test_a_further_search_that_fails_costs_only_its_results() -> None:
    turn = await result(rig(0.0, further_error=DependencyDownError("search")))
    assert urls(turn)
    assert FOUND.url not in urls(turn)


async def test_a_slow_further_search_is_left_and_told_as_sent() -> None:
    begun = time.monotonic()
    turn = await result(rig(0.0, further_s=NEVER_S))
    assert time.monotonic() - begun < NEVER_S / 2
    assert FOUND.url not in urls(turn)
    assert FURTHER.text in {out.text for out in turn.outbound}


async def test_nothing_is_asked_where_no_model_writes() -> None:
    of = rig(0.0, writing=None)
    await result(of)
    assert of.decision.known == []


def test_a_decision_service_of_the_release_before_has_none_write() -> None:
    old = decision_pb2.DecideResponse(decision=decision_pb2.Decision(standalone_question="x"))
    assert decide_answer(old).writing is None
    new = decision_pb2.DecideResponse(query_writing=decision_pb2.QueryWriting())
    assert decide_answer(new).writing == ()


async def test_what_is_asked_is_what_was_decided_on() -> None:
    of = rig(0.0)
    await result(of)
    known = (PlannedQuery("Skerry toll", Freshness.DAY, "example.com"),)
    request = write_queries_request(of.decision.calls[0], known)
    assert request.asked.message == of.decision.calls[0].message
    assert [(q.text, q.site) for q in request.queries] == [("Skerry toll", "example.com")]
    assert of.decision.calls[0] == of.decision.calls[-1]
