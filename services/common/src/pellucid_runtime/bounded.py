"""A dictionary that input can fill only up to a bound."""

from collections import OrderedDict
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class BoundedDict(OrderedDict[K, V]):
    """Lets go of what was put in longest ago.

    Args:
        most: Entries.

    >>> known = BoundedDict(2)
    >>> for name in "abac":
    ...     known[name] = name
    >>> list(known)
    ['a', 'c']
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._most:
            self.popitem(last=False)
