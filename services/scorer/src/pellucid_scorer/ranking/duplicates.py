"""Results on different domains that say the same: one stands for all, the others corroborate it."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from pellucid_scorer.ranking import ngrams
from pellucid_scorer.ranking.candidates import Rated, SemanticMethod

NGRAM_DICE = 0.90
"""Texts that the model cannot read say the same from this share of common n-grams on."""


def corroborations(
    rated: Sequence[Rated], near: npt.NDArray[np.bool_]
) -> Mapping[str, tuple[str, ...]]:
    """Return, for each result that stands for others, the ids of those others, sorted.

    The most trusted stands; among equals the better score, then the id decides. A result that
    another one stands for cannot stand for a third.

    Args:
        rated: Results that passed the threshold.
        near: bool[n, n], whether the vectors of two of them are so near that they may say the
            same; the diagonal is overwritten.
    """
    np.fill_diagonal(near, val=False)
    crowded: list[int] = np.flatnonzero(near.any(axis=1)).tolist()
    order = sorted(crowded, key=lambda place: _standing(rated[place]))
    taken: set[int] = set()
    groups: dict[str, tuple[str, ...]] = {}
    for place in order:
        if place in taken:
            continue
        others = [
            other
            for other in np.flatnonzero(near[place]).tolist()
            if other not in taken and _say_the_same(rated[place], rated[other])
        ]
        taken.update((place, *others))
        if others:
            groups[rated[place].candidate.id] = _ids(rated, others)
    return groups


def _standing(rated: Rated) -> tuple[float, float, str]:
    return -rated.breakdown.trust, -rated.final, rated.candidate.id


def _ids(rated: Sequence[Rated], places: Collection[int]) -> tuple[str, ...]:
    return tuple(sorted(rated[place].candidate.id for place in places))


def _say_the_same(first: Rated, second: Rated) -> bool:
    """Tell whether two results with near vectors are on different domains and really alike."""
    if first.domain == second.domain and first.domain:
        return False
    methods = {first.breakdown.semantic.method, second.breakdown.semantic.method}
    if SemanticMethod.NGRAM not in methods:
        return True
    texts = (first.candidate.text, second.candidate.text)
    return ngrams.dice(*map(ngrams.grams, texts)) > NGRAM_DICE
