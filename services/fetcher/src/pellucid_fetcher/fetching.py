"""One page from request to outcome: cache, politeness, HTTP, extraction.

Decides the order of the steps and which may be used for what. A page that a person named is never
cached and never logged; whatever goes wrong with a page becomes its status.
"""

import asyncio
from dataclasses import dataclass, replace
from typing import Final

from pellucid_fetcher import sniffing
from pellucid_fetcher.cutting import cut_middle
from pellucid_fetcher.document import Document, Extracted
from pellucid_fetcher.egress.address import Target, parse
from pellucid_fetcher.egress.exemptions import Exemptions
from pellucid_fetcher.errors import FetchFault
from pellucid_fetcher.http_path import HttpPath, Trail
from pellucid_fetcher.outcome import FetchStatus, Method, Page, PageRequest, Purpose, Timings
from pellucid_fetcher.ports import Extractor, Observer, PageCache, RateLimit, Rendered, Renderer
from pellucid_fetcher.receiving import Intake
from pellucid_fetcher.robots_guard import RobotsGuard

_FLOOR_S: Final = 0.03  # not even the loopback answers in less
_BROWSER_FLOOR_S: Final = 1.5  # less time does not start a page
_EXTRACT_SHARE: Final = 0.1  # of the time is kept for extraction …
_EXTRACT_KEPT_S: Final = 0.5  # … but no more than this


@dataclass(frozen=True, slots=True)
class FetchPolicy:
    """Time limits in seconds: of a whole page, and of its extraction."""

    total_s: float = 10.0
    extract_s: float = 2.0


@dataclass(frozen=True, slots=True)
class Steps:
    """What a fetch is made of."""

    http: HttpPath
    extractor: Extractor
    cache: PageCache
    rate: RateLimit
    robots: RobotsGuard | None
    exemptions: Exemptions
    observer: Observer
    renderer: Renderer | None = None


@dataclass(slots=True)
class _Run:
    """One fetch under way."""

    request: PageRequest
    started: float
    ends: float
    trail: Trail
    wait_s: float = 0.0
    extract_s: float = 0.0
    browser_s: float = 0.0

    @property
    def left_s(self) -> float:
        return max(0.0, self.ends - _now())


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
        started = _now()
        ends = started + min(request.timeout_s, self._policy.total_s)
        run = _Run(request, started, ends, Trail())
        try:
            page = await self._read(run)
        except FetchFault as fault:
            page = _failed(run, fault)
        page = replace(page, timings=_timings(run))
        self._steps.observer.fetched(page, purpose=request.purpose.value)
        return page

    async def _read(self, run: _Run) -> Page:
        if run.left_s < _FLOOR_S:
            raise FetchFault(FetchStatus.DEADLINE)
        target = parse(run.request.url)
        if run.request.purpose is Purpose.USER_URL:
            return _shortened(await self._fresh(run), run.request)
        page = await self._steps.cache.get(target.href)
        if page is None:
            await self._be_polite(target, run)
            page = await self._fresh(run)
            if page.success:
                await self._steps.cache.put(target.href, page)
        else:
            page = replace(page, url=run.request.url, method=Method.CACHE)
        return _shortened(page, run.request)

    async def _be_polite(self, target: Target, run: _Run) -> None:
        """Keep the manners of an automated reader; hosts of the operator's own ask for none.

        Raises:
            FetchFault: ROBOTS_DENIED or RATE_LIMITED.
        """
        if self._steps.exemptions.covers(target):
            return
        started = _now()
        try:
            await self._consult_robots(target, run)
            await self._wait_for_turn(target, run)
        finally:
            run.wait_s += _now() - started

    async def _consult_robots(self, target: Target, run: _Run) -> None:
        robots = self._steps.robots
        if robots is not None and not await robots.allows(target, timeout_s=run.left_s / 2):
            raise FetchFault(FetchStatus.ROBOTS_DENIED)

    async def _wait_for_turn(self, target: Target, run: _Run) -> None:
        resting_s = await self._steps.rate.resting_s(target.host)
        if resting_s > 0:
            raise FetchFault(FetchStatus.RATE_LIMITED, retry_after_s=int(resting_s) + 1)
        wait_s = await self._steps.rate.wait_s(target.host)
        if wait_s > run.left_s / 2:
            raise FetchFault(FetchStatus.RATE_LIMITED, retry_after_s=int(wait_s) + 1)
        await asyncio.sleep(wait_s)

    async def _fresh(self, run: _Run) -> Page:
        kept_s = min(_EXTRACT_KEPT_S, run.left_s * _EXTRACT_SHARE)
        try:
            intake = await self._steps.http.read(
                run.request, run.trail, timeout_s=run.left_s - kept_s
            )
        except FetchFault as fault:
            return await self._after_fault(run, fault)
        extracted = await self._extract(run, intake)
        page = _assembled(run, intake, extracted, extracted.status)
        wanted = extracted.needs_script or page.status is FetchStatus.BLOCKED_BY_SITE
        return await self._rendered(run, page) if wanted else page

    async def _rendered(self, run: _Run, page: Page) -> Page:
        """Try the browser where it can help; without a better outcome the first one stands."""
        renderer = self._steps.renderer
        if renderer is None or run.request.internal_only or run.left_s < _BROWSER_FLOOR_S:
            return page
        started = _now()
        limit_s = run.left_s - min(_EXTRACT_KEPT_S, run.left_s * _EXTRACT_SHARE)
        try:
            rendered = await renderer.render(run.trail.final_url, timeout_s=limit_s)
            parse(rendered.url)
        except FetchFault:
            return page
        finally:
            run.browser_s += _now() - started
        return await self._after_browser(run, page, rendered)

    async def _after_browser(self, run: _Run, page: Page, rendered: Rendered) -> Page:
        intake = Intake.of_text(rendered.html)
        try:
            extracted = await self._extract(run, intake)
        except FetchFault:
            return page
        if extracted.status is not FetchStatus.OK or len(extracted.text) <= len(page.text):
            return page
        better = _assembled(run, intake, extracted, FetchStatus.OK)
        return replace(better, method=Method.BROWSER, final_url=rendered.url)

    async def _after_fault(self, run: _Run, fault: FetchFault) -> Page:
        """See what a failed transfer is still good for."""
        if fault.status is FetchStatus.RATE_LIMITED and run.trail.target is not None:
            await self._steps.rate.cool_down(run.trail.target.host, fault.retry_after_s)
        intake = run.trail.intake
        if intake is None or not intake.size or intake.kind == sniffing.BINARY:
            raise fault
        if fault.status is FetchStatus.TOTAL_TIMEOUT:
            extracted = await self._extract(run, intake)
            return _assembled(run, intake, extracted, fault.status)
        if run.trail.refused and await self._is_wall(run, intake):
            page = _failed(run, FetchFault(FetchStatus.BLOCKED_BY_SITE))
            return await self._rendered(run, page)
        raise fault

    async def _is_wall(self, run: _Run, intake: Intake) -> bool:
        try:
            return (await self._extract(run, intake)).status is FetchStatus.BLOCKED_BY_SITE
        except FetchFault:
            return False

    async def _extract(self, run: _Run, intake: Intake) -> Extracted:
        started = _now()
        document = Document(
            body=intake.body,
            url=run.trail.final_url,
            content_type=intake.kind or sniffing.sniff(intake.body, intake.declared),
            charset=sniffing.charset_parameter(intake.declared),
            truncated=intake.truncated,
        )
        try:
            limit_s = min(self._policy.extract_s, run.left_s)
            return await self._steps.extractor.extract(document, timeout_s=limit_s)
        finally:
            run.extract_s += _now() - started


def _assembled(run: _Run, intake: Intake, extracted: Extracted, status: FetchStatus) -> Page:
    noted = [
        word
        for word, holds in (("partial", intake.truncated), ("insecure_tls", run.trail.insecure))
        if holds
    ]
    page = Page(
        url=run.request.url,
        status=status,
        method=Method.HTTP,
        title=extracted.title,
        author=extracted.author,
        site_name=extracted.site_name,
        language=extracted.language,
        published=extracted.published,
        text=extracted.text,
        excerpt=extracted.excerpt,
        truncated=intake.truncated or extracted.truncated,
        content_type=intake.kind,
        charset=extracted.charset,
        quality=extracted.quality,
        page_type=extracted.page_type,
    )
    return _with_trail(page, run).warned(*extracted.warnings, *noted)


def _failed(run: _Run, fault: FetchFault) -> Page:
    page = Page(url=run.request.url, status=fault.status)
    wait_s = fault.retry_after_s or run.trail.retry_after_s
    return _with_trail(replace(page, retry_after_s=wait_s), run)


def _with_trail(page: Page, run: _Run) -> Page:
    trail, intake = run.trail, run.trail.intake
    return replace(
        page,
        final_url=trail.final_url,
        http_status=trail.http_status,
        redirects=tuple(trail.redirects),
        bytes_wire=intake.bytes_wire if intake is not None else 0,
        bytes_decoded=intake.size if intake is not None else 0,
    )


def _shortened(page: Page, request: PageRequest) -> Page:
    text, cut = cut_middle(page.text, request.max_chars)
    return replace(page, text=text, truncated=page.truncated or cut)


def _timings(run: _Run) -> Timings:
    return Timings(
        wait_ms=round(run.wait_s * 1000),
        dns_ms=round(run.trail.dns_s * 1000),
        http_ms=round(run.trail.http_s * 1000),
        browser_ms=round(run.browser_s * 1000),
        extract_ms=round(run.extract_s * 1000),
        total_ms=round((_now() - run.started) * 1000),
    )


def _now() -> float:
    return asyncio.get_running_loop().time()
