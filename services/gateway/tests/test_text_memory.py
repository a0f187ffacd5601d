"""What the checks of one answer read off a text, they read once, and find the same as without."""

from collections import Counter

import pytest
from port_fakes import FakeScorer
from turn_fakes import PinnedNow, course_of

from pellucid_gateway.domain.findings import Source
from pellucid_gateway.domain.notices import wording_for
from pellucid_gateway.turn_context.ledger import TurnLedger
from pellucid_gateway.verification.fact_matching import FactMatch, match_facts
from pellucid_gateway.verification.judge import SupportJudge
from pellucid_language import text_memory
from pellucid_language.text_memory import TextMemory, remembered

FACTS = (
    "Tessel Group bought Orlin Motors for 2.4 billion crowns on 11 November 2026. Orlin Motors "
    "employs 8,200 people in Vellmark. The works did not close in the spring, and sales rose."
)
CLAIMS = (
    "Tessel Group bought Orlin Motors for 2.4 billion crowns",
    "Orlin Motors bought Tessel Group for 2.4 billion crowns",
    "Orlin Motors employs 2,800 people",
    "The works closed in the spring",
    "The works did not close in autumn",
    "Sales of Orlin Motors fell",
    "Orlin Motors employs about eight thousand people",
    "Dana Ruiz leads Orlin Motors",
)

read = Counter[str]()


@remembered
def length(text: str) -> int:
    read[text] += 1
    return len(text)


@pytest.fixture(autouse=True)
def nothing_read() -> None:
    read.clear()


def test_a_text_is_read_once_for_one_answer() -> None:
    memory = TextMemory()
    for _ in range(2):
        with memory.used():
            assert [length("a ferry"), length("a ferry"), length("a toll")] == [7, 7, 6]

    assert read == {"a ferry": 1, "a toll": 1}


def test_another_answer_and_whoever_checks_none_read_for_themselves() -> None:
    with TextMemory().used():
        length("a ferry")
    with TextMemory().used():
        length("a ferry")
    assert length("a ferry") == 7

    assert read == {"a ferry": 3}


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_memory, "_MOST_KEPT", 2)
    with TextMemory().used():
        for text in ("a", "b", "c", "a", "b", "c"):
            length(text)

    assert read == {"a": 1, "b": 1, "c": 2}


def test_checks_find_the_same_with_a_memory_as_without() -> None:
    def found() -> list[FactMatch]:
        return [match_facts(claim, FACTS) for claim in CLAIMS]

    without = found()
    with TextMemory().used():
        first, again = found(), found()

    assert first == again == without
    assert len(set(without)) > 2


async def test_a_source_is_read_once_for_the_sentences_of_an_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = Counter[str]()
    reading = TextMemory.read

    def noting(memory: TextMemory, function: object, text: str) -> object:
        if getattr(function, "__name__", "") == "calendar_names":
            known = len(memory._kept)
            result = reading(memory, function, text)  # type: ignore[arg-type]
            texts[text] += len(memory._kept) > known
            return result
        return reading(memory, function, text)  # type: ignore[arg-type]

    monkeypatch.setattr(TextMemory, "read", noting)
    source = Source(
        n=1,
        url="http://a.example/",
        title="Sale",
        domain="a.example",
        publisher="A",
        facts=FACTS,
    )
    clock = PinnedNow()
    judge = SupportJudge(
        (source,),
        scorer=FakeScorer(),
        context=course_of(clock, TurnLedger(clock, wording_for("en"))),
        question="",
        language="en",
    )
    for claim in (CLAIMS[0], CLAIMS[2], CLAIMS[3], CLAIMS[5]):
        await judge.judge([claim])

    assert texts[f"Sale. {FACTS}"] == 1
