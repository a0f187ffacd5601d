"""The shipped corpus answers its own questions; floors are only raised.

Without a language model: what is measured is the decision, the search, the ranking and the
extractive answer together.
"""

from dataclasses import dataclass
from typing import Any

import pytest

from rig.sample import floor

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

# Shares of 0 to 1.
FLOORS = {
    "searched": 0.98,
    "page_found": 0.87,
    "fact_stated": 0.67,
    "cites": 0.95,
    "cites_two": 0.80,
    "nothing_stale": 0.91,
    "two_sources": 0.64,
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one question went."""

    id: str
    searched: bool
    page_found: bool
    fact_stated: bool
    nothing_stale: bool
    two_sources: bool
    cites: bool
    cites_two: bool


def judge(question: dict[str, Any], body: dict[str, Any]) -> Outcome:
    """Compare an answer with what the question expects."""
    urls = [source["url"] for source in body["sources"]]
    return Outcome(
        id=question["id"],
        searched=body["decision"]["action"] == "search",
        page_found=any(_same_page(url, page) for url in urls for page in question["pages"]),
        fact_stated=all(
            any(spelling in body["answer"] for spelling in fact) for fact in question["facts"]
        ),
        nothing_stale=not any(old["text"] in body["answer"] for old in question.get("stale", [])),
        two_sources=len({source["domain"] for source in body["sources"]}) >= 2,
        cites=bool(body["citations"]),
        cites_two=len({citation["source"] for citation in body["citations"]}) >= 2,
    )


def _same_page(url: str, page: str) -> bool:
    host, _, path = url.removeprefix("http://").partition("/")
    return _folder(f"{host.partition(':')[0]}/{path}") == _folder(page)


def _folder(path: str) -> str:
    """A folder and its index page are the same page."""
    return path.removesuffix("index.html").removesuffix("/")


@pytest.fixture(scope="module")
def outcomes(asked_questions: list[tuple[dict[str, Any], dict[str, Any]]]) -> list[Outcome]:
    wanted = {"answerable", "follow_up"}
    return [
        judge(question, body) for question, body in asked_questions if question["kind"] in wanted
    ]


@pytest.mark.parametrize("measure", sorted(FLOORS))
def test_floor(outcomes: list[Outcome], measure: str) -> None:
    missed = [outcome.id for outcome in outcomes if not getattr(outcome, measure)]

    share = 1 - len(missed) / len(outcomes)

    assert share >= floor(FLOORS[measure]), f"{measure} {share:.2f}; missed: {', '.join(missed)}"
