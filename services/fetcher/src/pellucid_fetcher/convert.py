"""Between the contract's messages and the domain; pure and total."""

from typing import Final

from google.protobuf.timestamp_pb2 import Timestamp
from pellucid.common.v1 import common_pb2
from pellucid.fetcher.v1 import fetcher_pb2

from pellucid_fetcher.outcome import Method, Page, PageRequest, Purpose

DEFAULT_MAX_CHARS: Final = 10_000
ANSWER_MARGIN_S: Final = 0.05  # for the way back to the caller

_PURPOSES: Final = {
    fetcher_pb2.PURPOSE_USER_URL: Purpose.USER_URL,
    fetcher_pb2.PURPOSE_SEARCH_RESULT: Purpose.SEARCH_RESULT,
}


def request_from(message: fetcher_pb2.FetchRequest, remaining_s: float | None) -> PageRequest:
    """Read a request.

    Args:
        message: Already validated against the limits of the contract.
        remaining_s: Time that is left for the call, in seconds; nothing when it has no deadline.
    """
    asked_s = message.timeout_ms / 1000 or float("inf")
    left_s = float("inf") if remaining_s is None else max(0.0, remaining_s - ANSWER_MARGIN_S)
    return PageRequest(
        url=message.url,
        purpose=_PURPOSES[message.purpose],
        max_chars=message.max_chars or DEFAULT_MAX_CHARS,
        timeout_s=min(asked_s, left_s),
        internal_only=message.no_external,
        offset=message.offset if message.HasField("offset") else None,
        links=message.links,
        content=message.content if message.HasField("content") else None,
    )


def page_to(page: Page) -> fetcher_pb2.Page:
    """Write a page."""
    message = fetcher_pb2.Page(
        url=page.url,
        final_url=page.final_url,
        success=page.success,
        status=f"FETCH_STATUS_{page.status.name}",
        http_status=page.http_status,
        method=None if page.method is Method.NONE else f"METHOD_{page.method.name}",
        title=page.title,
        author=page.author,
        site_name=page.site_name,
        language=page.language,
        text=page.text,
        excerpt=page.excerpt,
        truncated=page.truncated,
        content_type=page.content_type,
        charset=page.charset,
        redirects=page.redirects,
        retryable=page.retryable,
        error=page.error,
        retry_after_s=page.retry_after_s,
        warnings=page.warnings,
        timings=_timings_to(page),
        bytes_wire=page.bytes_wire,
        bytes_decoded=page.bytes_decoded,
        extraction_quality=page.quality,
        page_type=page.page_type,
        reason=page.reason,
        host_reliability=page.host_reliability,
        next_offset=page.next_offset,
    )
    if page.published is not None:
        message.published.CopyFrom(_date_to(page))
    return message


def _timings_to(page: Page) -> fetcher_pb2.FetchTimings:
    timings = page.timings
    return fetcher_pb2.FetchTimings(
        wait_ms=timings.wait_ms,
        dns_ms=timings.dns_ms,
        http_ms=timings.http_ms,
        browser_ms=timings.browser_ms,
        extract_ms=timings.extract_ms,
        total_ms=timings.total_ms,
    )


def _date_to(page: Page) -> common_pb2.PublishedDate:
    assert page.published is not None  # noqa: S101 - checked by the caller
    moment = Timestamp()
    moment.FromDatetime(page.published.time)
    return common_pb2.PublishedDate(
        time=moment,
        source=f"DATE_SOURCE_{page.published.origin.name}",
        confidence=page.published.confidence,
    )
