"""Stage 2 of the cascade: logistic regression and a small network with our own weights.

There are two variants: with the sentence embedding, and without it for when the scorer is down or
the language is one that the embedding model does not read, glossed or not.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pellucid_decision.errors import UnavailableError
from pellucid_decision.ports import Encoder
from pellucid_decision.question.resolution import Resolved
from pellucid_decision.rules.signals import Reading
from pellucid_decision.stages.deliberation import Opinion
from pellucid_decision.stages.features import (
    EMBEDDING_SIZE,
    Buckets,
    Vector,
    buckets_of,
    context_vector,
    embedded_text,
    embedding_vector,
    seen_in,
    signal_vector,
)
from pellucid_decision.stages.weights import Weights
from pellucid_decision.text import gloss
from pellucid_decision.text.conversation import Ask

# The embedding model reads English, and glosses of the others.
EMBEDDED_LANGUAGES = frozenset({"en", "und", *gloss.LANGUAGES})
# Between these the classifier is in doubt and a language model, if there is one, is asked.
SURE_SEARCH = 0.65
SURE_ANSWER = 0.35


@dataclass(frozen=True, slots=True)
class Sight:
    """What the classifier sees in one message; read once, however often it is asked.

    Attributes:
        classifier: Whose weights and encoder count.
        found: N-grams and meanings.
        base: The other features but the embedding.
    """

    classifier: "Classifier"
    found: Buckets
    base: Vector

    def probability(self) -> float:
        """Return the probability that the web is needed, without the embedding."""
        return self.classifier.weights.ngram.probability(self.found, self.base)

    async def consider(self, ask: Ask, resolved: Resolved, reading: Reading) -> Opinion:
        """Return the probability that the web is needed."""
        text = embedded_text(ask, resolved, reading.language)
        embedding, degraded = await self.classifier.embedding(text, reading.language)
        if embedding is None:
            return _opinion(self.probability(), degraded)
        full = np.concatenate((self.base, embedding_vector(embedding)))
        variant = self.classifier.weights.embedded
        return _opinion(variant.probability(self.found, full), degraded)


@dataclass(frozen=True, slots=True)
class Classifier:
    """Gives an opinion from the weights.

    Attributes:
        weights: Both variants.
        encoder: Sentence embeddings; None to run on n-grams only.
    """

    weights: Weights
    encoder: Encoder | None = None

    def look(self, ask: Ask, resolved: Resolved, reading: Reading) -> Sight:
        """Read a message."""
        seen = seen_in(ask, resolved, reading.language)
        signals = signal_vector(reading, self.weights.signals)
        return Sight(self, buckets_of(seen), np.concatenate((signals, context_vector(seen))))

    async def consider(self, ask: Ask, resolved: Resolved, reading: Reading) -> Opinion:
        """Return the probability that the web is needed."""
        return await self.look(ask, resolved, reading).consider(ask, resolved, reading)

    async def embedding(
        self, text: str, language: str
    ) -> tuple[Sequence[float] | None, tuple[tuple[str, str], ...]]:
        """Return the embedding of a text that has a use for one, and what was lost."""
        if self.encoder is None or language not in EMBEDDED_LANGUAGES:
            return None, ()
        try:
            embedding = await self.encoder.embed(text)
        except UnavailableError:
            return None, (("scorer", "The classifier ran on n-grams only."),)
        fits = len(embedding) == EMBEDDING_SIZE and all(map(math.isfinite, embedding))
        return (embedding, ()) if fits else (None, (("scorer", "The embedding was not usable."),))


def _opinion(probability: float, degraded: tuple[tuple[str, str], ...]) -> Opinion:
    sure = probability >= SURE_SEARCH or probability <= SURE_ANSWER
    return Opinion(probability, sure=sure, degraded=degraded)
