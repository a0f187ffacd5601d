"""Results that mention nothing of what a question names have no place."""

from dataclasses import replace

import pytest
from port_fakes import HITS, FakeSearch, search_decision
from turn_fakes import Rig

from pellucid_gateway.domain.decision import PlannedQuery
from pellucid_gateway.domain.findings import Hit, PageContent, ScoredHit
from pellucid_gateway.question.asked_things import named_words
from pellucid_gateway.retrieval.strangers import strangers


def _hit(
    title: str, snippet: str = "", url: str = "http://a.example/1", language: str = ""
) -> ScoredHit:
    return ScoredHit(
        hit=Hit(url=url, title=title, snippet=snippet, language=language), relevance=0.7
    )


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Who is the CEO of Example Corp?", {"example", "corp"}),
        ("When did the Golden Gate Bridge open?", {"golden", "gate"}),
        ("What was the turnout in Skerry in November 2026?", {"skerry"}),
        ("What Is The Best New Phone Of Skerry", set()),
        ("노르빅의 대표는 누구인가요?", set()),
        ("why is the sky blue", set()),
        ("What is the cycle life of the part NC-HB400-R3?", set()),
    ],
)
def test_names_are_told_by_their_capitals(question: str, names: set[str]) -> None:
    assert named_words(question) == names


@pytest.mark.parametrize(
    ("question", "hit", "is_stranger"),
    [
        (
            "Who is the CEO of Quorvex?",
            _hit("Norrvik appoints a CEO", "Davin Ekoro leads it."),
            True,
        ),
        ("Who is the CEO of Quorvex?", _hit("Leadership", "Quorvex is led by Ada Example."), False),
        (
            "Who is the CEO of Quorvex?",
            _hit("Leadership", url="http://quorvex.example/team"),
            False,
        ),
        ("When did the Golden Gate Bridge open?", _hit("Ondry Bridge", "Pay at the gate."), True),
        ("Who is the CEO of Quorvex?", _hit("쿼벡스 대표 선임", "새 대표가 선임됐다."), False),
        ("who is in charge?", _hit("Norrvik appoints a CEO"), False),
    ],
)
def test_what_mentions_no_name_of_the_question_is_left_out(
    question: str,
    hit: ScoredHit,
    is_stranger: bool,  # noqa: FBT001
) -> None:
    assert bool(strangers([hit], {}, question, language="en")) is is_stranger


def test_the_page_is_read_for_the_name() -> None:
    hit = _hit("Leadership team")
    page = PageContent(url=hit.hit.url, success=True, status="ok", text="Quorvex has a board.")

    assert not strangers([hit], {hit.hit.url: page}, "Who leads Quorvex?", language="en")


def test_german_nouns_are_not_looked_for_in_other_languages() -> None:
    hit = _hit("Vaccination", "Known problems", language="en")

    assert not strangers([hit], {}, "Welche Probleme macht der Impfstoff?", language="de")


async def test_a_name_that_opens_a_question_is_known_from_its_query() -> None:
    hit = replace(HITS[0], title="Norrvik kettle: recall", snippet="Return it, Norrvik says.")
    rig = Rig(search=FakeSearch(hits=(hit,)))
    rig.decision.decision = search_decision(
        standalone_question="Norrvik Ada Example: any recalls?",
        queries=(PlannedQuery("Norrvik Ada Example recalls"),),
        requires_context=True,
    )
    events = await rig.events("any recalls?")
    assert [source.url for source in events[-1].result.sources] == [hit.url]  # type: ignore[union-attr]
