"""The ways to a page, in order: plain HTTP, the browser, a reader service, an archive.

Decides when the next way is worth its time and what an earlier, failed one is still good for. The
cache and the manners stand before it (``fetching``).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from pellucid_fetcher.document import Document, Extracted
from pellucid_fetcher.egress.address import Target, parse
from pellucid_fetcher.egress.exemptions import Exemptions
from pellucid_fetcher.errors import FetchFault, RefusedError
from pellucid_fetcher.extraction.reading import sniffing
from pellucid_fetcher.outcome import DateOrigin, FetchStatus, Method, Page, PublishedDate, Purpose
from pellucid_fetcher.ports import Extractor, RateLimit, Rendered, Renderer
from pellucid_fetcher.sites.port import SitePage, SiteReader
from pellucid_fetcher.strategies.assembling import Run, assembled, failed
from pellucid_fetcher.strategies.http_path import HttpPath, now
from pellucid_fetcher.strategies.receiving import BodyCaps, Intake
from pellucid_fetcher.strategies.site_way import document_of, knower, site_page
from pellucid_fetcher.strategies.third_parties import Copy, ThirdParty

_BROWSER_FLOOR_S: Final = 1.5  # less time does not start a page
_THIRD_PARTY_FLOOR_S: Final = 0.5
_EXTRACT_SHARE: Final = 0.1  # of the time is kept for extraction …
_EXTRACT_KEPT_S: Final = 0.5  # … but no more than this
_TOLD_TRUST: Final = 0.95
_HTTP_OK: Final = 200
_MOST_LED: Final = 3  # pages that lead on one after the other
_BARE_CHARS: Final = 80
_DEFAULT_REST_S: Final = 5.0  # for a host that asks for a rest without saying how long


@dataclass(frozen=True, slots=True)
class Ways:
    """What the chain is made of.

    Attributes:
        http: The first way.
        extractor: Turns bodies into text.
        rate: Told when a host asks for a rest; asked for turns at third parties.
        exemptions: Hosts inside the network; no third party hears of them.
        renderer: A browser, when there is one.
        third_parties: In the order in which they are asked.
        sites: Readers of single sites.
    """

    http: HttpPath
    extractor: Extractor
    rate: RateLimit
    exemptions: Exemptions
    renderer: Renderer | None = None
    third_parties: Sequence[ThirdParty] = ()
    sites: Sequence[SiteReader] = ()


class Chain:
    """Reads a page afresh.

    Args:
        ways: What it is made of.
    """

    def __init__(self, ways: Ways) -> None:
        self._ways = ways

    async def read(self, run: Run, target: Target) -> Page:
        """Read the page by whichever way leads to it; never raises for a bad one.

        Args:
            run: The fetch.
            target: Its address.
        """
        # Nobody else hears of what is inside the network.
        is_inside = run.request.internal_only or self._ways.exemptions.covers(target)
        found = None if is_inside else await self._from_site(run, target)
        if found is not None:
            return found
        try:
            page = await self._over_http(run)
        except FetchFault as fault:
            page = failed(run, fault)
        return page if page.success or is_inside else await self._by_others(run, target, page)

    async def read_given(self, run: Run, content: bytes) -> Page:
        """Read a document that somebody handed over; nothing is fetched for it.

        Raises:
            FetchFault: It outlasted its time.
        """
        url = run.request.url
        intake = Intake(BodyCaps(), url, kind=sniffing.sniff(content, "", url))
        extracted = await self._extract(run, Document(content, url, intake.kind))
        page = assembled(run, intake, extracted, extracted.status)
        return replace(page, method=Method.NONE)

    async def _from_site(self, run: Run, target: Target) -> Page | None:
        """Read the page from what its site offers programs; nothing when that is not possible."""
        known = knower(self._ways.sites, target.href)
        if known is None:
            return None
        started = now()
        try:
            await self._take_turn(run, target.host, parse(known[1][0]).host)
            limit_s = run.http_left_s
            told = await site_page(*known, target.href, self._ways.http, timeout_s=limit_s)
            document = document_of(told, target.href, links=run.request.links)
            extracted = await self._extract(run, document)
        except FetchFault:
            return None
        finally:
            run.trail.http_s += now() - started
        return _told(run, target.href, told, extracted) if extracted.text else None

    async def _take_turn(self, run: Run, taken: str, host: str) -> None:
        """Ask for a turn at another host than the page's own, for a search result.

        Raises:
            FetchFault: RATE_LIMITED; there is none right now.
        """
        if run.request.purpose is Purpose.SEARCH_RESULT and host != taken:
            turn = await self._ways.rate.take(host, max_wait_s=0.0)
            if not turn.taken:
                raise FetchFault(FetchStatus.RATE_LIMITED)

    async def _over_http(self, run: Run) -> Page:
        kept_s = min(_EXTRACT_KEPT_S, run.http_left_s * _EXTRACT_SHARE)
        limit_s = run.http_left_s - kept_s
        try:
            intake = await self._ways.http.read(run.request, run.trail, timeout_s=limit_s)
        except FetchFault as fault:
            return await self._after_fault(run, fault)
        extracted = await self._extract(run, _document(run, intake))
        intake, extracted = await self._led_on(run, intake, extracted)
        page = assembled(run, intake, extracted, extracted.status)
        wanted = extracted.needs_script or page.status is FetchStatus.BLOCKED_BY_SITE
        wanted |= _is_bare(intake, extracted)
        return await self._rendered(run, page) if wanted else page

    async def _led_on(
        self, run: Run, intake: Intake, extracted: Extracted
    ) -> tuple[Intake, Extracted]:
        """Read on where a page without text of its own leads.

        Raises:
            FetchFault: What it leads to could not be read.
        """
        for _ in range(_MOST_LED):
            if not extracted.leads_to or extracted.leads_to in run.trail.redirects:
                break
            title = extracted.title
            limit_s = run.http_left_s * (1 - _EXTRACT_SHARE)
            intake = await self._ways.http.follow(extracted.leads_to, run.trail, timeout_s=limit_s)
            extracted = await self._extract(run, _document(run, intake))
            extracted = replace(extracted, title=extracted.title or title)
        return intake, extracted

    async def _after_fault(self, run: Run, fault: FetchFault) -> Page:
        """See what a failed transfer is still good for."""
        trail = run.trail
        asks_for_rest = fault.status is FetchStatus.RATE_LIMITED or fault.retry_after_s
        if asks_for_rest and trail.target is not None:
            seconds = fault.retry_after_s or _DEFAULT_REST_S
            await self._ways.rate.cool_down(trail.target.host, seconds)
        intake = trail.intake
        if intake is None or not intake.size or intake.kind == sniffing.BINARY:
            raise fault
        if fault.status is FetchStatus.TOTAL_TIMEOUT:
            extracted = await self._extract(run, _document(run, intake))
            return assembled(run, intake, extracted, fault.status)
        if trail.refused and await self._is_wall(run, intake):
            page = failed(run, FetchFault(FetchStatus.BLOCKED_BY_SITE))
            return await self._rendered(run, page)
        raise fault

    async def _is_wall(self, run: Run, intake: Intake) -> bool:
        try:
            extracted = await self._extract(run, _document(run, intake))
        except FetchFault:
            return False
        return extracted.status is FetchStatus.BLOCKED_BY_SITE

    async def _rendered(self, run: Run, page: Page) -> Page:
        """Try the browser where it can help; without a better outcome the first one stands."""
        renderer = self._ways.renderer
        if renderer is None or run.request.internal_only or run.left_s < _BROWSER_FLOOR_S:
            return page
        started = now()
        limit_s = run.left_s - min(_EXTRACT_KEPT_S, run.left_s * _EXTRACT_SHARE)
        try:
            rendered = await renderer.render(
                run.trail.final_url, run.trail.reach, timeout_s=limit_s
            )
            await self._require_allowed(run, rendered)
        except RefusedError:
            return failed(run, FetchFault(FetchStatus.BLOCKED_TARGET))
        except FetchFault:
            return page
        finally:
            run.browser_s += now() - started
        return await self._after_browser(run, page, rendered)

    async def _require_allowed(self, run: Run, rendered: Rendered) -> None:
        """Ask the gate about the place where scripts have led; its bytes went past it already.

        Raises:
            RefusedError: They led where nothing may be asked, so what is shown is a refusal.
            FetchFault: The place does not exist.
        """
        if rendered.url != run.trail.final_url:
            await self._ways.http.admit(rendered.url, run.trail.reach)

    async def _after_browser(self, run: Run, page: Page, rendered: Rendered) -> Page:
        intake = Intake.of_text(rendered.html)
        try:
            extracted = await self._extract(run, _document(run, intake))
        except FetchFault:
            return page
        if extracted.status is not FetchStatus.OK or len(extracted.text) <= len(page.text):
            return page
        better = assembled(run, intake, extracted, FetchStatus.OK)
        return replace(
            better,
            method=Method.BROWSER,
            final_url=rendered.url,
            http_status=rendered.http_status or better.http_status,
        )

    async def _by_others(self, run: Run, target: Target, page: Page) -> Page:
        """Ask third parties, where each may be asked; without a copy the outcome stands."""
        for party in self._ways.third_parties:
            if run.left_s >= _THIRD_PARTY_FLOOR_S and party.helps(run.request, page):
                found = await self._from(party, target.href, run)
                if found is not None:
                    return found
        return page

    async def _from(self, party: ThirdParty, href: str, run: Run) -> Page | None:
        turn = await self._ways.rate.take(party.host, max_wait_s=0.0)
        if not turn.taken:
            return None
        started = now()
        try:
            copy = await party.copy(href, self._ways.http, timeout_s=run.left_s * 0.9)
            extracted = await self._extract(run, copy.document)
        except FetchFault:
            return None
        finally:
            run.trail.http_s += now() - started
        return _copied(run, party, copy, extracted) if extracted.status is FetchStatus.OK else None

    async def _extract(self, run: Run, document: Document) -> Extracted:
        started = now()
        try:
            return await self._ways.extractor.extract(document, timeout_s=run.left_s)
        finally:
            run.extract_s += now() - started


def _is_bare(intake: Intake, extracted: Extracted) -> bool:
    """Tell pages with scripts and next to no text: a heading, "Loading …", a menu."""
    html = intake.kind == sniffing.HTML and b"<script" in intake.body
    return html and not extracted.warnings and len(extracted.text) < _BARE_CHARS


def _document(run: Run, intake: Intake) -> Document:
    return Document(
        body=intake.body,
        url=run.trail.final_url,
        content_type=intake.kind or sniffing.sniff(intake.body, intake.declared),
        charset=sniffing.charset_parameter(intake.declared),
        links=run.request.links,
    )


def _told(run: Run, href: str, told: SitePage, extracted: Extracted) -> Page:
    intake = Intake.of_text("")
    page = assembled(run, intake, extracted, FetchStatus.OK)
    moment = told.published
    published = PublishedDate(moment, DateOrigin.META, _TOLD_TRUST) if moment else None
    return replace(
        page,
        final_url=href,
        http_status=_HTTP_OK,
        title=told.title or page.title,
        author=told.author,
        published=published,
    )


def _copied(run: Run, party: ThirdParty, copy: Copy, extracted: Extracted) -> Page:
    intake = Intake.of_text("")
    intake.kind = copy.document.content_type
    intake.truncated = copy.truncated
    page = assembled(run, intake, extracted, FetchStatus.OK)
    return replace(
        page, method=party.method, final_url=copy.url, title=copy.title or page.title, redirects=()
    )
