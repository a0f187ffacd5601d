"""The time that is left for the work at hand.

The server's deadline interceptor enters a scope for each call; channels bound every outgoing call
by what remains. Code in between never passes a timeout along.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar

from pellucid_runtime.errors import DeadlineExceededError

# Time for the way back, so that the caller hears of a timeout before its own.
MARGIN_S = 0.010
# Below this a call cannot even cross the loopback and be answered.
FLOOR_S = 0.002
# A call is never without end: this bounds one outside every scope.
DEFAULT_TIMEOUT_S = 30.0

_deadline: ContextVar[float | None] = ContextVar("pellucid_deadline", default=None)


def _now() -> float:
    return asyncio.get_running_loop().time()


def remaining_s() -> float | None:
    """Seconds left, 0 when the time is up; None outside every scope."""
    deadline = _deadline.get()
    return None if deadline is None else max(0.0, deadline - _now())


def is_late() -> bool:
    """Too little time is left for anything; False outside every scope."""
    left = remaining_s()
    return left is not None and left < FLOOR_S


@contextmanager
def deadline_scope(seconds: float) -> Iterator[float]:
    """Give the enclosed work at most `seconds`; never more than an outer scope.

    It only announces the time to what reads it (channels, `remaining_s`); to interrupt local work
    put `asyncio.timeout(remaining_s())` inside.

    Yields:
        Seconds that the enclosed work has.
    """
    token = _deadline.set(_deadline.get())
    enter_deadline(seconds)
    try:
        yield remaining_s() or 0.0
    finally:
        # A generator that is closed from another task ends in a context that never had the scope.
        with suppress(ValueError):
            _deadline.reset(token)


def enter_deadline(seconds: float) -> float:
    """Set the deadline for the rest of the current task; an outer earlier one stays.

    Returns:
        The deadline on the running loop's clock.
    """
    outer = _deadline.get()
    deadline = _now() + seconds
    if outer is not None:
        deadline = min(outer, deadline)
    _deadline.set(deadline)
    return deadline


def child_timeout_s(
    explicit: float | None = None,
    *,
    stage: str = DeadlineExceededError.default_stage,
    margin_s: float = MARGIN_S,
) -> float:
    """Timeout for an outgoing call: `min(explicit, remaining - margin)`.

    Args:
        explicit: Timeout that the caller asked for, in seconds; None means no wish.
        stage: Name for the error.
        margin_s: Seconds kept back for the way home.

    Raises:
        DeadlineExceededError: Too little time is left to begin.
    """
    left = remaining_s()
    if left is None:
        return DEFAULT_TIMEOUT_S if explicit is None else explicit
    usable = left - margin_s if explicit is None else min(explicit, left - margin_s)
    if usable < FLOOR_S:
        raise DeadlineExceededError(stage)
    return usable
