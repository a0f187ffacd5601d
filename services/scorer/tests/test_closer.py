"""Which results a further model reads."""

from collections.abc import Sequence

import numpy as np

from pellucid_scorer.models import Scale
from pellucid_scorer.ranking import closer
from pellucid_scorer.ranking.candidates import Candidate
from pellucid_scorer.ranking.semantic import Reading

QUESTION = "Why did the harbour of Northport close?"
ENGLISH = "The harbour was closed after a storm, and the pier is being repaired, they said"
GERMAN = "Der Hafen wurde nach einem Sturm geschlossen, und der Pier wird jetzt repariert"
MANY = closer.BEST + 4


def places(
    texts: Sequence[str],
    *,
    questions: Sequence[str] = (QUESTION,),
    languages: frozenset[str] = frozenset({"en"}),
    best_last: bool = True,
) -> list[int]:
    candidates = [Candidate(str(n), snippet=text) for n, text in enumerate(texts)]
    cosines = np.linspace(0.1, 0.9, len(texts), dtype=np.float32)
    orders = (cosines, cosines[::-1]) if best_last else (cosines[::-1], cosines)
    readings = [Reading(order, {"LATIN"}, Scale()) for order in orders[: len(questions)]]
    return list(closer.places(questions, candidates, readings, languages))


def test_the_best_by_the_first_model_are_read_again() -> None:
    assert places([ENGLISH] * MANY) == list(range(4, MANY))
    assert places([ENGLISH] * MANY, best_last=False) == list(range(closer.BEST))


def test_a_result_may_be_best_for_any_question() -> None:
    found = places([ENGLISH] * MANY, questions=[QUESTION, "When does the harbour open?"])
    assert len(found) == closer.BEST
    assert {0, 1, MANY - 2, MANY - 1} <= set(found)


def test_pages_in_another_language_are_always_read() -> None:
    assert places([GERMAN, ENGLISH, GERMAN, *[ENGLISH] * MANY])[:2] == [0, 2]


def test_all_are_read_where_the_first_model_cannot_choose() -> None:
    texts = [ENGLISH] * MANY
    every = list(range(MANY))
    assert places(texts, questions=["Warum wurde der Hafen von Northport geschlossen?"]) == every
    assert places(["항구가 닫혔다", *texts[1:]]) == every
    assert places(texts, languages=frozenset()) == every


def test_few_results_are_all_read() -> None:
    assert places([ENGLISH] * closer.BEST) == list(range(closer.BEST))
