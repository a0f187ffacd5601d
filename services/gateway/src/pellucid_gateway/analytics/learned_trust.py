"""What use teaches of sources: one bounded number for each domain, pooled over all persons.

Counted by week are thumbs on answers that cite a domain, whether it was cited where it was shown,
and whether its pages could be read; never who did so, and nothing of pages that a person named.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from pellucid_gateway.analytics.rollups import summed
from pellucid_gateway.domain.events import AnswerKind, TurnResult
from pellucid_gateway.domain.standing import Standing, Standings
from pellucid_gateway.domain.state_ports import Rollups
from pellucid_runtime.clock import Clock
from pellucid_runtime.errors import NotFoundError

# A domain is judged by these weeks, the present one included; older counts are gone.
WEEKS = 5
_WEEK_S = 7 * 86_400
# What was learned a minute ago is as good as what was learned now.
_FRESH_S = 60.0
# Domains that this process begins to count in a week; the rest goes uncounted.
_MOST_DOMAINS = 2_000
_ANSWERS = frozenset({AnswerKind.MODEL, AnswerKind.EXTRACTIVE})
# Good and bad of each kind: its share of the whole, and as how many undecided events the doubt
# counts that a domain begins with. A thumb is rare and meant; a citation is common and is not.
_KINDS: tuple[tuple[str, str, float, int], ...] = (
    ("thumbs_up", "thumbs_down", 0.6, 5),
    ("cited", "uncited", 0.25, 30),
    ("read", "unread", 0.15, 30),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedSource:
    """What was counted of a domain, and by how much that moves its trust."""

    domain: str
    shift: float
    thumbs_up: int = 0
    thumbs_down: int = 0
    cited: int = 0
    uncited: int = 0
    read: int = 0
    unread: int = 0


class LearnedTrust:
    """Counts what use tells of domains. Everything here raises DependencyDownError.

    Args:
        rollups: Where it is counted, over all replicas.
        clock: Which week it is.
        limit: By how much a domain's trust is moved at most.
    """

    def __init__(self, rollups: Rollups, clock: Clock, limit: float) -> None:
        self._rollups = rollups
        self._clock = clock
        self.limit = limit
        self._week = ""
        self._begun: set[str] = set()
        self._shifts: tuple[float, Mapping[str, float]] | None = None

    async def note_turn(self, result: TurnResult) -> None:
        """Count what an answer cited of what it was shown, and which pages could be read."""
        counts = Counter(f"{'read' if ok else 'unread'}:{domain}" for domain, ok in result.reads)
        if result.answer_kind in _ANSWERS:
            counts.update(
                f"{'cited' if source.cited else 'uncited'}:{source.domain}"
                for source in result.sources
                if not source.user_supplied
            )
        await self._add(counts)

    async def note_thumb(
        self, domains: Iterable[str], rating: Literal["up", "down"], *, times: int = 1
    ) -> None:
        """Count a thumb on an answer that cites domains; `times=-1` takes one back."""
        await self._add(Counter({f"thumbs_{rating}:{domain}": times for domain in domains}))

    async def _add(self, counts: Mapping[str, int]) -> None:
        week = _buckets(self._clock.now())[0]
        if week != self._week:
            self._week, self._begun = week, set()
        known = {
            field: count
            for field, count in counts.items()
            if count and self._may_begin(field.partition(":")[2])
        }
        if known:
            await self._rollups.add({week: known}, ttl_s=WEEKS * _WEEK_S)

    def _may_begin(self, domain: str) -> bool:
        if domain and len(self._begun) < _MOST_DOMAINS:
            self._begun.add(domain)
        return domain in self._begun

    async def shifts(self) -> Mapping[str, float]:
        """What is added to the trust of each domain, as of a minute ago at most."""
        now = self._clock.monotonic()
        if self._shifts is None or now - self._shifts[0] > _FRESH_S:
            self._shifts = (now, {one.domain: one.shift for one in await self.sources()})
        return self._shifts[1]

    async def sources(self) -> tuple[LearnedSource, ...]:
        """Every domain that something was counted of, the most moved first."""
        buckets = await self._rollups.read(_buckets(self._clock.now()))
        by_domain: dict[str, dict[str, int]] = {}
        for field, count in summed(buckets).items():
            kind, _, domain = field.partition(":")
            by_domain.setdefault(domain, {})[kind] = max(0, count)
        learned = [
            LearnedSource(domain=domain, shift=self._shift(counts), **counts)
            for domain, counts in by_domain.items()
            if any(counts.values())
        ]
        return tuple(sorted(learned, key=lambda one: (-abs(one.shift), one.domain)))

    def _shift(self, counts: Mapping[str, int]) -> float:
        """Between minus and plus the limit: 0 where nothing is known."""
        worth = 0.0
        for good, bad, share, doubt in _KINDS:
            for_it, against = counts.get(good, 0), counts.get(bad, 0)
            worth += share * (for_it - against) / (for_it + against + doubt)
        return round(self.limit * worth, 4)

    async def forget(self) -> None:
        """Forget everything that was learned."""
        await self._rollups.delete_buckets(_buckets(self._clock.now()))
        self._shifts = None

    async def forget_domain(self, domain: str) -> None:
        """Forget what was learned of one domain.

        Raises:
            NotFoundError: Nothing was.
        """
        names = _buckets(self._clock.now())
        found = await self._rollups.read(names)
        taken_back = {
            name: {field: -n for field, n in counts.items() if field.partition(":")[2] == domain}
            for name, counts in zip(names, found, strict=True)
        }
        sums = {name: fields for name, fields in taken_back.items() if any(fields.values())}
        if not sums:
            raise NotFoundError("source")
        await self._rollups.add(sums, ttl_s=WEEKS * _WEEK_S)
        self._shifts = None


class LearnedStandings:
    """Implements `Standings` by what a person said and what use taught.

    Args:
        personal: What persons said.
        learned: What use taught.
    """

    def __init__(self, personal: Standings, learned: LearnedTrust) -> None:
        self._personal = personal
        self._learned = learned

    async def of(self, caller: str) -> Standing:
        """How sources stand with one person."""
        return replace(await self._personal.of(caller), learned=await self._learned.shifts())


def _buckets(now: datetime) -> tuple[str, ...]:
    """Names of the weeks that count, the present one first."""
    week = int(now.timestamp()) // _WEEK_S
    return tuple(f"sources-{week - n}" for n in range(WEEKS))
