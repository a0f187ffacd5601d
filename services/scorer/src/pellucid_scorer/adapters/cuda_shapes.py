"""The shapes of batches that the GPU backend is prepared for; free of torch."""

from collections.abc import Iterator
from dataclasses import dataclass

TEXTS = (8, 32, 64, 128, 256, 512)
LENGTHS = (16, 32, 48, 64, 96, 128, 192)
"""With the model's own length, what a batch and its longest text are rounded up to. What a GPU
computes too much that way costs less than a shape more: 30 ms at the start, and 30 MB."""


@dataclass(frozen=True, order=True, slots=True)
class Shape:
    """Of a padded batch: its texts, and the tokens of each."""

    texts: int
    tokens: int


class Shapes:
    """All shapes that fit.

    Args:
        longest: Tokens of the longest text that the model reads.
        most_tokens: Of a batch, padding included; its shortest shapes are there in any case.
    """

    def __init__(self, *, longest: int, most_tokens: int) -> None:
        self._lengths = (*(length for length in LENGTHS if length < longest), longest)
        self._most_tokens = most_tokens

    def __iter__(self) -> Iterator[Shape]:
        """Yield the largest first, so that what they take can be used by the others."""
        shapes = (Shape(texts, length) for length in self._lengths for texts in self._texts(length))
        return iter(sorted(shapes, key=lambda shape: shape.texts * shape.tokens, reverse=True))

    def most_texts(self, longest: int) -> int:
        """Return how many texts a batch may have whose longest has so many tokens."""
        return self._texts(self._length(longest))[-1]

    def holding(self, texts: int, longest: int) -> Shape:
        """Return the smallest shape for so many texts whose longest has so many tokens.

        Raises:
            ValueError: There is none.
        """
        length = self._length(longest)
        for size in self._texts(length):
            if texts <= size:
                return Shape(size, length)
        raise ValueError(f"{texts} texts of {longest} tokens: at most {self.most_texts(longest)}")

    def _texts(self, length: int) -> tuple[int, ...]:
        fitting = tuple(texts for texts in TEXTS if texts * length <= self._most_tokens)
        return fitting or TEXTS[:1]

    def _length(self, longest: int) -> int:
        for length in self._lengths:
            if longest <= length:
                return length
        raise ValueError(f"a text of {longest} tokens: the model reads {self._lengths[-1]}")
