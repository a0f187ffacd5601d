"""What a decision hears of an earlier answer of ours: what was quoted, and nothing around it."""

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pellucid_gateway.answering.extractive import write
from pellucid_gateway.answering.quotable import Candidate
from pellucid_gateway.conversation.own_answers import said
from pellucid_gateway.domain.findings import PublishedDate, Source
from pellucid_gateway.domain.notices import wording_for
from pellucid_gateway.domain.request import ChatMessage, CitationStyle, Role
from pellucid_gateway.turn.deciding import decision_history
from pellucid_language.calendar import LANGUAGES

DAY = datetime(2026, 11, 14, tzinfo=UTC)
FIRST, SECOND, THIRD = "The bridge opened.", "It is 1,840 m long.", "Cars pay 4.50 crowns."


def quoted(language: str, style: CitationStyle, *, near: bool = False, points: bool = False) -> str:
    dated = Source(
        n=1,
        url="http://a.example/",
        title="Opened",
        domain="a.example",
        publisher="The Harbour Post",
        published=PublishedDate(DAY),
        recent=True,
    )
    undated = replace(dated, n=2, published=None, publisher="Open Almanac", recent=False)
    chosen = (Candidate(dated, FIRST, 0), Candidate(dated, SECOND, 1), Candidate(undated, THIRD, 0))
    return write(
        chosen,
        wording=wording_for(language),
        style=style,
        are_near_only=near,
        as_points=points,
    ).text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("style", [CitationStyle.NATURAL, CitationStyle.NUMERIC])
@pytest.mark.parametrize(("near", "points"), [(False, False), (True, False), (False, True)])
def test_only_the_quoted_sentences_are_heard(
    language: str,
    style: CitationStyle,
    near: bool,  # noqa: FBT001 - a table of cases
    points: bool,  # noqa: FBT001 - a table of cases
) -> None:
    heard = said(quoted(language, style, near=near, points=points))
    heard = heard.removeprefix(wording_for(language).answer("not_stated"))
    assert re.sub(r"[^\w ,.]+", " ", heard).split() == f"{FIRST} {SECOND} {THIRD}".split()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_list_of_the_nearest_pages_is_not_heard(language: str) -> None:
    nowhere = wording_for(language).answer("told_nowhere")
    answer = f"{nowhere}\n[1] Opened · The Harbour Post · http://a.example/"
    history = [ChatMessage(Role.USER, "When did it open?"), ChatMessage(Role.ASSISTANT, answer)]
    assert decision_history(history)[1].content == nowhere


@pytest.mark.parametrize(
    "text",
    [
        "The bridge opened in May [1].",
        "The mayor writes: “It is open.” Nobody disagrees.",
        "- a phone\n- a tablet",
        "“To be” is a quotation.",
    ],
)
def test_an_answer_of_a_model_is_heard_as_it_is(text: str) -> None:
    kept = re.sub("The mayor writes: |[“”]", "", said(text))
    assert kept == re.sub("The mayor writes: |[“”]", "", text)
