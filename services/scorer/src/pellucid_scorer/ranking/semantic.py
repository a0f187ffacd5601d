"""The semantic part: how much a result is about the question.

The mean likeness by the models that can read both texts; exact words of the question may lift it
(`lexical`). Texts in a script that no model was trained on are compared by character n-grams
instead, because their vectors are near each other whatever they say.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from pellucid_language.scripts import is_read_by
from pellucid_scorer.models import Scale
from pellucid_scorer.ranking import lexical, ngrams
from pellucid_scorer.ranking.candidates import Candidate, Semantic, SemanticMethod

MAX_RANK_LIFT = 0.05
RANKS = 20
"""Places that count. Swept on the public development rows (54 questions over about 20 results, two
models, nDCG@10): a straight line of 0, .02, .05, .10 gives .759, .761, .772, .764 on NovelEval and
.658, .663, .668, .670 on the largest group of short web results."""

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Reading:
    """What one model makes of a question and n texts.

    Attributes:
        cosines: float32[n], cosine of the question and each text.
        scripts: Scripts that the model was trained on.
        scale: How its cosines become likenesses.
    """

    cosines: npt.NDArray[np.float32]
    scripts: Collection[str]
    scale: Scale

    def likenesses(self, question: str, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return float32[n] in [0, 1], nan where the model cannot read both texts."""
        likenesses = self.scale.likenesses(self.cosines).clip(0.0, 1.0)
        if not is_read_by(self.scripts, question):
            return np.full_like(likenesses, np.nan)
        are_read = [is_read_by(self.scripts, text) for text in texts]
        return np.where(are_read, likenesses, np.float32(np.nan))


def rate_all(
    question: str, candidates: Sequence[Candidate], readings: Sequence[Reading]
) -> tuple[Semantic, ...]:
    """Rate candidates against a question.

    Args:
        question: What was asked.
        candidates: Their title, snippet and rank are looked at.
        readings: Of the models.

    Returns:
        One semantic part per candidate, in order. It depends on no other candidate.
    """
    sought, grams = lexical.wanted(question), ngrams.grams(question)
    texts = [candidate.text for candidate in candidates]
    rows = np.array([one.likenesses(question, texts) for one in readings])
    parts = (
        _by_embedding(float(np.mean(known)), sought, text)
        if (known := column[~np.isnan(column)]).size
        else _by_ngrams(grams, text)
        for text, column in zip(texts, rows.T, strict=True)
    )
    return tuple(
        replace(part, score=part.score + rank_lift(candidate.rank, part.score))
        for candidate, part in zip(candidates, parts, strict=True)
    )


def best_of(by_question: Iterable[Sequence[Semantic]]) -> tuple[Semantic, ...]:
    """Return the best part of each candidate over several questions.

    Args:
        by_question: The parts of all candidates, once for each question; at least one.
    """
    return tuple(
        max(parts, key=lambda part: part.score) for parts in zip(*by_question, strict=True)
    )


def reordered(parts: Sequence[Semantic], places: Sequence[int]) -> tuple[Semantic, ...]:
    """Return parts of which some have changed scores, so that these fall in a given order.

    A cross-encoder tells which of two texts answers better, but on a scale of its own. So it only
    deals out the scores that the results have together: thresholds keep their meaning.

    Args:
        parts: Of all candidates.
        places: Some of them, best first.
    """
    scores = sorted((parts[place].score for place in places), reverse=True)
    changed = dict(zip(places, scores, strict=True))
    return tuple(
        replace(part, score=changed.get(place, part.score)) for place, part in enumerate(parts)
    )


def rank_lift(rank: int, semantic: float) -> float:
    """Return what a place in the provider's order adds to a semantic part.

    The first adds most, the last of `RANKS` and an unknown one nothing. It fades where the models
    see nothing in common, as the lift of words does, and the sum never passes 1.

    >>> round(rank_lift(1, 0.5), 3), rank_lift(0, 0.5), rank_lift(21, 0.5)
    (0.025, 0.0, 0.0)
    """
    if not 1 <= rank <= RANKS:
        return 0.0
    certainty = min(1.0, semantic / lexical.FULL_LIFT_FROM)
    return MAX_RANK_LIFT * (1 - (rank - 1) / RANKS) * certainty * (1.0 - semantic)


def cosines(vectors: Vectors, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the cosine of unit rows float32[n, d] with a unit vector float32[d], in [-1, 1]."""
    products: Vectors = vectors @ vector
    return products.clip(-1.0, 1.0)


def _by_embedding(score: float, sought: lexical.Wanted, text: str) -> Semantic:
    if not text.strip():
        return Semantic(0.0)
    lift = lexical.lift(sought, text, score)
    return Semantic(score + lift, lift)


def _by_ngrams(grams: Collection[str], text: str) -> Semantic:
    return Semantic(ngrams.containment(grams, text), 0.0, SemanticMethod.NGRAM)
