"""A page behind a wall is not read again: an offer to search elsewhere is taken up or left."""

from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from kept_rig import Plan, ask, open_gateway
from port_fakes import HITS, FakeFetcher, FakeScorer, FakeSearch, answer_decision
from port_fakes import search_decision as searching
from turn_fakes import Rig

from pellucid_gateway.domain.decision import Action, Decision, Stage, WebMode
from pellucid_gateway.domain.findings import Hit
from pellucid_gateway.domain.request import ChatMessage, Role, TurnRequest
from pellucid_gateway.question.page_topic import walled_pages
from pellucid_gateway.turn.offers import Offer

URL = "https://harbour.example/premium/bridge-toll"
NAMING = f"What does {URL} say?"
TAKEN_UP, DECLINED = "yes, do that", "no thanks"


def fetching() -> Decision:
    return Decision(
        action=Action.FETCH,
        confidence=1.0,
        stage=Stage.URL,
        reason="It names a page.",
        standalone_question=NAMING,
        language="en",
        urls=(URL,),
    )


def walled(hits: tuple[Hit, ...] = HITS) -> Rig:
    """A rig whose page is behind a wall."""
    rig = Rig(
        search=FakeSearch(hits=hits),
        scorer=FakeScorer(),
        fetcher=FakeFetcher(texts={URL: "Subscribe."}, warnings=("paywall",)),
    )
    rig.decision.decision = fetching()
    return rig


async def second_turn(
    tmp_path: Path, rig: Rig, message: str, decision: Decision, *, stateless: bool = False
) -> dict[str, Any]:
    async with AsyncExitStack() as stack:
        gateway = await open_gateway(stack, Plan(folder=tmp_path, rig=rig))
        http: httpx.AsyncClient = await stack.enter_async_context(gateway.client())
        first = await ask(http, NAMING)
        assert [notice["code"] for notice in first["notices"]][:1] == ["paywall"]
        rig.decision.decision = decision
        rig.fetcher.calls.clear()
        if not stateless:
            return await ask(http, message, conversation_id=first["conversation_id"])
        texts = ((Role.USER, NAMING), (Role.ASSISTANT, "Shall I search?"), (Role.USER, message))
        said = [{"role": role.value, "content": text} for role, text in texts]
        body = {"messages": said, "user_id": "ada"}
        reply: dict[str, Any] = (await http.post("/v1/chat", json=body)).json()
        return reply


def read(rig: Rig) -> list[str]:
    return [url for call in rig.fetcher.calls for url in call.urls]


@pytest.mark.parametrize("stateless", [False, True])
async def test_an_offer_taken_up_is_a_search_for_the_title(
    tmp_path: Path, *, stateless: bool
) -> None:
    rig = walled((*HITS, replace(HITS[0], url=URL)))
    reply = await second_turn(tmp_path, rig, TAKEN_UP, searching(), stateless=stateless)
    told = rig.decision.calls[-1]
    assert told.search_offered
    assert told.subject is not None
    assert told.subject.title == "A page"
    assert len(rig.search.calls) == 1
    assert URL not in read(rig)
    assert URL not in [source["url"] for source in reply["sources"]]


async def test_an_offer_declined_reads_and_searches_nothing(tmp_path: Path) -> None:
    rig = walled()
    reply = await second_turn(tmp_path, rig, DECLINED, answer_decision(DECLINED))
    assert not rig.search.calls
    assert not read(rig)
    assert reply["decision"]["action"] == "answer"


async def test_the_page_is_read_again_where_it_is_named_again(tmp_path: Path) -> None:
    rig = walled()
    await second_turn(tmp_path, rig, f"try {URL} again", fetching())
    assert read(rig) == [URL]


async def test_without_its_evidence_the_address_tells_what_a_page_is_about() -> None:
    rig = Rig()

    async def decide(_request: TurnRequest) -> Decision:
        return searching()

    offer = Offer(decide=decide, evidence=rig.evidence, scorer=rig.scorer)
    request = TurnRequest(messages=(ChatMessage(Role.USER, "yes"),), walled=lambda _url: "gone")
    assert await offer.title_of(URL, request) == "bridge toll"


@pytest.mark.parametrize(
    ("answer", "decision", "is_wanted"),
    [
        ("yes please", answer_decision("yes please"), True),
        ("no thanks", searching(requires_context=True), False),
        ("no thanks, rather the ferry fares", searching(), True),
        ("what is a toll?", answer_decision("what is a toll?"), False),
    ],
)
async def test_a_clear_answer_to_an_offer_outweighs_the_decision(
    answer: str, decision: Decision, *, is_wanted: bool
) -> None:
    asked: list[TurnRequest] = []

    async def decide(request: TurnRequest) -> Decision:
        asked.append(request)
        return searching() if request.web_mode is WebMode.ON else decision

    offer = Offer(decide=decide, evidence=Rig().evidence, scorer=FakeScorer())
    found = await offer.decided(TurnRequest(messages=(ChatMessage(Role.USER, answer),)), URL)
    assert found.needs_search is is_wanted
    assert bool(found.queries) is is_wanted


def test_a_page_that_could_be_read_is_no_offer() -> None:
    said = (ChatMessage(Role.USER, NAMING), ChatMessage(Role.USER, TAKEN_UP))
    assert walled_pages(TurnRequest(messages=said)) == ()
    assert walled_pages(TurnRequest(messages=said, walled=lambda _url: "")) == (URL,)
