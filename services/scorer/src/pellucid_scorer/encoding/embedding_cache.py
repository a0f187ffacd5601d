"""A least-recently-used cache of vectors, bounded in bytes."""

from collections import OrderedDict
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from pellucid_scorer.ports import Vectors

DIGEST_BYTES = 16
"""Chance of two texts in a full cache sharing a digest: below 1e-28."""
ENTRY_OVERHEAD = 300
"""Bytes of an entry besides the numbers: key, array header, links (measured with tracemalloc)."""


class EmbeddingCache:
    """Vectors by the digest of their text.

    Args:
        max_bytes: Most bytes that all entries may take together; 0 keeps nothing.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._vectors: OrderedDict[bytes, npt.NDArray[np.float32]] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._vectors)

    @property
    def size_bytes(self) -> int:
        """Bytes that the entries take."""
        return self._bytes

    def get(self, key: bytes) -> Vectors | None:
        """Return the vector of a key, and count that as use."""
        vector = self._vectors.get(key)
        if vector is not None:
            self._vectors.move_to_end(key)
        return vector

    def put(self, key: bytes, vector: Vectors) -> None:
        """Keep a vector, and let go of the longest unused ones beyond the bound."""
        if key not in self._vectors:
            self._bytes += vector.nbytes + ENTRY_OVERHEAD
        # A copy: a row of a batch would keep the whole batch in memory.
        self._vectors[key] = vector.copy()
        while self._bytes > self._max_bytes and self._vectors:
            _, gone = self._vectors.popitem(last=False)
            self._bytes -= gone.nbytes + ENTRY_OVERHEAD


def key_of(text: str) -> bytes:
    """Return the digest that a text's vector is kept under."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest()
