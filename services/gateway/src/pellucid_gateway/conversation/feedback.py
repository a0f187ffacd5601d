"""Feedback among a person's records, counted as it comes; a changed mind changes the sum."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from pellucid_gateway.analytics.counting import Counting
from pellucid_gateway.analytics.learned_trust import LearnedTrust
from pellucid_gateway.analytics.rollups import by_profile
from pellucid_gateway.domain.state_ports import Entry, Records
from pellucid_gateway.metrics import FEEDBACK_SCORE
from pellucid_runtime.clock import Clock

# Nothing about a person is kept longer.
TTL_S = 30 * 24 * 3600.0
KIND = "feedback"


@dataclass(slots=True, eq=False)
class StoredFeedback:
    """Where feedback goes; the newest of a person on an answer counts.

    Attributes:
        records: Where it is kept.
        counting: What the dashboard hears of it.
        clock: When.
        learned: Learns of the sources of an answer; None: nothing does.
    """

    records: Records
    counting: Counting
    clock: Clock
    learned: LearnedTrust | None = None

    async def keep(
        self, answer: str, owner: str, feedback: Mapping[str, Any], record: Mapping[str, Any]
    ) -> None:
        """Keep it for a limited time; a second thumb on an answer replaces the first.

        Args:
            answer: Id of the answer.
            owner: Who gave it.
            feedback: Rating, score and comment.
            record: The evidence of the answer.
        """
        kept = await self.records.get(owner, KIND, answer)
        entry = Entry(answer, orjson.dumps(dict(feedback)))
        await self.records.put(owner, KIND, entry, ttl_s=TTL_S)
        counts = _counts(feedback)
        if kept is None:
            FEEDBACK_SCORE.labels(feedback["rating"]).observe(feedback["score"])
        else:
            counts.subtract(_counts(orjson.loads(kept)))
        counts.update(by_profile(_profile(record), counts))
        self.counting.add(self.clock.now(), counts)
        if self.learned is not None:
            cited = _cited(record)
            if kept is not None:
                await self.learned.note_thumb(cited, orjson.loads(kept)["rating"], times=-1)
            await self.learned.note_thumb(cited, feedback["rating"])


def _counts(feedback: Mapping[str, Any]) -> Counter[str]:
    up = int(feedback["rating"] == "up")
    return Counter(feedback=1, feedback_score=int(feedback["score"]), thumbs_up=up)


def _profile(record: Mapping[str, Any]) -> str:
    """The scoring profile that was tried on the answer; empty when none was."""
    rated_by = (record.get("basis") or {}).get("rated_by") or {}
    return str(rated_by.get("scoring", {}).get("profile", ""))


def _cited(record: Mapping[str, Any]) -> Collection[str]:
    """Domains that the answer cites, without pages that the person named."""
    sources = record.get("sources", ())
    return {one["domain"] for one in sources if one["cited"] and not one["user_supplied"]}
