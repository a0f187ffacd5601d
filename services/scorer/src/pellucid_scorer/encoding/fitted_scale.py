"""Measures an unknown model: what its cosines mean, and whether it reads all languages.

Every model puts related and unrelated texts at cosines of its own. A line through the means of both
brings them to the reference's, so that thresholds keep their meaning.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
import yaml

from pellucid_language.scripts import EVERY_SCRIPT
from pellucid_scorer.models import Scale
from pellucid_scorer.ports import PlainText, Vectors

OWN, OTHERS = 0.66, 0.02
"""Mean cosines of all-MiniLM-L6-v2 for the English questions of `scale_pairs.yaml` with their own
passages and with the others. With them e5, whose scale was swept (.75, .95), gets (.748, .968)."""
ENOUGH = 0.75
"""Share of questions whose own passage must be the nearest of all. Of those in other languages
MiniLM finds .38 and e5 all; of the English ones both find all."""
LATIN, ENGLISH = "LATIN", "en"


@dataclass(frozen=True, slots=True)
class Fitted:
    """What was measured.

    Attributes:
        scale: How the model's cosines become likenesses.
        scripts: All where it finds passages for questions in other languages, else Latin.
        languages: English where it does not; none: it is equally good at all.
    """

    scale: Scale
    scripts: frozenset[str]
    languages: frozenset[str]


def texts() -> Sequence[PlainText]:
    """Return what the model must encode for `fit`: all questions, then all passages."""
    pairs = [pair for group in _groups() for pair in group]
    questions = [PlainText(question, is_question=True) for question, _ in pairs]
    return [*questions, *(PlainText(passage) for _, passage in pairs)]


def fit(vectors: Vectors) -> Fitted | None:
    """Return the scale of a model; None where it cannot tell answers from other passages.

    Args:
        vectors: float32[n, d], unit rows, of `texts`.
    """
    known = len(_groups()[0])
    questions, passages = np.split(vectors, 2)
    cosines = questions @ passages.T
    is_own = np.eye(len(cosines), dtype=bool)
    finds = cosines.argmax(axis=1) == np.arange(len(cosines))
    own, others = cosines[:known][is_own[:known]].mean(), cosines[:known][~is_own[:known]].mean()
    if finds[:known].mean() < ENOUGH or own <= others:
        return None
    per_likeness = float(own - others) / (OWN - OTHERS)
    zero = float(others) - OTHERS * per_likeness
    is_for_all = finds[known:].mean() >= ENOUGH
    return Fitted(
        Scale(zero, zero + per_likeness),
        frozenset({EVERY_SCRIPT if is_for_all else LATIN}),
        frozenset() if is_for_all else frozenset({ENGLISH}),
    )


@cache
def _groups() -> tuple[Sequence[tuple[str, str]], Sequence[tuple[str, str]]]:
    read = yaml.safe_load(files(__package__).joinpath("scale_pairs.yaml").read_text("utf-8"))
    return read["english"], read["abroad"]
