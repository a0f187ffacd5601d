"""What was read off a text is not read off it again while an answer is checked or a message read.

Every sentence of an answer is held against the same sources by a dozen checks, each of which wants
the words, figures, dates and denials of the same texts. Reading them is nearly all of the work. A
decision asks several times what of a message is private. Kept is what pure functions of one text
gave, for as long as that takes and no longer: nobody's text outlives its turn here.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar

T = TypeVar("T")

# A long answer over eight sources comes to some 3,000; what is beyond is read each time.
_MOST_KEPT = 16_384

_current: ContextVar["TextMemory | None"] = ContextVar("pellucid_text_memory", default=None)


class TextMemory:
    """Keeps what was read, for one answer."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Callable[[str], Any], str], Any] = {}

    @contextmanager
    def used(self) -> Iterator[None]:
        """Within the block functions that are `remembered` read each text once."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)

    def read(self, reading: Callable[[str], T], text: str) -> T:
        """What a function gives for a text, from before if it was read before."""
        key = (reading, text)
        if key in self._kept:
            kept: T = self._kept[key]
            return kept
        fresh = reading(text)
        if len(self._kept) < _MOST_KEPT:
            self._kept[key] = fresh
        return fresh


def remembered(reading: Callable[[str], T]) -> Callable[[str], T]:
    """Let a pure function of one text use the memory of the answer that is being checked.

    Args:
        reading: Gives nothing that can be changed.
    """

    @wraps(reading)
    def again(text: str) -> T:
        memory = _current.get()
        return reading(text) if memory is None else memory.read(reading, text)

    return again
