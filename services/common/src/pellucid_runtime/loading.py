"""Imports of a process that starts."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """Import within this without collections of garbage: they take an eighth of the imports' time.

    What modules define stays as long as the process does, so later collections leave it out, too.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
