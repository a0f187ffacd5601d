"""One page from request to outcome: cache, one fetch at a time, manners, then the chain.

Decides what may be kept and shared. A page that a person named is never cached, never shared and
never logged; whatever goes wrong with a page becomes its status.
"""

import asyncio
from dataclasses import dataclass, replace
from typing import Final

from pellucid_fetcher.egress.address import Target, host_in, parse
from pellucid_fetcher.egress.exemptions import Exemptions
from pellucid_fetcher.errors import FetchFault
from pellucid_fetcher.outcome import FetchStatus, Method, Page, PageRequest, Purpose
from pellucid_fetcher.politeness.flights import Flights
from pellucid_fetcher.politeness.robots_guard import RobotsGuard
from pellucid_fetcher.politeness.track_record import TrackRecord
from pellucid_fetcher.ports import Observer, PageCache, RateLimit
from pellucid_fetcher.strategies.assembling import Run, failed, shortened, timings
from pellucid_fetcher.strategies.chain import Chain
from pellucid_fetcher.strategies.http_path import now

_FLOOR_S: Final = 0.03  # not even the loopback answers in less


@dataclass(frozen=True, slots=True)
class FetchPolicy:
    """Time limits of a page in seconds: over plain HTTP, and by all ways together."""

    http_s: float = 10.0
    whole_s: float = 15.0


@dataclass(frozen=True, slots=True)
class Steps:
    """What a fetch is made of."""

    chain: Chain
    cache: PageCache
    flights: Flights
    rate: RateLimit
    robots: RobotsGuard | None
    exemptions: Exemptions
    record: TrackRecord
    observer: Observer


class PageFetcher:
    """Reads pages; never raises for a bad one.

    Args:
        steps: What it is made of.
        policy: Time limits.
    """

    def __init__(self, steps: Steps, policy: FetchPolicy) -> None:
        self._steps = steps
        self._policy = policy

    async def fetch(self, request: PageRequest) -> Page:
        """Read one page.

        Returns:
            The page or why there is none, at the latest when its time is over.
        """
        started = now()
        run = Run(
            request,
            started,
            http_ends=started + self._policy.http_s,
            ends=started + min(request.timeout_s, self._policy.whole_s),
        )
        try:
            page = await self._read(run)
        except FetchFault as fault:
            page = failed(run, fault)
        page = replace(shortened(page, request), timings=timings(run))
        self._steps.observer(page, purpose=request.purpose.value)
        return page

    def reliability(self, request: PageRequest) -> float:
        """Return how often pages of this host could be read, 0 to 1; 0.5 when nothing is known."""
        host = host_in(request.url)
        return self._steps.record.reliability(host) if host else 0.0

    async def _read(self, run: Run) -> Page:
        if run.left_s < _FLOOR_S:
            raise FetchFault(FetchStatus.DEADLINE)
        if run.request.content is not None:
            return await self._steps.chain.read_given(run, run.request.content)
        target = parse(run.request.url)
        if run.request.purpose is Purpose.USER_URL:
            return await self._steps.chain.read(run, target)
        page = await self._search_result(target, run)
        return replace(page, host_reliability=self._steps.record.reliability(target.host))

    async def _search_result(self, target: Target, run: Run) -> Page:
        name = _kept_as(target, run)
        if (kept := await self._steps.cache.get(name)) is not None:
            return _as_kept(kept, run)
        # What may only be asked inside must not decide for those who may ask outside.
        inside = "inside " if run.request.internal_only else ""
        page, shared = await self._steps.flights.share(
            f"{inside}{name}",
            ends=run.ends,
            look=lambda: self._steps.cache.get(name),
            read=lambda: self._read_and_keep(target, run),
        )
        return _as_kept(page, run) if shared else page

    async def _read_and_keep(self, target: Target, run: Run) -> Page:
        try:
            await self._be_polite(target, run)
            page = await self._steps.chain.read(run, target)
        except FetchFault as fault:
            page = failed(run, fault)
        self._steps.record.note(target.host, page.status)
        if page.success or page.http_status:
            self._steps.cache.put(_kept_as(target, run), page)
        return page

    async def _be_polite(self, target: Target, run: Run) -> None:
        """Keep the manners of an automated reader; hosts of the operator's own ask for none.

        Raises:
            FetchFault: ROBOTS_DENIED or RATE_LIMITED.
        """
        if self._steps.exemptions.covers(target):
            return
        started = now()
        try:
            await self._consult_robots(target, run)
            await self._wait_for_turn(target, run)
        finally:
            run.wait_s += now() - started

    async def _consult_robots(self, target: Target, run: Run) -> None:
        robots = self._steps.robots
        if robots is not None and not await robots.allows(target, timeout_s=run.left_s / 2):
            raise FetchFault(FetchStatus.ROBOTS_DENIED)

    async def _wait_for_turn(self, target: Target, run: Run) -> None:
        turn = await self._steps.rate.take(target.host, max_wait_s=run.left_s / 2)
        if not turn.taken:
            raise FetchFault(FetchStatus.RATE_LIMITED, retry_after_s=int(turn.wait_s) + 1)
        await asyncio.sleep(turn.wait_s)


def _as_kept(page: Page, run: Run) -> Page:
    """Return a page that was read for somebody else."""
    method = Method.CACHE if page.success else page.method
    return replace(page, url=run.request.url, method=method)


def _kept_as(target: Target, run: Run) -> str:
    """Return what a page is kept under: with its links it is another text."""
    return f"{target.href} with links" if run.request.links else target.href
