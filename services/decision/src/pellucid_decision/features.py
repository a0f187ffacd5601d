"""What the classifier looks at: hashed character n-grams, fired signals, sentence embedding.

The n-grams carry Chinese, Japanese and Korean alone, because the embedding model reads English. The
signals are the same in every language, so what is learnt from one helps the others.
"""

import zlib
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from pellucid_decision.normal import folded
from pellucid_decision.signals import Reading

Vector = npt.NDArray[np.float32]

BUCKETS = 16384
EMBEDDING_SIZE = 384
# Chosen by hand: whole questions fit, and the work stays bounded.
TEXT_CHARACTERS = 300
EMBEDDING_SCALE = 2.0
_WORD_LENGTHS = (2, 3, 4, 5)
_DENSE_LENGTHS = (1, 2, 3)


def ngrams(text: str) -> Iterator[str]:
    """Yield character n-grams of words with their borders, or of runs in dense scripts.

    Then the words, each two neighbours, the first and the last: how a question opens and ends says
    much about it.
    """
    words = folded(text[:TEXT_CHARACTERS]).casefold().split()
    for word in words:
        dense = any("\u3040" <= letter <= "\ud7af" for letter in word)
        padded = word if dense else f" {word} "
        for length in _DENSE_LENGTHS if dense else _WORD_LENGTHS:
            for start in range(len(padded) - length + 1):
                yield padded[start : start + length]
        yield f"\x00{word}"
    for word, after in pairwise(words):
        yield f"\x01{word} {after}"
    if words:
        yield f"\x02{words[0]}"
        yield f"\x03{words[-1]}"


def slots_of(text: str) -> list[int]:
    """Return the buckets of the text's n-grams, each once, ascending."""
    grams = (gram.encode("utf-8", "surrogatepass") for gram in ngrams(text))
    return sorted({zlib.crc32(gram) % BUCKETS for gram in grams})


def text_vector(text: str) -> Vector:
    """Return the hashed n-grams as `float32[16384]` of unit length (zero for an empty text)."""
    vector = np.zeros(BUCKETS, dtype=np.float32)
    slots = slots_of(text)
    if slots:
        vector[slots] = len(slots) ** -0.5
    return vector


def signal_vector(reading: Reading, names: Sequence[str]) -> Vector:
    """Return which of the named signals fired and the score, `float32[len(names) + 1]`."""
    return vector_of({signal.name for signal in reading.signals}, names, reading.score)


def vector_of(fired: Collection[str], names: Sequence[str], score: float) -> Vector:
    """Return which of `names` are among `fired`, then the score, `float32[len(names) + 1]`."""
    return np.array([*(name in fired for name in names), score], dtype=np.float32)


def embedding_vector(embedding: Sequence[float]) -> Vector:
    """Return the sentence embedding scaled to weigh beside the other blocks, `float32[384]`."""
    return EMBEDDING_SCALE * np.asarray(embedding, dtype=np.float32)
