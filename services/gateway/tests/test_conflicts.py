"""Sources that disagree are found, both sides named, and relative dates made absolute."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from port_fakes import FakeModel, FakeSearch, hit
from turn_fakes import Rig

from pellucid_gateway.conflicts.detection import find_conflicts
from pellucid_gateway.conflicts.notes import Preference
from pellucid_gateway.domain.events import Done, TurnResult
from pellucid_gateway.domain.findings import PublishedDate, Source
from pellucid_gateway.retrieval.relative_dates import with_absolute_dates

QUESTION = "What is the toll for cars on the Skerry Bridge?"


def source(n: int, facts: str, day: datetime | None = None, title: str = "Skerry") -> Source:
    return Source(
        n=n,
        url=f"http://s{n}.example/",
        title=title,
        domain=f"s{n}.example",
        publisher=f"Paper {n}",
        facts=facts,
        text=facts,
        published=PublishedDate(day) if day else None,
    )


OLD, NEW = datetime(2025, 5, 1, tzinfo=UTC), datetime(2026, 10, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "one", "other", "values"),
    [
        (
            QUESTION,
            "The toll for cars on the Skerry Bridge is 4.50 crowns.",
            "Cars pay a toll of 3.80 crowns on the Skerry Bridge.",
            {"4.50 crowns", "3.80 crowns"},
        ),
        (
            "When does the Skerry Bridge open?",
            "The Skerry Bridge opens on 3 October 2026.",
            "The Skerry Bridge opens on 9 November 2026.",
            {"3 October", "9 November"},
        ),
        (
            "Is the Skerry Bridge open to lorries?",
            "The Skerry Bridge is open to lorries.",
            "The Skerry Bridge is not open to lorries.",
            {"The Skerry Bridge is open to lorries.", "The Skerry Bridge is not open to lorries."},
        ),
        (
            "Wie hoch ist die Maut auf der Skerrybrücke?",
            "Die Maut auf der Skerrybrücke beträgt 4,50 Kronen.",
            "Die Maut auf der Skerrybrücke beträgt 3,80 Kronen.",
            {"4,50 Kronen", "3,80 Kronen"},
        ),
        (
            "해담대교 공사비는 얼마인가요?",
            "해담대교의 공사비는 3,200억 원이다.",
            "해담대교 공사비는 2,900억 원으로 알려졌다.",
            {"3,200억", "2,900억"},
        ),
    ],
)
def test_both_sides_are_found_and_the_newer_leads(
    question: str, one: str, other: str, values: set[str]
) -> None:
    (conflict,) = find_conflicts([source(1, other, OLD), source(2, one, NEW)], question)

    assert {conflict.first.value, conflict.second.value} == values
    assert conflict.first.source.n == 2
    assert conflict.preference is Preference.NEWER


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "The toll for cars on the Skerry Bridge is 4.50 crowns.",
            "Cars pay 4.5 crowns toll on the Skerry Bridge.",
        ),
        (
            "The toll for cars on the Skerry Bridge is 4.50 crowns.",
            "The Skerry Bridge has 12 lanes for cars and no toll booths.",
        ),
        (
            "The toll for cars on the Skerry Bridge rose from 3.80 crowns to 4.50 crowns.",
            "The toll for cars on the Skerry Bridge was 3.80 crowns.",
        ),
        (
            "The toll for cars on the Skerry Bridge is 4.50 crowns.",
            "The harbour museum sold 3,000 tickets for 9 crowns.",
        ),
        (
            "The toll for cars on the Skerry Bridge applies on 8 November.",
            "Cars on the Skerry Bridge pay the toll of zone K2 on that day.",
        ),
    ],
)
def test_what_agrees_or_speaks_of_something_else_is_no_conflict(one: str, other: str) -> None:
    assert find_conflicts([source(1, one, OLD), source(2, other, NEW)], QUESTION) == ()


CASES = yaml.safe_load(Path(__file__).with_name("conflicts.yaml").read_text("utf-8"))["cases"]


@pytest.mark.parametrize("case", CASES, ids=[f"{i}-{c['language']}" for i, c in enumerate(CASES)])
def test_disagreements_and_what_only_looks_like_one_in_seven_languages(
    case: dict[str, Any],
) -> None:
    found = find_conflicts([source(1, case["a"], OLD), source(2, case["b"], NEW)], case["question"])

    assert len(found) == ("values" in case)
    for conflict, (older, newer) in zip(found, [case.get("values", ("", ""))], strict=False):
        assert newer in conflict.first.value
        assert older in conflict.second.value


def result_of(events: list[object]) -> TurnResult:
    assert isinstance(events[-1], Done)
    return events[-1].result


STALE = replace(
    hit(7, "Cars pay a toll of 3.80 crowns on the Skerry Bridge.", "oldnews.example"),
    published=PublishedDate(datetime(2024, 3, 1, tzinfo=UTC)),
)
FRESH = hit(1, "The toll for cars on the Skerry Bridge is 4.50 crowns.", "harbourpost.example")


@pytest.mark.parametrize("language", ["en", "ko", "zh", "ja", "es", "de", "fr"])
async def test_an_answer_without_a_model_names_both_and_leads_with_the_newer(language: str) -> None:
    rig = Rig(search=FakeSearch(hits=(STALE, FRESH)))
    result = result_of(await rig.events(QUESTION, language=language))

    assert result.answer.index("4.50") < result.answer.index("3.80")
    (notice,) = [n for n in result.notices if n.code == "sources_disagree_newer"]
    assert notice.text in result.answer.replace("\\", "")
    assert notice.text.index("4.50 crowns") < notice.text.index("3.80 crowns")


async def test_the_model_is_told_and_so_is_the_person() -> None:
    rig = Rig(search=FakeSearch(hits=(STALE, FRESH)), model=FakeModel(["It is 4.50 crowns [2]."]))
    result = result_of(await rig.events(QUESTION))
    shown = rig.model.prompts[0].messages[-1].content

    assert "Disagreement: [2] says 4.50 crowns, [1] says 3.80 crowns; [2] is newer." in shown
    assert "sources_disagree_newer" in {notice.code for notice in result.notices}


@pytest.mark.parametrize(
    ("word", "is_told"), [("denies", True), ("neither", False), ("states", False), ("?", True)]
)
async def test_a_model_may_see_that_it_is_no_disagreement(word: str, *, is_told: bool) -> None:
    reply = json.dumps({"verdicts": [{"pair": 1, "stance": word}]})
    model = FakeModel(pieces=(reply,), rests=[("It is 4.50 crowns [2].",)])
    rig = Rig(search=FakeSearch(hits=(STALE, FRESH)), model=model, judges_citations=True)
    result = result_of(await rig.events(QUESTION))

    assert ("sources_disagree_newer" in {n.code for n in result.notices}) is is_told
    assert ("Disagreement:" in model.prompts[1].messages[-1].content) is is_told


WEDNESDAY = datetime(2026, 10, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("language", "text", "dated"),
    [
        ("en", "It opened last week.", "last week (the week of 28 September 2026)"),
        ("en", "It rose 3 days ago.", "3 days ago (4 October 2026)"),
        ("en", "It opened yesterday.", "yesterday (6 October 2026)"),
        ("en", "After yesterday's vote it rose.", "yesterday's (6 October 2026) vote"),
        ("de", "Sie wurde gestern eröffnet.", "gestern (6. Oktober 2026)"),
        ("de", "Die Maut stieg letzte Woche.", "letzte Woche (Woche vom 28. September 2026)"),
        ("fr", "Il a ouvert la semaine dernière.", "dernière (semaine du 28 septembre 2026)"),
        ("fr", "Le pont a ouvert l'année dernière.", "l'année dernière (2025)"),
        ("es", "Abrió la semana pasada.", "pasada (semana del 28 de septiembre de 2026)"),
        ("ko", "지난주 개통했다.", "지난주 (2026년 9월 28일 주간)"),
        ("ja", "先月開業した。", "先月 (2026年9月)"),
        ("zh", "大桥于去年通车。", "去年 (2025年)"),
    ],
)
def test_relative_dates_become_absolute(language: str, text: str, dated: str) -> None:
    assert dated in with_absolute_dates(text, WEDNESDAY, language)
    assert dated in with_absolute_dates(text, WEDNESDAY), "the language shows in the text"


def test_without_a_date_of_its_own_a_text_stays_as_it_is() -> None:
    assert with_absolute_dates("It opened last week.", None) == "It opened last week."
    once = with_absolute_dates("It opened last week.", WEDNESDAY)
    assert with_absolute_dates(once, WEDNESDAY) == once


async def test_facts_that_the_model_sees_carry_the_absolute_date() -> None:
    recent = hit(1, "The toll on the Skerry Bridge rose to 4.50 crowns last week.", "post.example")
    rig = Rig(search=FakeSearch(hits=(recent,)), model=FakeModel())
    await rig.events(QUESTION)

    assert "last week (the week of 21 September 2026)" in rig.model.prompts[0].messages[-1].content
