"""Notices to the person, and notes to the model, on the pages that the person named."""

from pellucid_gateway.domain.account import Notice
from pellucid_gateway.domain.attachment import is_attachment
from pellucid_gateway.domain.decision import Action, Decision, WebMode
from pellucid_gateway.domain.events import UrlFetched
from pellucid_gateway.domain.fencing import neutral
from pellucid_gateway.domain.findings import FETCH_FAILED, PageContent
from pellucid_gateway.domain.request import TurnRequest
from pellucid_gateway.question.fallback_decision import find_urls
from pellucid_gateway.question.page_sketch import sketch
from pellucid_gateway.retrieval.sources import shown_title
from pellucid_gateway.turn.result import Findings
from pellucid_gateway.turn_context.ledger import TurnLedger

# Warnings of the fetcher: an error or a notice replaces the page; a paywall or login hides it.
DOUBTFUL = frozenset({"soft_404", "soft_error", "consent_page"})
WALLS = frozenset({"paywall", "login_wall"})
_PAYMENT = 402

_UNREACHABLE = "unreachable"
_GONE = "gone"
# Text of the cause by the fetcher's status; for all others: the page could not be reached.
_CAUSES = {
    _GONE: _GONE,
    "not_found": "not_found",
    "forbidden": "forbidden",
    "rate_limited": "rate_limited",
    "http_error": "site_error",
    "blocked_by_site": "human_check",
    "robots_denied": "robots",
    "connect_timeout": "too_slow",
    "first_byte_timeout": "too_slow",
    "total_timeout": "too_slow",
    "deadline": "too_slow",
    "tls_error": "certificate",
    "redirect_loop": "redirects",
    "too_many_redirects": "redirects",
    "bad_redirect": "redirects",
    "unsupported_type": "not_text",
    "no_text": "no_text",
    "too_large": "too_large",
    "parse_limit": "too_large",
    "decompression_bomb": "too_large",
    "decode_error": "damaged",
    "protocol_error": "damaged",
    "headers_too_large": "damaged",
    "unsupported_encoding": "damaged",
}


def pages_to_read(decision: Decision, request: TurnRequest) -> tuple[str, ...]:
    """Addresses to read; with the web off only attachments, which need no request."""
    reads = decision.action in {Action.FETCH, Action.SEARCH}
    if reads and request.web_mode is not WebMode.OFF:
        return decision.urls
    return tuple(filter(is_attachment, decision.urls or find_urls(request.message)))


def take_page(
    url: str, page: PageContent | None, found: Findings, request: TurnRequest, ledger: TurnLedger
) -> UrlFetched:
    """Add a page that the person named to the findings; notify the person of a failure.

    The person is also notified if the page has changed since it was last read in this
    conversation, because earlier answers about it may no longer hold.
    """
    content = url_fetched(url, page, ledger)
    found.url_contents.append(content)
    if page is None:
        return content
    found.user_pages.append(page)
    is_whole = page.success and not (DOUBTFUL | WALLS) & set(page.warnings)
    if _is_walled(page):
        found.sketches[url] = ""
    if is_whole and not is_attachment(url):
        found.sketches[url] = sketch(page.text)
    drawn = found.sketches.get(url)
    if drawn and request.has_changed and request.has_changed(url, drawn):
        ledger.notify("page_changed", url=url)
        found.notes.append(
            f"{neutral(url)} has changed since it was last read in this conversation. Where an "
            "earlier answer differs from what it says now, say so."
        )
    return content


def url_fetched(url: str, page: PageContent | None, ledger: TurnLedger) -> UrlFetched:
    """The event for a page that the person named; a failure is also noted in the ledger."""
    is_read = page is not None and page.success
    if page is not None and _is_walled(page):
        ledger.notify("paywall", url=url)
    elif not is_read:
        _tell_unread(url, page, ledger)
    elif page is not None and DOUBTFUL & set(page.warnings):
        ledger.notify("page_doubtful", url=url)
    if page is None or not is_read:
        cause = ledger.wording.page(_cause(page), url=_shown(url, page))
        code = page.error_code if page else FETCH_FAILED
        return UrlFetched(url=url, success=False, error=cause, error_code=code)
    return UrlFetched(url=url, success=True, method=page.method, title=shown_title(page))


def _is_walled(page: PageContent) -> bool:
    return page.http_status == _PAYMENT or bool(WALLS & set(page.warnings))


def _tell_unread(url: str, page: PageContent | None, ledger: TurnLedger) -> None:
    """Say why it could not be read, and what may help: a retry only if the cause may pass.

    Forbidden and unreachable addresses get the same text, so that it reveals nothing about the
    internal network.
    """
    cause, wording = _cause(page), ledger.wording
    retry = cause == _UNREACHABLE or page is None or page.retryable
    offer = "attach_again" if cause == _GONE else "retry_or_paste" if retry else "paste"
    text = f"{wording.page(cause, url=_shown(url, page))} {wording.page(offer)}"
    ledger.tell(Notice("page_unreachable", text, retry=retry))


def _shown(url: str, page: PageContent | None) -> str:
    """The name of a page for people: its address, or the name of an attachment."""
    return shown_title(page) if page and is_attachment(url) else url


def _cause(page: PageContent | None) -> str:
    if page is None:
        return "too_slow"
    if page.status == "no_text" and page.content_type == "application/pdf":
        return "scanned"
    return "encrypted" if page.reason == "encrypted" else _CAUSES.get(page.status, _UNREACHABLE)
