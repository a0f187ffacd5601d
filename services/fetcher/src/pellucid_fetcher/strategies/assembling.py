"""One fetch under way, and the page that becomes of it."""

from dataclasses import dataclass, field, replace
from typing import Final

from pellucid_fetcher.document import Extracted
from pellucid_fetcher.errors import FetchFault
from pellucid_fetcher.outcome import FetchStatus, Method, Page, PageRequest, Timings
from pellucid_fetcher.strategies.cutting import cut_middle, part_from
from pellucid_fetcher.strategies.http_path import Trail, now
from pellucid_fetcher.strategies.receiving import Intake

# Warnings of pages that were sent as good ones and are none.
_NOT_THE_PAGE: Final = frozenset({"soft_404", "consent_page", "login_wall"})


@dataclass(slots=True)
class Run:
    """One fetch under way.

    Attributes:
        request: What was asked for.
        started: Time of the event loop.
        http_ends: When plain HTTP has to be done, on the same clock.
        ends: When everything has to be done.
        trail: What HTTP has found so far.
        wait_s: Spent on manners.
        extract_s: Spent on extraction.
        browser_s: Spent in the browser.
    """

    request: PageRequest
    started: float
    http_ends: float
    ends: float
    trail: Trail = field(default_factory=Trail)
    wait_s: float = 0.0
    extract_s: float = 0.0
    browser_s: float = 0.0

    @property
    def left_s(self) -> float:
        """Seconds until everything has to be done."""
        return max(0.0, self.ends - now())

    @property
    def http_left_s(self) -> float:
        """Seconds until plain HTTP has to be done."""
        return max(0.0, min(self.http_ends, self.ends) - now())


def assembled(run: Run, intake: Intake, extracted: Extracted, status: FetchStatus) -> Page:
    """Put a page together from what was transferred and what was extracted."""
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
        reason=extracted.reason,
    )
    return with_trail(page, run).warned(*extracted.warnings, *_noted(run, intake, extracted))


def _noted(run: Run, intake: Intake, extracted: Extracted) -> list[str]:
    words = {
        "partial": intake.truncated,
        "insecure_tls": run.trail.insecure,
        "soft_error": not _NOT_THE_PAGE.isdisjoint(extracted.warnings),
    }
    return [word for word, holds in words.items() if holds]


def failed(run: Run, fault: FetchFault) -> Page:
    """Say why there is no page."""
    wait_s = fault.retry_after_s or run.trail.retry_after_s
    page = Page(url=run.request.url, status=fault.status, retry_after_s=wait_s, reason=fault.detail)
    return with_trail(page, run)


def with_trail(page: Page, run: Run) -> Page:
    """Add what HTTP has found on the way."""
    trail, intake = run.trail, run.trail.intake
    return replace(
        page,
        final_url=trail.final_url,
        http_status=trail.http_status,
        redirects=tuple(trail.redirects),
        bytes_wire=intake.bytes_wire if intake is not None else 0,
        bytes_decoded=intake.size if intake is not None else 0,
    )


def shortened(page: Page, request: PageRequest) -> Page:
    """Cut the text to what the caller wants: a part of it in order, or all but its middle."""
    if request.offset is not None:
        text, following = part_from(page.text, request.offset, request.max_chars)
        cut = page.truncated or following > 0
        return replace(page, text=text, truncated=cut, next_offset=following)
    text, cut = cut_middle(page.text, request.max_chars)
    return replace(page, text=text, truncated=page.truncated or cut)


def timings(run: Run) -> Timings:
    """Say where the time went."""
    return Timings(
        wait_ms=round(run.wait_s * 1000),
        dns_ms=round(run.trail.dns_s * 1000),
        http_ms=round(run.trail.http_s * 1000),
        browser_ms=round(run.browser_s * 1000),
        extract_ms=round(run.extract_s * 1000),
        total_ms=round((now() - run.started) * 1000),
    )
