"""What one source gives as the answer of a question."""

import pytest

from pellucid_gateway.conflicts.answer_values import Answered, answered_by, stated_by
from pellucid_gateway.domain.findings import Source


def source(text: str) -> Source:
    return Source(
        n=1,
        url="https://harbourpost.example/ferry",
        title="The ferry of Skerry",
        domain="harbourpost.example",
        text=text,
        facts=text,
    )


@pytest.mark.parametrize(
    ("question", "answered"),
    [
        ("How many boats does the Skerry ferry line have?", Answered.COUNT),
        ("Who founded the Skerry ferry line?", Answered.NAME),
        ("Why was the Skerry ferry cancelled?", Answered.CAUSE),
        ("Tell me about the Skerry ferry line.", None),
    ],
)
def test_by_what_a_question_is_answered(question: str, answered: Answered | None) -> None:
    assert answered_by(question) is answered


def test_a_count() -> None:
    question = "How many boats does the Skerry ferry line have?"
    said = stated_by(source("The Skerry ferry line has 12 boats."), question, Answered.COUNT)
    assert said is not None
    assert said.figure is not None
    assert 12.0 in said.figure.values


def test_a_name() -> None:
    question = "Who founded the Skerry ferry line?"
    text = "The Skerry ferry line was founded by Marta Quill."
    said = stated_by(source(text), question, Answered.NAME)
    assert said is not None
    assert said.value == "Marta Quill"


def test_a_cause() -> None:
    question = "Why was the Skerry ferry cancelled?"
    text = "The Skerry ferry was cancelled because of heavy fog."
    said = stated_by(source(text), question, Answered.CAUSE)
    assert said is not None
    assert "fog" in said.value


def test_a_source_on_something_else_gives_none() -> None:
    question = "How many boats does the Skerry ferry line have?"
    assert stated_by(source("Bread costs 3 crowns."), question, Answered.COUNT) is None
