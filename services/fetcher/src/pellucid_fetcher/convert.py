"""Between the contract's messages and the domain; pure and total."""

from typing import Final

from pellucid.common.v1 import common_pb2
from pellucid.fetcher.v1 import fetcher_pb2

from pellucid_fetcher.outcome import Page, PageRequest
from pellucid_runtime.rpc.messages import read, write

DEFAULT_MAX_CHARS: Final = 10_000
ANSWER_MARGIN_S: Final = 0.05  # for the way back to the caller


def request_from(message: fetcher_pb2.FetchRequest, remaining_s: float | None) -> PageRequest:
    """Read a request.

    Args:
        message: Already validated against the limits of the contract.
        remaining_s: Time that is left for the call, in seconds; nothing when it has no deadline.
    """
    asked_s = message.timeout_ms / 1000 or float("inf")
    left_s = float("inf") if remaining_s is None else max(0.0, remaining_s - ANSWER_MARGIN_S)
    return read(
        PageRequest,
        message,
        max_chars=message.max_chars or DEFAULT_MAX_CHARS,
        timeout_s=min(asked_s, left_s),
        internal_only=message.no_external,
    )


def page_to(page: Page) -> fetcher_pb2.Page:
    """Write a page."""
    date = page.published
    return write(
        fetcher_pb2.Page,
        page,
        extraction_quality=page.quality,
        published=date and write(common_pb2.PublishedDate, date, source=date.origin),
    )
