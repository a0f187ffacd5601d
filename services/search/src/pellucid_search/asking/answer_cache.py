"""Cached answers: keys, life times, and the versioned form in which they are kept."""

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime, timedelta

import orjson
from pydantic import AwareDatetime, TypeAdapter

from pellucid_language.folding import caseless
from pellucid_search.hits import RawHit
from pellucid_search.query import Freshness, ProviderQuery

# Release N reads what N-1 wrote; anything else is forgotten. Raise it when the form changes.
SCHEMA = 1

TTL_S = 3_600.0
SHORT_TTL_S = 300.0
TIMELESS_TTL_S = 86_400.0
EMPTY_TTL_S = 60.0
# An old answer still helps when its provider fails.
STALE_ON_ERROR_S = 86_400.0
# For this part of its life after the end an answer is still given while a new one is fetched.
_REVALIDATE_SHARE = 0.2
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class CachedAnswer:
    """A provider's results with the time at which they were received.

    Attributes:
        hits: Results, best first.
        received_at: Aware UTC.
        ttl_s: Seconds for which they are good.
    """

    hits: tuple[RawHit, ...]
    received_at: AwareDatetime
    ttl_s: float

    def is_fresh(self, now: datetime) -> bool:
        """Good to be given without asking anybody."""
        return now < self.received_at + timedelta(seconds=self.ttl_s)

    def is_presentable(self, now: datetime) -> bool:
        """Good to be given while a new answer is fetched."""
        life_s = self.ttl_s * (1 + _REVALIDATE_SHARE)
        return now < self.received_at + timedelta(seconds=life_s)


_ANSWER = TypeAdapter(CachedAnswer)


def time_to_live_s(query: ProviderQuery, *, real_time: bool, found: int) -> float:
    """Return for how many seconds an answer is good.

    Args:
        query: What was asked.
        real_time: Values change within the day.
        found: Number of results.
    """
    if not found:
        return EMPTY_TTL_S
    if real_time or query.news or query.freshness is Freshness.DAY:
        return SHORT_TTL_S
    return TIMELESS_TTL_S if query.freshness is Freshness.NONE else TTL_S


def normalised(text: str) -> str:
    """Return a query without differences that no provider cares about.

    >>> normalised("  Rust   ASYNC ")
    'rust async'
    """
    return _SPACES.sub(" ", caseless(text)).strip()


def cache_key(provider: str, query: ProviderQuery) -> str:
    """Return a key without any user text: a digest of everything that shapes the answer."""
    parts = (
        provider,
        normalised(query.text),
        query.count,
        query.freshness.value,
        query.language,
        query.country,
        query.safe_search.value,
        query.site,
        sorted(query.include_domains),
        sorted(query.exclude_domains),
        query.news,
    )
    digest = hashlib.blake2b(orjson.dumps(parts), digest_size=16).hexdigest()
    return f"answer:{SCHEMA}:{provider}:{digest}"


def encode(answer: CachedAnswer) -> bytes:
    """Return the stored form: JSON, nothing that could run."""
    return orjson.dumps({"schema": SCHEMA, **_ANSWER.dump_python(answer)})


def decode(stored: bytes) -> CachedAnswer | None:
    """Return an answer; None for bytes of another schema or none at all."""
    try:
        value = orjson.loads(stored)
        return _ANSWER.validate_python(value) if value["schema"] == SCHEMA else None
    except (ValueError, TypeError, KeyError):
        return None
