"""The semantic part: how much a result is about the question.

The model's cosine, clamped; exact words of the question may lift it (`lexical`); texts in a
script that the model was not trained on are compared by character n-grams instead, because their
vectors are near each other whatever they say.
"""

from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

from pellucid_scorer import lexical, ngrams
from pellucid_scorer.candidates import Semantic, SemanticMethod
from pellucid_scorer.scripts import is_read_by

Vectors = npt.NDArray[np.float32]


def rate_all(
    question: str,
    texts: Sequence[str],
    cosines: npt.NDArray[np.float32],
    scripts: Collection[str],
) -> tuple[Semantic, ...]:
    """Rate texts against a question.

    Args:
        question: What was asked.
        texts: Title and snippet of each result.
        cosines: float32[n], cosine of the question and each text.
        scripts: Scripts that the model was trained on.

    Returns:
        One semantic part per text, in order. It depends on no other text.
    """
    sought = lexical.wanted(question)
    is_question_read = is_read_by(scripts, question)
    are_read = [is_question_read and is_read_by(scripts, text) for text in texts]
    grams = frozenset() if all(are_read) else ngrams.grams(question)
    return tuple(
        _by_embedding(cosine, sought, text) if is_read else _by_ngrams(grams, text)
        for text, cosine, is_read in zip(texts, cosines.tolist(), are_read, strict=True)
    )


def cosines(vectors: Vectors, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the cosine of unit rows float32[n, d] with a unit vector float32[d], in [-1, 1]."""
    products: Vectors = vectors @ vector
    return products.clip(-1.0, 1.0)


def _by_embedding(cosine: float, sought: lexical.Wanted, text: str) -> Semantic:
    score = min(1.0, max(0.0, cosine))
    if not text.strip():
        return Semantic(0.0)
    lift = lexical.lift(sought, text, score)
    return Semantic(score + lift, lift)


def _by_ngrams(grams: Collection[str], text: str) -> Semantic:
    return Semantic(ngrams.containment(grams, text), 0.0, SemanticMethod.NGRAM)
