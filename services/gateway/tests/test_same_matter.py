"""Whether two sentences speak of one thing at one time."""

import pytest

from pellucid_gateway.conflicts.same_matter import (
    AskedKind,
    are_of_one_thing,
    are_of_one_time,
    asked_kind,
    is_converted,
    months_apart,
    times_of,
    without_asking,
    years_apart,
)
from pellucid_language.quantities import figures


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How many people live in Hellerau?", AskedKind.AMOUNT),
        ("Wann wurde die Brücke eröffnet?", AskedKind.TIME),
        ("스케리 인구는 몇 명이야?", AskedKind.AMOUNT),
        ("Who is the mayor of Skerry?", AskedKind.OTHER),
    ],
)
def test_what_is_asked_for(question: str, kind: AskedKind) -> None:
    assert asked_kind(question) is kind


def test_times() -> None:
    assert times_of("In March 2024 and May 2025").years == {2024, 2025}
    assert times_of("In March 2024").months == {3}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("In 2024 it had 5 boats.", "In 2025 it had 7 boats.", False),
        ("In 2024 it had 5 boats.", "It had 7 boats.", True),
        ("In March 2024 it had 5.", "In May 2024 it had 7.", False),
    ],
)
def test_one_time(one: str, other: str, *, same: bool) -> None:
    assert are_of_one_time(times_of(one), times_of(other)) is same


def test_a_name_that_neither_other_text_has_narrows() -> None:
    question = "How many people live in Springfield?"
    one, other = "In Ohio, Springfield has 58,000.", "In Illinois, Springfield has 114,000."
    assert not are_of_one_thing(one, other, question)
    assert are_of_one_thing("Springfield has 58,000.", "Springfield has 59,000.", question)


def test_conversions_are_no_disagreement() -> None:
    (miles,), (kilometres,) = tuple(figures("50 miles")), tuple(figures("80 km"))
    (far,) = tuple(figures("95 km"))
    assert is_converted(miles, kilometres)
    assert not is_converted(miles, far)


def test_months_and_years_apart() -> None:
    assert months_apart("It opened in March.", "It opened in May.") == ("March", "May")
    assert months_apart("It opened in March.", "It opened.") is None
    assert years_apart("It opened in 2024.", "It opened in 2026.") == ("2024", "2026")
    assert years_apart("It opened in 2024.", "It opened in 2024.") is None


def test_a_question_with_spaces_stays_whole() -> None:
    assert without_asking("How many boats?") == "How many boats?"
