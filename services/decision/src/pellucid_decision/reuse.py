"""Decisions that are taken again within a conversation: bounded in number and in time."""

import hashlib
from dataclasses import fields, replace

from pellucid_decision.decision import Decision
from pellucid_decision.text.conversation import Ask
from pellucid_runtime.bounded import BoundedDict
from pellucid_runtime.clock import Clock

REUSE_SECONDS = 300.0
MAX_DECISIONS = 4096
_TIMELESS = tuple(field.name for field in fields(Ask) if field.name != "now")


class DecisionCache:
    """Remembers decisions for five minutes by conversation, message, history and context.

    Args:
        clock: Stopwatch.
        capacity: Most decisions kept; the oldest goes first.
    """

    def __init__(self, clock: Clock, capacity: int = MAX_DECISIONS) -> None:
        self._clock = clock
        self._kept: BoundedDict[bytes, tuple[float, Decision]] = BoundedDict(capacity)

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, ask: Ask) -> Decision | None:
        """Return the decision taken for the same request, if it is young enough.

        What a model was sent for it left once, so a reused decision lists nothing as outbound.
        """
        entry = self._kept.get(_key(ask)) if ask.conversation_id else None
        if entry is None or self._clock.monotonic() - entry[0] > REUSE_SECONDS:
            return None
        return replace(entry[1], outbound=())

    def put(self, ask: Ask, decision: Decision) -> None:
        """Remember a decision, unless the request names no conversation or parts were missing."""
        if not ask.conversation_id or decision.degraded:
            return
        self._kept[_key(ask)] = (self._clock.monotonic(), decision)


def _key(ask: Ask) -> bytes:
    """Digest of everything but the instant; no text of a person is kept as a key."""
    timeless = [getattr(ask, name) for name in _TIMELESS]
    return hashlib.blake2b(repr(timeless).encode("utf-8", "surrogatepass"), digest_size=24).digest()
