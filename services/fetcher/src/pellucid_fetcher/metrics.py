"""Every instrument of the fetcher. No label ever carries an address."""

import structlog
from prometheus_client import Counter, Gauge, Histogram

from pellucid_fetcher.egress.address import host_in
from pellucid_fetcher.outcome import Page, Purpose

_log = structlog.get_logger("pellucid_fetcher.metrics")

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30)
# Most pages take less than a second; a turn waits eight for a page at most.
_SLOW_MS = 3_000
_BYTES = (1e3, 1e4, 1e5, 5e5, 1e6, 5e6, 1e7)

PAGES = Counter(
    "pellucid_fetcher_pages_total", "Pages by outcome.", ("status", "method", "purpose")
)
PAGE_SECONDS = Histogram(
    "pellucid_fetcher_page_seconds", "Whole time of a page.", ("method",), buckets=_SECONDS
)
EXTRACT_SECONDS = Histogram(
    "pellucid_fetcher_extract_seconds", "Time of extraction.", buckets=_SECONDS
)
BODY_BYTES = Histogram(
    "pellucid_fetcher_body_bytes", "Decoded size of what was read.", buckets=_BYTES
)
EGRESS = Counter(
    "pellucid_fetcher_egress_decisions_total",
    "Decisions of the egress gate.",
    ("allowed", "reason"),
)
BROWSER_AVAILABLE = Gauge(
    "pellucid_fetcher_browser_available", "1 when a Chromium can be used, else 0."
)
WARNINGS = Counter("pellucid_fetcher_warnings_total", "Warnings attached to pages.", ("warning",))

BROWSER_PAGES = Gauge("pellucid_fetcher_browser_pages", "Pages that browsers are showing.")
BROWSER_RESTARTS = Counter(
    "pellucid_fetcher_browser_restarts_total", "Browsers that were given up.", ("cause",)
)
STORE_ERRORS = Counter(
    "pellucid_fetcher_store_errors_total",
    "Operations on the store that failed, took too long or were dropped.",
    ("operation",),
)


def note_page(page: Page, *, purpose: str) -> None:
    """Turn a finished fetch into metrics, and a failed or a slow one into a line of the log.

    The log has the host of a search result, of a person's page none.
    """
    if not page.success or page.timings.total_ms >= _SLOW_MS:
        _log.warning(
            "page_slow" if page.success else "page_failed",
            host=host_in(page.url) if purpose == Purpose.SEARCH_RESULT else "",
            status=page.status.value,
            http_status=page.http_status,
            reason=page.reason,
            purpose=purpose,
            ms=page.timings.total_ms,
        )
    PAGES.labels(page.status.value, page.method.value, purpose).inc()
    PAGE_SECONDS.labels(page.method.value).observe(page.timings.total_ms / 1000)
    EXTRACT_SECONDS.observe(page.timings.extract_ms / 1000)
    BODY_BYTES.observe(page.bytes_decoded)
    for warning in page.warnings:
        WARNINGS.labels(warning).inc()
