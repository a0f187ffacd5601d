"""One provider's answer to one query: from the cache, from work in progress, or by asking."""

import asyncio
import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import uuid4

from pellucid_runtime.clock import Clock
from pellucid_search.asking import answer_cache
from pellucid_search.asking.answer_cache import CachedAnswer
from pellucid_search.asking.background import Background
from pellucid_search.asking.desk import Desk
from pellucid_search.asking.flights import Flights
from pellucid_search.asking.leases import Lease, Leases
from pellucid_search.asking.write_behind import WriteBehind
from pellucid_search.errors import ProviderTimeoutError
from pellucid_search.query import ProviderQuery
from pellucid_search.reports import ProviderRun, ProviderStatus

# Somebody with this much more time than the one who asked may ask again after its timeout.
_WORTH_ASKING_S = 0.1
# A refresh in the background has this long.
_REFRESH_S = 3.0


@dataclass(frozen=True, slots=True)
class Errand:
    """One query as it is put to every provider of a plan.

    Attributes:
        query: What is asked, already redacted.
        index: Index into the request's queries.
        until: Time on the monotonic clock at which an answer is of no use any more.
        caller_hash: For the ledger.
        real_time: Values change within the day.
        bypass_cache: Ignore cached answers.
        longest_wait_s: Longest wait for a provider's limit; see `desk.Desk.ask`.
        latest: Time on the monotonic clock until which such a wait moves `until`; 0: it does not.
    """

    query: ProviderQuery
    index: int
    until: float
    caller_hash: str = ""
    real_time: bool = False
    bypass_cache: bool = False
    longest_wait_s: float = math.inf
    latest: float = 0.0

    def ends_at(self, run: ProviderRun, now: float) -> float:
        """Return when an answer is of no use any more, by how long a run has stood in line."""
        return max(self.until, min(self.latest, self.until + run.grace_s(now)))


@dataclass(slots=True)
class Answering:
    """Answers of all providers, cached and shared."""

    desks: Mapping[str, Desk]
    cache: WriteBehind
    clock: Clock
    background: Background
    generations: Mapping[str, "Generation"] = field(default_factory=dict)
    leases: Leases | None = None
    _lookups: Flights[CachedAnswer | None] = field(init=False, default_factory=Flights)
    _flights: Flights["_Flown"] = field(init=False, default_factory=Flights)
    _leaders: dict[str, ProviderRun] = field(init=False, default_factory=dict)

    def _key(self, provider: str, query: ProviderQuery) -> str:
        generation = self.generations.get(provider)
        suffix = f":{generation.stamp}" if generation else ""
        return answer_cache.cache_key(provider, query) + suffix

    async def recall(self, provider: str, errand: Errand) -> ProviderRun | None:
        """Return a cached answer that may be given now; starts a refresh when it is old."""
        if errand.bypass_cache:
            return None
        cached = await self._stored(provider, errand.query)
        now = self.clock.now()
        if cached is None or not cached.is_presentable(now):
            return None
        if not cached.is_fresh(now):
            self._refresh(provider, errand)
        return _from_cache(provider, errand.index, cached)

    async def ask(self, provider: str, errand: Errand, run: ProviderRun) -> None:
        """Ask a provider, or join in when the same is being asked; record in `run`.

        Who joins in waits no longer than its own time, and asks for itself when the other's time
        was too short.
        """
        key = self._key(provider, errand.query)
        while self._flights.is_airborne(key):
            flown = await self._joined(key, errand, run)
            if flown is None:
                return
            if not flown.was_too_short_for(errand):
                _share(flown.run, run)
                return
        self._leaders[key], run.leader = run, None
        try:
            await self._flights.join(key, lambda: self._fly(provider, errand, run))
        finally:
            self._forget_leader(key)

    async def _joined(self, key: str, errand: Errand, run: ProviderRun) -> "_Flown | None":
        """Return what is in progress; None, and a loss in `run`, when the time is up before.

        While the one who asks stands in line, so do those who joined in.
        """
        run.leader = self._leaders.get(key)
        riding = asyncio.create_task(self._flights.ride(key), name="ride")
        try:
            while (left_s := self._left_s(errand, run)) > 0:
                done, _ = await asyncio.wait({riding}, timeout=left_s)
                if done:
                    return riding.result()
        finally:
            riding.cancel()
            await asyncio.wait({riding})
            self._forget_leader(key)
        run.lose(ProviderStatus.FAILED, "no answer in time", code=ProviderTimeoutError.code)
        return None

    def _left_s(self, errand: Errand, run: ProviderRun) -> float:
        now = self.clock.monotonic()
        return errand.ends_at(run, now) - now

    def _forget_leader(self, key: str) -> None:
        if not self._flights.is_airborne(key):
            self._leaders.pop(key, None)

    async def rescue(self, provider: str, errand: Errand, run: ProviderRun) -> bool:
        """Fall back on an old answer after a failure; tell whether there was one."""
        cached = await self._stored(provider, errand.query)
        if cached is None or errand.bypass_cache:
            return False
        run.status, run.hits = ProviderStatus.CACHED, cached.hits
        run.detail = f"{run.detail}; an older answer was used"
        return True

    async def _fly(self, provider: str, errand: Errand, run: ProviderRun) -> "_Flown":
        """Ask, unless another replica is asking the same and its answer arrives.

        The lease ends when others can read the answer; nobody waits for either.
        """
        flown = _Flown(run, errand.until)
        if self.leases is None or errand.bypass_cache:
            await self._ask_desk(provider, errand, run)
            await self._keep(provider, errand, run)
            return flown
        key = self._key(provider, errand.query)
        lease = self.leases.wish(key)
        try:
            async for _ in lease.turns(errand.until):
                cached = await self._read(key)
                if cached is not None and cached.is_fresh(self.clock.now()):
                    run.status, run.hits = ProviderStatus.CACHED, cached.hits
                    return flown
            await self._ask_desk(provider, errand, run)
        finally:
            await self._keep(provider, errand, run, lease)
        return flown

    async def _ask_desk(self, provider: str, errand: Errand, run: ProviderRun) -> None:
        await self.desks[provider].ask(
            errand.query,
            run,
            until=errand.until,
            latest=errand.latest,
            longest_wait_s=errand.longest_wait_s,
            caller_hash=errand.caller_hash,
        )

    async def _keep(
        self, provider: str, errand: Errand, run: ProviderRun, lease: Lease | None = None
    ) -> None:
        """Keep a new answer, then end the lease; in the background."""
        if run.status is not ProviderStatus.OK:
            if lease is not None and not self.background.start(lease.release()):
                await lease.release()
            return
        ttl_s = answer_cache.time_to_live_s(
            errand.query, real_time=errand.real_time, found=len(run.hits)
        )
        answer = CachedAnswer(run.hits, self.clock.now(), ttl_s)
        keep_s = ttl_s + (answer_cache.STALE_ON_ERROR_S if run.hits else 0.0)
        key = self._key(provider, errand.query)
        after = lease.release if lease else None
        await self.cache.set(key, answer_cache.encode(answer), ttl_s=keep_s, after=after)

    async def _stored(self, provider: str, query: ProviderQuery) -> CachedAnswer | None:
        key = self._key(provider, query)
        return await self._lookups.join(key, lambda: self._read(key))

    async def _read(self, key: str) -> CachedAnswer | None:
        stored = await self.cache.get(key)
        if stored is None:
            return None
        answer = answer_cache.decode(stored)
        if answer is None:
            await self.cache.delete(key)
        return answer

    def _refresh(self, provider: str, errand: Errand) -> None:
        if self._flights.is_airborne(self._key(provider, errand.query)):
            return
        until = self.clock.monotonic() + _REFRESH_S
        fresh = Errand(errand.query, errand.index, until, real_time=errand.real_time)
        self.background.start(self.ask(provider, fresh, ProviderRun(provider, errand.index)))


@dataclass(frozen=True, slots=True)
class _Flown:
    """Work in progress or done, and until when the one who began it wanted it."""

    run: ProviderRun
    until: float

    def was_too_short_for(self, errand: Errand) -> bool:
        """Its time was up, and the other has more."""
        late = self.run.error_code == ProviderTimeoutError.code
        return late and errand.until - self.until > _WORTH_ASKING_S


@dataclass(slots=True)
class Generation:
    """Name of a provider's present stock; answers of another stock are not used.

    Until the stock is known the name is one that nobody else has.
    """

    stamp: str = field(default_factory=lambda: uuid4().hex)


def _from_cache(provider: str, index: int, cached: CachedAnswer) -> ProviderRun:
    return ProviderRun(provider, index, status=ProviderStatus.CACHED, hits=cached.hits)


def _share(shared: ProviderRun, run: ProviderRun) -> None:
    """Take over another caller's outcome; its calls and costs stay that caller's."""
    twin = copy.copy(shared)
    run.status = ProviderStatus.CACHED if twin.answered else twin.status
    run.hits, run.error_code, run.detail, run.lost = (
        twin.hits, twin.error_code, twin.detail, twin.lost,
    )  # fmt: skip
    run.latency_s, run.retry_after_s = twin.latency_s, twin.retry_after_s
