"""What the classifier looks at: hashed character n-grams, fired signals, sentence embedding.

The n-grams carry Chinese, Japanese and Korean alone, because the embedding model reads English. The
signals are the same in every language, so what is learnt from one helps the others.
"""

import zlib
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from pellucid_decision.normal import folded
from pellucid_decision.signals import Reading

Vector = npt.NDArray[np.float32]

BUCKETS = 8192
EMBEDDING_SIZE = 384
# Chosen by hand: whole questions fit, and the work stays bounded.
TEXT_CHARACTERS = 300
# A fired signal counts this much beside the unit-length n-gram block, chosen by hand.
SIGNAL_SCALE = 1.0
EMBEDDING_SCALE = 2.0
_WORD_LENGTHS = (2, 3, 4, 5)
_DENSE_LENGTHS = (1, 2, 3)


def ngrams(text: str) -> Iterator[str]:
    """Yield character n-grams: of words with their borders, or of runs in dense scripts."""
    for word in folded(text[:TEXT_CHARACTERS]).casefold().split():
        dense = any("\u3040" <= letter <= "\ud7af" for letter in word)
        padded = word if dense else f" {word} "
        for length in _DENSE_LENGTHS if dense else _WORD_LENGTHS:
            for start in range(len(padded) - length + 1):
                yield padded[start : start + length]
        yield f"\x00{word}"


def text_vector(text: str) -> Vector:
    """Return the hashed n-grams as `float32[8192]` of unit length (zero for an empty text)."""
    vector = np.zeros(BUCKETS, dtype=np.float32)
    slots = [zlib.crc32(gram.encode("utf-8", "surrogatepass")) % BUCKETS for gram in ngrams(text)]
    if slots:
        vector[slots] = 1.0
        vector /= np.linalg.norm(vector)
    return vector


def signal_vector(reading: Reading, names: Sequence[str]) -> Vector:
    """Return which of the named signals fired and the score, `float32[len(names) + 1]`."""
    fired = {signal.name for signal in reading.signals}
    flags = [SIGNAL_SCALE * (name in fired) for name in names]
    return np.array([*flags, reading.score], dtype=np.float32)


def embedding_vector(embedding: Sequence[float]) -> Vector:
    """Return the sentence embedding scaled to weigh beside the other blocks, `float32[384]`."""
    return EMBEDDING_SCALE * np.asarray(embedding, dtype=np.float32)
