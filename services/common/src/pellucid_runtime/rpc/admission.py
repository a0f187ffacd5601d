"""Lets a bounded number of calls in and refuses the rest at once.

A refused caller can try another replica within milliseconds; a queued one only learns of the
overload when its time is up.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from pellucid_runtime.errors import OverloadedError

# Long enough for a typical call to end, short enough that a retry still fits a deadline.
RETRY_AFTER_S = 0.1


class Admission:
    """Fail-fast permits. Only to be used from the event loop's thread.

    Args:
        limit: Most calls in progress, at least 1.
        queue: Name in the error of refused calls.
        retry_after_s: When refused callers may try again, in seconds.
    """

    def __init__(
        self, limit: int, *, queue: str = "calls", retry_after_s: float = RETRY_AFTER_S
    ) -> None:
        self._limit = limit
        self._queue = queue
        self._retry_after_s = retry_after_s
        self._in_progress = 0

    @property
    def in_progress(self) -> int:
        """Calls inside now."""
        return self._in_progress

    @contextmanager
    def permit(self) -> Iterator[None]:
        """Count the enclosed work as one call.

        Raises:
            OverloadedError: The limit is reached; the work was not begun.
        """
        if self._in_progress >= self._limit:
            raise OverloadedError(self._queue, self._retry_after_s)
        self._in_progress += 1
        try:
            yield
        finally:
            self._in_progress -= 1
