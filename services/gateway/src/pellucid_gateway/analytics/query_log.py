"""The operator's query log: what was searched for, counted by day, shown only when several asked.

Queries are kept as they left, redacted. Who asked is known only as hashes, and no more than three
of them: enough to know that a query is nobody's alone. Where one person alone asks anything, all is
theirs, and is shown.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from pellucid_gateway.analytics.rollups import day_of, last_days, summed
from pellucid_gateway.domain.citation import Citation
from pellucid_gateway.domain.events import TurnResult
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.domain.search_outcome import SearchOutcome
from pellucid_gateway.domain.shelf import Shelf
from pellucid_gateway.domain.state_ports import Entry, Records, Rollups

# A query that fewer asked is shown to nobody, where several people ask.
LEAST_ASKERS = 3
# Queries and domains that this process begins to count on one day; the rest goes uncounted.
MOST_PER_DAY = 5_000
_HINDRANCES = frozenset({"search", "scorer", "budget", "deadline"})
_OWNER = "query-log"
_OWN = "asked"
_ASKERS = "askers"
_SEVERAL = 2
_MOST_TEXTS = 20_000
_MOST_ASKED = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuery:
    """One query of the report: how often, and how relevant its results were (None: unrated)."""

    query: str
    count: int
    average_relevance: float | None


class QueryLog:
    """Counts queries and cited domains.

    Args:
        records: Texts and askers.
        rollups: Counts.
        ttl_s: How long, at most 30 days.
    """

    def __init__(self, records: Records, rollups: Rollups, ttl_s: float) -> None:
        self._records = records
        self._rollups = rollups
        self._ttl_s = ttl_s
        self._texts = Shelf(records, "text", ttl_s, _MOST_TEXTS, frozenset({"query"}))
        self._day = ""
        self._begun: set[str] = set()

    async def note(self, caller: str, at: datetime, ended: TurnResult | SearchOutcome) -> None:
        """Count what a search asked and what its answer cited."""
        text = next(iter(ended.searched), "")
        query = " ".join(text.casefold().split())
        digest = hashlib.sha256(query.encode()).hexdigest()[:24]
        if not query or not self._may_begin(day_of(at), digest):
            return
        counts = {digest: 1, **_relevance(digest, ended)}
        sums: dict[str, Mapping[str, int]] = {f"queries-{day_of(at)}": counts}
        domains = _cited_domains(ended)
        if domains:
            sums[f"domains-{day_of(at)}"] = domains
        await self._rollups.add(sums, ttl_s=self._ttl_s)
        await self._remember(caller, digest, query)

    async def _remember(self, caller: str, digest: str, query: str) -> None:
        who, mine = Entry(caller, b"1"), Entry(digest, b"1")
        ttl_s = self._ttl_s
        await self._texts.put(_OWNER, digest, {"query": query})
        await self._records.put(_OWNER, f"who-{digest}", who, ttl_s=ttl_s, most=LEAST_ASKERS)
        await self._records.put(caller, _OWN, mine, ttl_s=ttl_s, most=_MOST_ASKED)
        await self._records.put(_OWNER, _ASKERS, who, ttl_s=ttl_s, most=_SEVERAL)

    async def forget(self, caller: str) -> None:
        """Take a person out of those who asked."""
        for entry in await self._records.newest(caller, _OWN, _MOST_ASKED):
            await self._records.delete(_OWNER, f"who-{entry.id}", caller)
        await self._records.delete(_OWNER, _ASKERS, caller)

    async def least_askers(self) -> int:
        """How many people must have asked a query that is shown."""
        askers = await self._records.newest(_OWNER, _ASKERS, _SEVERAL)
        return LEAST_ASKERS if len(askers) >= _SEVERAL else 1

    async def most_asked(self, now: datetime, days: int, most: int) -> Sequence[AskedQuery]:
        """Queries that enough people asked, most asked first; see `least_askers`."""
        least = await self.least_askers()
        counts = summed(await self._rollups.read([f"queries-{d}" for d in last_days(now, days)]))
        digests = sorted((d for d in counts if "." not in d), key=lambda d: -counts[d])
        found: list[AskedQuery] = []
        for digest in digests:
            if counts[digest] < least or len(found) == most:
                break
            asked = await self._shown(digest, counts, least)
            found += [asked] if asked else []
        return found

    async def _shown(self, digest: str, counts: Mapping[str, int], least: int) -> AskedQuery | None:
        who = await self._records.newest(_OWNER, f"who-{digest}", least)
        text = await self._texts.get(_OWNER, digest)
        if len(who) < least or text is None:
            return None
        rated = counts.get(f"{digest}.n", 0)
        relevance = counts.get(f"{digest}.milli", 0) / 1000 / rated if rated else None
        query = str(text["query"])
        return AskedQuery(query=query, count=counts[digest], average_relevance=relevance)

    async def most_cited(self, now: datetime, days: int, most: int) -> list[tuple[str, int]]:
        """Domains by citations, most cited first."""
        counts = summed(await self._rollups.read([f"domains-{d}" for d in last_days(now, days)]))
        return counts.most_common(most)

    def _may_begin(self, day: str, digest: str) -> bool:
        if day != self._day:
            self._day, self._begun = day, set()
        if len(self._begun) < MOST_PER_DAY:
            self._begun.add(digest)
        return digest in self._begun


def _relevance(digest: str, ended: TurnResult | SearchOutcome) -> dict[str, int]:
    sources: Sequence[Source] = ended.sources if isinstance(ended, TurnResult) else ended.results
    found = [source for source in sources if not source.user_supplied]
    rated = [source.relevance for source in found if source.relevance is not None]
    if not found and not _was_hindered(ended):
        rated = [0.0]  # nothing that was found fits: as low as it gets
    if not rated:
        return {}
    return {f"{digest}.n": len(rated), f"{digest}.milli": round(1000 * sum(rated))}


def _was_hindered(ended: TurnResult | SearchOutcome) -> bool:
    """Nothing may have been found because a part was lost."""
    return any(lost.component in _HINDRANCES for lost in ended.degraded)


def _cited_domains(ended: TurnResult | SearchOutcome) -> Counter[str]:
    """Domains of cited sources; those that a person named are not counted."""
    if not isinstance(ended, TurnResult):
        return Counter()
    domains = {s.n: s.domain for s in ended.sources if not s.user_supplied}
    cited: Sequence[Citation] = ended.citations
    return Counter(domains[c.source] for c in cited if c.source in domains)
