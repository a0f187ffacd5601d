"""Two encoders of one model: a fast one for texts, an exact one for very short texts.

The vector of a long text is a mean over many tokens, in which rounding errors cancel; that of "ok"
is a mean over three. Short texts cost next to nothing, so they can afford the exact one. Which one
reads a text depends on that text alone, never on what shares its batch.
"""

from collections.abc import Sequence

import numpy as np

from pellucid_scorer.models import Prefixes, Scale
from pellucid_scorer.ports import Encoder, TokenIds, Vectors

EXACT_UP_TO = 16
"""Tokens up to which a text is read exactly. In 8 bits the worst of the reference texts of up to 16
tokens has a cosine of 0.992 to float32, the worst longer one 0.995."""


class MixedEncoder:
    """An `Encoder` that chooses by length.

    Args:
        fast: For texts of more than `EXACT_UP_TO` tokens; also names the whole.
        exact: For the others. The same model.
    """

    def __init__(self, fast: Encoder, exact: Encoder) -> None:
        self._fast = fast
        self._exact = exact

    @property
    def name(self) -> str:
        """Model, device and the precision of nearly all texts."""
        return self._fast.name

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._fast.dimensions

    @property
    def parallelism(self) -> int:
        """Batches at a time."""
        return self._fast.parallelism

    @property
    def batch_tokens(self) -> int:
        """Tokens of a batch."""
        return self._fast.batch_tokens

    def most_texts(self, longest: int) -> int:
        """Texts of a batch; the exact one reads so short ones that it is bound by their tokens."""
        return self._fast.most_texts(longest)

    def padded(self, tokens: int) -> int:
        """Return what the fast one rounds so many tokens up to."""
        return self._fast.padded(tokens)

    @property
    def prefixes(self) -> Prefixes:
        """What the model wants before a text."""
        return self._fast.prefixes

    @property
    def scale(self) -> Scale:
        """How its cosines become likenesses."""
        return self._fast.scale

    @property
    def scripts(self) -> frozenset[str]:
        """Scripts that the model was trained on."""
        return self._fast.scripts

    @property
    def languages(self) -> frozenset[str]:
        """Languages that the model is good at; none: it is equally good at all."""
        return self._fast.languages

    def tokenize(self, texts: Sequence[str]) -> Sequence[TokenIds]:
        """Return the token ids of each text."""
        return self._fast.tokenize(texts)

    def encode(self, batch: Sequence[TokenIds]) -> Vectors:
        """Return float32[n, dimensions] in order."""
        short = np.array([len(ids) <= EXACT_UP_TO for ids in batch], dtype=bool)
        if not short.any():
            return self._fast.encode(batch)
        if short.all():
            return self._exact.encode(batch)
        vectors = np.empty((len(batch), self._fast.dimensions), dtype=np.float32)
        for encoder, chosen in ((self._exact, short), (self._fast, ~short)):
            places = np.flatnonzero(chosen)
            vectors[places] = encoder.encode([batch[place] for place in places.tolist()])
        return vectors
