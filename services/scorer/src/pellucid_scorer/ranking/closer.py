"""Which results a further model reads, where reading all of them would change little.

A model that was made for one language orders pages in that language well enough to tell which may
be used at all. A further model costs more than twice as much, so it reads the best of them, and
whatever the first one may have misjudged: pages in another language.
"""

from collections.abc import Collection, Sequence

from pellucid_language.detection import detect_language
from pellucid_language.scripts import is_read_by
from pellucid_scorer.ranking import semantic
from pellucid_scorer.ranking.candidates import Candidate

BEST = 12
"""Results in the first model's language that are read again. On 54 public questions over up to 25
results, nDCG@10 of the whole formula is .716 with all of them read by both models, and .712, .716,
.718 with the best 10, 12, 15. Thirty results then cost twice what they cost with one model."""
SAMPLE_CHARACTERS = 160
"""That tell the language of a result: 2,000 characters tell it alike, in four times the time."""


def places(
    questions: Sequence[str],
    candidates: Sequence[Candidate],
    first: Sequence[semantic.Reading],
    languages: Collection[str],
) -> Sequence[int]:
    """Return the places of the candidates that a further model is to read, in order.

    Args:
        questions: Texts that a candidate may answer.
        candidates: All results.
        first: What the first model makes of them, by question.
        languages: That the first model is good at.
    """
    every = range(len(candidates))
    if not _is_enough(questions, candidates, first[0].scripts, languages):
        return every
    parts = semantic.best_of(
        semantic.rate_all(question, candidates, [reading])
        for question, reading in zip(questions, first, strict=True)
    )
    order = sorted(every, key=lambda place: -parts[place].score)
    others = (p for p in order[BEST:] if not _is_in(languages, candidates[p].text))
    return sorted([*order[:BEST], *others])


def _is_enough(
    questions: Sequence[str],
    candidates: Sequence[Candidate],
    scripts: Collection[str],
    languages: Collection[str],
) -> bool:
    """Tell whether the first model can be trusted with a choice among the candidates."""
    return (
        len(candidates) > BEST
        and all(_is_in(languages, question) for question in questions)
        and all(is_read_by(scripts, candidate.text) for candidate in candidates)
    )


def _is_in(languages: Collection[str], text: str) -> bool:
    return detect_language(text[:SAMPLE_CHARACTERS]) in languages
