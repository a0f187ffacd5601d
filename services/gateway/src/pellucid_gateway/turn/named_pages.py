"""What a person, and the model, are told of the pages that the person named."""

from pellucid_gateway.domain.events import UrlFetched
from pellucid_gateway.domain.fencing import neutral
from pellucid_gateway.domain.findings import PageContent
from pellucid_gateway.domain.request import TurnRequest
from pellucid_gateway.question.page_sketch import sketch
from pellucid_gateway.retrieval.sources import shown_title
from pellucid_gateway.turn.result import Findings
from pellucid_gateway.turn_context.ledger import TurnLedger

# Warnings of the fetcher: an error or a notice stands in the place of the page; a wall before it.
DOUBTFUL = frozenset({"soft_404", "soft_error", "consent_page"})
WALLS = frozenset({"paywall", "login_wall"})


def take_page(
    url: str, page: PageContent | None, found: Findings, request: TurnRequest, ledger: TurnLedger
) -> UrlFetched:
    """Add a page that the person named to what was found; what was in its way is told.

    So is that it changed since it was last read in this conversation: what was said of it then may
    no longer hold.
    """
    content = url_fetched(url, page, ledger)
    found.url_contents.append(content)
    if page is None:
        return content
    found.user_pages.append(page)
    is_whole = page.success and not (DOUBTFUL | WALLS) & set(page.warnings)
    if WALLS & set(page.warnings):
        found.sketches[url] = ""
    if is_whole:
        found.sketches[url] = sketch(page.text)
    if is_whole and request.has_changed and request.has_changed(url, found.sketches[url]):
        ledger.notify("page_changed", url=url)
        found.notes.append(
            f"{neutral(url)} has changed since it was last read in this conversation. Where an "
            "earlier answer differs from what it says now, say so."
        )
    return content


def url_fetched(url: str, page: PageContent | None, ledger: TurnLedger) -> UrlFetched:
    """What is told of a page that the person named; what was in its way goes into the ledger."""
    walled = page is not None and bool(WALLS & set(page.warnings))
    if page is None or not page.success or walled:
        ledger.notify("paywall" if walled else "page_unreachable", url=url)
    elif DOUBTFUL & set(page.warnings):
        ledger.notify("page_doubtful", url=url)
    if page is None or not page.success:
        unreachable = ledger.wording.notice("page_unreachable", url=url)
        error = page.error if page and page.error else unreachable
        return UrlFetched(url=url, success=False, error=error)
    title = shown_title(page)
    return UrlFetched(url=url, success=True, method=page.method, title=title)
