"""Questions that a page answers in other words, and questions that it only comes near to.

What is measured is the answer without a language model: which sentences it quotes, and whether it
says that none of them answers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from pellucid_gateway.answering import sufficiency as stated
from pellucid_gateway.answering.choice import choose, shortlist
from pellucid_gateway.answering.excerpt_worth import compared, likeness
from pellucid_gateway.answering.quotable import candidates_of
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.domain.request import Depth
from pellucid_gateway.question.parts import parts_of
from rig.real_support import vector

_MOST_COMPARED = 24


@dataclass(frozen=True, slots=True)
class Asked:
    """One question about one page; `fact` is what answers it, empty where nothing does."""

    part: str
    language: str
    question: str
    fact: str
    page: Source


@dataclass(frozen=True, slots=True)
class Quoted:
    """What the answerer made of it.

    Attributes:
        has_fact: A quoted sentence has the fact.
        is_stated: It takes the quoted sentences for an answer.
    """

    asked: Asked
    has_fact: bool
    is_stated: bool


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of 0 to 1.

    Attributes:
        quoted: Facts that are quoted, of the questions that the page answers.
        taken: Of these questions, those whose quotes are taken for an answer.
        told: Of the others, those where the reader is told that nothing answers.
    """

    quoted: float
    taken: float
    told: float


@cache
def asked() -> tuple[Asked, ...]:
    """All questions."""
    file = Path(__file__).with_name("asked_pages.yaml")
    cases = yaml.safe_load(file.read_text("utf-8"))
    return tuple(one for case in cases for one in _questions(case))


def _questions(case: dict[str, object]) -> Iterator[Asked]:
    page = Source(
        n=1,
        url="http://page.example/",
        title=str(case["title"]),
        domain="page.example",
        text=str(case["text"]).strip(),
        language=str(case.get("page_language", case["language"])),
    )
    facts, open_ = case["facts"], case["open"]
    assert isinstance(facts, list)
    assert isinstance(open_, list)
    for row in (*facts, *open_):
        question, _, fact = str(row).partition(" | ")
        yield Asked(str(case["part"]), str(case["language"]), question, fact, page)


def quoted(one: Asked) -> Quoted:
    """Let the answerer choose and judge."""
    found = shortlist(candidates_of([one.page]), one.question, _MOST_COMPARED)
    texts = compared(found)
    near = [
        likeness(found, texts, [float(vector(part) @ vector(text)) for text in texts])
        for part in parts_of(one.question)
    ]
    chosen = choose(found, one.question, Depth.STANDARD, near)
    has_fact = bool(one.fact) and any(one.fact in candidate.text for candidate in chosen)
    return Quoted(one, has_fact, stated.is_stated(chosen, one.question, one.language))


def shares(results: Sequence[Quoted]) -> Shares:
    """Shares of some results."""
    answered = [result for result in results if result.asked.fact]
    open_ = [result for result in results if not result.asked.fact]
    return Shares(
        quoted=sum(result.has_fact for result in answered) / len(answered),
        taken=sum(result.is_stated for result in answered) / len(answered),
        told=sum(not result.is_stated for result in open_) / len(open_),
    )
