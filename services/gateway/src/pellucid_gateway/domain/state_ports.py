"""What is kept between requests, as the domain sees it. The adapters keep it in Redis or SQLite."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pellucid_gateway.domain.rates import Take, Verdict


class Limiter(Protocol):
    """Limits over all replicas. Never raises: without the shared store a share is counted here."""

    async def take(self, takes: Sequence[Take]) -> Verdict:
        """Take from all windows or from none, atomically; at least one take."""
        ...

    async def acquire(self, subject: str, limit: int, lease_s: float) -> str | None:
        """A place for work in progress, given back by itself after `lease_s` seconds.

        Returns:
            The holder's token, or None when all places are taken.
        """
        ...

    async def release(self, subject: str, token: str) -> None:
        """Give a place back; an unknown token changes nothing."""
        ...


@dataclass(frozen=True, slots=True)
class Entry:
    """One record of an owner: its id and its value."""

    id: str
    value: bytes


class Records(Protocol):
    """What is kept for an owner, by kind and id, with a lifetime. Raises DependencyDownError.

    Owners, kinds and ids are hashes or our own words: they show in key names.
    """

    async def put(
        self,
        owner: str,
        kind: str,
        entry: Entry,
        *,
        ttl_s: float,
        most: int = 1000,
        room_bytes: int = 0,
    ) -> None:
        """Keep an entry, replacing one of the same id.

        Args:
            owner: Whose it is.
            kind: What it is.
            entry: Its id and value.
            ttl_s: Its lifetime.
            most: Of this owner and kind; beyond it the oldest are dropped.
            room_bytes: That this kind may take over all owners; beyond it the oldest are dropped,
                whoever's they are. 0: without bound. One lifetime for the whole kind.
        """
        ...

    async def get(self, owner: str, kind: str, entry_id: str) -> bytes | None:
        """The value, or None when there is none of this owner."""
        ...

    async def newest(self, owner: str, kind: str, most: int) -> tuple[Entry, ...]:
        """Entries, last put first."""
        ...

    async def delete(self, owner: str, kind: str, entry_id: str) -> bool:
        """Forget one; tell whether it was there."""
        ...

    async def delete_kind(self, owner: str, kind: str) -> int:
        """Forget all of a kind; how many there were."""
        ...

    async def delete_owner(self, owner: str) -> int:
        """Forget everything of an owner; how many entries there were."""
        ...


class Rollups(Protocol):
    """Sums by bucket and field, over all replicas. Raises DependencyDownError."""

    async def add(self, sums: Mapping[str, Mapping[str, int]], *, ttl_s: float) -> None:
        """Add to fields of buckets; a bucket lives `ttl_s` seconds after its last addition."""
        ...

    async def read(self, buckets: Sequence[str]) -> tuple[Mapping[str, int], ...]:
        """Fields of each bucket; empty where there is none."""
        ...

    async def delete_buckets(self, buckets: Sequence[str]) -> None:
        """Forget buckets."""
        ...


@dataclass(frozen=True, slots=True)
class State:
    """Where things are kept between requests; evidence may have a server of its own."""

    records: Records
    evidence: Records
    rollups: Rollups
    limiter: Limiter


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaState:
    """What a caller may still do.

    Attributes:
        limit: Searching turns of a day; 0 means without limit.
        reset_s: Seconds after which there is room again, 0 when there is now.
    """

    allowed: bool
    limit: int = 0
    remaining: int = 0
    reset_s: float = 0.0


class SearchQuota(Protocol):
    """Searching turns of a day: one chat turn that searches or one call of a search API is one.

    Rounds, variants and cache hits are not counted. Never raises: without the shared store a
    share of the limit is counted here.
    """

    async def take(self, caller: str) -> QuotaState:
        """Take one, atomically over all replicas."""
        ...


class WithoutQuota:
    """Implements `SearchQuota` without a limit."""

    async def take(self, caller: str) -> QuotaState:
        """Allow everything."""
        del caller
        return QuotaState(allowed=True)
