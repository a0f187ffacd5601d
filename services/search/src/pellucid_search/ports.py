"""What this service needs from outside, as Protocols."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from pellucid_search.hits import ProviderReply, RateWindow
from pellucid_search.providers.wire import HttpCall, HttpReply
from pellucid_search.query import ProviderQuery


class HttpTransport(Protocol):
    """Sends one HTTP request and reads a bounded answer."""

    async def send(self, call: HttpCall, *, timeout_s: float) -> HttpReply:
        """Return the answer, whatever its status.

        Raises:
            ProviderError: No answer, a broken one, or one larger than the bound.
        """


class Engine(Protocol):
    """One provider that can be asked."""

    def wording(self, query: ProviderQuery) -> str:
        """Return the words exactly as they would leave."""

    async def ask(self, query: ProviderQuery, *, timeout_s: float) -> ProviderReply:
        """Return the provider's results.

        Raises:
            ProviderError: The typed failure.
        """


class Refusal(StrEnum):
    """Why a call may not be made now."""

    RATE = "rate"
    QUOTA = "quota"
    COOLING = "cooling"
    BAD_KEY = "bad_key"


@dataclass(frozen=True, slots=True)
class Reservation:
    """Permission for one call after `wait_s` seconds, or the reason why there is none."""

    wait_s: float
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """What is left of a provider's limits; -1 means unknown."""

    remaining_short: int = -1
    remaining_long: int = -1


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a provider may be called: `limit` calls in `period_s` seconds.

    Attributes:
        limit: Calls; 0 means that no limit is known.
        period_s: Seconds that the limit counts for.
        interval_s: Seconds between two calls of this replica when all replicas are busy.
    """

    limit: int = 0
    period_s: float = 1.0
    interval_s: float = 0.0


class RateGate(Protocol):
    """Keeps every replica together within the providers' limits."""

    async def reserve(self, provider: str, *, max_wait_s: float) -> Reservation:
        """Take one place in the provider's bucket, at most `max_wait_s` from now."""

    def pace(self, provider: str) -> Pace:
        """Return how fast the provider may be called, as far as this replica knows."""

    async def observe(self, provider: str, windows: Sequence[RateWindow]) -> None:
        """Correct the bucket from what the provider said about its limits."""

    async def cool(self, provider: str, seconds: float) -> None:
        """Let no call through for some seconds."""

    async def shut(self, provider: str, seconds: float, reason: Refusal) -> None:
        """Refuse every call with this key for some seconds, for one reason (QUOTA, BAD_KEY)."""

    async def standing(self, provider: str) -> Standing:
        """Return what is left."""


class Cache(Protocol):
    """Bytes by name that end by themselves; shared over replicas where there is a Redis.

    A cache that cannot be reached has nothing and forgets what it is given; it never raises.
    """

    async def get(self, key: str) -> bytes | None:
        """Return the value, None when there is none."""

    async def set(self, key: str, value: bytes, *, ttl_s: float) -> None:
        """Store a value for some seconds."""

    async def delete(self, key: str) -> None:
        """Forget a value."""


class LeaseStore(Protocol):
    """Leases with an owner, shared over replicas; never raises.

    A store that cannot be reached grants everything, so that nobody waits for it.
    """

    async def acquire(self, name: str, owner: str, *, ttl_s: float) -> bool:
        """Take a lease unless somebody holds it; tell whether it was taken."""

    async def renew(self, name: str, owner: str, *, ttl_s: float) -> bool:
        """Lengthen a lease that the owner still holds; tell whether it does."""

    async def release(self, name: str, owner: str) -> None:
        """End a lease that the owner still holds; another's stays."""


class Counters(Protocol):
    """Whole numbers by name that survive a restart; shared over replicas like the cache."""

    async def add(self, key: str, amount: int, *, ttl_s: float) -> int:
        """Add to a number that starts at 0 and return the sum."""

    async def read(self, key: str) -> int:
        """Return a number, 0 when there is none."""
