"""Weights in a file that the system maps into memory, and may forget again.

A compiled graph reads its own, reordered copies of the matrices, but holds on to the constants that
it was built of. In the process's own memory they would stay there unread: 90 MB for each graph.
"""

import mmap
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from pellucid_scorer.adapters.bert_graph import Weights


@contextmanager
def mapped(weights: Weights) -> Iterator[Weights]:
    """Yield the same weights out of a temporary file; afterwards they take no memory until read.

    The file has no name and lives as long as something refers to one of the weights.
    """
    with tempfile.TemporaryFile() as file:
        places = {}
        for name, array in weights.items():
            places[name] = file.tell()
            file.write(np.ascontiguousarray(array).data)
        file.flush()
        # Copy on write: nothing is written, but the engine shares only memory that could be.
        pages = mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE)
    yield {
        name: np.frombuffer(pages, array.dtype, array.size, places[name]).reshape(array.shape)
        for name, array in weights.items()
    }
    pages.madvise(mmap.MADV_DONTNEED)
