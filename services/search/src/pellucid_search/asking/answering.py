"""One provider's answer to one query: from the cache, from work in progress, or by asking."""

import asyncio
import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import uuid4

from pellucid_runtime.clock import Clock
from pellucid_runtime.store_guard import Background
from pellucid_search.asking import answer_cache
from pellucid_search.asking.answer_cache import CachedAnswer
from pellucid_search.asking.flights import Flights
from pellucid_search.asking.leases import Lease, Leases
from pellucid_search.asking.provider_client import ProviderClient
from pellucid_search.asking.provider_request import ProviderRequest
from pellucid_search.asking.write_behind import WriteBehind
from pellucid_search.errors import ProviderTimeoutError
from pellucid_search.query import ProviderQuery
from pellucid_search.reports import ProviderRun, ProviderStatus

# Somebody with this much more time than the one who asked may ask again after its timeout.
_WORTH_ASKING_S = 0.1
# A refresh in the background has this long.
_REFRESH_S = 3.0


@dataclass(slots=True)
class Answering:
    """Answers of all providers, cached and shared."""

    provider_clients: Mapping[str, ProviderClient]
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

    async def recall(self, provider: str, request: ProviderRequest) -> ProviderRun | None:
        """Return a cached answer that may be given now; starts a refresh when it is old."""
        if request.bypass_cache:
            return None
        cached = await self._stored(provider, request.query)
        now = self.clock.now()
        if cached is None or not cached.is_presentable(now):
            return None
        if not cached.is_fresh(now):
            self._refresh(provider, request)
        return _from_cache(provider, request.index, cached)

    async def ask(self, provider: str, request: ProviderRequest, run: ProviderRun) -> None:
        """Ask a provider, or join in when the same is being asked; record in `run`.

        Who joins in waits no longer than its own time, and asks for itself when the other's time
        was too short.
        """
        key = self._key(provider, request.query)
        while self._flights.is_airborne(key):
            flown = await self._joined(key, request, run)
            if flown is None:
                return
            if not flown.was_too_short_for(request):
                _share(flown.run, run)
                return
        self._leaders[key], run.leader = run, None
        try:
            await self._flights.join(key, lambda: self._fly(provider, request, run))
        finally:
            self._forget_leader(key)

    async def _joined(
        self, key: str, request: ProviderRequest, run: ProviderRun
    ) -> "_Flown | None":
        """Return what is in progress; None, and a loss in `run`, when the time is up before.

        While the one who asks stands in line, so do those who joined in.
        """
        run.leader = self._leaders.get(key)
        try:
            with self._flights.aboard(key) as flight:
                while (left_s := self._left_s(request, run)) > 0:
                    done, _ = await asyncio.wait({flight}, timeout=left_s)
                    if done:
                        return flight.result()
        finally:
            self._forget_leader(key)
        run.lose(ProviderStatus.FAILED, "no answer in time", code=ProviderTimeoutError.code)
        return None

    def _left_s(self, request: ProviderRequest, run: ProviderRun) -> float:
        now = self.clock.monotonic()
        return request.ends_at(run, now) - now

    def _forget_leader(self, key: str) -> None:
        if not self._flights.is_airborne(key):
            self._leaders.pop(key, None)

    async def rescue(self, provider: str, request: ProviderRequest, run: ProviderRun) -> bool:
        """Fall back on an old answer after a failure; tell whether there was one."""
        cached = await self._stored(provider, request.query)
        if cached is None or request.bypass_cache:
            return False
        run.status, run.hits = ProviderStatus.CACHED, cached.hits
        run.detail = f"{run.detail}; an older answer was used"
        return True

    async def _fly(self, provider: str, request: ProviderRequest, run: ProviderRun) -> "_Flown":
        """Ask, unless another replica is asking the same and its answer arrives.

        The lease ends when others can read the answer; nobody waits for either.
        """
        flown = _Flown(run, request.until)
        if self.leases is None or request.bypass_cache:
            await self.provider_clients[provider].ask(request, run)
            await self._keep(provider, request, run)
            return flown
        key = self._key(provider, request.query)
        lease = self.leases.wish(key)
        try:
            async for _ in lease.turns(request.until):
                cached = await self._read(key)
                if cached is not None and cached.is_fresh(self.clock.now()):
                    run.status, run.hits = ProviderStatus.CACHED, cached.hits
                    return flown
            await self.provider_clients[provider].ask(request, run)
        finally:
            await self._keep(provider, request, run, lease)
        return flown

    async def _keep(
        self,
        provider: str,
        request: ProviderRequest,
        run: ProviderRun,
        lease: Lease | None = None,
    ) -> None:
        """Keep a new answer, then end the lease; in the background."""
        if run.status is not ProviderStatus.OK:
            if lease is not None and not self.background.start(lease.release()):
                await lease.release()
            return
        ttl_s = answer_cache.time_to_live_s(
            request.query, real_time=request.real_time, found=len(run.hits)
        )
        answer = CachedAnswer(run.hits, self.clock.now(), ttl_s)
        keep_s = ttl_s + (answer_cache.STALE_ON_ERROR_S if run.hits else 0.0)
        key = self._key(provider, request.query)
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

    def _refresh(self, provider: str, request: ProviderRequest) -> None:
        if self._flights.is_airborne(self._key(provider, request.query)):
            return
        until = self.clock.monotonic() + _REFRESH_S
        fresh = ProviderRequest(
            request.query,
            request.index,
            until,
            real_time=request.real_time,
        )
        self.background.start(self.ask(provider, fresh, ProviderRun(provider, request.index)))


@dataclass(frozen=True, slots=True)
class _Flown:
    """Work in progress or done, and until when the one who began it wanted it."""

    run: ProviderRun
    until: float

    def was_too_short_for(self, request: ProviderRequest) -> bool:
        """Its time was up, and the other has more."""
        late = self.run.error_code == ProviderTimeoutError.code
        return late and request.until - self.until > _WORTH_ASKING_S


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
