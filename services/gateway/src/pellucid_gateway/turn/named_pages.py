"""What a person is told of the pages that they named."""

from pellucid_gateway.course.ledger import TurnLedger
from pellucid_gateway.gathering.sources import shown_title
from pellucid_gateway.vocabulary.events import UrlFetched
from pellucid_gateway.vocabulary.findings import PageContent

# Warnings of the fetcher: an error or a notice stands in the place of the page; a wall before it.
DOUBTFUL = frozenset({"soft_404", "soft_error", "consent_page"})
WALLS = frozenset({"paywall", "login_wall"})


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
