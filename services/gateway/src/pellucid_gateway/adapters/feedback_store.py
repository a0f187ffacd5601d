"""Feedback in the runtime's store, counted as it comes."""

from collections.abc import Mapping
from typing import Any

import orjson

from pellucid_gateway.metrics import FEEDBACK_SCORE
from pellucid_runtime.store import Store

# Nothing about a person is kept longer.
TTL_S = 30 * 24 * 3600.0


class StoredFeedback:
    """Implements `faces.feedback.FeedbackKeeper`.

    Args:
        store: Where it is kept.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    async def keep(self, answer: str, owner: str, feedback: Mapping[str, Any]) -> None:
        """Keep the newest; a person's second thumb on an answer is not counted again."""
        key = f"{answer}:{owner}"
        entry = orjson.dumps(dict(feedback))
        if await self._store.set_if_absent(key, entry, ttl_s=TTL_S):
            FEEDBACK_SCORE.labels(feedback["rating"]).observe(feedback["score"])
        else:
            await self._store.set(key, entry, ttl_s=TTL_S)
