"""What a person asked to be remembered, and which of it fits a message.

Opt-in: nothing is remembered that was not sent here as a memory, and nothing is sent anywhere but
to the answer model.
"""

from collections.abc import Callable, Mapping
from typing import Any

from pellucid_gateway.domain.ports import ScorerPort
from pellucid_gateway.domain.shelf import FOR_EVER_S, Shelf
from pellucid_gateway.domain.state_ports import Records
from pellucid_gateway.turn_context.budgets import limited
from pellucid_runtime.bounded import BoundedDict
from pellucid_runtime.clock import Clock
from pellucid_runtime.errors import ServiceError

KIND = "memory"
_FIELDS = frozenset({"id", "text", "created_at"})
# Memories of one person; the oldest is dropped.
MOST_MEMORIES = 200
# How many a turn is told.
MOST_RECALLED = 5
# Cosine below which a memory has nothing to do with a message. Unrelated sentences of the model
# lie around 0.05, loosely related ones above 0.2.
LEAST_SIMILARITY = 0.2
# Comparing takes a few milliseconds; a turn waits no longer than this.
SIMILARITY_S = 0.15
# That somebody has none is believed for this long, and until one is added here: a caller without
# memories costs no look at the store at every turn, and another replica's are seen soon.
NONE_S = 2.0
_MOST_WITHOUT = 10_000


class Memories:
    """Keeps memories for their owners.

    Args:
        records: Where they are kept. Everything here raises DependencyDownError when it is down.
        clock: Dates them.
        new_id: Makes an unguessable id.
    """

    def __init__(self, records: Records, clock: Clock, new_id: Callable[[], str]) -> None:
        self._shelf = Shelf(records, KIND, FOR_EVER_S, MOST_MEMORIES, _FIELDS)
        self._clock = clock
        self._new_id = new_id
        self._without: BoundedDict[str, float] = BoundedDict(_MOST_WITHOUT)

    def has_none(self, owner: str) -> bool:
        """Whether a look at the store a moment ago found nothing."""
        looked_at = self._without.get(owner)
        return looked_at is not None and self._clock.monotonic() - looked_at < NONE_S

    async def add(self, owner: str, text: str) -> Mapping[str, Any]:
        """Remember a text; the same text is remembered once."""
        for memory in await self.listed(owner):
            if memory["text"] == text:
                return memory
        now = self._clock.now().isoformat(timespec="seconds")
        memory = {"id": self._new_id(), "text": text, "created_at": now}
        await self._shelf.put(owner, memory["id"], memory)
        self._without.pop(owner, None)
        return memory

    async def listed(self, owner: str) -> tuple[Mapping[str, Any], ...]:
        """All memories, newest first."""
        return tuple(memory for _, memory in await self._shelf.newest(owner))

    async def delete(self, owner: str, memory_id: str) -> None:
        """Forget one.

        Raises:
            NotFoundError: There is none of this owner.
        """
        await self._shelf.delete(owner, memory_id, "memory")

    async def recall(self, owner: str, message: str, scorer: ScorerPort) -> tuple[str, ...]:
        """Texts that fit a message, most similar first; without the scorer the newest."""
        texts = [str(memory["text"]) for memory in await self.listed(owner)]
        if not texts:
            self._without[owner] = self._clock.monotonic()
            return ()
        try:
            async with limited(SIMILARITY_S):
                near = await scorer.similarities(message, texts)
        except (ServiceError, TimeoutError):
            return tuple(texts[:MOST_RECALLED])
        ranked = sorted(zip(near, texts, strict=True), key=lambda pair: -pair[0])
        return tuple(text for score, text in ranked if score >= LEAST_SIMILARITY)[:MOST_RECALLED]
